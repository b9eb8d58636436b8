// A record decides about itself alone: random files of everything that makes reading hard, one line changed.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>

#include "chi_square.hpp"
#include "reading_property.hpp"

namespace shoal {
namespace {

using namespace std::string_literals;

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  // The bytes of a case (reading_case): mostly rows of three fields that fit the options, something wrong here and
  // there.
  std::string bytes() {
    std::string made;
    for (int i = 0; i < 9; ++i) made += static_cast<char>(random_());
    const std::uint64_t delimiter = 1 + below(5);
    delimiter_ = ",\t; |"[delimiter - 1];
    const bool header = below(2) == 0;
    if (below(5) > 0) {
      made[0] = static_cast<char>(delimiter < 5 && below(2) == 0 ? 0 : delimiter);
      made[1] = static_cast<char>(header ? below(2) : 2 * below(2));
      made[2] = static_cast<char>(header ? below(7) : std::vector<int>{0, 3, 6}[below(3)]);
      made[3] = static_cast<char>(header ? below(4) : std::vector<int>{0, 2, 3}[below(3)]);
      if (!header) made[4] = static_cast<char>(made[4] & ~2);
    }
    odd_ = below(3) == 0 ? 0 : 2 + below(40);
    kind_ = below(2) == 0 ? below(reading_kinds().size()) : 0;
    extra_ = below(3) == 0 ? below(reading_extras().size()) : 0;
    made[0] = reading_choice(static_cast<unsigned char>(made[0]) % 6, kind_, extra_);
    if ((kind_ != 0 || extra_ != 0) && below(5) > 0) {
      const bool by_header = header && below(2) == 0;
      made[0] = reading_choice(by_header && below(2) == 0 ? 0 : delimiter, kind_, extra_);
      made[1] = static_cast<char>(by_header ? 1 : 2);
      if (!by_header) made[2] = static_cast<char>(std::vector<int>{0, 3, 6}[below(3)]);
      if (!by_header) made[3] = static_cast<char>(std::vector<int>{0, 2, 3}[below(3)]);
      if (!by_header) made[4] = static_cast<char>(made[4] & ~2);
      return made + table(by_header);
    }
    if (below(5) == 0) {
      made[0] = 0;
      made[1] = static_cast<char>(2 * below(2));
      made[2] = static_cast<char>(below(2) == 0 ? 3 : 6);
      made[3] = 0;
      made[4] = static_cast<char>(made[4] & ~2);
      made[8] = static_cast<char>(below(2));
      return made + two_ways();
    }
    return made + table(header);
  }

  // The bytes of a case in which the first record could tell what separates the fields: no header and no --delimiter,
  // fields with a space inside.
  std::string undelimited() {
    kind_ = std::vector<std::uint64_t>{1, 3, 6}[below(3)];
    delimiter_ = " ";
    std::string made = {reading_choice(0, kind_, 0), 2, 3, 0, 4, 20, 0, static_cast<char>(below(3)), 0};
    if (below(2) == 0) made[2] = 6;
    made += spaced() + (below(2) == 0 ? " " + spaced() : "") + '\n';
    for (std::uint64_t lines = 1 + below(6); lines > 0; --lines) made += spaced() + '\n';
    return made;
  }

