// Numbers from delimited text: files, gzip files, standard input. Raw side.
//
// A record is a line. Fields may be quoted as in RFC 4180 ("" inside quotes is a quote, and a quoted field may hold
// delimiters and line ends); a quote elsewhere than at a field's start is an ordinary character. Lines end with \n
// or \r\n. A byte order mark, blank lines and spaces around numbers are passed over; there are no comments. Every
// record must have as many fields as the first line. Numbers are decimal, as Python's float() reads them: also
// nan and inf (which lie in no cell), not hexadecimal, no empty field.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/points.hpp"

namespace shoal {

enum class OnBadRow {
  fail,  // the first row that does not parse ends the scan with an error that names line and column
  skip,  // it is counted (Points::skipped) and handed on as NaN, so that it keeps its place but lies in no cell
};

enum class CsvHeader {
  detect,  // a first line without any number in it holds names; so does any first line when columns go by name
  yes,
  no,
};

struct CsvOptions {
  // Coordinates, in this order: names of the header, or positions from 1 on. A name wins over a position.
  // Empty: the first two columns.
  std::vector<std::string> columns = {};
  // Whose row it is: any text. Its quotes are taken off, then it is compared by unit_key(); an empty key is a bad row.
  std::optional<std::string> unit_column = std::nullopt;
  // Comma, tab, semicolon, space, or any other character. Nothing: found out from the first lines.
  // With a space, runs of spaces count as one and those at the ends of a line as none.
  std::optional<char> delimiter = std::nullopt;
  CsvHeader header = CsvHeader::detect;
  OnBadRow on_bad_row = OnBadRow::fail;
  // Only changes the speed: bytes that a worker parses at a time.
  std::size_t block_bytes = std::size_t{1} << 18;
};

// A longer record is refused: most likely a quote that was left open, or no text at all.
inline constexpr std::size_t csv_longest_record = std::size_t{1} << 24;

// path: a file, or "-" for standard input (which can be scanned once). gzip is recognised by its first bytes.
// Reads as far as the first lines; errors say what, where and how to mend. Memory does not depend on the rows.
// With several threads the error reported is the earliest one all the same.
std::unique_ptr<Points> open_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace shoal
