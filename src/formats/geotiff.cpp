// GeoTIFF (OGC 19-008r4, TIFF 6.0): little-endian, one directory per part, each with one strip of float32 samples. Band
// 1 is the noisy value of each cell, NaN where the release has none or where the value may be one that was raised to
// the lowest; band 2 is the number of its cluster, 0 for none.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/geographic_axes.hpp"
#include "drawing/canvas.hpp"
#include "formats/export.hpp"
#include "formats/map_files.hpp"
#include "inference/noisy_records.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"

namespace shoal {

namespace {

enum class Type : std::uint16_t { ascii = 2, word = 3, number = 4, real = 12 };

void append(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

// A directory of tags, and the bytes that its entries point to.
class Directory {
 public:
  explicit Directory(std::size_t start) : start_(start) {}

  void words(std::uint16_t tag, const std::vector<std::uint16_t>& values) {
    std::string bytes;
    for (const std::uint16_t value : values) append(bytes, value, 2);
    add(tag, Type::word, values.size(), bytes);
  }
  void number(std::uint16_t tag, std::uint64_t value) {
    std::string bytes;
    append(bytes, value, 4);
    add(tag, Type::number, 1, bytes);
  }
  void reals(std::uint16_t tag, const std::vector<double>& values) {
    std::string bytes;
    for (const double value : values) append(bytes, __builtin_bit_cast(std::uint64_t, value), 8);
    add(tag, Type::real, values.size(), bytes);
  }
  void text(std::uint16_t tag, const std::string& value) { add(tag, Type::ascii, value.size() + 1, value + '\0'); }

  // Returns the offset at which `bytes` will stand in the file.
  std::size_t store(const std::string& bytes) {
    const std::size_t at = start_ + data_.size();
    data_ += bytes;
    if (data_.size() % 2 != 0) data_ += '\0';
    return at;
  }

  // Where the directory itself begins: after its data.
  [[nodiscard]] std::size_t at() const noexcept { return start_ + data_.size(); }
  [[nodiscard]] std::size_t end() const noexcept { return at() + 2 + entries_.size() + 4; }
  [[nodiscard]] std::string bytes(std::size_t next) const {
    std::string all = data_;
    append(all, entries_.size() / 12, 2);
    all += entries_;
    append(all, next, 4);
    return all;
  }

 private:
  void add(std::uint16_t tag, Type type, std::size_t count, std::string bytes) {
    std::string entry;
    append(entry, tag, 2);
    append(entry, static_cast<std::uint16_t>(type), 2);
    append(entry, count, 4);
    if (bytes.size() <= 4) {
      bytes.resize(4, '\0');
      entry += bytes;
    } else {
      append(entry, store(bytes), 4);
    }
    entries_ += entry;
  }

  std::size_t start_;
  std::string data_, entries_;
};

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), 6) != Z_OK) {
    throw Error(ErrorKind::internal, "zlib could not compress a GeoTIFF");
  }
  result.resize(size);
  return result;
}

// The cells of a part as a raster: x grows to the east, rows go from north to south.
struct Raster {
  std::size_t x = 0, y = 1;  // axes
  std::uint64_t across = 0, up = 0;
  double west = 0, north = 0, width = 0, height = 0;  // of a cell
  std::string samples;
};

double width_of(const Axis& axis, std::uint64_t cells) {
  std::uint64_t together = 1;
  for (std::uint64_t left = axis.cells(); left > cells; left = (left + 1) / 2) together *= 2;
  return (axis.hi() - axis.lo()) / static_cast<double>(axis.cells()) * static_cast<double>(together);
}