 private:
  // The changed line, then the header where there is one, then the records.
  std::string table(bool header) {
    std::string made = (below(3) == 0 ? odd_line() : row()) + '\n';
    if (below(8) == 0) made += "\xef\xbb\xbf";
    if (header) made += pick({"x", "\"x\""}) + delimiter_ + "y" + delimiter_ + pick({"u", " u", "\"u\""}) + '\n';
    for (std::uint64_t lines = below(10); lines > 0; --lines)
      made += (below(odd_ + 1) == 1 ? odd_line() : row()) + '\n';
    return made;
  }
  // A field of its kind that may hold a space.
  std::string spaced() {
    return kind_ == 1   ? pick({"2026-01-02 18:00", "2026-07-02", "18:00", "2026-11-30 06:15"})
           : kind_ == 3 ? pick({"New York", "York", "New", "a b"})
                        : pick({"1 234", "2", "3", "-1"});
  }
  // A field that the first columns of the case read as more than a number.
  std::string special() {
    switch (kind_) {
      case 1:
      case 2:
        return pick({"2026-01-02", "2026-01-02 18:00", "2026-01-01T23:30Z", "1767312000", "2026-06-31"});
      case 3:
        return pick({"New York", "York", "New", "1", "a b", "Rome"});
      case 4:
        return pick({"2026-03", "2026-11-05", "007", "7", "0"});
      case 5:
        return delimiter_ == "," ? pick({"\"1,5\"", "2"}) : pick({"1,5", "-2,25", "3", "2"});
      case 6:
        return pick({"1 234", "2", "-1", "12 34", "1 000 000.5"});
      default:
        return pick({"A", "1", "2.5", "1.000"});
    }
  }

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  std::string field(bool first = false) {
    const bool in_all = kind_ == 5 || kind_ == 6;  // marks of numbers
    std::string text = kind_ != 0 && below(4) < (kind_ == 5        ? 4
                                                 : first || in_all ? 3
                                                 : kind_ == 4      ? 2
                                                                   : 0)
                           ? special()
                           : pick({"0", "1", "2.5", "-3", "17", "1e0", "-.5", "3.00000000000000001"});
    if ((reading_extras()[extra_] & has_missing) != 0 && below(6) == 0) text = "NA";
    if (below(6) == 0 && delimiter_ != " ") text = pick({" ", ""}) + text + pick({" ", ""});
    if (below(6) == 0) text = "\"" + text + "\"";
    return text;
  }
  std::string row() {
    std::string text = field(true);
    for (std::uint64_t fields = below(40) == 0 ? below(5) : 2; fields > 0; --fields) text += delimiter_ + field();
    return text + pick({"", "", "", "\r"});
  }
  // Lines that have numbers by more than one delimiter, behind one that knows a single delimiter.
  std::string two_ways() {
    const std::vector<std::string> between = {";", pick({";", ","}), pick({",", " ", "\t"})};
    const auto plain = [&] {
      const std::string by = pick(between);
      std::string text = field();
      for (auto more = std::count(between.begin(), between.end(), by); more > 0; --more) text += by + field();
      return text + '\n';
    };
    std::string made = plain() + (below(2) == 0 ? plain() : "");
    for (std::uint64_t lines = below(4); lines > 0; --lines) {
      made += pick({"a", "1"});
      for (const std::string& by : between) made += by + pick({"1", "2", "3"});
      made += '\n';
    }
    return made;
  }
  std::string odd_line() {
    // clang-format off
    static const std::vector<std::string> parts = {
        "\"", "\"", "\"\"", ",", ";", "\t", " ", "|", "\r", "1", "2.5", "-3", "x", "y", "u", "a b", "\0"s, "nan", "\xff", "\xef\xbb\xbf",
        ",1,2", "1,2,\"", "\",1", "1;2;3", std::string(100, '7')};
    // clang-format on
    std::string text = below(2) == 0 ? row() : "";
    for (std::uint64_t i = below(8); i > 0; --i) {
      text.insert(below(text.size() + 1), below(3) == 0 ? delimiter_ : parts[below(parts.size())]);
    }
    return text;
  }

