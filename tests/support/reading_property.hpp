// A record decides about itself alone, as a property of any bytes: for a test that makes them up and for a fuzzer.
// The cases have every kind of column, mark of numbers and layout, conditions and declared missing values, and also
// read compressed text. They are of delimited text or of JSON lines.
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
#include "packed_texts.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"
#include "shoal/grid.hpp"
#include "shoal/readers.hpp"

namespace shoal {

// A file, one line of it changed, and how both are read.
struct ReadingCase {
  enum class Change { add, remove, replace };
  enum class Packing { none, gzip, zstd };
  CsvOptions options;
  std::vector<DeclaredAxis> axes;  // of the columns that are more than a number, the first ones; may be more than those
  Packing packing = Packing::none;
  std::size_t extra = 0;  // index into reading_extras()
  bool known_header = false;
  unsigned threads = 1;
  std::uint64_t max_contributions = 1;
  std::vector<std::string> lines;  // without their \n
  bool last_line_ends = true;
  std::string mark = {};  // of the byte order, before the first line
  Change change = Change::add;
  std::size_t at = 0;  // the line that is changed, or before which one is added
  std::string line;

  [[nodiscard]] std::string text(const std::vector<std::string>& all) const {
    return fmt::format("{}{}{}", mark, fmt::join(all, "\n"), last_line_ends && !all.empty() ? "\n" : "");
  }
};

// What the first columns hold, from plain numbers to those that a space, a comma or a point may be part of.
struct ReadingKind {
  std::vector<std::string> axes;
  char decimal = '.', thousands = '\0';
};
inline const std::vector<ReadingKind>& reading_kinds() {
  static const std::vector<ReadingKind> kinds = {
      {{}},
      {{"2026-01-01:2026-12-31"}},
      {{"2026-01-01T00:00:2026-01-03T00:00:zone=+02:00"}},
      {{"New York|York|New|1|a b:category"}},
      {{"2026-01-01:2026-12-31:month", "0|1|007|7:category"}},
      {{}, ',', '\0'},
      {{}, '.', ' '},
      {{"1|2.5|A:category"}, ',', '.'},
  };
  return kinds;
}

// What else a case declares, a sum of these.
enum ReadingExtra : unsigned { has_condition = 1, has_missing = 2, has_date_layout = 4 };
inline const std::vector<unsigned>& reading_extras() {
  static const std::vector<unsigned> extras = {0, has_condition, has_missing, has_condition | has_missing,
                                               has_condition | has_date_layout};
  return extras;
}
// The first of the nine bytes of a case.
inline char reading_choice(std::size_t delimiter, std::size_t kind, std::size_t extra) {
  return static_cast<char>(delimiter + 6 * (kind + reading_kinds().size() * extra));
}

// Any bytes make a case: nine that choose, the changed line up to its \n, the file.
class ReadingBytes {
 public:
  explicit ReadingBytes(std::string_view bytes) : choices_(9, '\0') {
    std::copy_n(bytes.begin(), std::min(bytes.size(), choices_.size()), choices_.begin());
    rest_ = bytes.substr(std::min(bytes.size(), choices_.size()));
  }

  [[nodiscard]] unsigned pick(std::size_t i) const { return static_cast<unsigned char>(choices_[i]); }

  // How the file is read, whatever its format.
  void set_reading(ReadingCase& made) const {
    made.options.on_bad_row = (pick(4) & 2) != 0 ? OnBadRow::skip : OnBadRow::fail;
    made.last_line_ends = (pick(4) & 4) != 0;
    made.options.block_bytes = 1 + pick(5) % 80;
    made.packing = pick(5) >= 240   ? ReadingCase::Packing::zstd
                   : pick(5) >= 220 ? ReadingCase::Packing::gzip
                                    : ReadingCase::Packing::none;
    made.threads = pick(6) % 8 < 6 ? 1 : pick(6) % 8 - 4U;  // to start a thread takes longer than to read a file
    made.max_contributions = std::vector<std::uint64_t>{1, 2, 1'000'000}[pick(6) / 3 % 3];
    made.change = static_cast<ReadingCase::Change>(pick(7) % 3);
  }

