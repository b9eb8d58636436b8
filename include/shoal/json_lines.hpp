// Reads points from JSON lines: plain files, files compressed with gzip or zstd, and pipes. This header is on the raw
// side.
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
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/axis_kind.hpp"
#include "shoal/csv.hpp"
#include "shoal/points.hpp"

namespace shoal {

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

}  // namespace shoal
