#include "points/csv_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "points/numbers.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::string_view separators = "\t;,";  // found out by their mere presence; a space where there are none

bool is_number(std::string_view text) {
  double value = 0;
  return parse_number(unit_key(text), value);
}

struct Record {
  std::string_view text;   // without the line end
  std::size_t begin, end;  // where it lies, with the line end
  std::uint64_t line, lines;
};

// Behind the \n that ends the record which starts at `from`; npos when the text ends first.
std::size_t record_end(std::string_view text, std::size_t from, bool multiline) {
  bool inside = false;
  for (std::size_t at = from;; ++at) {
    at = text.find_first_of(multiline ? "\"\n" : "\n", at);
    if (at == std::string_view::npos) return at;
    if (text[at] == '"') {
      inside = !inside;
    } else if (!inside) {
      return at + 1;
    }
  }
}

// The first record that is not blank.
std::optional<Record> first_record(std::string_view head, bool complete, bool multiline) {
  std::uint64_t line = 1;
  std::size_t from = head.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  while (from < head.size()) {
    std::size_t end = record_end(head, from, multiline);
    if (end == std::string_view::npos) {
      if (!complete) break;
      end = head.size();
    }
    std::string_view text = head.substr(from, end - from);
    const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    if (text.ends_with('\n')) text.remove_suffix(1);
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (!unit_key(text).empty()) return Record{text, from, end, line, lines};
    line += lines;
    from = end;
  }
  return std::nullopt;
}

// A field that starts at text[at], quotes taken off; `at` goes to the delimiter behind it or to the end. Nothing when
// a quote does not close, or with `multiline` when it stands where none may.
std::optional<std::string> take_field(std::string_view text, std::size_t& at, char delimiter, bool multiline) {
  std::string field;
  if (at < text.size() && text[at] == '"') {
    for (++at;; ++at) {
      if (at >= text.size()) return std::nullopt;
      if (text[at] == '"' && (++at == text.size() || text[at] != '"')) break;
      field += text[at];
    }
    if (multiline && at < text.size() && text[at] != delimiter) return std::nullopt;
  }
  const std::size_t end = std::min(text.size(), text.find(delimiter, at));
  const std::string_view rest = text.substr(at, end - at);
  if (multiline && rest.find('"') != std::string_view::npos) return std::nullopt;
  at = end;
  return field.append(rest);
}

// Fields of a record, quotes taken off and trimmed. Nothing when its quotes are not right.
std::optional<std::vector<std::string>> split_record(std::string_view text, char delimiter, bool multiline) {
  const bool merge = delimiter == ' ';
  std::vector<std::string> fields;
  for (std::size_t at = 0;; ++at) {
    while (merge && at < text.size() && text[at] == delimiter) ++at;
    if (merge && at == text.size()) return fields;
    const auto field = take_field(text, at, delimiter, multiline);
    if (!field) return std::nullopt;
    fields.emplace_back(unit_key(*field));
    if (at == text.size()) return fields;
  }
}

std::optional<std::size_t> as_position(std::string_view column) {
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), position);
  if (error != std::errc{} || end != column.data() + column.size()) return std::nullopt;
  return position;
}

// Columns that are asked for by name: the first line must hold them.
std::vector<std::string> names_asked_for(const CsvOptions& options) {
  std::vector<std::string> names = options.columns;
  if (options.unit_column) names.push_back(*options.unit_column);
  if (!options.where.empty()) {
    const Condition condition(options.where);
    names.insert(names.end(), condition.columns().begin(), condition.columns().end());
  }
  std::erase_if(names, [](const std::string& column) { return as_position(column).has_value(); });
  return names;
}

