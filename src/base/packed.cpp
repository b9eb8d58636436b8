#include "base/packed.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

#include "base/parallel.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::uint8_t, 256> reverse_alphabet() {
  std::array<std::uint8_t, 256> result{};
  for (auto& value : result) value = 255;
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    result[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return result;
}

// Values packed together. The text depends on it.
constexpr std::uint64_t values_a_part = std::uint64_t{1} << 17;
// Bytes that end a part which is not the last (Z_SYNC_FLUSH), at most.
constexpr std::size_t empty_block = 16;

std::string from_base64(std::string_view text) {
  static constexpr auto digits = reverse_alphabet();
  if (text.size() % 4 != 0) throw InputError("the length of its base64 text is not a multiple of 4");
  const std::size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
  std::string bytes(text.size() / 4 * 3, '\0');
  char* out = bytes.data();
  std::uint32_t buffer = 0;
  unsigned invalid = 0;
  for (std::size_t i = 0; i < text.size() - padding; ++i) {
    const std::uint8_t digit = digits[static_cast<unsigned char>(text[i])];
    invalid |= digit;
    buffer = buffer << 6 | digit;
    if (i % 4 == 3) {
      *out++ = static_cast<char>(buffer >> 16 & 255);
      *out++ = static_cast<char>(buffer >> 8 & 255);
      *out++ = static_cast<char>(buffer & 255);
      buffer = 0;
    }
  }
  if (invalid > 63) throw InputError("its base64 text has an invalid character");
  bytes.resize(static_cast<std::size_t>(out - bytes.data()));
  if (padding == 1) {
    bytes += static_cast<char>(buffer >> 10 & 255);
    bytes += static_cast<char>(buffer >> 2 & 255);
    if ((buffer & 3) != 0) throw InputError("its base64 text has bits after its end");
  } else if (padding == 2) {
    bytes += static_cast<char>(buffer >> 4 & 255);
    if ((buffer & 15) != 0) throw InputError("its base64 text has bits after its end");
  }
  return bytes;
}

// A part of a zlib stream, and what is needed for the checksum of the whole.
struct DeflatedPart {
  std::string bytes;
  std::uint64_t unpacked = 0;
  uLong adler = 0;
};

// Noise repeats nothing except runs of zeros. Looking for other repeats took ten times as long, and the text was
// longer. A part refers to nothing before it, so parts can be packed at the same time.
DeflatedPart deflated(const std::string& bytes, bool is_last) {
  constexpr int level = 6, window_bits = 15, memory_level = 8;  // the values that zlib's compress2 uses
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, -window_bits, memory_level, Z_RLE) != Z_OK) {
    throw Error(ErrorKind::internal, "zlib could not be started");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closed(&stream, deflateEnd);
  DeflatedPart result{std::string(deflateBound(&stream, static_cast<uLong>(bytes.size())) + empty_block, '\0'),
                      bytes.size(), adler32_z(1, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.bytes.data());
  stream.avail_out = static_cast<uInt>(result.bytes.size());
  const int status = deflate(&stream, is_last ? Z_FINISH : Z_SYNC_FLUSH);
  if (status != (is_last ? Z_STREAM_END : Z_OK) || stream.avail_in != 0 || stream.avail_out == 0) {
    throw Error(ErrorKind::internal, "zlib could not compress the noisy values");
  }
  result.bytes.erase(result.bytes.size() - stream.avail_out);
  return result;
}

// Joins the parts to a zlib stream (RFC 1950).
std::string joined(const std::vector<DeflatedPart>& parts) {
  std::string result = "\x78\x01";
  std::size_t size = result.size() + 4;
  for (const DeflatedPart& part : parts) size += part.bytes.size();
  result.reserve(size);
  uLong adler = 1;
  for (const DeflatedPart& part : parts) {
    result += part.bytes;
    adler = adler32_combine(adler, part.adler, static_cast<z_off_t>(part.unpacked));
  }
  for (int shift = 24; shift >= 0; shift -= 8) result += static_cast<char>(adler >> shift & 255);
  return result;
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  bytes += static_cast<char>(value);
}

std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value) { return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1)); }

