// Numbers from delimited text: files, also of gzip and zstd, standard input. Raw side.
//
// A record is a line. A field may be quoted as in RFC 4180 ("" inside quotes is a quote, and a quoted field may hold
// delimiters); a quote elsewhere than at a field's start is an ordinary character. A quote that does not close on its
// line makes a bad row. Lines end with \n or \r\n. A byte order mark at the start of the file, lines of nothing but
// spaces and tabs, and spaces and tabs around numbers and units are ignored; there are no comments. Numbers are
// decimal, as Python's float() reads them: also nan and inf (which lie in no cell), not hexadecimal, no empty field.
//
// The content of a record never changes how another is read. So the layout (delimiter, number of fields) comes
// - from the options and the header line, where the file is known to have one: CsvHeader::yes, or a column asked for by
//   name. Then every record is read on its own, and bad rows can be skipped.
// - else from the options and the first line. Then every line that does not fit ends the scan, also one that holds
//   another delimiter than the first line does. Two files that have a line in common and are both read to their ends
//   have the same layout. Bad rows cannot be skipped: a first line that is odd would make bad rows of all others.
//   The first line tells the delimiter only where all coordinates are plain numbers: a date, a name and a number with
//   marks may hold a space. Elsewhere `delimiter` is required.
// With `multiline` a quoted field may span lines. A quote then opens or closes a field, or stands twice inside one: any
// other, and one that never closes, ends the scan even where bad rows are skipped. So a line end lies between records
// exactly where the number of quotes before it is even, and no line can change that for the lines behind it unseen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/axis_kind.hpp"
#include "shoal/points.hpp"

namespace shoal {

// What happens to a row that does not parse.
enum class OnBadRow {
  fail,  // the first row that does not parse ends the scan with an error that names line and column
  skip,  // it is counted (Points::skipped) and handed on as NaN, so that it keeps its place but lies in no cell.
         // Refused unless the file is known to have a header
};

// Whether the first line holds names.
enum class CsvHeader {
  detect,  // when a column goes by name: yes. Else a first line without any number in it is passed over
  yes,     // the first line holds names
  no,
};

// How a file is read.
struct CsvOptions {
  // Coordinates, in this order: a whole number is a position from 1 on, all else a name of the header.
  // Empty: all columns but the unit's, of which there must be `dimensions`.
  std::vector<std::string> columns = {};
  std::size_t dimensions = 2;
  // The unit of a row: any text. Its quotes are removed, then it is compared by unit_key(); an empty key is a bad row.
  std::optional<std::string> unit_column = std::nullopt;
  // A condition on one record (docs/where.md); only records for which it holds are handed on. Empty: all records. The
  // file must be known to have a header, or to have none. A record that is not selected may hold anything in its
  // fields.
  std::string where = {};
  // What the columns hold, in their order; empty: numbers. With dates or names the file must be known to have a header,
  // or to have none, and then `delimiter` is required. A name outside the list lies in no cell.
  std::vector<AxisKind> kinds = {};
  // How numbers are written: the decimal mark, and the mark between groups of three digits; 0: none. Marks other than
  // these need a known header too.
  char decimal = '.', thousands = '\0';
  // How the columns that `where` compares with dates write them, such as %d.%m.%Y. Empty: ISO 8601. The layout of
  // coordinates is part of their kinds.
  std::string date_layout = {};
  // Texts that are missing values, of coordinates and in conditions. A row with a missing coordinate lies in no cell,
  // and is not bad. With any, an empty field is missing too. Needs a known header, or none.
  std::vector<std::string> missing = {};
  // Takes the number and the fault of every line that does not parse; such rows are then skipped, with or without a
  // header. For checks, never for a release. The scan uses one thread.
  std::function<void(std::uint64_t line, const std::string& fault)> on_bad_line = {};
  // Any character of ASCII that no number, quote or line end contains. None: detected from the first line. Required
  // without a known header where coordinates are more than plain numbers.
  // With a space, runs of spaces count as one and those at the ends of a line as none.
  std::optional<char> delimiter = std::nullopt;
  CsvHeader header = CsvHeader::detect;
  bool multiline = false;
  OnBadRow on_bad_row = OnBadRow::fail;
  // A file whose first line has this name is refused: a word that was meant as something else, such as --unit record.
  std::optional<std::string> no_column = std::nullopt;
  // Only changes the speed: bytes that a worker parses at a time.
  std::size_t block_bytes = std::size_t{1} << 18;
};

// A longer record is refused: it is probably not text, or a quote is not closed.
inline constexpr std::size_t csv_longest_record = std::size_t{1} << 24;

// path: a file, or "-" for standard input (which can be scanned once). gzip and zstd are recognised by their first
// bytes. Reads as far as the first line; errors say what, where and how to correct it. Memory does not depend on the
// rows. With several threads, too, the error reported is the earliest one. names(): of the header, where the file is
// known to have one, else empty; a name that is a number is refused.
std::unique_ptr<Points> open_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace shoal
