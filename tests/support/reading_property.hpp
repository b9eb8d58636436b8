// A record decides about itself alone, as a property of any bytes: for a test that makes them up and for a fuzzer.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grid/contributions.hpp"
#include "memory_file.hpp"
#include "shoal/counts.hpp"
#include "shoal/csv.hpp"
#include "shoal/error.hpp"

namespace shoal {

// A file, one line of it changed, and how both are read.
struct ReadingCase {
  enum class Change { add, remove, replace };
  CsvOptions options;
  bool known_header = false;
  unsigned threads = 1;
  std::uint64_t max_contributions = 1;
  std::vector<std::string> lines;  // without their \n
  bool last_line_ends = true;
  Change change = Change::add;
  std::size_t at = 0;  // the line that is changed, or before which one is added
  std::string line;

  [[nodiscard]] std::string text(const std::vector<std::string>& all) const {
    return fmt::format("{}{}", fmt::join(all, "\n"), last_line_ends && !all.empty() ? "\n" : "");
  }
};

// Any bytes make a case: nine that choose, the changed line up to its \n, the file.
inline ReadingCase reading_case(std::string_view bytes) {
  ReadingCase made;
  std::string choices(9, '\0');
  std::copy_n(bytes.begin(), std::min(bytes.size(), choices.size()), choices.begin());
  bytes.remove_prefix(std::min(bytes.size(), choices.size()));
  const auto pick = [&](std::size_t i) { return static_cast<unsigned char>(choices[i]); };

  const std::vector<std::optional<char>> delimiters = {std::nullopt, ',', '\t', ';', ' ', '|'};
  const std::vector<std::vector<std::string>> columns = {{"1", "2"}, {"x", "y"}, {}, {"2"}, {"y"}, {"3", "x"}, {"1"}};
  const std::vector<std::optional<std::string>> units = {std::nullopt, "u", "3", "1"};
  made.options.delimiter = delimiters[pick(0) % delimiters.size()];
  made.options.header = static_cast<CsvHeader>(pick(1) % 3);
  made.options.columns = columns[pick(2) % columns.size()];
  made.options.unit_column = units[pick(3) % units.size()];
  made.options.multiline = (pick(4) & 1) != 0;
  made.options.on_bad_row = (pick(4) & 2) != 0 ? OnBadRow::skip : OnBadRow::fail;
  made.last_line_ends = (pick(4) & 4) != 0;
  made.options.block_bytes = 1 + pick(5) % 80;
  made.threads = pick(6) % 8 < 6 ? 1 : pick(6) % 8 - 4U;  // to start a thread takes longer than to read a file
  made.max_contributions = std::vector<std::uint64_t>{1, 2, 1'000'000}[pick(6) / 3 % 3];
  made.change = static_cast<ReadingCase::Change>(pick(7) % 3);

  const auto take_line = [&] {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    return std::string(line);
  };
  made.line = take_line();
  while (!bytes.empty()) made.lines.push_back(take_line());

  // The header is no record: where the file is known to have one, it stays.
  const auto by_name = [](const std::string& column) { return column.find_first_not_of("123") != std::string::npos; };
  made.known_header = made.options.header == CsvHeader::yes ||
                      (made.options.header == CsvHeader::detect &&
                       (std::any_of(made.options.columns.begin(), made.options.columns.end(), by_name) ||
                        (made.options.unit_column && by_name(*made.options.unit_column))));
  std::size_t header_lines = 0;
  bool inside = false;
  for (bool blank = true; made.known_header && (blank || inside) && header_lines < made.lines.size();) {
    std::string_view line = made.lines[header_lines];
    if (header_lines++ == 0 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    blank = blank && unit_key(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line).empty();
    if (made.options.multiline) inside = inside != (std::count(line.begin(), line.end(), '"') % 2 == 1);
  }
  made.at = header_lines + pick(8) % (made.lines.size() - header_lines + 1);
  if (made.at == made.lines.size()) made.change = ReadingCase::Change::add;
  return made;
}

// What reading a file gives.
struct Reading {
  std::string refused;  // why; empty when it was read
  std::vector<std::string> names;
  std::map<std::pair<std::string, std::vector<std::uint64_t>>, std::int64_t> records;  // unit and coordinates: how many
  std::uint64_t skipped = 0;
  std::vector<std::int64_t> counts;

  friend bool operator==(const Reading&, const Reading&) = default;
};

inline Reading read_all(const std::string& text, const CsvOptions& options, unsigned threads, std::uint64_t most) {
  Reading reading;
  const MemoryFile file(text);
  try {
    const auto points = open_csv(file.path(), options);
    reading.names = points->names();
    std::mutex mutex;
    points->scan(threads, [&](unsigned, const PointBlock& block) {
      const std::lock_guard lock(mutex);
      for (std::size_t row = 0; row < block.rows(); ++row) {
        std::vector<std::uint64_t> coordinates;
        bool lies_somewhere = true;
        for (const auto& column : block.columns) {
          coordinates.push_back(std::bit_cast<std::uint64_t>(column[row]));
          lies_somewhere = lies_somewhere && !std::isnan(column[row]);
        }
        if (!lies_somewhere) continue;
        reading.records[{block.units.empty() ? "" : std::string(block.units[row]), coordinates}] += 1;
      }
    });
    reading.skipped = points->skipped();
    const Grid grid(std::vector<Axis>(points->dimensions(), Axis(-4, 4, 8)));
    ContributionKey key{};
    key.digits.fill('7');
    const Counts counts = options.unit_column ? bounded_counts(*points, grid, {.threads = threads}, {.most = most}, key)
                                              : quantize(*points, grid, {.threads = threads});
    const Cells<std::int64_t>& cells = counts.raw();
    for (std::uint64_t cell = 0; cell < cells.cell_count(); ++cell) reading.counts.push_back(cells.at(cell));
  } catch (const InputError& error) {
    reading = {};
    reading.refused = error.what();
    const std::size_t named = reading.refused.find(file.path());
    if (named != std::string::npos) reading.refused.replace(named, file.path().size(), "FILE");
  }
  return reading;
}

struct Verdict {
  std::string fault;      // empty: the property holds
  bool compared = false;  // neither run was refused
};

// 1. The bytes that a worker takes and the number of threads change nothing.
// 2. With the line changed: a run is refused, or records and counts differ by the records of that line alone.
inline Verdict check_reading(const ReadingCase& made) {
  std::vector<std::string> changed = made.lines;
  const auto place = changed.begin() + static_cast<std::ptrdiff_t>(made.at);
  if (made.change == ReadingCase::Change::add) changed.insert(place, made.line);
  if (made.change == ReadingCase::Change::remove) changed.erase(place);
  if (made.change == ReadingCase::Change::replace) *place = made.line;
  const std::string before = made.text(made.lines);
  const std::string after = made.text(changed);
  if (before.starts_with("\x1f\x8b") || after.starts_with("\x1f\x8b")) return {};  // gzip: these are not its lines

  const Reading one = read_all(before, made.options, 1, made.max_contributions);
  CsvOptions at_once = made.options;
  at_once.block_bytes = std::max<std::size_t>(4096, before.size());
  if (read_all(before, at_once, 1, made.max_contributions) != one) return {"other blocks give another result"};
  if (made.threads > 1 && read_all(before, made.options, made.threads, made.max_contributions) != one) {
    return {fmt::format("{} threads give another result", made.threads)};
  }
  if (!one.refused.empty()) return {};
  const Reading other = read_all(after, made.options, 1, made.max_contributions);
  if (!other.refused.empty()) return {};

  // A line is a record, or with multiline a part of one, which then is another record.
  const bool moves = made.change == ReadingCase::Change::replace || made.options.multiline;
  std::map<decltype(Reading::records)::key_type, std::int64_t> difference = one.records;
  for (const auto& [record, count] : other.records) difference[record] -= count;
  std::int64_t gone = 0, come = 0;
  for (const auto& [record, count] : difference) (count > 0 ? gone : come) += std::abs(count);
  if (gone > 1 || come > 1 || (!moves && gone + come > 1)) {
    return {fmt::format("{} records went and {} came with one line", gone, come), true};
  }
  if (one.counts.size() != other.counts.size()) return {"one line changed the number of columns", true};
  std::int64_t distance = 0;
  for (std::size_t i = 0; i < one.counts.size(); ++i) distance += std::abs(one.counts[i] - other.counts[i]);
  // Where a unit keeps some of its records only, one that comes puts another out.
  const std::int64_t each = made.options.unit_column && made.max_contributions < 1000 ? 2 : 1;
  if (distance > each * (moves ? 2 : 1)) return {fmt::format("counts differ by {} with one line", distance), true};
  const auto named = [](const std::string& name) { return !name.empty(); };
  if (one.names != other.names) return {"one line changed the names", true};
  if (!made.known_header && std::any_of(one.names.begin(), one.names.end(), named))
    return {"a record gave names", true};
  return {"", true};
}

}  // namespace shoal