  std::mt19937_64 random_;
  std::string delimiter_;
  std::uint64_t odd_ = 0;    // one line in this many is odd; 0: none
  std::uint64_t kind_ = 0;   // of reading_kinds()
  std::uint64_t extra_ = 0;  // of reading_extras()
};

std::string shown(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    text += c >= 0x20 && c < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return text;
}

TEST(Reading, OneLineChangesItsOwnRecordOrTheRunIsRefused) {
  std::uint64_t compared = 0, by_kind[2][2] = {};
  std::map<std::pair<std::size_t, bool>, std::uint64_t> by_column;  // kind of column, known header
  std::map<ReadingCase::Packing, std::uint64_t> by_packing;
  std::map<std::pair<std::size_t, bool>, std::uint64_t> by_extra;
  const std::uint64_t cases_tried = shoal::testing::quick() ? 1'200 : 12'000;
  for (std::uint64_t seed = 0; seed < cases_tried; ++seed) {
    const std::string bytes = Maker(seed).bytes();
    const ReadingCase made = reading_case(bytes);
    const Verdict verdict = check_reading(made);
    ASSERT_EQ(verdict.fault, "") << "seed " << seed << ": " << shown(bytes);
    if (!verdict.compared) continue;
    ++compared;
    ++by_kind[made.options.multiline][made.options.on_bad_row == OnBadRow::skip];
    ++by_column[{static_cast<unsigned char>(bytes[0]) / 6 % reading_kinds().size(), made.known_header}];
    ++by_extra[{made.extra, made.known_header}];
    ++by_packing[made.packing];
  }
  // The property says nothing where a run is refused: most cases must not be.
  EXPECT_GT(compared, cases_tried / 3);
  for (const auto& kind : by_kind) {
    for (const std::uint64_t cases : kind) EXPECT_GT(cases, cases_tried / 80);
  }
  for (std::size_t kind = 0; kind < reading_kinds().size(); ++kind) {
    for (const bool header : {false, true}) {
      EXPECT_GT((by_column[{kind, header}]), cases_tried / 400) << "kind " << kind << (header ? ", header" : "");
    }
  }
  for (std::size_t extra = 0; extra < reading_extras().size(); ++extra) {
    for (const bool header : {false, true}) {
      EXPECT_GT((by_extra[{extra, header}]), cases_tried / 400) << "extra " << extra << (header ? ", header" : "");
    }
  }
  EXPECT_GT(by_packing[ReadingCase::Packing::gzip], cases_tried / 200);
  EXPECT_GT(by_packing[ReadingCase::Packing::zstd], cases_tried / 200);
}

// After how many cases the property sees a fault of a variant; 0: not within `tried`.
template <class Case>
std::uint64_t cases_until_found(std::uint64_t tried, const Case& has_fault) {
  for (std::uint64_t seed = 0; seed < tried; ++seed) {
    if (has_fault(seed)) return seed + 1;
  }
  return 0;
}

// The fault of old: without a header, the first record tells the delimiter of dates, names and numbers with marks.
std::unique_ptr<Points> open_as_the_first_record_says(const std::string& path, const CsvOptions& options) {
  CsvOptions told = options;
  if (!options.delimiter && options.header == CsvHeader::no) {
    std::ifstream file(path);
    std::string first;
    std::getline(file, first);
    const std::size_t at = first.find_first_of("\t;,");
    told.delimiter = at != std::string::npos ? first[at] : first.find(' ') != std::string::npos ? ' ' : ',';
  }
  return open_csv(path, told);
}

TEST(Reading, ThePropertyFindsADelimiterThatTheFirstRecordTells) {
  const auto found = cases_until_found(300, [](std::uint64_t seed) {
    const ReadingCase made = reading_case(Maker(seed).undelimited());
    EXPECT_EQ(check_reading(made).fault, "") << "seed " << seed;
    return !check_reading(made, open_as_the_first_record_says).fault.empty();
  });
  EXPECT_GT(found, 0U) << "the planted fault was not found";
  fmt::print("found after {} cases\n", found);
}

// ---- JSON lines

class JsonMaker {
 public:
  explicit JsonMaker(std::uint64_t seed) : random_(seed) {}

