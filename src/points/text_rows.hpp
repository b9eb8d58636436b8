// Converts the fields of text records to columns of numbers, for every text format. A format's parser derives from
// TextRows: it finds the fields of a record, sets them, and ends the record. One parser per worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "points/condition.hpp"
#include "points/text_blocks.hpp"
#include "shoal/grid.hpp"
#include "shoal/points.hpp"
#include "shoal/readers.hpp"

namespace shoal {

// What is done with a field of a record.
struct FieldRole {
  int column = -1;  // coordinate that it holds; -1: none
  bool unit = false;
  int condition = -1;  // column of the condition that it is; -1: none
};

// How the fields of a record are read.
struct RowLayout {
  std::vector<AxisKind> kinds;              // of the coordinates; empty: all numbers
  std::optional<BoundCondition> condition;  // which records are handed on; none: all
  bool has_marks = true;                    // the format may declare other marks of numbers
  char decimal = '.', thousands = '\0';
  std::vector<std::string> missing;  // texts of coordinates that are missing values
  std::vector<FieldRole> roles;      // one per field of a record
  std::size_t columns = 0;           // coordinates
  bool has_unit = false;
};

class TextRows {
 public:
  TextRows(const RowLayout& layout, OnBadRow on_bad_row, unsigned worker, const Points::Visit& visit);
  TextRows(const TextRows&) = delete;
  TextRows& operator=(const TextRows&) = delete;
  virtual ~TextRows() = default;

  // Hands the rows on and returns how many lines the block has. Throws TextFault at a bad row unless it is to be
  // skipped, and where the rest of the text cannot be read. May change the text of the block.
  virtual std::uint64_t parse(TextBlock& block) = 0;
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }
  // From now on faults of skipped rows are kept. Takes those since the last call, by their line in the block.
  void keep_faults() { keeps_faults_ = true; }
  [[nodiscard]] std::vector<TextFault> take_faults() { return std::exchange(faults_, {}); }

 protected:
  struct BadRow {
    int kind;           // one of ValueFault, or of a format's own that start at of_record
    std::size_t field;  // where; or what a format's own kind says
    std::string text;
  };
  // What is wrong with a value. A fault of the whole record explains those of its values, and replaces them.
  enum ValueFault { not_a_number, not_a_date, empty, nested, of_record };

  // Where the coordinate in a field goes: the start of its column; nullptr if the field holds none.
  struct Target {
    double* column;
    bool is_text;  // read as text: the unit, a condition's column, or a coordinate that is not a plain number
    bool unit;
    const AxisKind* kind;  // of a coordinate that is more than a number
    int condition;         // which column of the condition it is; -1: none
  };

  // Sets whatever the field is: unit, column of the condition, coordinate. The text must live until flush().
  void set_text(std::size_t field, std::string_view text);
  void set_coordinate(std::size_t field, std::string_view text);
  void report(int kind, std::size_t field, std::string_view text);
  // Ends the record at hand: drops it, keeps it, or treats it as a bad row. The next record starts a new row.
  void end_record() {
    if (layout_.condition && !is_selected()) return;
    if (bad_) handle_bad_row();
    if (++rows_ == block_rows) flush();
  }
  // Hands on the rows. Units point into the block, so this comes before its end.
  void flush();

  // What is said of a bad row behind its line's number.
  [[nodiscard]] virtual std::string explain(const BadRow& bad) const = 0;
  // The same for a ValueFault, except that of a unit. `place` names the field: "column 'x' (field 2)".
  [[nodiscard]] std::string explain_value(const BadRow& bad, const std::string& place) const;

  static constexpr std::size_t block_rows = 4096;

  std::vector<Target> targets_;  // one per field
  std::size_t rows_ = 0;
  std::uint64_t row_line_ = 0;  // the line on which the row at hand starts, in the block, starting at 0

 private:
  [[nodiscard]] bool is_missing(std::string_view text) const;
  [[nodiscard]] std::string explain_number(const std::string& text) const;
  bool is_selected();
  void handle_bad_row();

  const RowLayout& layout_;
  OnBadRow on_bad_row_;
  unsigned worker_;
  const Points::Visit& visit_;
  std::vector<std::vector<double>> columns_;
  std::vector<std::string_view> units_;
  std::vector<ConditionValue> record_;  // what the condition sees of the row at hand
  std::optional<BadRow> bad_;           // the first fault of the row at hand
  std::uint64_t skipped_ = 0;
  bool keeps_faults_ = false;
  std::vector<TextFault> faults_;
};

// Text of a file for a message: shortened, control characters and what is not UTF-8 escaped.
std::string quoted_excerpt(std::string_view text);

}  // namespace shoal