// Returns the middle of a cell, of the part of it that is within the bounds.
double middle_of(const Axis& axis, std::uint64_t cell, double width) {
  const double first = axis.lo() + static_cast<double>(cell) * width;
  return (first + std::min(first + width, axis.hi())) / 2;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Returns the value above which a cell is known. Counts that were raised to a lowest value before the noise have that
// value and the noise, so a map of them would show records where there are none.
double least_known(const ReleaseParts& parts) {
  const std::int64_t lowest = parts.censored_below();
  if (lowest == 0) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(lowest) + noise_of_sum(parts, 1).value_or(0);
}

Raster raster_of(const Release& release) {
  const ReleaseParts& parts = release.parts();
  const Grid& grid = parts.grid;
  const GeographicAxes geographic = geographic_axes(grid);
  Raster raster;
  raster.x = geographic.found ? geographic.longitude : 0;
  raster.y = 1 - raster.x;
  const bool has_values = parts.values() != nullptr;
  const Cells<std::int64_t> none;
  const Cells<std::int64_t>& values = has_values ? parts.values()->value() : none;
  const double least = least_known(parts);
  const Shape shape = has_values ? values.shape() : release.cluster_cells().shape();
  raster.across = shape[raster.x];
  raster.up = shape[raster.y];
  raster.width = width_of(grid.axis(raster.x), raster.across);
  raster.height = width_of(grid.axis(raster.y), raster.up);
  raster.west = grid.axis(raster.x).lo();
  raster.north = grid.axis(raster.y).lo() + raster.height * static_cast<double>(raster.up);
  const ClusterMap map = release.map();
  const auto add = [&raster](double value) {
    append(raster.samples, __builtin_bit_cast(std::uint32_t, static_cast<float>(value)), 4);
  };
  raster.samples.reserve(raster.across * raster.up * 8);
  std::vector<double> centre(2);
  for (std::uint64_t row = raster.up; row-- > 0;) {
    for (std::uint64_t column = 0; column < raster.across; ++column) {
      const std::uint64_t cell = raster.x == 0 ? column * shape[1] + row : row * shape[1] + column;
      centre[raster.x] = middle_of(grid.axis(raster.x), column, raster.width);
      centre[raster.y] = middle_of(grid.axis(raster.y), row, raster.height);
      const double value = has_values ? static_cast<double>(values.at(cell)) : unknown;
      add(value > least ? value : unknown);
      add(static_cast<double>(map.label(centre)));
    }
  }
  return raster;
}

// Tags are written in ascending order, as TIFF requires.
Directory directory_of(const Release& release, const std::string& name, std::size_t start) {
  const ReleaseParts& parts = release.parts();
  const Raster raster = raster_of(release);
  const bool geographic = geographic_axes(parts.grid).found;
  Directory directory(start);
  const std::string strip = deflated(raster.samples);
  const std::size_t strip_at = directory.store(strip);
  directory.number(256, raster.across);
  directory.number(257, raster.up);
  directory.words(258, {32, 32});
  directory.words(259, {8});  // deflate
  directory.words(262, {1});  // dark is low
  if (!name.empty()) directory.text(270, name);
  directory.number(273, strip_at);
  directory.words(277, {2});
  directory.number(278, raster.up);
  directory.number(279, strip.size());
  directory.words(284, {1});
  directory.words(338, {0});
  directory.words(339, {3, 3});  // IEEE
  directory.reals(33550, {raster.width, raster.height, 0});
  directory.reals(33922, {0, 0, 0, raster.west, raster.north, 0});
  if (geographic)
    directory.words(34735, {1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326});  // WGS 84, areas
  directory.text(
      42112,
      fmt::format("<GDALMetadata>\n<Item name=\"DESCRIPTION\" sample=\"0\" role=\"description\">noisy {}</Item>\n"
                  "<Item name=\"DESCRIPTION\" sample=\"1\" role=\"description\">cluster</Item>\n"
                  "<Item name=\"private\">{}</Item>\n<Item name=\"epsilon\">{}</Item>\n</GDALMetadata>",
                  escaped(counted_noun(parts.unit).many), parts.is_private, parts.epsilon.text()));
  return directory;
}

}  // namespace

void require_geotiff(const Grid& grid) {
  require_two_axes(grid);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (!std::holds_alternative<Numbers>(grid.axis(axis).kind().scale)) {
      throw InputError(
          fmt::format("a GeoTIFF needs cells of equal width on both axes, and '{}' has others; use .gpkg or .geojson",
                      grid.axis(axis).name()));
    }
  }
}

std::string geotiff(std::span<const NamedRelease> parts) {
  constexpr std::size_t largest = 0xFFFFFFFF;
  std::string file = "II";
  append(file, 42, 2);
  std::vector<Directory> directories;
  std::size_t start = 8;
  for (const NamedRelease& part : parts) {
    require_geotiff(part.release.parts().grid);
    directories.push_back(directory_of(part.release, part.name, start));
    start = directories.back().end();
    if (start > largest) throw InputError("a GeoTIFF holds at most 4 GiB; use fewer cells per axis");
  }
  append(file, directories.front().at(), 4);
  for (std::size_t i = 0; i < directories.size(); ++i) {
    file += directories[i].bytes(i + 1 < directories.size() ? directories[i + 1].at() : 0);
  }
  return file;
}

}  // namespace shoal