  // The bytes of a case (json_reading_case): mostly objects that fit the options, something wrong here and there.
  std::string bytes() {
    std::string made;
    for (int i = 0; i < 9; ++i) made += static_cast<char>(random_());
    kind_ = below(json_kinds());
    extra_ = below(reading_extras().size());
    made[0] = static_cast<char>(kind_ + json_kinds() * extra_);
    odd_ = below(3) == 0 ? 0 : 2 + below(40);
    made += (below(3) == 0 ? odd_line() : object()) + '\n';
    if (below(8) == 0) made += "\xef\xbb\xbf";
    for (std::uint64_t lines = below(10); lines > 0; --lines) {
      made += (below(odd_ + 1) == 1 ? odd_line() : object()) + '\n';
    }
    return made;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  std::string value(bool first) {
    if (first && kind_ != 0 && below(4) < 3) {
      return std::vector<std::vector<std::string>>{
          {},
          {R"("2026-01-02")", R"("2026-01-02 18:00")", R"("2026-01-01T23:30Z")", "1767312000"},
          {R"("2026-01-02 18:00")", R"("2026-01-01T23:30Z")", "1767312000", R"("2026-06-31")"},
          {R"("New York")", R"("York")", R"("Yo\u0072k")", "1", R"("1")", R"("a b")", R"("Rome")", "true"},
          {R"("2026-03")", R"("2026-11-05")", R"("2026-11")"}}[kind_][below(3)];
    }
    if (kind_ == 4 && below(2) == 0) return pick({R"("007")", "7", R"("7")", "0", "7.0"});
    if (below(10) == 0) return pick({"null", R"("")", R"("NA")", "2"});
    return pick({"0", "1", "2.5", "-3", "17", "1e0", "-0.5", "3.00000000000000001", R"("1")", R"(" 2 ")", "1E+0"});
  }
  std::string object() {
    std::vector<std::string> members;
    const auto add = [&](const std::string& name, const std::string& of) {
      members.insert(members.begin() + static_cast<std::ptrdiff_t>(below(members.size() + 1)),
                     space() + name + space() + ":" + space() + of + space());
    };
    if (below(20) > 0) add(pick({R"("x")", R"("x")", R"("\u0078")"}), value(true));
    if (below(20) > 0) add(R"("y")", value(false));
    if (below(20) > 0) add(R"("u")", pick({"7", R"("7")", R"("a b")", R"("\ud83d\ude00")", "1.0"}));
    if (below(5) == 0) add(R"("é \"\n")", value(false));
    if (below(4) == 0)
      add(R"("more")", pick({R"([1, {"x": [2, []]}, "]"])", R"({"x": 3, "y": {}})", "false", "\"é\""}));
    if (below(60) == 0) add(pick({R"("x")", R"("y")", R"("u")", R"("record")"}), pick({"1", "[1]", "{}"}));
    return fmt::format("{}{{{}}}{}", space(), fmt::join(members, ","), pick({"", "", "", "\r"}));
  }
  std::string space() { return below(6) == 0 ? pick({" ", "\t", "  "}) : ""; }
  std::string odd_line() {
    // clang-format off
    static const std::vector<std::string> parts = {
        "\"", "\\", "\\\"", "{", "}", "[", "]", ",", ":", "\r", "1", "-", ".", "e", "null", "true", "nan", "\0"s, "\xff", "\xc3", "\xef\xbb\xbf",
        "\\ud83d", "\\u00", "\"x\":1,", ",\"y\":2", "0", " ", std::string(100, '[')};
    // clang-format on
    std::string text = below(3) > 0 ? object() : "";
    for (std::uint64_t i = below(6); i > 0; --i) {
      if (below(4) == 0 && !text.empty()) text.erase(below(text.size()), 1);
      text.insert(below(text.size() + 1), parts[below(parts.size())]);
    }
    return text;
  }

