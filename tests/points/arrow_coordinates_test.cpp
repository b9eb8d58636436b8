// Every type that Arrow has for numbers, decimals, times and names becomes the coordinate that its text would.
#include "points/arrow_coordinates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/wide.hpp"

namespace shoal {
namespace {

// A column of fixed width and what holds its memory. Row 0 is cut off by an offset; the last row is null, and its slot
// holds what a reader that ignores validity would take for a value.
template <class T>
struct FixedColumn {
  FixedColumn(const char* format, std::vector<T> values) : data(std::move(values)) {
    data.insert(data.begin(), T{});
    data.push_back(T{});
    bits.assign((data.size() + 7) / 8, 0xFF);
    bits[(data.size() - 1) / 8] &= static_cast<std::uint8_t>(~(1U << (data.size() - 1) % 8));
    schema.format = format;
    schema.name = "x";
    array.length = static_cast<std::int64_t>(data.size()) - 1;
    array.null_count = -1;
    array.offset = 1;
    array.n_buffers = 2;
    array.buffers = buffers.data();
  }
  FixedColumn(const FixedColumn&) = delete;
  FixedColumn& operator=(const FixedColumn&) = delete;

  // Without the null, which must be NaN.
  std::vector<double> read(const AxisKind& kind = {}) {
    std::vector<double> copy;
    EXPECT_EQ(arrow_misfit(schema, kind), std::nullopt);
    const auto values = arrow_coordinates({schema, array, array.offset, array.length}, kind, copy);
    EXPECT_TRUE(std::isnan(values.back()));
    return {values.begin(), values.end() - 1};
  }

  std::vector<T> data;
  std::vector<std::uint8_t> bits;
  std::array<const void*, 2> buffers{nullptr, nullptr};
  ArrowSchema schema{};
  ArrowArray array{};

