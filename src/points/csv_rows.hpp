// Finds the fields of delimited records: the hot loop of the reader.
#pragma once

#include <cstdint>
#include <string>

#include "points/csv_layout.hpp"
#include "points/text_rows.hpp"

namespace shoal {

class RowParser final : public TextRows {
 public:
  RowParser(const CsvLayout& layout, OnBadRow on_bad_row, unsigned worker, const Points::Visit& visit);

  // Throws TextFault also at a quote that may not stand where it does when fields span lines. Takes the quotes off
  // texts in place.
  std::uint64_t parse(TextBlock& block) override;

 private:
  enum RecordFault { fields = of_record, mark, foreign, quote };
  enum class Quotes { none, in_lines, across_lines };

  template <Quotes quotes>
  void parse_lines(char* p, const char* end);
  template <Quotes quotes>
  char* parse_record(char* p);
  template <Quotes quotes>
  char* field_end(char* p, std::size_t field);
  template <Quotes quotes>
  char* parse_odd_coordinate(char* p, std::size_t field);
  template <Quotes quotes>
  char* parse_text(char* p, std::size_t field);
  [[noreturn]] void refuse_quote() const;
  [[nodiscard]] std::string explain(const BadRow& bad) const override;

  const CsvLayout& layout_;
  std::uint64_t lines_ = 0;  // of the block, so far
  bool first_block_ = false;
};

}  // namespace shoal