  std::mt19937_64 random_;
  std::uint64_t odd_ = 0;    // one line in this many is odd; 0: none
  std::uint64_t kind_ = 0;   // of reading_kinds()
  std::uint64_t extra_ = 0;  // of reading_extras()
};

TEST(Reading, OneLineOfJsonChangesItsOwnRecordOrTheRunIsRefused) {
  std::uint64_t compared = 0;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> by_kind;  // kind of column, extra
  std::map<ReadingCase::Packing, std::uint64_t> by_packing;
  std::map<std::pair<OnBadRow, bool>, std::uint64_t> by_rule;  // bad rows, units
  const std::uint64_t cases_tried = shoal::testing::quick() ? 1'200 : 6'000;
  for (std::uint64_t seed = 0; seed < cases_tried; ++seed) {
    const std::string bytes = JsonMaker(seed).bytes();
    const ReadingCase made = json_reading_case(bytes);
    const Verdict verdict = check_reading(made, open_json_case);
    ASSERT_EQ(verdict.fault, "") << "seed " << seed << ": " << shown(bytes);
    if (!verdict.compared) continue;
    ++compared;
    ++by_kind[{static_cast<unsigned char>(bytes[0]) % json_kinds(), made.extra}];
    ++by_packing[made.packing];
    ++by_rule[{made.options.on_bad_row, made.options.unit_column.has_value()}];
  }
  // The property says nothing where a run is refused: many cases must not be.
  EXPECT_GT(compared, cases_tried / 4);
  for (std::size_t kind = 0; kind < json_kinds(); ++kind) {
    for (std::size_t extra = 0; extra < reading_extras().size(); ++extra) {
      EXPECT_GT((by_kind[{kind, extra}]), cases_tried / 400) << "kind " << kind << ", extra " << extra;
    }
  }
  for (const OnBadRow rule : {OnBadRow::fail, OnBadRow::skip}) {
    for (const bool units : {false, true}) EXPECT_GT((by_rule[{rule, units}]), cases_tried / 80);
  }
  EXPECT_GT(by_packing[ReadingCase::Packing::gzip], cases_tried / 200);
  EXPECT_GT(by_packing[ReadingCase::Packing::zstd], cases_tried / 200);
}

// A fault that such readers have: the first record tells the type of a column, here of the unit. Where it is a number,
// all units are numbers, and 7 and 7.0 are one.
std::unique_ptr<Points> open_by_the_types_of_the_first_line(const std::string& path, const CsvOptions& options) {
  std::ifstream file(path);
  std::string all(std::istreambuf_iterator<char>(file), {});
  const std::size_t first = all.find(R"("u":)");
  if (first < all.find('\n') && all.compare(first + 4, 1, "\"") != 0) {
    for (std::size_t at = 0; (at = all.find("7.0", at)) != std::string::npos;) all.replace(at, 3, "7  ");
  }
  // The file of this text must live as long as its points.
  static std::unique_ptr<MemoryFile> kept;
  kept = std::make_unique<MemoryFile>(all);
  return open_json_case(kept->path(), options);
}

TEST(Reading, ThePropertyFindsTypesThatTheFirstLineTells) {
  const auto found = cases_until_found(300, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto unit = [&] { return std::vector<std::string>{"7", "7.0", R"("7.0")", R"("a")"}[random() % 4]; };
    std::string bytes = {0, 1, 1, 1, 4, 20, 6, static_cast<char>(random() % 3), 0};
    for (std::uint64_t lines = 3 + random() % 5; lines > 0; --lines)
      bytes += fmt::format("{{\"u\":{},\"x\":1}}\n", unit());
    const ReadingCase made = json_reading_case(bytes);
    EXPECT_EQ(check_reading(made, open_json_case).fault, "") << "seed " << seed;
    return check_reading(made, open_by_the_types_of_the_first_line).fault.find("records went") != std::string::npos;
  });
  EXPECT_GT(found, 0U) << "the planted fault was not found";
  fmt::print("found after {} cases\n", found);
}

// ---- units

