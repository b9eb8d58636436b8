#include "points/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "points/numbers.hpp"

namespace shoal {

namespace {
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

bool at_line_end(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }
}  // namespace

RowParser::RowParser(const CsvLayout& layout, OnBadRow on_bad_row, unsigned worker, const Points::Visit& visit)
    : TextRows(layout, on_bad_row, worker, visit), layout_(layout) {}

std::uint64_t RowParser::parse(TextBlock& block) {
  char* begin = block.text();
  first_block_ = block.index == 0;
  lines_ = 0;
  if (!block.quotes) {
    parse_lines<Quotes::none>(begin, begin + block.size);
  } else if (!layout_.multiline) {
    parse_lines<Quotes::in_lines>(begin, begin + block.size);
  } else {
    parse_lines<Quotes::across_lines>(begin, begin + block.size);
  }
  flush();  // the units point into the block
  return lines_;
}

template <RowParser::Quotes quotes>
void RowParser::parse_lines(char* p, const char* end) {
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
    end_record();
  }
}

// From the first byte of a record to the first behind it.
template <RowParser::Quotes quotes>
char* RowParser::parse_record(char* p) {
  const char delimiter = layout_.delimiter;
  const std::size_t count = targets_.size();
  for (std::size_t field = 0;; ++field) {
    if (field >= count || (targets_[field].column == nullptr && !targets_[field].is_text)) {
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
    if (field + 1 != count) report(fields, field + 1, {});
    return p + 1;
  }
}

// A quote that stands where none may. What is inside quotes and what is not can no longer be told.
void RowParser::refuse_quote() const { throw TextFault{row_line_, layout_.wrong_quote()}; }

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
          report(quote, field, {});
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
  if (field == 0 && text.starts_with(byte_order_mark)) report(mark, field, {});
  if (quotes == Quotes::across_lines && std::find(p, end, '"') != end) refuse_quote();
  if (!layout_.foreign.empty()) {
    const std::size_t at = text.find_first_of(layout_.foreign);
    if (at != std::string_view::npos) report(foreign, field, text.substr(at, 1));
  }
  return end;
}

// Parses fields with quotes, spaces, exponents or nan, and refuses those that are not numbers.
template <RowParser::Quotes quotes>
char* RowParser::parse_odd_coordinate(char* p, std::size_t field) {
  char* end = field_end<quotes>(p, field);
  set_coordinate(field, field_text(p, end));
  return end;
}

template <RowParser::Quotes quotes>
char* RowParser::parse_text(char* p, std::size_t field) {
  char* end = field_end<quotes>(p, field);
  set_text(field, field_text(p, end));
  return end;
}

std::string RowParser::explain(const BadRow& bad) const {
  const bool may_be_names = first_block_ && row_line_ == 0 && layout_.field_names.empty();
  const std::string names = may_be_names ? " (if this line holds column names, give --header yes)" : "";
  std::string what;
  switch (bad.kind) {
    case quote:
      what = layout_.wrong_quote();
      break;
    case foreign:
      return fmt::format(" has {} besides {}; say which one separates fields with --delimiter",
                         quoted_excerpt(bad.text), quoted_excerpt({&layout_.delimiter, 1}));
    case mark:
      what = " starts with a byte order mark, which is allowed only at the start of a file; remove it";
      break;
    case fields:
      what = fmt::format(" has {} field{}, but line {} has {}; correct it", bad.field, bad.field == 1 ? "" : "s",
                         layout_.shape_line, layout_.roles.size());
      break;
    default:
      if (bad.kind != empty || !layout_.roles[bad.field].unit) {
        return explain_value(bad, layout_.describe(bad.field)) + (bad.kind == not_a_number ? names : "");
      }
      what = fmt::format(", {} is empty; correct it", layout_.describe(bad.field));
  }
  if (layout_.known_header) what += ", or skip such rows with --on-bad-row skip";
  return what + names;
}

}  // namespace shoal
