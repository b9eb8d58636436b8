#include "points/csv_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "points/numbers.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::string_view candidates = "\t;, ";  // the earlier one wins
constexpr std::size_t looked_at = 20;             // lines that the delimiter is found out from
constexpr std::size_t excerpt_length = 40;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool is_number(std::string_view text) {
  double value = 0;
  return parse_number(trimmed(text), value);
}

struct Record {
  std::size_t begin, end;  // without the line end
  std::uint64_t line;
};

// The first records that are not blank, as many as there are up to `most`.
std::vector<Record> first_records(std::string_view head, std::size_t from, bool complete, std::string_view delimiters,
                                  std::size_t most) {
  std::vector<Record> records;
  std::uint64_t line = 1;
  while (from < head.size() && records.size() < most) {
    std::size_t end = record_end(head, from, delimiters);
    if (end == std::string_view::npos) {
      if (!complete) break;
      end = head.size();
    }
    const std::string_view text = head.substr(from, end - from);
    if (!trimmed(text).empty()) records.push_back({from, end - (text.ends_with('\r') ? 1 : 0), line});
    line += 1 + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    from = end + 1;
  }
  return records;
}

// The first candidate that cuts all the first lines into the same number (above 1) of fields; else the first that
// occurs in the first line; else a comma, for a single column.
char find_delimiter(std::string_view head, std::size_t from, bool complete) {
  char occurring = 0;
  for (const char candidate : candidates) {
    std::size_t fields = 0;
    bool alike = true;
    for (const auto& [begin, end, line] : first_records(head, from, complete, {&candidate, 1}, looked_at)) {
      const std::size_t here = split_record(head.substr(begin, end - begin), candidate, candidate == ' ').size();
      alike = alike && here > 1 && (fields == 0 || here == fields);
      if (fields == 0) fields = here;
    }
    if (fields > 1 && alike) return candidate;
    if (fields > 1 && occurring == 0) occurring = candidate;
  }
  return occurring != 0 ? occurring : ',';
}

std::optional<std::size_t> as_position(std::string_view column) {
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), position);
  if (error != std::errc{} || end != column.data() + column.size()) return std::nullopt;
  return position;
}

bool find_header(const std::vector<std::string>& first, const CsvOptions& options) {
  if (options.header != CsvHeader::detect) return options.header == CsvHeader::yes;
  const auto goes_by_name = [](const std::string& column) { return !as_position(column); };
  if (std::any_of(options.columns.begin(), options.columns.end(), goes_by_name)) return true;
  if (options.unit_column && goes_by_name(*options.unit_column)) return true;
  return std::none_of(first.begin(), first.end(), [](const std::string& field) { return is_number(field); });
}

// The field that a column is asked for by: its name first, then its position.
std::size_t find_field(const std::string& column, const std::vector<std::string>& names, std::size_t fields,
                       const std::string& source) {
  const auto found = std::find(names.begin(), names.end(), column);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), column) != names.end()) {
      throw InputError(
          fmt::format("'{}' has more than one column named '{}'; ask for it by its position", source, column));
    }
    return static_cast<std::size_t>(found - names.begin());
  }
  const std::optional<std::size_t> position = as_position(column);
  if (position && *position >= 1 && *position <= fields) return *position - 1;
  if (position) {
    throw InputError(fmt::format("'{}' has no column {}; it has {}, counted from 1", source, column, fields));
  }
  if (names.empty()) {
    throw InputError(
        fmt::format("'{}' has no column {}, because it is read without a header; ask for columns by "
                    "position, 1 to {}",
                    source, quoted_excerpt(column), fields));
  }
  std::vector<std::string> shown;
  shown.reserve(names.size());
  for (const std::string& name : names) shown.push_back(quoted_excerpt(name));
  if (std::all_of(names.begin(), names.end(), is_number)) {
    throw InputError(
        fmt::format("'{}' has no column {}: its first line holds numbers, not names; ask for columns by "
                    "position, 1 to {}",
                    source, quoted_excerpt(column), fields));
  }
  throw InputError(
      fmt::format("'{}' has no column {}; its columns are {}", source, quoted_excerpt(column), fmt::join(shown, ", ")));
}

void place_columns(CsvLayout& layout, const CsvOptions& options, const std::string& name) {
  const std::size_t fields = layout.roles.size();
  std::vector<std::string> columns = options.columns;
  if (columns.empty()) {
    if (fields < 2) {
      throw InputError(
          fmt::format("'{}' has a single column where the first two are read; choose with --columns, or "
                      "name the delimiter when there are more",
                      name));
    }
    columns = {"1", "2"};
  }
  // By default positions are meant, even when a header happens to name a column "1".
  const std::vector<std::string> names = options.columns.empty() ? std::vector<std::string>{} : layout.field_names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t field = find_field(columns[i], names, fields, name);
    if (layout.roles[field].column >= 0) {
      throw InputError(fmt::format("{} is asked for twice; name each column once", layout.describe(field)));
    }
    layout.roles[field].column = static_cast<int>(i);
  }
  layout.columns = columns.size();
  if (options.unit_column) {
    layout.roles[find_field(*options.unit_column, layout.field_names, fields, name)].unit = true;
    layout.has_unit = true;
  }
}