// Reads variable-length integers from a deflated stream, one buffer at a time. A small file that would expand to a huge
// one is therefore refused as soon as it has given enough values.
class VarintStream {
 public:
  explicit VarintStream(std::string_view deflated_bytes) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated_bytes.data()));
    stream_.avail_in = static_cast<uInt>(deflated_bytes.size());
    if (inflateInit(&stream_) != Z_OK) throw Error(ErrorKind::internal, "zlib could not be started");
  }
  ~VarintStream() { inflateEnd(&stream_); }
  VarintStream(const VarintStream&) = delete;
  VarintStream& operator=(const VarintStream&) = delete;

  std::uint64_t next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = next_byte();
      if (shift == 63 && byte > 1) throw InputError("it holds a number past 64 bits");
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) {
        if (byte == 0 && shift > 0) throw InputError("it has a number that is not encoded in its shortest form");
        return value;
      }
    }
  }

  void expect_end() {
    if (position_ < filled_ || (!ended_ && fill())) throw InputError("it holds more values than it has cells");
    if (!ended_) throw InputError("its zlib stream is cut off");
    if (stream_.avail_in > 0) throw InputError("it has bytes after its end");
  }

 private:
  std::uint8_t next_byte() {
    if (position_ == filled_ && (ended_ || !fill())) throw InputError("it ends before its last cell");
    return buffer_[position_++];
  }

  // Refills the buffer. Returns false at the end of the stream.
  bool fill() {
    position_ = filled_ = 0;
    stream_.next_out = buffer_.data();
    stream_.avail_out = static_cast<uInt>(buffer_.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END) throw InputError("its zlib stream is damaged");
    ended_ = status == Z_STREAM_END;
    filled_ = buffer_.size() - stream_.avail_out;
    return filled_ > 0;
  }

  z_stream stream_{};
  std::array<std::uint8_t, 1 << 14> buffer_{};
  std::size_t position_ = 0, filled_ = 0;
  bool ended_ = false;
};

}  // namespace

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void Crc32::add(std::string_view bytes) {
  value_ = static_cast<std::uint32_t>(crc32_z(value_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  length_ += bytes.size();
}

void Crc32::add(const Crc32& text) {
  value_ = static_cast<std::uint32_t>(crc32_combine(value_, text.value_, static_cast<z_off_t>(text.length_)));
  length_ += text.length_;
}

std::string base64(std::string_view bytes, unsigned threads) {
  constexpr std::uint64_t bytes_a_part = std::uint64_t{3} << 18;
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  parallel_for((bytes.size() + bytes_a_part - 1) / bytes_a_part, threads, [&](std::uint64_t part) {
    const std::size_t end = std::min<std::uint64_t>(bytes.size(), (part + 1) * bytes_a_part);
    char* out = text.data() + part * (bytes_a_part / 3 * 4);
    const auto byte = [&](std::size_t i) {
      return i < end ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) : 0U;
    };
    for (std::size_t i = part * bytes_a_part; i < end; i += 3, out += 4) {
      const std::uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
      out[0] = alphabet[group >> 18];
      out[1] = alphabet[group >> 12 & 63];
      if (i + 1 < end) out[2] = alphabet[group >> 6 & 63];
      if (i + 2 < end) out[3] = alphabet[group & 63];
    }
  });
  return text;
}

std::string pack(const Cells<std::int64_t>& cells, unsigned threads) {
  const std::uint64_t indices = cells.index().size(), numbers = indices + cells.stored();
  const std::uint64_t count = std::max<std::uint64_t>(1, (numbers + values_a_part - 1) / values_a_part);
  std::vector<DeflatedPart> parts(count);
  parallel_for(count, threads, [&](std::uint64_t part) {
    std::string bytes;
    bytes.reserve(2 * values_a_part);
    const std::uint64_t begin = part * values_a_part, end = std::min(numbers, begin + values_a_part);
    std::uint64_t i = begin;
    for (; i < std::min(end, indices); ++i)
      append_varint(bytes, cells.index()[i] - (i == 0 ? 0 : cells.index()[i - 1]));
    for (; i < end; ++i) append_varint(bytes, zigzag(cells.values()[i - indices]));
    parts[part] = deflated(bytes, part + 1 == count);
  });
  return base64(joined(parts), threads);
}

std::uint64_t most_packed_bytes(const Cells<std::int64_t>& cells) {
  const auto bytes_of = [](std::uint64_t value) -> std::uint64_t { return (std::bit_width(value | 1) + 6U) / 7; };
  std::uint64_t bytes = 0, last = 0;
  for (const std::uint64_t index : cells.index()) bytes += bytes_of(index - std::exchange(last, index));
  for (const std::int64_t value : cells.values()) bytes += bytes_of(zigzag(value));
  const std::uint64_t parts = (cells.index().size() + cells.stored()) / values_a_part + 1;
  return (compressBound(static_cast<uLong>(bytes)) + parts * (empty_block + 16) + 2) / 3 * 4;
}

Cells<std::int64_t> unpack(std::string_view text, const Shape& shape, bool dense, std::uint64_t stored) {
  const std::string bytes = from_base64(text);
  const std::uint64_t cells = cell_count(shape);
  if (dense ? stored != cells : stored > cells) throw InputError("it does not have as many values as cells");
  VarintStream numbers(bytes);
  std::vector<std::uint64_t> index;
  for (std::uint64_t i = 0, last = 0; !dense && i < stored; ++i) {
    const std::uint64_t gap = numbers.next();
    if ((i > 0 && gap == 0) || gap >= cells - last) throw InputError("it names cells out of order or out of range");
    index.push_back(last += gap);
  }
  Values<std::int64_t> values;
  for (std::uint64_t i = 0; i < stored; ++i) values.push_back(unzigzag(numbers.next()));
  numbers.expect_end();
  return dense ? Cells<std::int64_t>::dense(shape, std::move(values))
               : Cells<std::int64_t>::sparse(shape, std::move(index), std::move(values));
}

}  // namespace shoal
