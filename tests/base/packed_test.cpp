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

TEST(Packed, EmptyCellsTakeNextToNothing) {
  EXPECT_LT(pack(Cells<std::int64_t>::dense({1000000}, Values<std::int64_t>(1000000, 0))).size(), 8000U);
}

}  // namespace
}  // namespace shoal
