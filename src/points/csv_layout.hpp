// What the first line of delimited text tells: delimiter, header, and where the wanted columns are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "points/text_rows.hpp"
#include "shoal/readers.hpp"

namespace shoal {

// How the records of a file lie in its text.
struct CsvLayout : RowLayout {
  char delimiter = ',';
  bool merge = false;         // runs of the delimiter count as one (space)
  std::string foreign;        // delimiters that no line may hold, because it was found out which one is meant
  bool known_header = false;  // field_names are names
  bool multiline = false;     // a quoted field may span lines
  std::vector<std::string> field_names;  // one per field, from the header line; empty if there is none
  std::size_t first_byte = 0;            // where the records begin
  std::uint64_t first_line = 1;          // number of that line, starting at 1
  std::uint64_t shape_line = 1;          // the line that fixed the number of fields

  // "column 'x' (field 2)", for messages.
  [[nodiscard]] std::string describe(std::size_t field) const;
  // What is said, behind the line's number, of a record whose quotes are not right.
  [[nodiscard]] std::string wrong_quote() const;
};

// Whether a whole record that is not blank lies in the first bytes.
bool holds_record(std::string_view head, const CsvOptions& options);

// head: the first bytes, at least one whole record unless there is none; complete: head is all there is.
CsvLayout find_layout(std::string_view head, bool complete, const CsvOptions& options, const std::string& name);

// Returns the fields of the first `most` records that lie whole in the first bytes, for the owner to look at. A record
// whose quotes are wrong is one field.
std::vector<std::vector<std::string>> first_records(std::string_view head, bool complete, const CsvLayout& layout,
                                                    std::size_t most);

}  // namespace shoal
