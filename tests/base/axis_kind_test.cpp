#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/dates.hpp"
#include "shoal/error.hpp"
#include "shoal/grid.hpp"
#include "shoal/text.hpp"

namespace shoal {
namespace {

std::string refusal(const std::string& text, std::uint64_t cells = 64) {
  try {
    static_cast<void>(declared_axis(text).fitted(cells));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(WholeNumbers, EveryCellHoldsTheSameNumberOfValues) {
  for (std::uint64_t cells = 1; cells < 300; ++cells) {
    const Axis axis = declared_axis("age=0:110:int").fitted(cells);
    EXPECT_LE(axis.cells(), std::min<std::uint64_t>(cells, 111));
    std::vector<int> held(axis.cells(), 0);
    for (int age = 0; age <= 110; ++age) ++held.at(static_cast<std::size_t>(axis.cell(age)));
    for (std::size_t i = 0; i + 1 < held.size(); ++i) EXPECT_EQ(held[i], held[0]) << cells;
    EXPECT_LE(held.back(), held[0]);
    EXPECT_GT(held.back(), 0);
  }
}

TEST(WholeNumbers, DecimalStepsFallIntoTheirOwnCells) {
  const Axis axis = declared_axis("dose=0:500:step=12.5").fitted(1000);
  EXPECT_EQ(axis.cells(), 41U);
  for (int i = 0; i <= 40; ++i) EXPECT_EQ(axis.cell(i * 12.5), i);
  const Axis tenths = declared_axis("x=-3:3:step=0.1").fitted(1000);
  EXPECT_EQ(tenths.cells(), 61U);
  for (int i = -30; i <= 30; ++i) EXPECT_EQ(tenths.cell(i / 10.0), i + 30) << i;
  EXPECT_EQ(coordinate_text(tenths, 0.1 + 0.2), "0.3");
}

TEST(WholeNumbers, OnACircleCellsDivideTheValues) {
  const Axis months = declared_axis("month=1:12:int:circle").fitted(5);
  EXPECT_EQ(months.cells(), 4U);
  EXPECT_EQ(months.cell(12), 3);
  EXPECT_EQ(months.cell(13), 0);
}

// On a narrow axis the edges differ as positions and, rounded to doubles, might not as coordinates.
TEST(Scales, EveryCellOfANarrowAxisHasAWidth) {
  std::mt19937_64 engine(20);
  int made = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    const bool log = i % 2 == 0;
    const double lo = log ? std::exp2(static_cast<double>(engine() % 80) - 40) : static_cast<double>(engine() % 89);
    const double hi = lo + (lo + (log ? 0 : 1)) * std::exp2(-static_cast<double>(engine() % 45) - 7);
    AxisKind scale{.scale = Latitude{}};
    if (log) scale.scale = Logarithmic{};
    try {
      const Axis axis(lo, hi, engine() % 64 + 2, "x", scale);
      for (std::uint64_t j = 0; j < axis.cells(); ++j) ASSERT_LT(axis.edge(j), axis.edge(j + 1)) << lo << ' ' << hi;
      ++made;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(made, 2000);
  EXPECT_GT(refused, 200);
}

TEST(Logarithms, CellsAreOfEqualRatioAndAgreeWithTheirEdges) {
  const Axis axis = declared_axis("income=1:1e6:log:EUR").fitted(60);
  EXPECT_EQ(axis.label(), "income (EUR)");
  for (std::uint64_t j = 0; j < axis.cells(); ++j) {
    EXPECT_NEAR(axis.edge(j + 1) / axis.edge(j), std::pow(10, 0.1), 1e-9);
    EXPECT_EQ(axis.cell(axis.edge(j)), static_cast<std::int64_t>(j));
    if (j > 0) {
      EXPECT_EQ(axis.cell(std::nextafter(axis.edge(j), 0)), static_cast<std::int64_t>(j) - 1);
    }
  }
  EXPECT_EQ(axis.cell(0), outside_axis);
  EXPECT_EQ(axis.cell(-5), outside_axis);
  EXPECT_EQ(axis.cell(1e6), 59);
}

TEST(Dates, CellsAreWholeDaysWeeksOrMonths) {
  const DeclaredAxis day = declared_axis("2026-01-01:2026-12-31");
  EXPECT_EQ(day.fitted(365).cells(), 365U);
  EXPECT_EQ(day.fitted(1000).cells(), 365U);
  const Axis weeks = day.fitted(64);
  EXPECT_EQ(weeks.cells(), 53U);
  EXPECT_EQ(weeks.edge(1) - weeks.edge(0), 7 * 86'400);
  const Axis months = declared_axis("day=2026-01-15:2026-12-31:month").fitted(64);
  EXPECT_EQ(months.cells(), 12U);
  EXPECT_EQ(months.text(months.edge(1)), "2026-02-01");
  EXPECT_EQ(months.text(months.edge(2)), "2026-03-01");
  const Axis hours = declared_axis("t=2026-03-01T00:00:2026-03-02T00:00").fitted(24);
  EXPECT_EQ(hours.cells(), 24U);
  EXPECT_EQ(hours.text(hours.edge(7)), "2026-03-01 07:00");
}

TEST(Dates, TheDayAfterTheLastLiesOutside) {
  const DeclaredAxis day = declared_axis("2026-01-01:2026-12-31");
  const Axis axis = day.fitted(365);
  EXPECT_EQ(axis.cell(*day.kind.parse("2026-12-31T23:59:59.999999999")), 364);
  EXPECT_EQ(axis.cell(*day.kind.parse("2027-01-01")), outside_axis);
  EXPECT_EQ(axis.cell(axis.clamp(*day.kind.parse("2027-01-01"))), 364);
}

TEST(Dates, AllDaysOfLeapYearsRoundTrip) {
  const AxisKind kind = declared_axis("1896-01-01:2104-12-31").kind;
  double last = -1e300;
  int days = 0;
  for (int year = 1896; year <= 2104; ++year) {
    for (int month = 1; month <= 12; ++month) {
      for (int day = 1; day <= 31; ++day) {
        const std::string text = fmt::format("{:04}-{:02}-{:02}", year, month, day);
        const auto seconds = kind.parse(text);
        const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        const int length =
            month == 2 ? (leap ? 29 : 28) : (month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31);
        ASSERT_EQ(seconds.has_value(), day <= length) << text;
        if (!seconds) continue;
        EXPECT_EQ(date_text(*seconds), text);
        if (days++ > 0) {
          EXPECT_EQ(*seconds - last, 86'400);
        }
        last = *seconds;
      }
    }
  }
}

TEST(Dates, ZonesAreFixedOffsets) {
  const DeclaredAxis day = declared_axis("day=2026-07-01:2026-07-31:zone=+02:00");
  const Axis axis = day.fitted(31);
  EXPECT_EQ(axis.cell(*day.kind.parse("2026-07-01T23:59:59+02:00")), 0);
  EXPECT_EQ(axis.cell(*day.kind.parse("2026-07-01T22:00:00Z")), 1);
  EXPECT_EQ(axis.cell(*day.kind.parse("2026-07-02 00:00")), 1);  // of the axis' own zone
  EXPECT_EQ(axis.cell(*day.kind.parse("2026-07-02")), 1);
  EXPECT_EQ(axis.text(axis.lo()), "2026-07-01");
  EXPECT_EQ(*day.kind.parse("1782864000"), 1782864000);
  EXPECT_EQ(*declared_axis("2026-07-01:2026-07-31:epoch=ms").kind.parse("1782864000500"), 1782864000.5);
  for (const char* wrong : {"2026-02-29", "2026-13-01", "2026-07-01T24:00", "2026-07-01T10:60", "2026-07-01T10:00:60",
                            "2026-7-1", "01.07.2026", "", "x", "2026-07-01T10:00Q", "2026-07-01T10:00+25:00"}) {
    EXPECT_FALSE(day.kind.parse(wrong).has_value()) << wrong;
  }
}

TEST(Circles, EveryNumberLiesInACell) {
  const Axis hour = declared_axis("hour=0:24:circle").fitted(24);
  EXPECT_EQ(hour.cell(24), 0);
  EXPECT_EQ(hour.cell(-1), 23);
  EXPECT_EQ(hour.cell(49.5), 1);
  EXPECT_EQ(hour.cell(std::nan("")), outside_axis);
  EXPECT_EQ(hour.cell(INFINITY), outside_axis);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(-1e4, 1e4);
  for (int i = 0; i < 1000; ++i) {
    const double x = any(random);
    EXPECT_EQ(hour.cell(x), static_cast<std::int64_t>(std::floor(x - 24 * std::floor(x / 24)))) << x;
  }
}

TEST(Categories, TakeACellEachInTheirOrder) {
  const DeclaredAxis ward = declared_axis("ward=A|B ward|C:category");
  const Axis axis = ward.fitted(64);
  EXPECT_EQ(axis.cells(), 3U);
  EXPECT_EQ(axis.cell(*ward.kind.parse("B ward")), 1);
  EXPECT_FALSE(ward.kind.parse("D").has_value());
  EXPECT_EQ(axis.text(2), "C");
  EXPECT_EQ(declared_axis("day=Mon|Tue|Wed|Thu|Fri|Sat|Sun:circle").kind.border, Border::circle);
}

TEST(Latitudes, CellsHaveEqualAreas) {
  std::vector<DeclaredAxis> axes = declared_axes("lon=-180:180,lat=-90:90");
  make_geographic(axes);
  EXPECT_EQ(axes[0].kind.border, Border::circle);
  const Axis lat = axes[1].fitted(32);
  const double degree = std::acos(-1.0) / 180;
  for (std::uint64_t j = 0; j < 32; ++j) {
    EXPECT_NEAR(std::sin(lat.edge(j + 1) * degree) - std::sin(lat.edge(j) * degree), 2.0 / 32, 1e-12);
    EXPECT_EQ(lat.cell(lat.edge(j)), static_cast<std::int64_t>(j));
  }
  EXPECT_EQ(lat.cell(-90), 0);
  EXPECT_EQ(lat.cell(90), 31);
}

TEST(Declarations, WrongOnesAreRefusedInALine) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"day=2026-02-30:2026-12-31", "is not a calendar date"},
      {"day=2026-01-01:5", "one bound is a date and the other a number"},
      {"day=2026-01-01:2026-12-31:int", "goes with numbers, not with dates"},
      {"day=2026-12-31:2026-01-01", "the lower must be below the upper"},
      {"day=2026-01-01:2026-12-31:zone=Europe/Berlin", "not an offset from UTC"},
      {"income=0:100:log", "begins above 0"},
      {"age=0.5:110:int", "give whole numbers"},
      {"dose=0:500:step=13", "not a whole number of steps"},
      {"dose=0:500:step=0", "step= takes a number above 0"},
      {"ward=A|B|A:category", "lists category 'A' twice"},
      {"ward=A||B:category", "category without a name"},
      {"ward=A|B", "a list ends in :category"},
      {"age=0:110:categroy", "did you mean category"},
      {"age=0:110:int:log", "does not go with"},
      {"hour=0:24:month", "goes with dates"},
      {"x=0:1:2", "is not LOWER:UPPER"},
      {"x=1:b", "is not a number"},
  };
  for (const auto& [text, said] : wrong) {
    const std::string message = refusal(text);
    EXPECT_NE(message.find(said), std::string::npos) << text << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST(Coarser, CellsAreWholeNumbersOfTheFinerOnes) {
  for (const char* text : {"age=0:110:int", "day=2026-01-01:2026-12-31", "t=2026-03-01T00:00:2026-03-08T00:00",
                           "day=2020-01-01:2026-12-31:month", "m=1:12:int:circle"}) {
    const Axis fine = declared_axis(text).fitted(480);
    for (std::uint64_t cells = 1; cells <= 480; cells += 7) {
      const Axis axis = fine.coarser(cells);
      EXPECT_LE(axis.cells(), std::max<std::uint64_t>(cells, 1)) << text;
      const double first = fine.position(fine.lo());
      const double width = (fine.position(fine.hi()) - first) / static_cast<double>(fine.cells());
      for (std::uint64_t j = 0; j < axis.cells(); ++j) {
        const double cells_before = (fine.position(axis.edge(j)) - first) / width;
        EXPECT_NEAR(cells_before, std::round(cells_before), 1e-6) << text;
      }
    }
  }
}

TEST(Ticks, AreDatesNamesAndPowers) {
  const auto texts = [](const std::string& text, double wanted) {
    std::string all;
    for (const Tick& tick : axis_ticks(declared_axis(text).fitted(64), wanted)) all += tick.text + " ";
    return all;
  };
  EXPECT_EQ(texts("2026-01-01:2026-12-31", 6), "2026-01 2026-04 2026-07 2026-10 ");
  EXPECT_EQ(texts("0:24:circle", 5), "0 6 12 18 24 ");
  EXPECT_EQ(texts("A|B|C:category", 5), "A B C ");
  EXPECT_EQ(texts("1:1e6:log", 7), "1 10 100 1000 10k 100k 1e+06 ");
}

// What a zoomed page shows of the axis.
TEST(Ticks, OfDaysEndWithTheLastDay) {
  const Axis axis = declared_axis("2026-01-01:2026-12-31").fitted(64);
  std::string last;
  for (const Tick& tick : axis_ticks(axis, 12)) {
    EXPECT_LT(tick.value, 1);
    last = tick.text;
  }
  EXPECT_EQ(last, "2026-11");
}

TEST(Ways, AreKilometresOnMapsOfARegionAndUnitsElsewhere) {
  const Grid city({Axis(-74.3, -73.7, 64, "lon"), Axis(40.5, 40.95, 64, "lat")});
  EXPECT_EQ(distance_text(city, 0, 0.004), "0.34 km");  // 0.004 * 111.2 * cos(40.7)
  EXPECT_EQ(distance_text(city, 1, -0.1), "-11 km");
  const Grid world({Axis(-180, 180, 64, "lon"), Axis(-90, 90, 64, "lat")});
  EXPECT_EQ(distance_text(world, 0, 0.5), "0.5");
  EXPECT_EQ(distance_text(Grid({Axis(0, 1, 4, "x"), Axis(0, 1, 4, "y")}), 0, 0.5), "0.5");
}

TEST(Written, HasNoDigitsOfRounding) {
  const Axis axis(-74.3, -73.7, 64, "lon");
  for (std::uint64_t i = 0; i <= axis.cells(); ++i)
    EXPECT_LE(coordinate_text(axis, axis.edge(i)).size(), 10U) << axis.edge(i);
}

TEST(Ticks, OfAPartLieInItAndAreFiner) {
  const auto texts = [](const std::string& text, double from, double to) {
    std::string all;
    for (const Tick& tick : axis_ticks(declared_axis(text).fitted(64), 6, {}, from, to)) {
      EXPECT_GE(tick.value, from - 1e-9);
      EXPECT_LE(tick.value, to + 1e-9);
      all += tick.text + " ";
    }
    return all;
  };
  EXPECT_EQ(texts("0:24:circle", 0.5, 0.75), "12 13 14 15 16 17 18 ");
  EXPECT_EQ(texts("0:24:circle", 0.5, 0.51), "12 12.05 12.1 12.15 12.2 ");
  EXPECT_EQ(texts("A|B|C|D:category", 0.3, 0.8), "B C ");
  EXPECT_EQ(texts("1:1e6:log", 0.5, 0.75), "1000 2000 5000 10k 20k ");
  EXPECT_EQ(texts("1:1e6:log", 0.5, 0.52), "1000 1100 1200 1300 ");
  EXPECT_EQ(texts("2026-01-01:2026-12-31", 0, 0.1), "2026-01-05 2026-01-12 2026-01-19 2026-01-26 2026-02-02 ");
  EXPECT_EQ(texts("0:110:int", 0.9, 0.95), "101 102 103 104 105 ");
}

TEST(Dates, InADeclaredLayoutAreThoseOfTheUsualOne) {
  AxisKind kind{.scale = Instants{}};
  const std::optional<double> usual = kind.parse("2026-03-01"), late = kind.parse("2026-03-01T14:30");
  std::get<Instants>(kind.scale).layout = "%d.%m.%Y";
  EXPECT_EQ(kind.parse("01.03.2026"), usual);
  EXPECT_EQ(kind.parse("1.3.2026"), usual);
  for (const char* text : {"2026-03-01", "31.02.2026", "01.03.26", "01.03.2026 ", "x01.03.2026", ""}) {
    EXPECT_FALSE(kind.parse(text).has_value()) << text;
  }
  std::get<Instants>(kind.scale).layout = "%m/%d/%Y %H:%M";
  EXPECT_EQ(kind.parse("03/01/2026 14:30"), late);
}

}  // namespace
}  // namespace shoal
