// Integers packed into text: zigzag, variable length bytes, zlib, base64. Small noise takes less than a byte a cell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

// CRC-32 as zlib and PNG have it. Finds accidents; it is no signature.
std::uint32_t crc32_of(std::string_view bytes);

std::string base64(std::string_view bytes);

// Dense: the values in row-major order. Sparse: the gaps between indices (the first index itself), then the values.
std::string pack(const Cells<std::int64_t>& cells);
// An upper bound of the size of that text, without the time that packing takes.
std::uint64_t most_packed_bytes(const Cells<std::int64_t>& cells);

// The reverse. `stored`: how many values there must be; nothing is allocated for more than the text really holds.
// Refuses (InputError, no place named) text that is not exactly what pack makes for that many cells of that shape.
Cells<std::int64_t> unpack(std::string_view text, const Shape& shape, bool dense, std::uint64_t stored);

}  // namespace shoal