// Random rows of a few units, and what each may add.
struct BoundingCase {
  Grid grid;
  Contribution contribution;
  unsigned threads = 1;
  std::vector<std::string> units;
  std::vector<std::vector<double>> columns;

  explicit BoundingCase(std::uint64_t seed) : grid({{0, 1, 1}}) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t bound) { return random() % bound; };
    std::vector<Axis> axes;
    for (std::uint64_t i = 1 + below(3); i > 0; --i) axes.emplace_back(0, 1, 1 + below(6));
    grid = Grid(axes);
    if (below(2) == 0) {
      contribution.most = 1 + below(4);
    } else {
      contribution.parts = std::vector<std::uint64_t>{2, 7, 65'536}[below(3)];
    }
    if (axes.size() > 1 && below(2) == 0) {
      contribution.group_cells = grid.cell_count() / axes.front().cells();
      contribution.max_groups = 1 + below(3);
    }
    threads = 1 + static_cast<unsigned>(below(2));
    const std::uint64_t people = 1 + below(6), rows = below(40);
    columns.resize(axes.size());
    for (std::uint64_t row = 0; row < rows; ++row) {
      units.push_back(std::vector<std::string>{"", "0", "somebody with a long key "}[below(3)] +
                      std::to_string(std::min(below(people), below(people))));
      for (auto& column : columns) column.push_back(static_cast<double>(below(12)) / 10);
    }
  }

  [[nodiscard]] std::uint64_t bound() const {
    return std::max(contribution.parts == 1 ? contribution.most : 0, contribution.parts == 1 ? 0 : contribution.parts) *
           (contribution.group_cells == 0 ? 1 : contribution.max_groups);
  }
};

using Bound =
    std::function<Counts(Points&, const Grid&, const QuantizeOptions&, const Contribution&, const ContributionKey&)>;

// Counts of all rows but those of a unit.
std::vector<std::int64_t> counts_without(const BoundingCase& made, const std::optional<std::string>& unit,
                                         const Bound& bound) {
  std::vector<std::vector<double>> columns(made.columns.size());
  std::vector<std::string_view> units;
  for (std::size_t row = 0; row < made.units.size(); ++row) {
    if (unit && made.units[row] == *unit) continue;
    units.emplace_back(made.units[row]);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].push_back(made.columns[i][row]);
  }
  if (units.empty()) return std::vector<std::int64_t>(made.grid.cell_count());
  std::vector<Column> views;
  for (const auto& column : columns) views.push_back({column.data()});
  ContributionKey key{};
  key.digits.fill('3');
  const auto points = array_points(views, units.size(), units);
  const Counts counts = bound(*points, made.grid, {.threads = made.threads}, made.contribution, key);
  std::vector<std::int64_t> result;
  for (std::uint64_t cell = 0; cell < counts.raw().cell_count(); ++cell) result.push_back(counts.raw().at(cell));
  return result;
}

// Empty: with any unit gone, counts fall, by no more than what a unit may add.
std::string bounding_fault(const BoundingCase& made, const Bound& bound) {
  const auto all = counts_without(made, std::nullopt, bound);
  const std::set<std::string> units(made.units.begin(), made.units.end());
  for (const std::string& unit : units) {
    const auto fewer = counts_without(made, unit, bound);
    std::uint64_t moved = 0;
    for (std::size_t cell = 0; cell < all.size(); ++cell) {
      if (fewer[cell] > all[cell]) return "a unit that went made a count larger";
      moved += static_cast<std::uint64_t>(all[cell] - fewer[cell]);
    }
    if (moved > made.bound()) return fmt::format("a unit moved the counts by {}, and may by {}", moved, made.bound());
  }
  return {};
}

Counts bounded(Points& points, const Grid& grid, const QuantizeOptions& options, const Contribution& contribution,
               const ContributionKey& key) {
  return bounded_counts(points, grid, options, contribution, key);
}

