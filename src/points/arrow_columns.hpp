// Columns of Arrow's C data interface, read in place. https://arrow.apache.org/docs/format/CDataInterface.html names
// the structures and the formats. The interface does not say how long a buffer is: what it does say is checked, the
// rest is the producer's word.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace shoal {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// One column of a batch: rows [offset, offset + length) of the buffers.
struct ArrowColumn {
  const ArrowSchema& schema;
  const ArrowArray& array;
  std::int64_t offset, length;

  [[nodiscard]] std::string_view format() const { return schema.format; }
  [[nodiscard]] bool is_null(std::int64_t row) const {
    const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    const std::int64_t at = offset + row;
    return bits != nullptr && (bits[at / 8] >> (at % 8) & 1) == 0;
  }
  [[nodiscard]] bool has_nulls() const;
  template <class T>
  [[nodiscard]] const T* values(int buffer = 1) const {
    return static_cast<const T*>(array.buffers[buffer]);
  }
};

// Formats of text or bytes, by offsets of 32 or 64 bits or by views; formats of whole numbers.
bool is_arrow_text(std::string_view format);
bool is_arrow_whole(std::string_view format);

// Text or bytes of a row that is not null. Refuses an end before its start and a view of no buffer.
std::string_view arrow_text(const ArrowColumn& column, std::int64_t row);

// The dictionary that a column's whole numbers look up, and a row's place in it; refuses a place outside it.
ArrowColumn arrow_words(const ArrowColumn& column);
std::int64_t arrow_word(const ArrowColumn& column, std::int64_t row);

// What identifies a row's unit, its dictionary's value where it has one; empty where it is null. `digits` holds it
// where it is a number. For columns of texts or whole numbers, or dictionaries of these.
std::string_view arrow_unit(const ArrowColumn& column, std::int64_t row, std::array<char, 24>& digits);

}  // namespace shoal
