#include "points/numbers.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

namespace shoal {
namespace {

double slow(const std::string& text) {
  double value = 0;
  EXPECT_TRUE(parse_number(text, value)) << text;
  return value;
}

// Checks the fast way against the slow one, and the slow one against the C library.
void check_number(const std::string& text) {
  const double expected = std::strtod(text.c_str(), nullptr);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(slow(text)), std::bit_cast<std::uint64_t>(expected)) << text;
  const std::string padded = std::string(16, '7') + text + "," + std::string(64, '5');
  double value = 0;
  const char* end = parse_plain_number(padded.data() + 16, value);
  if (end == nullptr) return;
  EXPECT_EQ(end, padded.data() + 16 + text.size()) << text;
  EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
}

TEST(Numbers, FastWayEqualsTheSlowOneBitForBit) {
  std::mt19937_64 random(5);
  const auto digits = [&](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += static_cast<char>('0' + random() % 10);
    return text;
  };
  for (int i = 0; i < 200'000; ++i) {
    const std::size_t whole = random() % 12;
    const std::size_t decimals = random() % 22 + (whole == 0 ? 1 : 0);
    std::string text = random() % 2 ? "-" : "";
    text += random() % 4 ? digits(whole) : std::string(whole, '0');
    if (decimals > 0 || random() % 2) text += '.';
    text += random() % 4 ? digits(decimals) : std::string(decimals / 2, '0') + digits(decimals - decimals / 2);
    if (text.find_first_of("0123456789") != std::string::npos) check_number(text);
  }
  for (int i = 0; i < 100'000; ++i) {  // doubles themselves, and the middles between them
    const double x = std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 70));
    check_number(fmt::format("{}", x));
    check_number(fmt::format("{:.17f}", x));
    check_number(fmt::format("{:.19g}", x + std::ldexp(x, -53)));
  }
}

TEST(Numbers, EdgesAreTheNearestDouble) {
  for (const char* text : {"0",
                           "-0",
                           "0.0",
                           "-0.0",
                           "9007199254740992",
                           "9007199254740993",
                           "9007199254740993.0",
                           "18446744073709551615",
                           "18446744073709551616",
                           "9999999999999999999",
                           "0.1",
                           ".5",
                           "5.",
                           "1.7976931348623157",
                           "0.30000000000000004",
                           "123456789012345678.9",
                           "1e22",
                           "1e23",
                           "1E-5",
                           "1e-400",
                           "1e400",
                           "-1e400",
                           "4.9e-324",
                           "2.2250738585072011e-308",
                           "0.0000000000000000000000000000000000000001",
                           "100000000000000000000000000000000000000000"}) {
    check_number(text);
  }
  EXPECT_TRUE(std::signbit(slow("-0")));
  EXPECT_EQ(slow("+1.5"), 1.5);
  EXPECT_TRUE(std::isnan(slow("nan")));
  EXPECT_TRUE(std::isnan(slow("NaN")));
  EXPECT_EQ(slow("-Infinity"), -HUGE_VAL);
  EXPECT_EQ(slow("inf"), HUGE_VAL);
}

TEST(Numbers, OtherTextIsRefused) {
  for (const char* text : {"",          ".",     "-",     "+",        "+-1", "-+1", "--1", "1e",     "1e+",   "e5",
                           "0x10",      "0x1p3", "1,5",   "1_000",    "1 2", " 1",  "1 ",  "nan(1)", "nan()", "infinit",
                           "infinityx", "12abc", "1.2.3", "\xd9\xa1", "1d5", "1f",  "NA",  "null"}) {
    double value = 0;
    EXPECT_FALSE(parse_number(text, value)) << text;
    const std::string padded = std::string(16, '7') + text + "\n" + std::string(64, '5');
    const char* end = parse_plain_number(padded.data() + 16, value);
    EXPECT_TRUE(end == nullptr || *end != '\n') << text;
  }
}

}  // namespace
}  // namespace shoal
