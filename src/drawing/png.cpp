// PNG (ISO/IEC 15948): signature, then chunks of length, name, content and CRC-32.
#include <zlib.h>

#include <string>

#include "base/packed.hpp"
#include "drawing/canvas.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16 & 255), static_cast<char>(value >> 8 & 255),
          static_cast<char>(value & 255)};
}

std::string chunk(const std::string& name, const std::string& content) {
  return big_endian(static_cast<std::uint32_t>(content.size())) + name + content + big_endian(crc32_of(name + content));
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), 9) != Z_OK) {
    throw Error(ErrorKind::internal, "zlib could not compress a picture");
  }
  result.resize(size);
  return result;
}

enum class ColorType : char { truecolor = 2, indexed = 3 };

// palette: the chunks between the header and the rows that an indexed image needs.
std::string file(std::size_t width, std::size_t height, ColorType type, const std::string& palette,
                 const std::string& rows) {
  constexpr char bit_depth = 8;
  std::string header = big_endian(static_cast<std::uint32_t>(width)) + big_endian(static_cast<std::uint32_t>(height));
  header += {bit_depth, static_cast<char>(type), 0, 0, 0};
  constexpr std::uint32_t dots_per_metre = 11811;  // 300 dots per inch
  constexpr char metre = 1;
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) +
         chunk("pHYs", big_endian(dots_per_metre) + big_endian(dots_per_metre) + metre) + palette +
         chunk("IDAT", deflated(rows)) + chunk("IEND", "");
}

void append(std::string& bytes, Color color) {
  bytes += static_cast<char>(color.r);
  bytes += static_cast<char>(color.g);
  bytes += static_cast<char>(color.b);
}

}  // namespace

std::string png_bytes(const IndexedImage& image) {
  std::string palette;
  for (const Color color : image.palette) append(palette, color);
  std::string rows;
  rows.reserve((image.width + 1) * image.height);
  for (std::size_t y = 0; y < image.height; ++y) {
    rows += '\0';  // filter: none
    rows.append(reinterpret_cast<const char*>(image.pixels.data()) + y * image.width, image.width);
  }
  std::string chunks = chunk("PLTE", palette);
  if (image.has_clear_ground) chunks += chunk("tRNS", std::string(1, '\0'));
  return file(image.width, image.height, ColorType::indexed, chunks, rows);
}

std::string png_bytes(std::size_t width, std::size_t height, std::span<const Color> pixels) {
  std::string rows;
  rows.reserve((3 * width + 1) * height);
  for (std::size_t y = 0; y < height; ++y) {
    rows += '\0';
    for (std::size_t x = 0; x < width; ++x) append(rows, pixels[y * width + x]);
  }
  return file(width, height, ColorType::truecolor, {}, rows);
}

}  // namespace shoal