// Length of the UTF-8 character that text starts with; 0 when it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (length > 2) {  // overlong forms, surrogates, past the last code point
    const unsigned second = byte(1);
    if (first == 0xe0 && second < 0xa0) return 0;
    if (first == 0xed && second > 0x9f) return 0;
    if (first == 0xf0 && second < 0x90) return 0;
    if (first == 0xf4 && second > 0x8f) return 0;
  }
  return length;
}
}  // namespace

std::string CsvLayout::describe(std::size_t field) const {
  if (field < field_names.size() && !field_names[field].empty()) {
    return fmt::format("column {} (field {})", quoted_excerpt(field_names[field]), field + 1);
  }
  return fmt::format("field {}", field + 1);
}

bool holds_record(std::string_view head, const CsvOptions& options) {
  const std::string_view delimiters = options.delimiter ? std::string_view(&*options.delimiter, 1) : candidates;
  return !first_records(head, head.starts_with(byte_order_mark) ? byte_order_mark.size() : 0, false, delimiters, 1)
              .empty();
}

CsvLayout find_layout(std::string_view head, bool complete, const CsvOptions& options, const std::string& name) {
  if (options.delimiter && std::string_view("\"\r\n+-.0123456789").find(*options.delimiter) != std::string_view::npos) {
    throw InputError(fmt::format("{} cannot be a delimiter: numbers, quotes or lines are made of it",
                                 quoted_excerpt({&*options.delimiter, 1})));
  }
  const std::size_t start = head.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  CsvLayout layout;
  layout.delimiter = options.delimiter ? *options.delimiter : find_delimiter(head, start, complete);
  layout.merge = layout.delimiter == ' ';
  const auto records = first_records(head, start, complete, {&layout.delimiter, 1}, 1);
  if (records.empty()) {
    throw InputError(fmt::format("'{}' is empty: there is no line with anything in it", name));
  }
  const Record& first = records.front();
  const std::string_view text = head.substr(first.begin, first.end - first.begin);
  if (text.find('\0') != std::string_view::npos) {
    throw InputError(
        fmt::format("'{}' holds NUL bytes in line {}: it is not text, or it is UTF-16 (iconv -f UTF-16 -t UTF-8)", name,
                    first.line));
  }
  if (text.find('\r') != std::string_view::npos && head.find('\n') == std::string_view::npos) {
    throw InputError(fmt::format("'{}' ends its lines with \\r alone; convert it first: tr '\\r' '\\n' < FILE", name));
  }
  const std::vector<std::string> fields = split_record(text, layout.delimiter, layout.merge);
  layout.roles.resize(fields.size());
  layout.shape_line = first.line;
  layout.first_byte = first.begin;
  layout.first_line = first.line;
  if (find_header(fields, options)) {
    for (const std::string& field : fields) layout.field_names.emplace_back(trimmed(field));
    layout.first_byte = std::min(head.size(), first.end + (head.substr(first.end).starts_with('\r') ? 2 : 1));
    layout.first_line += 1 + static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  }
  place_columns(layout, options, name);
  return layout;
}

std::vector<std::string> split_record(std::string_view text, char delimiter, bool merge) {
  std::vector<std::string> fields;
  std::size_t at = 0;
  for (;;) {
    while (merge && at < text.size() && text[at] == delimiter) ++at;
    if (merge && at == text.size()) return fields;
    std::string field;
    if (at < text.size() && text[at] == '"') {
      for (++at; at < text.size(); ++at) {
        if (text[at] == '"') {
          if (at + 1 == text.size() || text[at + 1] != '"') break;
          ++at;
        }
        field += text[at];
      }
      at = std::min(text.size(), at + 1);
    }
    const std::size_t end = std::min(text.size(), text.find(delimiter, at));
    fields.push_back(field.append(text.substr(at, end - at)));
    if (end == text.size()) return fields;
    at = end + 1;
  }
}

std::size_t record_end(std::string_view text, std::size_t from, std::string_view delimiters) {
  const std::size_t start = from;
  for (;;) {
    const std::size_t at = text.find_first_of("\"\n", from);
    if (at == std::string_view::npos || text[at] == '\n') return at;
    from = at + 1;
    if (at != start && delimiters.find(text[at - 1]) == std::string_view::npos) continue;
    for (;;) {  // to the closing quote; two in a row are a quote in the text
      from = text.find('"', from);
      if (from == std::string_view::npos) return from;
      if (from + 1 == text.size() || text[from + 1] != '"') break;
      from += 2;
    }
    ++from;
  }
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