TEST(Reading, AUnitMovesCountsByNoMoreThanItMayAdd) {
  const std::uint64_t tried = shoal::testing::quick() ? 200 : 2'000;
  for (std::uint64_t seed = 0; seed < tried; ++seed) {
    ASSERT_EQ(bounding_fault(BoundingCase(seed), bounded), "") << "seed " << seed;
  }
}

TEST(Reading, ThePropertyFindsARecordTooManyOfAUnit) {
  const Bound one_more = [](Points& points, const Grid& grid, const QuantizeOptions& options, Contribution contribution,
                            const ContributionKey& key) {
    if (contribution.parts == 1) ++contribution.most;
    return bounded_counts(points, grid, options, contribution, key);
  };
  const auto found =
      cases_until_found(100, [&](std::uint64_t seed) { return !bounding_fault(BoundingCase(seed), one_more).empty(); });
  EXPECT_GT(found, 0U) << "the planted fault was not found";
  fmt::print("found after {} cases\n", found);
}

// A share in whole thousandths, and these in whole parts.
Counts rounded_twice(Points& points, const Grid& grid, const QuantizeOptions& options, const Contribution& contribution,
                     const ContributionKey& key) {
  if (contribution.parts == 1 || contribution.group_cells > 0) {
    return bounded_counts(points, grid, options, contribution, key);
  }
  std::map<std::string, std::map<std::uint64_t, std::uint64_t>> records;
  points.scan(1, [&](unsigned, const PointBlock& block) {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      std::uint64_t cell = 0;
      bool inside = true;
      for (std::size_t i = 0; i < grid.dimensions(); ++i) {
        const auto place = grid.axis(i).cell(block.columns[i][row]);
        inside = inside && place != outside_axis;
        cell = cell * grid.axis(i).cells() + static_cast<std::uint64_t>(place);
      }
      if (inside) ++records[std::string(block.units[row])][cell];
    }
  });
  Values<std::int64_t> values(grid.cell_count());
  for (const auto& [unit, cells] : records) {
    std::uint64_t total = 0;
    for (const auto& [cell, count] : cells) total += count;
    for (const auto& [cell, count] : cells) {
      const std::uint64_t thousandths = (count * 2'000 + total) / (2 * total);
      values[cell] += static_cast<std::int64_t>((thousandths * contribution.parts + 500) / 1'000);
    }
  }
  return {grid, Cells<std::int64_t>::dense(grid.shape(), std::move(values)), 0, 0};
}

TEST(Reading, ThePropertyFindsAShareThatIsRoundedTwice) {
  const auto found = cases_until_found(
      200, [](std::uint64_t seed) { return !bounding_fault(BoundingCase(seed), rounded_twice).empty(); });
  EXPECT_GT(found, 0U) << "the planted fault was not found";
  fmt::print("found after {} cases\n", found);
}

// What the property is for: it must see the faults that readers had.
TEST(Reading, ThePropertyIsNotEmpty) {
  const auto verdict_of = [](const std::string& bytes) { return check_reading(reading_case(bytes)); };
  const std::string choices = {1, 1, 1, 0, 6, 20, 0, 0, 0};  // comma, header, columns x and y, skip, add the first line
  const Verdict verdict = verdict_of(choices + "1,2,\"oops\nx,y,u\n1,2,3\n2,2,\"3\"\n");
  EXPECT_EQ(verdict.fault, "");
  EXPECT_TRUE(verdict.compared) << "an open quote is a bad row, and the others are read";
  const std::string strict = {0, 0, 0, 0, 4, 20, 0, 0, 0};
  EXPECT_FALSE(verdict_of(strict + "1 2\n1,2\n3,4\n").compared) << "a line that does not fit ends the run";
  EXPECT_TRUE(verdict_of(strict + "1,2\n1,2\n3,4\n").compared);
}

}  // namespace
}  // namespace shoal