// The delimiter that the first line shows, which is a header or a record of plain numbers: one under which it has all
// the names that are asked for, else the only one of the separators in it, else a space. It does not
// matter for a single column.
char find_delimiter(const Record& first, const CsvOptions& options, const std::string& source) {
  const auto names = options.header == CsvHeader::no ? std::vector<std::string>{} : names_asked_for(options);
  for (const char candidate : std::string(separators) + ' ') {
    const auto fields = split_record(first.text, candidate, options.multiline);
    const auto has = [&](const std::string& name) { return std::count(fields->begin(), fields->end(), name) > 0; };
    if (fields && !names.empty() && std::all_of(names.begin(), names.end(), has)) return candidate;
  }
  std::string found;
  for (const char separator : separators) {
    if (first.text.find(separator) != std::string_view::npos) found += separator;
  }
  if (found.size() > 1) {
    throw InputError(fmt::format("{}, line {} has {} and {}; say which one separates fields with --delimiter", source,
                                 first.line, quoted_excerpt({found.data(), 1}), quoted_excerpt({found.data() + 1, 1})));
  }
  if (found.size() == 1) return found.front();
  const auto by_spaces = split_record(first.text, ' ', options.multiline);
  return by_spaces && by_spaces->size() > 1 ? ' ' : ',';
}

std::string list_columns(const CsvLayout& layout) {
  const std::size_t fields = layout.roles.size();
  if (layout.field_names.empty()) return fields == 1 ? "1" : fmt::format("1 to {}", fields);
  std::vector<std::string> shown;
  for (const std::string& name : layout.field_names) shown.push_back(quoted_excerpt(name));
  return fmt::format("{}", fmt::join(shown, ", "));
}

// What to do where all names stand in one field: "; if '|' separates them, add --delimiter '|'". Else empty.
std::string other_delimiter(const std::vector<std::string>& names) {
  if (names.size() != 1) return "";
  const std::size_t at = names.front().find_first_of("|:/~^");
  if (at == std::string::npos) return "";
  return fmt::format("; if '{0}' separates them, add --delimiter '{0}'", names.front()[at]);
}

// The field that a column is asked for by: a position, or a name.
std::size_t find_field(const std::string& column, const CsvLayout& layout, const std::string& source) {
  const std::vector<std::string>& names = layout.field_names;
  const std::size_t fields = layout.roles.size();
  if (column.empty()) {
    throw InputError(
        fmt::format("an empty column name was given for '{}'; its columns are {}", source, list_columns(layout)));
  }
  if (const auto position = as_position(column)) {
    if (*position >= 1 && *position <= fields) return *position - 1;
    throw InputError(fmt::format("'{}' has no column {}; it has {}, numbered from 1", source, column, fields));
  }
  if (names.empty()) {
    throw InputError(
        fmt::format("'{}' has no column {}, because it is read without a header; give columns by position, {}", source,
                    quoted_excerpt(column), list_columns(layout)));
  }
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) {
    if (std::all_of(names.begin(), names.end(), is_number)) {
      throw InputError(fmt::format(
          "'{}' has no column {}: its first line holds numbers, not names; give columns by position, 1 to {}", source,
          quoted_excerpt(column), fields));
    }
    throw InputError(fmt::format("'{}' has no column {}; its columns are {}{}", source, quoted_excerpt(column),
                                 list_columns(layout), other_delimiter(names)));
  }
  if (std::find(found + 1, names.end(), column) != names.end()) {
    throw InputError(fmt::format("'{}' has more than one column named '{}'; give its position", source, column));
  }
  return static_cast<std::size_t>(found - names.begin());
}

// What is read when no columns are asked for: all but the unit's, as long as nothing has to be chosen.
void place_all_columns(CsvLayout& layout, std::size_t wanted, const std::string& source) {
  const std::size_t found = layout.roles.size() - (layout.has_unit ? 1 : 0);
  if (found != wanted) {
    throw InputError(fmt::format("'{}' has {} column{}{}, but {} {} needed; {}", source, found, found == 1 ? "" : "s",
                                 layout.has_unit ? " besides the unit" : "", wanted, wanted == 1 ? "is" : "are",
                                 found < wanted ? "give --columns, or --delimiter if the file has more columns"
                                                : fmt::format("choose with --columns from {}", list_columns(layout))));
  }
  for (FieldRole& role : layout.roles) {
    if (!role.unit) role.column = static_cast<int>(layout.columns++);
  }
}

