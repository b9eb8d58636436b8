#include "points/arrow_columns.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "shoal/error.hpp"

namespace shoal {

namespace {

[[noreturn]] void refuse(const ArrowColumn& column, const char* what) {
  const char* const name = column.schema.name;
  throw InputError(fmt::format("column '{}' of the Arrow stream is damaged: {}", name == nullptr ? "" : name, what));
}

// A view has 16 bytes: length, then the text itself up to 12 bytes, or a prefix, the number of a buffer and a place in
// it. The last buffer of such an array holds the sizes of the others.
std::string_view viewed_text(const ArrowColumn& column, std::int64_t at) {
  const char* const view = column.values<char>() + 16 * at;
  std::array<std::int32_t, 4> parts{};
  std::memcpy(parts.data(), view, sizeof parts);
  const std::int64_t size = parts[0], buffer = parts[2], start = parts[3];
  if (size < 0) refuse(column, "a text has a negative length");
  if (size <= 12) return {view + 4, static_cast<std::size_t>(size)};
  const std::int64_t buffers = column.array.n_buffers - 3;
  if (buffer < 0 || buffer >= buffers) refuse(column, "a text lies in a buffer that is not there");
  const auto* sizes = static_cast<const std::int64_t*>(column.array.buffers[column.array.n_buffers - 1]);
  if (start < 0 || start > sizes[buffer] || size > sizes[buffer] - start) refuse(column, "a text leaves its buffer");
  return {static_cast<const char*>(column.array.buffers[2 + buffer]) + start, static_cast<std::size_t>(size)};
}

template <class Offset>
std::string_view text_by_offsets(const ArrowColumn& column, std::int64_t at) {
  const Offset* const ends = column.values<Offset>();
  if (ends[at] < 0 || ends[at + 1] < ends[at]) refuse(column, "a text ends before it starts");
  return {column.values<char>(2) + ends[at], static_cast<std::size_t>(ends[at + 1] - ends[at])};
}

// Calls `take` with the whole number of a row, of any width.
template <class Take>
auto with_whole(const ArrowColumn& column, std::int64_t row, Take take) {
  const std::int64_t at = column.offset + row;
  switch (column.format().front()) {
    case 'c':
      return take(column.values<std::int8_t>()[at]);
    case 'C':
      return take(column.values<std::uint8_t>()[at]);
    case 's':
      return take(column.values<std::int16_t>()[at]);
    case 'S':
      return take(column.values<std::uint16_t>()[at]);
    case 'i':
      return take(column.values<std::int32_t>()[at]);
    case 'I':
      return take(column.values<std::uint32_t>()[at]);
    case 'l':
      return take(column.values<std::int64_t>()[at]);
    default:
      return take(column.values<std::uint64_t>()[at]);
  }
}

}  // namespace

bool ArrowColumn::has_nulls() const {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
  const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  std::int64_t row = 0;
  while (row < length) {
    const std::int64_t at = offset + row;
    if (at % 8 == 0 && row + 8 <= length && bits[at / 8] == 0xFF) {
      row += 8;
    } else if (is_null(row++)) {
      return true;
    }
  }
  return false;
}

bool is_arrow_text(std::string_view format) {
  return format == "u" || format == "U" || format == "vu" || format == "z" || format == "Z" || format == "vz";
}

bool is_arrow_whole(std::string_view format) {
  return format.size() == 1 && std::string_view("cCsSiIlL").find(format) != std::string_view::npos;
}

std::string_view arrow_text(const ArrowColumn& column, std::int64_t row) {
  const std::int64_t at = column.offset + row;
  if (column.format().starts_with('v')) return viewed_text(column, at);
  const bool large = column.format() == "U" || column.format() == "Z";
  return large ? text_by_offsets<std::int64_t>(column, at) : text_by_offsets<std::int32_t>(column, at);
}

ArrowColumn arrow_words(const ArrowColumn& column) {
  const ArrowArray& words = *column.array.dictionary;
  return {*column.schema.dictionary, words, words.offset, words.length};
}

std::int64_t arrow_word(const ArrowColumn& column, std::int64_t row) {
  const auto place = with_whole(column, row, [](auto index) { return static_cast<std::int64_t>(index); });
  if (place < 0 || place >= column.array.dictionary->length) refuse(column, "a value is not in its dictionary");
  return place;
}

std::string_view arrow_unit(const ArrowColumn& column, std::int64_t row, std::array<char, 24>& digits) {
  if (column.is_null(row)) return {};
  if (column.schema.dictionary != nullptr) return arrow_unit(arrow_words(column), arrow_word(column, row), digits);
  if (is_arrow_text(column.format())) return arrow_text(column, row);
  const char* const end =
      with_whole(column, row, [&](auto id) { return std::to_chars(digits.begin(), digits.end(), id).ptr; });
  return {digits.data(), static_cast<std::size_t>(end - digits.data())};
}

}  // namespace shoal
