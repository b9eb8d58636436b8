#include "points/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "points/numbers.hpp"

namespace shoal {

namespace {
constexpr std::size_t block_rows = 4096;

// A byte of the result has its top bit set where that byte of the word is zero; the lowest such byte is right.
std::uint64_t zero_bytes(std::uint64_t word) { return (word - 0x0101010101010101) & ~word & 0x8080808080808080; }

// The next delimiter or line end. There is a line end, and padding behind it.
char* next_of(char* p, char delimiter) {
  if constexpr (std::endian::native == std::endian::little) {
    const std::uint64_t delimiters = 0x0101010101010101 * static_cast<unsigned char>(delimiter);
    constexpr std::uint64_t line_ends = 0x0101010101010101 * '\n';
    for (;; p += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, p, sizeof word);
      const std::uint64_t found = zero_bytes(word ^ delimiters) | zero_bytes(word ^ line_ends);
      if (found != 0) return p + std::countr_zero(found) / 8;
    }
  }
  while (*p != delimiter && *p != '\n') ++p;
  return p;
}

// The text of a field. Quotes are taken off in place: the field can be read this way once.
std::string_view field_text(char* begin, char* end) {
  if (*end == '\n' && end > begin && end[-1] == '\r') --end;
  if (*begin != '"') return {begin, static_cast<std::size_t>(end - begin)};
  char* to = begin;
  char* from = begin + 1;
  for (; from < end; ++from) {
    if (*from == '"') {
      if (from[1] != '"') break;
      ++from;
    }
    *to++ = *from;
  }
  from = std::min(from + 1, end);
  to = std::copy(from, end, to);
  return {begin, static_cast<std::size_t>(to - begin)};
}

// A short word that may stand for a missing value.
std::string or_missing(const std::string& text) {
  constexpr std::size_t longest = 12;
  const bool digits = text.find_first_of("0123456789") != std::string::npos;
  if (digits || text.size() > longest || text.find_first_of("'\"\\ \t,") != std::string::npos) return "";
  return fmt::format(", or if it stands for a missing value, use --na {}", text);
}

bool at_line_end(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }
}  // namespace

RowParser::RowParser(const CsvLayout& layout, OnBadRow on_bad_row, unsigned worker, const Points::Visit& visit)
    : layout_(layout), on_bad_row_(on_bad_row), worker_(worker), visit_(visit) {
  columns_.assign(layout.columns, std::vector<double>(block_rows));
  const bool usual = layout.decimal == '.' && layout.thousands == '\0' && layout.missing.empty();
  for (const auto& [column, unit, condition] : layout.roles) {
    const auto place = static_cast<std::size_t>(column);
    const bool more = column >= 0 && place < layout.kinds.size() && layout.kinds[place].reads_text();
    const bool is_text = unit || more || (column >= 0 && !usual) || condition >= 0;
    targets_.push_back({column < 0 ? nullptr : columns_[place].data(), is_text, unit,
                        more ? &layout.kinds[place] : nullptr, condition});
  }
  if (layout.condition) record_.resize(layout.condition->columns().size());
  if (layout.has_unit) units_.resize(block_rows);
}

std::uint64_t RowParser::parse(TextBlock& block) {
  char* begin = block.text();
  const bool first = block.index == 0;
  lines_ = 0;
  if (!block.quotes) {
    parse_lines<Quotes::none>(begin, begin + block.size, first);
  } else if (!layout_.multiline) {
    parse_lines<Quotes::in_lines>(begin, begin + block.size, first);
  } else {
    parse_lines<Quotes::across_lines>(begin, begin + block.size, first);
  }
  flush();  // the units point into the block
  return lines_;
}

template <RowParser::Quotes quotes>
void RowParser::parse_lines(char* p, const char* end, bool first_block) {
  while (p < end) {
    char* start = p;
    while (*p == ' ' || *p == '\t') ++p;
    if (at_line_end(p)) {
      p += *p == '\r' ? 2 : 1;
      ++lines_;
      continue;
    }
    p = start;
    while (layout_.merge && *p == ' ') ++p;
    row_line_ = lines_++;
    p = parse_record<quotes>(p);
    if (layout_.condition && !is_selected()) continue;
    if (bad_) handle_bad_row(first_block);
    if (++rows_ == block_rows) flush();
  }
}