  // What the columns hold, and what else is declared. Before it, the columns are chosen.
  static void set_columns(ReadingCase& made, const ReadingKind& kind, std::size_t extra, const std::string& where) {
    for (const std::string& axis : kind.axes) made.axes.push_back(declared_axis(axis));
    made.options.decimal = kind.decimal;
    made.options.thousands = kind.thousands;
    made.extra = extra;
    const unsigned declared = reading_extras()[extra];
    if ((declared & has_condition) != 0) made.options.where = where;
    if ((declared & has_missing) != 0) made.options.missing = {"NA", "2"};
    if ((declared & has_date_layout) != 0) {
      made.options.date_layout = "%Y-%m-%d %H:%M";
      for (DeclaredAxis& axis : made.axes) {
        if (auto* instants = std::get_if<Instants>(&axis.kind.scale)) instants->layout = made.options.date_layout;
      }
    }
    const std::size_t read = made.options.columns.empty() ? made.options.dimensions : made.options.columns.size();
    if (!made.axes.empty()) made.options.kinds.resize(read);
    for (std::size_t i = 0; i < std::min(read, made.axes.size()); ++i) made.options.kinds[i] = made.axes[i].kind;
  }

  void take_lines(ReadingCase& made) {
    made.line = take_line();
    while (!rest_.empty()) made.lines.push_back(take_line());
  }

  // Chooses the line that is changed; the first ones stay.
  void choose_line(ReadingCase& made, std::size_t first) const {
    made.at = first + pick(8) % (made.lines.size() - first + 1);
    if (made.at == made.lines.size()) made.change = ReadingCase::Change::add;
  }

 private:
  std::string take_line() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    return std::string(line);
  }

  std::string choices_;
  std::string_view rest_;
};

inline ReadingCase reading_case(std::string_view all) {
  ReadingCase made;
  ReadingBytes bytes(all);
  const auto pick = [&](std::size_t i) { return bytes.pick(i); };

  const std::vector<std::optional<char>> delimiters = {std::nullopt, ',', '\t', ';', ' ', '|'};
  const std::vector<std::vector<std::string>> columns = {{"1", "2"}, {"x", "y"}, {}, {"2"}, {"y"}, {"3", "x"}, {"1"}};
  const std::vector<std::optional<std::string>> units = {std::nullopt, "u", "3", "1"};
  made.options.delimiter = delimiters[pick(0) % delimiters.size()];
  made.options.header = static_cast<CsvHeader>(pick(1) % 3);
  made.options.columns = columns[pick(2) % columns.size()];
  made.options.unit_column = units[pick(3) % units.size()];
  made.options.multiline = (pick(4) & 1) != 0;
  ReadingBytes::set_columns(
      made, reading_kinds()[pick(0) / delimiters.size() % reading_kinds().size()],
      pick(0) / delimiters.size() / reading_kinds().size() % reading_extras().size(),
      R"("2" <> '1' and not "1" = 17 or "1" < date '2026-06-01' or "2" like '%5' or "2" is null)");
  bytes.set_reading(made);
  bytes.take_lines(made);

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
  bytes.choose_line(made, header_lines);
  return made;
}

// The kinds that JSON lines have: those without marks, which are the first ones.
inline std::size_t json_kinds() {
  const auto& kinds = reading_kinds();
  const auto has_marks = [](const ReadingKind& kind) { return kind.decimal != '.' || kind.thousands != '\0'; };
  return static_cast<std::size_t>(std::find_if(kinds.begin(), kinds.end(), has_marks) - kinds.begin());
}

