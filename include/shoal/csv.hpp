// Reads points from delimited text: plain files, files compressed with gzip or zstd, and standard input. This header is
// on the raw side.
//
// Each line is a record. A field may be quoted as in RFC 4180: two quotes inside quotes stand for one quote, and a
// quoted field may contain delimiters. A quote that is not at the start of a field is an ordinary character. A quote
// that is not closed on its line makes a bad row. Lines end with \n or \r\n. The reader ignores a byte order mark at
// the start of the file, lines that contain only spaces and tabs, and spaces and tabs around numbers and units.
// Comments are not supported. Numbers are decimal, as Python's float() reads them. This includes nan and inf, which lie
// in no cell. Hexadecimal numbers and empty fields are not numbers.
//
// The content of one record never changes how another record is read. The layout (delimiter and number of fields)
// therefore comes from one of two sources:
// - If the file is known to have a header, the layout comes from the options and the header line. A header is known if
//   CsvHeader::yes is set or a column is requested by name. Each record is then read independently, and bad rows can be
//   skipped.
// - Otherwise the layout comes from the options and the first line. Every line that does not fit then ends the scan,
//   including a line that contains another delimiter than the first line. Two files that share a line and are both read
//   to the end have the same layout. Bad rows cannot be skipped, because an unusual first line would make all other
//   rows bad. The delimiter is detected from the first line only if all coordinates are plain numbers, because dates,
//   names and numbers with digit marks may contain a space. In all other cases `delimiter` is required.
// If `multiline` is set, a quoted field may span lines. A quote must then open or close a field, or be doubled inside
// one. Any other quote, and a quote that is never closed, ends the scan even if bad rows are skipped. A line end
// therefore separates records if and only if the number of quotes before it is even, and no line can silently change
// this for the lines after it.
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

// What happens to a row that cannot be parsed.
enum class OnBadRow {
  fail,  // The scan ends with an error that names the line and the column.
  // The row is counted (Points::skipped) and passed on as NaN, so that it keeps its place but lies in no cell. Throws
  // unless the file is known to have a header.
  skip,
};

// Whether the first line is a header.
enum class CsvHeader {
  // If a column is requested by name, the first line is a header. Otherwise a first line that contains no number is
  // skipped.
  detect,
  yes,  // The first line is a header.
  no,
};

// Options for reading a delimited file.
struct CsvOptions {
  // Coordinate columns, in the order of the axes. A whole number is a position, starting at 1; any other text is a name
  // in the header. If empty, all columns except the unit column are used, and there must be `dimensions` of them.
  std::vector<std::string> columns = {};
  std::size_t dimensions = 2;
  // Column that identifies the privacy unit of a row. It may hold any text. Quotes are removed, and the text is then
  // compared by unit_key(). A row with an empty key is a bad row.
  std::optional<std::string> unit_column = std::nullopt;
  // Condition that a record must meet to be passed on (docs/where.md). If empty, all records are passed on. The file
  // must be known to have a header, or to have none. The fields of a record that does not meet the condition may hold
  // anything.
  std::string where = {};
  // Kind of each column, in the order of `columns`. If empty, all columns hold numbers. For dates or names, the file
  // must be known to have a header, or to have none; if it has none, `delimiter` is required. A name outside the list
  // lies in no cell.
  std::vector<AxisKind> kinds = {};
  // How numbers are written: the decimal mark, and the mark between groups of three digits (0 for none). Other marks
  // than the defaults require a file that is known to have a header, or to have none.
  char decimal = '.', thousands = '\0';
  // Layout of dates in the columns that `where` compares with dates, such as %d.%m.%Y. If empty, they are in ISO 8601.
  // The layout of coordinates is part of their kinds.
  std::string date_layout = {};
  // Texts that denote a missing value, in coordinates and in conditions. A row with a missing coordinate lies in no
  // cell and is not a bad row. If the list is not empty, an empty field is missing too. Requires a file that is known
  // to have a header, or to have none.
  std::vector<std::string> missing = {};
  // If set, it receives the number and the fault of every line that cannot be parsed. Such rows are then skipped, with
  // or without a header, and the scan uses one thread. For checks only, never for a release.
  std::function<void(std::uint64_t line, const std::string& fault)> on_bad_line = {};
  // The delimiter: any ASCII character that does not occur in numbers, quotes or line ends. If not set, it is detected
  // from the first line. It is required if the file has no known header and the coordinates are not all plain numbers.
  // If it is a space, consecutive spaces count as one, and spaces at the start and end of a line are ignored.
  std::optional<char> delimiter = std::nullopt;
  CsvHeader header = CsvHeader::detect;
  bool multiline = false;
  OnBadRow on_bad_row = OnBadRow::fail;
  // A name that must not occur in the first line; the file is refused if it does. It detects a word that is meant as
  // something else, such as "record" in --unit record.
  std::optional<std::string> no_column = std::nullopt;
  // Number of bytes that a worker parses at a time. It affects only the speed.
  std::size_t block_bytes = std::size_t{1} << 18;
};

// Maximum length of a record in bytes. A longer record is refused, because it is probably not text or a quote is not
// closed.
inline constexpr std::size_t csv_longest_record = std::size_t{1} << 24;

// Opens a delimited file. `path` names a file, or is "-" for standard input, which can be scanned only once. gzip and
// zstd are recognised by their first bytes. Reads the file up to the first line. Errors say what is wrong, where, and
// how to correct it; the earliest error is reported for any number of threads. Memory does not grow with the number of
// rows. names() returns the names of the header if the file is known to have one, else empty strings. Throws if a
// column that is read has a number as its name.
std::unique_ptr<Points> open_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace shoal
