// Integers packed into text.
#include "base/packed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace shoal {
namespace {

// Values of all magnitudes up to 2^bits, either sign.
Values<std::int64_t> drawn_values(std::size_t count, unsigned bits) {
  std::mt19937_64 random(bits);
  Values<std::int64_t> values;
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = static_cast<std::int64_t>(random() >> (64 - bits));
    values.push_back(random() % 2 == 0 ? size : -size);
  }
  return values;
}

void expect_bounded(const Cells<std::int64_t>& cells, const Shape& shape) {
  const std::string text = pack(cells);
  EXPECT_GE(most_packed_bytes(cells), text.size());
  const Cells<std::int64_t> back = unpack(text, shape, cells.is_dense(), cells.stored());
  EXPECT_TRUE(std::equal(back.values().begin(), back.values().end(), cells.values().begin(), cells.values().end()));
}

TEST(Packed, TheBoundHoldsForValuesThatCannotBeCompressed) {
  const Shape shape = {100, 100};
  for (const unsigned bits : {1U, 6U, 7U, 14U, 40U, 62U}) {
    expect_bounded(Cells<std::int64_t>::dense(shape, drawn_values(10000, bits)), shape);
  }
}

TEST(Packed, TheBoundHoldsForListedCells) {
  const Shape shape = {std::uint64_t{1} << 20, std::uint64_t{1} << 20};
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> index;
  for (std::uint64_t cell = random() % 1000; index.size() < 5000; cell += 1 + random() % (1U << 27)) {
    index.push_back(cell);
  }
  expect_bounded(Cells<std::int64_t>::sparse(shape, index, drawn_values(index.size(), 20)), shape);
}

TEST(Packed, TheBoundIsNotFarOffForSmallNoise) {
  const Cells<std::int64_t> cells = Cells<std::int64_t>::dense({100, 100}, drawn_values(10000, 5));
  EXPECT_LT(most_packed_bytes(cells), 14000U);
}

// Two-sided geometric noise with P(x) = (1 - q) / (1 + q) q^|x|.
TEST(Packed, NoiseTakesHardlyMoreThanItsEntropy) {
  constexpr double q = 0.4;
  std::mt19937_64 random(3);
  std::geometric_distribution<std::int64_t> draw(1 - q);
  Values<std::int64_t> values(100000);
  for (std::int64_t& value : values) value = draw(random) - draw(random);
  const double at_zero = (1 - q) / (1 + q);
  const double bits = -std::log2(at_zero) - std::log2(q) * 2 * at_zero * q / ((1 - q) * (1 - q));
  const std::string text = pack(Cells<std::int64_t>::dense({100000}, values));
  EXPECT_LT(6 * static_cast<double>(text.size()), 1.1 * bits * 100000);
}

TEST(Packed, PartsAndThreadsDoNotShow) {
  const Shape shape = {700, 700};
  const Cells<std::int64_t> dense = Cells<std::int64_t>::dense(shape, drawn_values(490000, 5));
  std::vector<std::uint64_t> index(200000);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = 2 * i + i % 2;
  const Cells<std::int64_t> sparse = Cells<std::int64_t>::sparse(shape, index, drawn_values(index.size(), 9));
  for (const auto* cells : {&dense, &sparse}) {
    expect_bounded(*cells, shape);
    const std::string text = pack(*cells);
    EXPECT_EQ(pack(*cells, 3), text);
    const Cells<std::int64_t> back = unpack(text, shape, cells->is_dense(), cells->stored());
    EXPECT_TRUE(std::equal(back.index().begin(), back.index().end(), cells->index().begin(), cells->index().end()));
  }
}

TEST(Packed, TheChecksumOfPartsIsThatOfTheWhole) {
  const std::string text = "a text of several parts, one of them empty";
  Crc32 whole, parts;
  whole.add(text);
  for (const auto& [begin, length] : {std::pair{0U, 5U}, {5U, 0U}, {5U, 20U}, {25U, 100U}}) {
    Crc32 part;
    part.add(std::string_view(text).substr(begin, length));
    parts.add(part);
  }
  EXPECT_EQ(whole.value(), crc32_of(text));
  EXPECT_EQ(parts.value(), crc32_of(text));
}

TEST(Packed, Base64IsTheSameInParts) {
  std::string bytes(2000001, '\0');
  std::mt19937_64 random(5);
  for (char& byte : bytes) byte = static_cast<char>(random());
  const std::string text = base64(bytes, 3);
  EXPECT_EQ(text, base64(bytes));
  std::string by_lot;
  for (std::size_t i = 0; i < bytes.size(); i += 3) by_lot += base64(bytes.substr(i, 3));
  EXPECT_EQ(text, by_lot);
  EXPECT_EQ(base64("any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
  EXPECT_EQ(base64("any carnal pleasu"), "YW55IGNhcm5hbCBwbGVhc3U=");
  EXPECT_EQ(base64(""), "");
}

TEST(Packed, EmptyCellsTakeNextToNothing) {
  EXPECT_LT(pack(Cells<std::int64_t>::dense({1000000}, Values<std::int64_t>(1000000, 0))).size(), 8000U);
}

}  // namespace
}  // namespace shoal