void place_condition(CsvLayout& layout, const CsvOptions& options, const std::string& source) {
  const Condition condition(options.where);
  const std::vector<std::string>& columns = condition.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    int& place = layout.roles[find_field(columns[i], layout, source)].condition;
    if (place >= 0) {
      throw InputError(fmt::format("the condition names one column of '{}' as {} and {}; use one name", source,
                                   quoted_excerpt(columns[static_cast<std::size_t>(place)]),
                                   quoted_excerpt(columns[i])));
    }
    place = static_cast<int>(i);
  }
  layout.condition.emplace(condition, std::vector<ConditionKind>(columns.size(), ConditionKind::text),
                           InputMarks{options.decimal, options.thousands, options.date_layout, options.missing});
}

void place_columns(CsvLayout& layout, const CsvOptions& options, const std::string& source) {
  if (!options.where.empty()) place_condition(layout, options, source);
  if (options.unit_column) {
    layout.roles[find_field(*options.unit_column, layout, source)].unit = true;
    layout.has_unit = true;
  }
  if (options.columns.empty()) return place_all_columns(layout, options.dimensions, source);
  for (const std::string& column : options.columns) {
    const std::size_t field = find_field(column, layout, source);
    if (layout.roles[field].column >= 0) {
      throw InputError(fmt::format("{} is given twice; give each column once", layout.describe(field)));
    }
    layout.roles[field].column = static_cast<int>(layout.columns++);
  }
}

// Names go into releases: a first line that is a record after all must not.
void check_names(const CsvLayout& layout, const CsvOptions& options, const std::string& source) {
  const auto& names = layout.field_names;
  if (options.no_column) {
    const auto found = std::find(names.begin(), names.end(), *options.no_column);
    if (found != names.end()) {
      throw InputError(
          fmt::format("'{}' has a column named {}, but --unit {} means single records; remove --unit to protect single "
                      "records, or give the column by position: --unit {}",
                      source, quoted_excerpt(*found), *found, found - names.begin() + 1));
    }
  }
  if (!layout.known_header) return;
  for (std::size_t field = 0; field < names.size(); ++field) {
    const FieldRole& role = layout.roles[field];
    if ((role.column >= 0 || role.unit || role.condition >= 0) && is_number(names[field])) {
      throw InputError(fmt::format(
          "'{}' has a number as the name of {}; if its first line is a record, give --header no and columns "
          "by position",
          source, layout.describe(field)));
    }
  }
}

bool reads_plain_numbers(const CsvOptions& options) {
  return options.where.empty() && options.missing.empty() && options.decimal == '.' && options.thousands == '\0' &&
         std::none_of(options.kinds.begin(), options.kinds.end(),
                      [](const AxisKind& kind) { return kind.reads_text(); });
}

void check_numbers(const CsvOptions& options) {
  if (options.thousands == options.decimal) {
    throw InputError("the decimal mark and the thousands mark are the same; choose another for one of them");
  }
}
}  // namespace

std::string CsvLayout::describe(std::size_t field) const {
  if (field < field_names.size() && !field_names[field].empty()) {
    return fmt::format("column {} (field {})", quoted_excerpt(field_names[field]), field + 1);
  }
  return fmt::format("field {}", field + 1);
}

std::string CsvLayout::wrong_quote() const {
  return multiline
             ? " has a quote inside a field, text after a quoted field, or a quote that never closes; quote the "
               "whole field and double the quotes inside it"
             : " opens a quote that does not close on the line; close it, double it if it belongs to the text, or "
               "read fields that span lines with --multiline";
}

bool holds_record(std::string_view head, const CsvOptions& options) {
  return first_record(head, false, options.multiline).has_value();
}

