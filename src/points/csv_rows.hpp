// Parses blocks of records into columns of numbers: the hot loop of the reader. One parser a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "points/csv_blocks.hpp"
#include "points/csv_layout.hpp"
#include "shoal/points.hpp"

namespace shoal {

class RowParser {
 public:
  RowParser(const CsvLayout& layout, OnBadRow on_bad_row, unsigned worker, const Points::Visit& visit);

  // Hands the rows on and returns how many lines the block has. Throws CsvFault at a bad row, unless it is to be
  // skipped, and at a quote that may not stand where it does when fields span lines. Takes the quotes off texts in
  // place.
  std::uint64_t parse(TextBlock& block);
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }
  // From now on faults of skipped rows are kept. Takes those since the last call, by their line in the block.
  void keep_faults() { keeps_faults_ = true; }
  [[nodiscard]] std::vector<CsvFault> take_faults() { return std::exchange(faults_, {}); }

 private:
  struct BadRow {
    enum Kind {
      not_a_number,
      not_a_date,
      empty,
      fields,
      mark,
      foreign,
      quote
    } kind;             // from fields on: they explain those before
    std::size_t field;  // where; or, for the kind fields, how many there are
    std::string text;
  };
  enum class Quotes { none, in_lines, across_lines };

  template <Quotes quotes>
  void parse_lines(char* p, const char* end, bool first_block);
  template <Quotes quotes>
  char* parse_record(char* p);
  template <Quotes quotes>
  char* field_end(char* p, std::size_t field);
  template <Quotes quotes>
  char* parse_odd_coordinate(char* p, std::size_t field);
  template <Quotes quotes>
  char* parse_text(char* p, std::size_t field);
  void set_coordinate(std::size_t field, std::string_view text);
  [[nodiscard]] bool is_missing(std::string_view text) const;
  [[nodiscard]] std::string explain_number() const;
  void report(BadRow::Kind kind, std::size_t field, std::string_view text);
  [[noreturn]] void refuse_quote() const;
  bool is_selected();
  void handle_bad_row(bool first_block);
  void flush();
  [[nodiscard]] std::string explain(bool first_line) const;

  // Where the coordinate in a field goes: the start of its column; nullptr when the field holds none.
  struct Target {
    double* column;
    bool is_text;  // read as text: the unit, or a coordinate that is no plain number
    bool unit;
    const AxisKind* kind;  // of a coordinate that is more than a number
    int condition;         // which column of the condition it is; -1: none
  };

  const CsvLayout& layout_;
  OnBadRow on_bad_row_;
  unsigned worker_;
  const Points::Visit& visit_;
  std::vector<std::vector<double>> columns_;
  std::vector<Target> targets_;  // one per field
  std::vector<std::string_view> units_;
  std::vector<ConditionValue> record_;  // what the condition sees of the row at hand
  std::size_t rows_ = 0;
  std::uint64_t lines_ = 0;     // of the block, so far
  std::uint64_t row_line_ = 0;  // the line on which the row at hand starts, from 0 on, in the block
  std::optional<BadRow> bad_;   // the first fault of the row at hand
  std::uint64_t skipped_ = 0;
  bool keeps_faults_ = false;
  std::vector<CsvFault> faults_;
};

}  // namespace shoal
