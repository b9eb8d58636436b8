// Packs integers into text: zigzag, variable-length bytes, zlib, base64. Small noise takes less than a byte per cell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

// CRC-32 as used by zlib and PNG. It detects accidental damage; it is not a signature.
std::uint32_t crc32_of(std::string_view bytes);

// The CRC-32 of a text that comes in parts.
class Crc32 {
 public:
  void add(std::string_view bytes);
  // Adds a text of which only this is known.
  void add(const Crc32& text);
  [[nodiscard]] std::uint32_t value() const noexcept { return value_; }

 private:
  std::uint32_t value_ = 0;
  std::uint64_t length_ = 0;
};

std::string base64(std::string_view bytes, unsigned threads = 1);

// Packs the values of the cells. Dense cells: the values in row-major order. Sparse cells: the first index and the gaps
// between the indices, then the values. The text does not depend on the number of threads.
std::string pack(const Cells<std::int64_t>& cells, unsigned threads = 1);
// An upper bound of the size of that text, without the time that packing takes.
std::uint64_t most_packed_bytes(const Cells<std::int64_t>& cells);

// The inverse of pack. `stored` is the number of values that the text must hold; no memory is allocated for more than
// the text really holds. Throws InputError (which names no place in a file) unless the text is exactly what pack writes
// for that many cells of that shape.
Cells<std::int64_t> unpack(std::string_view text, const Shape& shape, bool dense, std::uint64_t stored);

}  // namespace shoal