std::vector<std::vector<std::string>> first_records(std::string_view head, bool complete, const CsvLayout& layout,
                                                    std::size_t most) {
  std::vector<std::vector<std::string>> records;
  head.remove_prefix(std::min(head.size(), layout.first_byte));
  while (records.size() < most) {
    const auto record = first_record(head, complete, layout.multiline);
    if (!record) break;
    const auto fields = split_record(record->text, layout.delimiter, layout.multiline);
    records.push_back(fields.value_or(std::vector<std::string>{std::string(record->text)}));
    head.remove_prefix(record->end);
  }
  return records;
}

CsvLayout find_layout(std::string_view head, bool complete, const CsvOptions& options, const std::string& name) {
  if (options.delimiter && std::string_view("\"\r\n+-.0123456789").find(*options.delimiter) != std::string_view::npos) {
    throw InputError(fmt::format("{} cannot be a delimiter, because numbers, quotes or line ends contain it",
                                 quoted_excerpt({&*options.delimiter, 1})));
  }
  CsvLayout layout;
  layout.known_header =
      options.header == CsvHeader::yes || (options.header == CsvHeader::detect && !names_asked_for(options).empty());
  layout.multiline = options.multiline;
  layout.kinds = options.kinds;
  layout.decimal = options.decimal;
  layout.thousands = options.thousands;
  layout.missing = options.missing;
  check_numbers(options);
  if (!reads_plain_numbers(options) && !layout.known_header && options.header == CsvHeader::detect) {
    throw InputError(
        fmt::format("'{}' may start with a line of names or with a record, which look alike here; ask for "
                    "columns by name, or give --header yes or no",
                    name));
  }
  if (!reads_plain_numbers(options) && !layout.known_header && !options.delimiter) {
    throw InputError(
        fmt::format("'{}' is read without a header, and its fields are more than plain numbers, so its records cannot "
                    "tell what separates them; give --delimiter (comma, tab, semicolon, space or any one character)",
                    name));
  }
  if (!layout.known_header && options.on_bad_row == OnBadRow::skip && !options.on_bad_line) {
    throw InputError(fmt::format(
        "--on-bad-row skip needs a header in '{}'; give the columns by name or --header yes, or remove --on-bad-row "
        "skip",
        name));
  }
  const auto first = first_record(head, complete, options.multiline);
  if (!first) throw InputError(fmt::format("'{}' is empty: it has no line with text", name));
  if (first->text.find('\0') != std::string_view::npos) {
    throw InputError(
        fmt::format("'{}' holds NUL bytes in line {}: it is not text, or it is UTF-16 (iconv -f UTF-16 -t UTF-8)", name,
                    first->line));
  }
  if (first->text.find('\r') != std::string_view::npos && head.find('\n') == std::string_view::npos) {
    throw InputError(fmt::format("'{}' ends its lines with \\r alone; convert it first: tr '\\r' '\\n' < FILE", name));
  }
  layout.delimiter = options.delimiter ? *options.delimiter : find_delimiter(*first, options, name);
  layout.merge = layout.delimiter == ' ';
  if (!options.delimiter && !layout.known_header) {
    layout.foreign = separators;
    std::erase(layout.foreign, layout.delimiter);
  }
  const auto fields = split_record(first->text, layout.delimiter, options.multiline);
  if (!fields) throw InputError(fmt::format("{}, line {}{}", name, first->line, layout.wrong_quote()));
  layout.roles.resize(fields->size());
  layout.shape_line = first->line;
  layout.first_byte = first->begin;
  layout.first_line = first->line;
  const bool passed_over = layout.known_header || (options.header == CsvHeader::detect &&
                                                   std::none_of(fields->begin(), fields->end(), is_number));
  if (passed_over) {
    layout.field_names = *fields;
    layout.first_byte = first->end;
    layout.first_line += first->lines;
  }
  place_columns(layout, options, name);
  check_names(layout, options, name);
  return layout;
}

}  // namespace shoal
