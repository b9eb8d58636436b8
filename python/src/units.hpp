// Whose row it is: a column of unit keys that Python hands over.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bindings.hpp"

namespace shoal_python {

// Keys as shoal::unit_key makes them: of a text its UTF-8 bytes, of a whole number its decimal text. The key of a row
// depends on that row alone, never on the type that its column happens to have: 17, "17" and " 17 " are one unit in
// every batch. An empty key names no unit and is refused.
class UnitColumn {
 public:
  using Numbers = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

  // Texts, bytes and whole numbers, one a row. TypeError: a row is something else (a float, a bool); ValueError: it is
  // missing or empty.
  static UnitColumn of_objects(nb::handle rows);
  // Whole numbers of 8 to 64 bits, read in place. Holds the array: to be let go of under the interpreter's lock.
  static UnitColumn of_numbers(Numbers numbers);

  // Row by row, for columns of other libraries. whole_numbers: the column's type holds nothing else.
  explicit UnitColumn(bool whole_numbers) : texts_(std::make_shared<Texts>()), whole_numbers_(whole_numbers) {}
  void add(std::string_view key);

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] bool whole_numbers() const noexcept { return whole_numbers_; }
  [[nodiscard]] UnitColumn part(std::size_t first, std::size_t rows) const;

  // Where the keys of a block are written.
  struct Room {
    std::vector<char> digits;
    std::vector<std::string_view> keys;
  };
  // Keys of rows [first, first + count), until the room is used again.
  [[nodiscard]] std::span<const std::string_view> keys(std::size_t first, std::size_t count, Room& room) const;

 private:
  struct Texts {
    std::string bytes;
    std::vector<std::size_t> ends;  // of each row's key in them
  };
  using Write = char* (*)(const void* data, std::ptrdiff_t at, char* to, char* end);

  std::shared_ptr<Texts> texts_;  // nullptr: numbers_
  Numbers numbers_;
  Write write_ = nullptr;
  bool whole_numbers_ = false;
  std::size_t first_ = 0, rows_ = 0;
};

}  // namespace shoal_python