  FixedColumn& ready() {
    buffers = {bits.data(), data.data()};
    return *this;
  }
};

template <class T>
std::vector<double> read(const char* format, std::vector<T> values, const AxisKind& kind = {}) {
  return FixedColumn<T>(format, std::move(values)).ready().read(kind);
}

const AxisKind times{.scale = Instants{}};
using Doubles = std::vector<double>;

TEST(ArrowCoordinates, NumbersOfEveryWidth) {
  EXPECT_EQ(read<std::int8_t>("c", {-128, 127}), Doubles({-128, 127}));
  EXPECT_EQ(read<std::uint8_t>("C", {0, 255}), Doubles({0, 255}));
  EXPECT_EQ(read<std::int16_t>("s", {-32768}), Doubles({-32768}));
  EXPECT_EQ(read<std::uint16_t>("S", {65535}), Doubles({65535}));
  EXPECT_EQ(read<std::int32_t>("i", {-2147483647}), Doubles({-2147483647}));
  EXPECT_EQ(read<std::uint32_t>("I", {4294967295U}), Doubles({4294967295.0}));
  EXPECT_EQ(read<std::int64_t>("l", {9007199254740993}), Doubles({9007199254740992.0}));
  EXPECT_EQ(read<std::uint64_t>("L", {18446744073709551615U}), Doubles({18446744073709551616.0}));
  EXPECT_EQ(read<float>("f", {0.1F}), Doubles({static_cast<double>(0.1F)}));
  EXPECT_EQ(read<double>("g", {1e308, -0.0}), Doubles({1e308, -0.0}));
  EXPECT_EQ(read<std::uint16_t>("e", {0x3C00, 0xC000, 0x0001, 0x7C00}),
            Doubles({1, -2, std::ldexp(1, -24), std::numeric_limits<double>::infinity()}));
}

TEST(ArrowCoordinates, DoublesWithoutNullsAreNotCopied) {
  FixedColumn<double> column("g", {1, 2, 3});
  column.ready();
  column.array.null_count = 0;
  std::vector<double> copy;
  const auto values = arrow_coordinates({column.schema, column.array, 1, 3}, {}, copy);
  EXPECT_EQ(values.data(), column.data.data() + 1);
  EXPECT_TRUE(copy.empty());
}

TEST(ArrowCoordinates, DecimalsAreTheNearestDouble) {
  EXPECT_EQ(read<std::int32_t>("d:9,2,32", {-1234, 7}), Doubles({-12.34, 0.07}));
  EXPECT_EQ(read<std::int64_t>("d:18,3,64", {9007199254740993}), Doubles({9007199254740.993}));
  const Int128 many = Int128{299999999999999988} * 100'000'000'000'000 + 89776975374843;  // 32 digits
  EXPECT_EQ(read<Int128>("d:38,32", {many, 0, -1}), Doubles({0.29999999999999998889776975374843, 0, -1e-32}));
  EXPECT_EQ(read<Int128>("d:38,-2", {5}), Doubles({500}));
}

TEST(ArrowCoordinates, TimesAreSecondsAndNeverRoundedUp) {
  EXPECT_EQ(read<std::int32_t>("tdD", {1, -1}, times), Doubles({86400, -86400}));
  EXPECT_EQ(read<std::int64_t>("tdm", {1500}, times), Doubles({1.5}));
  EXPECT_EQ(read<std::int64_t>("tss:", {7}, times), Doubles({7}));
  EXPECT_NEAR(read<std::int64_t>("tsm:", {-1}, times).front(), -0.001, 1e-12);
  EXPECT_EQ(read<std::int64_t>("tsu:", {1'767'225'600'000'001}, times), Doubles({1767225600.000001}));
  const double last = read<std::int64_t>("tsn:", {1'767'225'599'999'999'999}, times).front();
  EXPECT_LT(last, 1767225600);
  EXPECT_EQ(last, *times.parse("2025-12-31T23:59:59.999999999Z"));
  // Without a zone a time is in the axis's; with one it is an instant.
  const AxisKind east{.scale = Instants{.offset = 7200}};
  EXPECT_EQ(read<std::int64_t>("tss:", {7200}, east), Doubles({0}));
  EXPECT_EQ(read<std::int64_t>("tss:UTC", {7200}, east), Doubles({7200}));
  const AxisKind milliseconds{.scale = Instants{.a_second = 1000}};
  EXPECT_EQ(read<std::int64_t>("l", {1500}, milliseconds), Doubles({1.5}));
  EXPECT_EQ(read<double>("g", {1500}, milliseconds), Doubles({1.5}));
}

TEST(ArrowCoordinates, NamesThatAreWholeNumbersGoByTheirDigits) {
  const AxisKind wards{.scale = Names{{"A", "17"}}, .border = Border::apart};
  const auto values = read<std::int16_t>("s", {17, 18}, wards);
  EXPECT_EQ(values[0], 1);
  EXPECT_TRUE(std::isnan(values[1]));
}

TEST(ArrowCoordinates, ADictionaryIsLookedUp) {
  FixedColumn<double> words("g", {0.5, 0.25});
  words.ready();
  FixedColumn<std::int8_t> column("c", {0, 1, 2});
  column.ready();
  column.schema.dictionary = &words.schema;
  column.array.dictionary = &words.array;
  const auto values = column.read();
  EXPECT_EQ(values[0], 0.5);
  EXPECT_EQ(values[1], 0.25);
  EXPECT_TRUE(std::isnan(values[2]));  // the dictionary's own null
}

TEST(ArrowCoordinates, WhatDoesNotFitIsRefusedByItsType) {
  const auto misfit = [](const char* format, const AxisKind& kind) {
    ArrowSchema schema{};
    schema.format = format;
    return arrow_misfit(schema, kind).value_or("");
  };
  const AxisKind names{.scale = Names{{"A"}}, .border = Border::apart};
  EXPECT_NE(misfit("u", {}).find("text"), std::string::npos);
  EXPECT_NE(misfit("tsn:", {}).find("dates"), std::string::npos);
  EXPECT_NE(misfit("b", {}).find("true and false"), std::string::npos);
  EXPECT_NE(misfit("+l", times).find("nested"), std::string::npos);
  EXPECT_NE(misfit("g", names).find("numbers"), std::string::npos);
  EXPECT_NE(misfit("d:76,2,256", {}), "");
  EXPECT_EQ(misfit("vu", names), "");
  EXPECT_EQ(misfit("U", times), "");
}

}  // namespace
}  // namespace shoal
