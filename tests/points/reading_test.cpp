// A record decides about itself alone: random files of everything that makes reading hard, one line changed.
#include <gtest/gtest.h>

#include <random>

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
    if (below(5) == 0) {
      made[0] = 0;
      made[1] = static_cast<char>(2 * below(2));
      made[2] = static_cast<char>(below(2) == 0 ? 3 : 6);
      made[3] = 0;
      made[4] = static_cast<char>(made[4] & ~2);
      made[8] = static_cast<char>(below(2));
      return made + two_ways();
    }
    made += (below(3) == 0 ? odd_line() : row()) + '\n';
    if (below(8) == 0) made += "\xef\xbb\xbf";
    if (header) made += pick({"x", "\"x\""}) + delimiter_ + "y" + delimiter_ + pick({"u", " u", "\"u\""}) + '\n';
    for (std::uint64_t lines = below(10); lines > 0; --lines)
      made += (below(odd_ + 1) == 1 ? odd_line() : row()) + '\n';
    return made;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::string pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  std::string field() {
    std::string text = pick({"0", "1", "2.5", "-3", "17", "1e0", "-.5", "3.00000000000000001"});
    if (below(6) == 0 && delimiter_ != " ") text = pick({" ", ""}) + text + pick({" ", ""});
    if (below(6) == 0) text = "\"" + text + "\"";
    return text;
  }
  std::string row() {
    std::string text = field();
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
  std::uint64_t odd_ = 0;  // one line in so many is odd; 0: none
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
  const std::uint64_t cases_tried = shoal::testing::quick() ? 1'200 : 12'000;
  for (std::uint64_t seed = 0; seed < cases_tried; ++seed) {
    const std::string bytes = Maker(seed).bytes();
    const ReadingCase made = reading_case(bytes);
    const Verdict verdict = check_reading(made);
    ASSERT_EQ(verdict.fault, "") << "seed " << seed << ": " << shown(bytes);
    if (!verdict.compared) continue;
    ++compared;
    ++by_kind[made.options.multiline][made.options.on_bad_row == OnBadRow::skip];
  }
  // The property says nothing where a run is refused: most cases must not be.
  EXPECT_GT(compared, cases_tried / 3);
  for (const auto& kind : by_kind) {
    for (const std::uint64_t cases : kind) EXPECT_GT(cases, cases_tried / 80);
  }
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