// From the first byte of a record to the first behind it.
template <RowParser::Quotes quotes>
char* RowParser::parse_record(char* p) {
  const char delimiter = layout_.delimiter;
  const std::size_t fields = targets_.size();
  for (std::size_t field = 0;; ++field) {
    if (field >= fields || (targets_[field].column == nullptr && !targets_[field].is_text)) {
      p = field_end<quotes>(p, field);
    } else if (targets_[field].is_text) {
      p = parse_text<quotes>(p, field);
    } else {
      double value = 0;
      const char* end = parse_plain_number(p, value);
      if (end != nullptr && (*end == delimiter || at_line_end(end))) {
        targets_[field].column[rows_] = value;
        p += (end - p) + (*end == '\r' ? 1 : 0);
      } else {
        p = parse_odd_coordinate<quotes>(p, field);
      }
    }
    if (*p == delimiter) {
      ++p;
      if (!layout_.merge) continue;
      while (*p == delimiter) ++p;
      if (!at_line_end(p)) continue;
      p += *p == '\r' ? 1 : 0;
    }
    if (field + 1 != fields) report(BadRow::fields, field + 1, {});
    return p + 1;
  }
}

// A quote that stands where none may. What is inside quotes and what is not can no longer be told.
void RowParser::refuse_quote() const { throw CsvFault{row_line_, layout_.wrong_quote()}; }

// Where the field that starts at p ends: a delimiter or a line end. A block that may hold quotes across lines has an
// even number of them: as long as none is refused, one that opens a field has another behind it.
template <RowParser::Quotes quotes>
char* RowParser::field_end(char* p, std::size_t field) {
  char* const begin = p;
  if (quotes != Quotes::none && *p == '"') {
    for (++p;; p += 2) {
      for (; *p != '"'; ++p) {
        if (*p != '\n') continue;
        if (quotes == Quotes::in_lines) {
          report(BadRow::quote, field, {});
          return p;
        }
        ++lines_;
      }
      if (p[1] != '"') break;
    }
    ++p;
    if (quotes == Quotes::across_lines && *p != layout_.delimiter && !at_line_end(p)) refuse_quote();
  }
  char* const end = next_of(p, layout_.delimiter);
  const std::string_view text(begin, static_cast<std::size_t>(end - begin));
  if (field == 0 && text.starts_with(byte_order_mark)) report(BadRow::mark, field, {});
  if (quotes == Quotes::across_lines && std::find(p, end, '"') != end) refuse_quote();
  if (!layout_.foreign.empty()) {
    const std::size_t at = text.find_first_of(layout_.foreign);
    if (at != std::string_view::npos) report(BadRow::foreign, field, text.substr(at, 1));
  }
  return end;
}

// Quotes, spaces, exponents, nan, and all that is no number.
template <RowParser::Quotes quotes>
char* RowParser::parse_odd_coordinate(char* p, std::size_t field) {
  char* end = field_end<quotes>(p, field);
  set_coordinate(field, field_text(p, end));
  return end;
}

template <RowParser::Quotes quotes>
char* RowParser::parse_text(char* p, std::size_t field) {
  char* end = field_end<quotes>(p, field);
  const std::string_view text = unit_key(field_text(p, end));
  if (targets_[field].unit) {
    units_[rows_] = text;
    if (text.empty()) report(BadRow::empty, field, text);
  }
  if (targets_[field].condition >= 0) record_[static_cast<std::size_t>(targets_[field].condition)].text = text;
  if (targets_[field].column != nullptr) set_coordinate(field, text);
  return end;
}

// A record whose fields are known is selected by the condition alone, and what is wrong with one that is not selected
// does not matter. A record that cannot be divided into fields is a bad row whatever the condition is.
bool RowParser::is_selected() {
  if (bad_ && bad_->kind >= BadRow::fields) return true;
  if (layout_.condition->selects(record_)) return true;
  bad_.reset();
  return false;
}