// The same bytes as a case of JSON lines.
inline ReadingCase json_reading_case(std::string_view all) {
  ReadingCase made;
  ReadingBytes bytes(all);
  const std::vector<std::vector<std::string>> columns = {{"x", "y"}, {"x"}, {"y"}, {"y", "x"}, {"x", "\u00e9 \"\n"}};
  const std::vector<std::optional<std::string>> units = {std::nullopt, "u", "x"};
  made.options.columns = columns[bytes.pick(2) % columns.size()];
  made.options.unit_column = units[bytes.pick(3) % units.size()];
  if (bytes.pick(1) % 8 == 0) made.options.no_column = "record";
  ReadingBytes::set_columns(made, reading_kinds()[bytes.pick(0) % json_kinds()],
                            bytes.pick(0) / json_kinds() % reading_extras().size(),
                            "y <> '1' and not x = 17 or x < date '2026-06-01' or y like '%5' or y is null");
  bytes.set_reading(made);
  bytes.take_lines(made);
  made.known_header = true;  // the names are declared
  const std::string_view mark = "\xef\xbb\xbf";
  if (!made.lines.empty() && made.lines.front().starts_with(mark)) {
    made.mark = mark;
    made.lines.front().erase(0, mark.size());
  }
  bytes.choose_line(made, 0);
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

inline std::string packed(const std::string& text, ReadingCase::Packing packing) {
  if (packing == ReadingCase::Packing::gzip) return gzip(text);
  if (packing == ReadingCase::Packing::none) return text;
  return zstd(text);
}

inline Axis reading_axis(const ReadingCase& made, std::size_t column) {
  return column < made.axes.size() ? made.axes[column].fitted(8) : Axis(-4, 4, 8);
}

// What opens a file, for variants with a fault of old.
using Opener = std::function<std::unique_ptr<Points>(const std::string& path, const CsvOptions& options)>;

inline std::unique_ptr<Points> open_json_case(const std::string& path, const CsvOptions& options) {
  return open_json_lines(path, {.columns = options.columns,
                                .unit_column = options.unit_column,
                                .where = options.where,
                                .kinds = options.kinds,
                                .date_layout = options.date_layout,
                                .missing = options.missing,
                                .on_bad_row = options.on_bad_row,
                                .no_column = options.no_column,
                                .block_bytes = options.block_bytes});
}

inline Reading read_all(const std::string& text, const ReadingCase& made, const CsvOptions& options, unsigned threads,
                        const Opener& open) {
  Reading reading;
  const MemoryFile file(packed(text, made.packing));
  try {
    const auto points = open(file.path(), options);
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
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < points->dimensions(); ++i) axes.push_back(reading_axis(made, i));
    const Grid grid(std::move(axes));
    ContributionKey key{};
    key.digits.fill('7');
    const Counts counts =
        options.unit_column ? bounded_counts(*points, grid, {.threads = threads}, {.most = made.max_contributions}, key)
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
inline Verdict check_reading(const ReadingCase& made, const Opener& open = open_csv) {
  std::vector<std::string> changed = made.lines;
  const auto place = changed.begin() + static_cast<std::ptrdiff_t>(made.at);
  if (made.change == ReadingCase::Change::add) changed.insert(place, made.line);
  if (made.change == ReadingCase::Change::remove) changed.erase(place);
  if (made.change == ReadingCase::Change::replace) *place = made.line;
  const std::string before = made.text(made.lines);
  const std::string after = made.text(changed);
  if (before.starts_with("\x1f\x8b") || after.starts_with("\x1f\x8b")) return {};  // gzip: these are not its lines

  const Reading one = read_all(before, made, made.options, 1, open);
  CsvOptions at_once = made.options;
  at_once.block_bytes = std::max<std::size_t>(4096, before.size());
  if (read_all(before, made, at_once, 1, open) != one) return {"other blocks give another result"};
  if (made.threads > 1 && read_all(before, made, made.options, made.threads, open) != one) {
    return {fmt::format("{} threads give another result", made.threads)};
  }
  if (!one.refused.empty()) return {};
  const Reading other = read_all(after, made, made.options, 1, open);
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
