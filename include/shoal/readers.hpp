// Reads points from files and streams: delimited text, JSON lines and Arrow. This header is on the raw side: the points
// are not private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

// Reads points from delimited text: plain files, files compressed with gzip or zstd, and standard input.
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

// The start of a delimited file, for its owner to look at. Not private.
struct CsvHead {
  std::vector<std::string> names;  // The name of every column, in order. Empty names if there is no header.
  char delimiter = ',';
  std::vector<std::vector<std::string>> rows;  // The fields of the first records.
};
// Returns the names, and the fields of the first `rows` records that lie in the first bytes of the file. A record whose
// quotes are wrong is one field. Bytes of a field that are not UTF-8 are replaced by "?". Throws if a name is not
// UTF-8. `columns` of the options is ignored.
CsvHead csv_head(const std::string& path, const CsvOptions& options = {}, std::size_t rows = 0);

// Opens a delimited file. `path` names a file, or is "-" for standard input, which can be scanned only once. gzip and
// zstd are recognised by their first bytes. Reads the file up to the first line. Errors say what is wrong, where, and
// how to correct it; the earliest error is reported for any number of threads. Memory does not grow with the number of
// rows. names() returns the names of the header if the file is known to have one, else empty strings. Throws if a
// column that is read has a number as its name.
std::unique_ptr<Points> open_csv(const std::string& path, const CsvOptions& options = {});

// Reads points from JSON lines: plain files, files compressed with gzip or zstd, and pipes.
//
// Each line is one JSON object in UTF-8 (RFC 8259). The members that the options name are read; all others are skipped,
// but must be valid JSON. The reader ignores a byte order mark at the start of a file, and lines that contain only
// spaces and tabs.
//
// A value is a text, and the text is then read as a field of a CSV file is, by the declared kind of its column:
// - The text of a number is the number as it is written. The text of a string is its content. The number 7 and the
//   string "7" are therefore the same coordinate, category and unit; 7.0 is the same coordinate, but another category
//   and another unit.
// - true and false are the texts "true" and "false".
// - null, a member that is absent, and a string of nothing but spaces and tabs are an empty field.
// A bad row is a line that is not valid JSON or not an object, that has a member twice which is read, or an array or an
// object as the value of one, and a row that is bad in a CSV file: a coordinate that is not a number or not a date, an
// empty coordinate unless missing values are declared, an empty unit.
//
// Names and kinds come from the options alone. No record changes how another is read, so bad rows can be skipped in
// every file.

// Options for reading JSON lines.
struct JsonLinesOptions {
  // Names of the coordinates, in the order of the axes. At least one is required. A number is not a valid name.
  std::vector<std::string> columns = {};
  // Name of the member that identifies the privacy unit of a record. Its text is compared by unit_key().
  std::optional<std::string> unit_column = std::nullopt;
  // Condition that a record must meet to be passed on (docs/where.md). If empty, all records are passed on. The values
  // of a record that does not meet the condition may be anything.
  std::string where = {};
  // Kind of each column, in the order of `columns`. If empty, all columns hold numbers. A name outside the list of a
  // category lies in no cell.
  std::vector<AxisKind> kinds = {};
  // Layout of dates in the columns that `where` compares with dates, such as %d.%m.%Y. If empty, they are in ISO 8601.
  // The layout of coordinates is part of their kinds.
  std::string date_layout = {};
  // Texts that denote a missing value, in coordinates and in conditions. A record with a missing coordinate lies in no
  // cell and is not a bad row. If the list is not empty, an empty field is missing too.
  std::vector<std::string> missing = {};
  // If set, it receives the number and the fault of every line that cannot be parsed. Such rows are then skipped, and
  // the scan uses one thread. For checks only, never for a release.
  std::function<void(std::uint64_t line, const std::string& fault)> on_bad_line = {};
  OnBadRow on_bad_row = OnBadRow::fail;
  // A member that no record may have. The scan ends at the first record that has it.
  std::optional<std::string> no_column = std::nullopt;
  // Number of bytes that a worker parses at a time. It affects only the speed.
  std::size_t block_bytes = std::size_t{1} << 18;
};

// Returns true if the name ends in .jsonl or .ndjson, also followed by .gz or .zst.
bool is_json_lines(const std::string& input);
// Returns the files that the input denotes. A pattern (* ? [) denotes the files that it matches, in order of their
// names. Throws if a pattern matches no file.
std::vector<std::string> json_lines_files(const std::string& input);
// Opens the files of an input, which are read one after the other. gzip and zstd are recognised by their first bytes.
// A line of more than csv_longest_record bytes ends the scan. The earliest error is reported for any number of
// threads. Memory does not grow with the number of records. names() returns `columns`.
std::unique_ptr<Points> open_json_lines(const std::string& input, const JsonLinesOptions& options);

// Reads points from an Arrow C stream (https://arrow.apache.org/docs/format/CStreamInterface.html), which databases,
// data frames and Arrow's own readers produce.

// Selects the columns and rows that arrow_points() reads.
struct ArrowOptions {
  // Names of the coordinate columns, in the order of the axes. A column may hold numbers of any type, including
  // decimals. If the kind of its axis reads text, the column may also hold dates, times or text. A null becomes NaN.
  std::vector<std::string> columns = {};
  // Name of the column that identifies the privacy unit. It must hold text, whole numbers, or dictionaries of these. A
  // row without a value gets an empty key, which a release refuses.
  std::optional<std::string> unit_column = std::nullopt;
  // Kind of each column, in the order of `columns`. If empty, all columns hold numbers.
  std::vector<AxisKind> kinds = {};
  // Condition that each row must meet to be read (docs/where.md). If empty, all rows are read.
  std::string where = {};
};

// Returns the points of an Arrow stream. `stream` is the address of an ArrowArrayStream of tables. The result takes
// ownership of the stream's content and leaves the stream empty. It can be scanned once. Columns of doubles without
// nulls are read in place, without a copy. Several threads convert batches, but only one thread at a time requests the
// next batch. Throws if the stream was already read, does not hold tables, or lacks a requested column, and if a column
// has an unsuitable type.
std::unique_ptr<Points> arrow_points(void* stream, const ArrowOptions& options);

// Conditions on one record (docs/where.md), for callers that select rows before they pass them on.
// Returns the names of the columns of a condition, each once. Throws if the condition is not valid; the message states
// the position of the first fault.
std::vector<std::string> condition_columns(const std::string& condition);
// Returns 1 for each row of an Arrow stream for which the condition holds, and 0 for each other row. The columns of the
// stream are those of the condition, in the same order. The stream is read to its end and left empty.
std::vector<std::uint8_t> condition_mask(const std::string& condition, void* stream);
// Returns the condition as nested JSON arrays, for a caller that translates it into another language: ["and" | "or" |
// "not", [conditions]], or [test, column, type, [values]]. The type is that in which the values are compared: "number",
// "date" (in seconds since 1970) or "text". `kinds` holds the type of each column, in the order of condition_columns().
std::string condition_json(const std::string& condition, const std::vector<std::string>& kinds);

}  // namespace shoal