void RowParser::set_coordinate(std::size_t field, std::string_view text) {
  text = unit_key(text);  // a number and a unit are trimmed alike
  if (const AxisKind* kind = targets_[field].kind) {
    const std::optional<double> value = kind->parse(text);
    targets_[field].column[rows_] = value.value_or(std::numeric_limits<double>::quiet_NaN());
    const bool listed = std::holds_alternative<Names>(kind->scale);  // what is not in the list lies in no cell
    if (!value && !listed && !is_missing(text)) report(text.empty() ? BadRow::empty : BadRow::not_a_date, field, text);
    return;
  }
  if (!layout_.missing.empty() && is_missing(text)) {
    targets_[field].column[rows_] = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (!parse_marked_number(text, layout_.decimal, layout_.thousands, targets_[field].column[rows_])) {
    report(text.empty() ? BadRow::empty : BadRow::not_a_number, field, text);
  }
}

bool RowParser::is_missing(std::string_view text) const {
  if (layout_.missing.empty()) return false;
  return text.empty() || std::find(layout_.missing.begin(), layout_.missing.end(), text) != layout_.missing.end();
}

void RowParser::report(BadRow::Kind kind, std::size_t field, std::string_view text) {
  if (bad_ && (kind < BadRow::fields || kind <= bad_->kind)) return;
  bad_ = BadRow{kind, field, std::string(text.substr(0, 256))};
}

void RowParser::handle_bad_row(bool first_block) {
  if (on_bad_row_ == OnBadRow::fail) {
    const std::string what = explain(first_block && row_line_ == 0);
    bad_.reset();
    throw CsvFault{row_line_, what};
  }
  if (keeps_faults_) faults_.push_back({row_line_, explain(first_block && row_line_ == 0)});
  bad_.reset();
  ++skipped_;
  for (auto& column : columns_) column[rows_] = std::numeric_limits<double>::quiet_NaN();
  if (layout_.has_unit) units_[rows_] = {};
}

void RowParser::flush() {
  if (rows_ == 0) return;
  PointBlock block;
  for (const auto& column : columns_) block.columns.emplace_back(column.data(), rows_);
  if (layout_.has_unit) block.units = std::span<const std::string_view>(units_).first(rows_);
  rows_ = 0;
  visit_(worker_, block);
}

// What helps: another decimal mark, a date, a word for missing values.
std::string RowParser::explain_number() const {
  const std::string& text = bad_->text;
  const bool digits = text.find_first_of("0123456789") != std::string::npos;
  double value = 0;
  if (layout_.decimal == '.' && text.find(',') != std::string::npos && parse_marked_number(text, ',', '.', value)) {
    return "if the comma is a decimal mark, use --decimal comma";
  }
  if (digits && std::count_if(text.begin(), text.end(), [](char c) { return c == '-' || c == '.' || c == '/'; }) > 1) {
    return "correct it, or if the column holds dates, give its bounds as dates (docs/axes.md)";
  }
  return "correct it" + or_missing(text);
}

std::string RowParser::explain(bool first_line) const {
  std::string what;
  switch (bad_->kind) {
    case BadRow::quote:
      what = layout_.wrong_quote();
      break;
    case BadRow::foreign:
      return fmt::format(" has {} besides {}; say which one separates fields with --delimiter",
                         quoted_excerpt(bad_->text), quoted_excerpt({&layout_.delimiter, 1}));
    case BadRow::mark:
      what = " starts with a byte order mark, which is allowed only at the start of a file; remove it";
      break;
    case BadRow::not_a_date:
      return fmt::format(
          ", {}: {} is not a date; correct it, or give the layout of the dates, such as --date-format %d.%m.%Y{}",
          layout_.describe(bad_->field), quoted_excerpt(bad_->text), or_missing(bad_->text));
    case BadRow::fields:
      what = fmt::format(" has {} field{}, but line {} has {}; correct it", bad_->field, bad_->field == 1 ? "" : "s",
                         layout_.shape_line, layout_.roles.size());
      break;
    case BadRow::empty:
      if (layout_.roles[bad_->field].unit) {
        what = fmt::format(", {} is empty; correct it", layout_.describe(bad_->field));
        break;
      }
      return fmt::format(", {} is empty; correct it, or count empty fields as missing values with --na NA",
                         layout_.describe(bad_->field));
    case BadRow::not_a_number:
      what = fmt::format(", {}: {} is not a number; {}", layout_.describe(bad_->field), quoted_excerpt(bad_->text),
                         explain_number());
      if (first_line && layout_.field_names.empty()) what += " (if this line holds column names, give --header yes)";
      return what;
  }
  if (layout_.known_header) what += ", or skip such rows with --on-bad-row skip";
  if (first_line && layout_.field_names.empty()) what += " (if this line holds column names, give --header yes)";
  return what;
}

}  // namespace shoal
