#include "points/text_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/utf8.hpp"
#include "points/numbers.hpp"

namespace shoal {

namespace {
constexpr std::size_t excerpt_length = 40;

// A short word that may stand for a missing value.
std::string or_missing(const std::string& text) {
  constexpr std::size_t longest = 12;
  const bool digits = text.find_first_of("0123456789") != std::string::npos;
  if (digits || text.size() > longest || text.find_first_of("'\"\\ \t,") != std::string::npos) return "";
  return fmt::format(", or if it stands for a missing value, use --na {}", text);
}
}  // namespace

TextRows::TextRows(const RowLayout& layout, OnBadRow on_bad_row, unsigned worker, const Points::Visit& visit)
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

void TextRows::set_text(std::size_t field, std::string_view text) {
  text = unit_key(text);
  const Target& target = targets_[field];
  if (target.unit) {
    units_[rows_] = text;
    if (text.empty()) report(empty, field, text);
  }
  if (target.condition >= 0) record_[static_cast<std::size_t>(target.condition)].text = text;
  if (target.column != nullptr) set_coordinate(field, text);
}

void TextRows::set_coordinate(std::size_t field, std::string_view text) {
  text = unit_key(text);  // a number and a unit are trimmed alike
  if (is_missing(text)) {
    targets_[field].column[rows_] = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (const AxisKind* kind = targets_[field].kind) {
    const std::optional<double> value = kind->parse(text);
    targets_[field].column[rows_] = value.value_or(std::numeric_limits<double>::quiet_NaN());
    const bool listed = std::holds_alternative<Names>(kind->scale);  // what is not in the list lies in no cell
    if (!value && !listed) report(text.empty() ? empty : not_a_date, field, text);
    return;
  }
  if (!parse_marked_number(text, layout_.decimal, layout_.thousands, targets_[field].column[rows_])) {
    report(text.empty() ? empty : not_a_number, field, text);
  }
}

bool TextRows::is_missing(std::string_view text) const {
  if (layout_.missing.empty()) return false;
  return text.empty() || std::find(layout_.missing.begin(), layout_.missing.end(), text) != layout_.missing.end();
}

void TextRows::report(int kind, std::size_t field, std::string_view text) {
  if (bad_ && (kind < of_record || kind <= bad_->kind)) return;
  bad_ = BadRow{kind, field, std::string(text.substr(0, 256))};
}

// A record whose fields are known is selected by the condition alone, and what is wrong with one that is not selected
// does not matter. A record that cannot be divided into fields is a bad row whatever the condition is.
bool TextRows::is_selected() {
  if (bad_ && bad_->kind >= of_record) return true;
  if (layout_.condition->selects(record_)) return true;
  bad_.reset();
  return false;
}

void TextRows::handle_bad_row() {
  if (on_bad_row_ == OnBadRow::fail) {
    const std::string what = explain(*bad_);
    bad_.reset();
    throw TextFault{row_line_, what};
  }
  if (keeps_faults_) faults_.push_back({row_line_, explain(*bad_)});
  bad_.reset();
  ++skipped_;
  for (auto& column : columns_) column[rows_] = std::numeric_limits<double>::quiet_NaN();
  if (layout_.has_unit) units_[rows_] = {};
}

void TextRows::flush() {
  if (rows_ == 0) return;
  PointBlock block;
  for (const auto& column : columns_) block.columns.emplace_back(column.data(), rows_);
  if (layout_.has_unit) block.units = std::span<const std::string_view>(units_).first(rows_);
  rows_ = 0;
  visit_(worker_, block);
}

std::string TextRows::explain_value(const BadRow& bad, const std::string& place) const {
  switch (bad.kind) {
    case not_a_date:
      return fmt::format(
          ", {}: {} is not a date; correct it, or give the layout of the dates, such as --date-format %d.%m.%Y{}",
          place, quoted_excerpt(bad.text), or_missing(bad.text));
    case empty:
      return fmt::format(", {} is empty; correct it, or count empty fields as missing values with --na NA", place);
    default:
      return fmt::format(", {}: {} is not a number; {}", place, quoted_excerpt(bad.text), explain_number(bad.text));
  }
}

// What helps: another decimal mark, a date, a word for missing values.
std::string TextRows::explain_number(const std::string& text) const {
  const bool digits = text.find_first_of("0123456789") != std::string::npos;
  double value = 0;
  if (layout_.has_marks && layout_.decimal == '.' && text.find(',') != std::string::npos &&
      parse_marked_number(text, ',', '.', value)) {
    return "if the comma is a decimal mark, use --decimal comma";
  }
  if (digits && std::count_if(text.begin(), text.end(), [](char c) { return c == '-' || c == '.' || c == '/'; }) > 1) {
    return "correct it, or if the column holds dates, give its bounds as dates (docs/axes.md)";
  }
  return "correct it" + or_missing(text);
}

std::string quoted_excerpt(std::string_view text) {
  std::string shown = "'";
  std::size_t characters = 0;
  while (!text.empty()) {
    if (characters++ == excerpt_length) {
      shown += "...";
      break;
    }
    const std::size_t length = utf8_length(text);
    const auto byte = static_cast<unsigned char>(text.front());
    const bool printable = length > 1 ? !(length == 2 && byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0)
                                      : length == 1 && byte >= 0x20 && byte != 0x7f;
    if (printable) {
      shown += text.substr(0, length);
    } else {
      for (const char c : text.substr(0, std::max<std::size_t>(length, 1))) {
        shown += c == '\t'   ? "\\t"
                 : c == '\n' ? "\\n"
                 : c == '\r' ? "\\r"
                             : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown + "'";
}

}  // namespace shoal
