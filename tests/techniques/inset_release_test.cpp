#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "altered_file.hpp"
#include "ledger_file.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"
#include "shoal/private_release.hpp"
#include "shoal/release_set.hpp"
#include "techniques/automatic.hpp"
#include "techniques/insets.hpp"

namespace shoal {
namespace {

using Columns = std::vector<std::vector<double>>;

// Not random, and spread evenly: the fractional parts of multiples of irrational numbers.
double part(std::size_t i, double step) { return std::fmod(static_cast<double>(i) * step, 1.0); }

// Every axis from 0 to 1: a thin background, and a city of many records in a small square.
struct City {
  std::vector<double> at;
  double side;
  std::size_t records;
};
Columns world(std::size_t axes, std::size_t background, const std::vector<City>& cities) {
  const std::vector<double> steps{0.6180339887, 0.7548776662, 0.5698402910};
  Columns columns(axes);
  for (std::size_t i = 0; i < background; ++i) {
    for (std::size_t axis = 0; axis < axes; ++axis) columns[axis].push_back(part(i, steps[axis]));
  }
  for (const City& city : cities) {
    for (std::size_t i = 0; i < city.records; ++i) {
      for (std::size_t axis = 0; axis < axes; ++axis) {
        columns[axis].push_back(city.at[axis] + city.side * (part(i, steps[axis]) - 0.5));
      }
    }
  }
  return columns;
}

std::unique_ptr<Points> points_of(const Columns& columns, const std::vector<std::string_view>& units = {}) {
  std::vector<const double*> pointers;
  for (const auto& column : columns) pointers.push_back(column.data());
  std::vector<Column> all;
  for (const double* of : pointers) all.push_back({of});
  return array_points(all, columns.front().size(), units);
}

std::vector<std::span<const double>> spans_of(const Columns& columns) { return {columns.begin(), columns.end()}; }

ReleaseRequest request(std::size_t axes, const char* epsilon = "1", std::uint64_t insets = 4) {
  std::vector<Axis> all;
  for (std::size_t axis = 0; axis < axes; ++axis) all.emplace_back(0, 1, 2, std::string(1, "xyz"[axis]));
  return {.grid = AutomaticGrid{Grid(std::move(all))},
          .epsilon = Epsilon::parse(epsilon),
          .options = {.cluster = {.threshold = DensityModes{}}},
          .layout = Insets{insets},
          .seed = 3};
}

const std::vector<City> two_cities = {{{0.2, 0.3}, 0.02, 8000}, {{0.7, 0.6}, 0.03, 6000}};

std::int64_t total(const Release& release) {
  std::int64_t sum = 0;
  for (const std::int64_t value : release.parts().values()->value().values()) sum += value;
  return sum;
}

bool contains(const Grid& grid, const std::vector<double>& at) {
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (at[axis] < grid.axis(axis).lo() || at[axis] >= grid.axis(axis).hi()) return false;
  }
  return true;
}

double cell_width(const Release& release, std::size_t axis) {
  const Axis& of = release.parts().grid.axis(axis);
  return (of.hi() - of.lo()) / static_cast<double>(of.cells());
}

TEST(InsetRelease, EachCityLiesInAnInsetAtLeastTwiceAsFine) {
  const Columns data = world(2, 3000, two_cities);
  const ReleaseSet made = private_release(*points_of(data), request(2));
  for (const City& city : two_cities) {
    bool found = false;
    for (const NamedRelease& inset : made.insets()) {
      if (!contains(inset.release.parts().grid, city.at)) continue;
      found = true;
      EXPECT_LE(2 * cell_width(inset.release, 0), cell_width(made.first(), 0));
    }
    EXPECT_TRUE(found) << city.at[0];
  }
  EXPECT_LE(made.insets().size(), 4U);
}

TEST(InsetRelease, WorksFromOneToThreeAxes) {
  for (const std::size_t axes : {1U, 2U, 3U}) {
    const std::vector<double> at(axes, 0.3);
    const ReleaseSet made = private_release(*points_of(world(axes, 4000, {{at, 0.01, 60000}})), request(axes));
    bool found = false;
    for (const NamedRelease& inset : made.insets()) {
      found = found || (contains(inset.release.parts().grid, at) &&
                        2 * cell_width(inset.release, 0) <= cell_width(made.first(), 0));
    }
    EXPECT_TRUE(found) << axes;
    EXPECT_EQ(ReleaseSet::parse(made.json(), "it").json(), made.json());
  }
}

// With next to no noise every part holds the records of its place, and no other.
TEST(InsetRelease, EachPartHoldsTheRecordsOfItsPlace) {
  const Columns data = world(2, 3000, two_cities);
  const ReleaseSet made = private_release(*points_of(data), request(2, "1000", 9));
  ASSERT_GE(made.insets().size(), 2U);
  for (const NamedRelease& of : made.parts()) {
    std::int64_t records = 0;
    for (std::size_t i = 0; i < data[0].size(); ++i) {
      records += contains(of.release.parts().grid, {data[0][i], data[1][i]}) ? 1 : 0;
    }
    EXPECT_EQ(total(of.release), records) << of.name;
    EXPECT_EQ(of.release.parts().automatic->records.value(), records) << of.name;
  }
}

// A cell of the fine grid in its place: the counts of an inset are those of a count on its own grid.
TEST(InsetRelease, AnInsetHasTheCountsOfItsOwnGrid) {
  const Columns data = world(2, 3000, two_cities);
  const ReleaseSet made = private_release(*points_of(data), request(2, "1000", 9));
  for (const NamedRelease& inset : made.insets()) {
    const Release& release = inset.release;
    const Counts counts = quantize(*points_of(data), release.parts().grid);
    std::size_t same = 0;
    const Cells<std::int64_t>& sums = release.parts().values()->value();
    const Shape& fine = counts.grid().shape();
    std::vector<std::int64_t> blocks(sums.stored());
    for (std::size_t i = 0; i < counts.raw().stored(); ++i) {
      const auto at = coordinates(counts.raw().index_of(i), fine);
      blocks[at[0] / 2 * sums.shape()[1] + at[1] / 2] += counts.raw().values()[i];
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) same += blocks[i] == sums.values()[i] ? 1 : 0;
    EXPECT_EQ(same, blocks.size()) << inset.name;
  }
}

TEST(InsetRelease, WithoutCrowdsTheWholePlaneIsReleasedAgain) {
  const ReleaseSet made = private_release(*points_of(world(2, 30000, {})), request(2));
  ASSERT_EQ(made.insets().size(), 1U);
  const Grid &whole = made.first().parts().grid, &inset = made.insets().front().release.parts().grid;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    EXPECT_EQ(inset.axis(axis).lo(), whole.axis(axis).lo());
    EXPECT_EQ(inset.axis(axis).hi(), whole.axis(axis).hi());
  }
}

// Sixteen equal blobs crowd the records, but all at one scale: cells twice as fine would gain too little.
TEST(InsetRelease, APlaneOfOneScaleIsReleasedWhole) {
  std::vector<City> blobs;
  for (std::size_t i = 0; i < 16; ++i) {
    blobs.push_back({{0.14 + 0.24 * static_cast<double>(i % 4), 0.14 + 0.24 * static_cast<double>(i / 4)}, 0.13, 1900});
  }
  for (const char* epsilon : {"0.1", "0.5", "1"}) {
    const ReleaseSet made = private_release(*points_of(world(2, 0, blobs)), request(2, epsilon, 16));
    ASSERT_EQ(made.insets().size(), 1U) << epsilon;
    const Release& inset = made.insets().front().release;
    EXPECT_EQ(inset.parts().grid.axis(0).lo(), 0);
    EXPECT_EQ(inset.parts().grid.axis(0).hi(), 1);
    EXPECT_EQ(inset.clusters().size(), 16U) << epsilon;
  }
}

TEST(InsetRelease, NoDataChooseNoPlace) {
  const Columns outside{{7.0}, {7.0}};
  ReleaseRequest one = request(2);
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    one.seed = seed;
    const ReleaseSet made = private_release(*points_of(outside), one);
    ASSERT_EQ(made.insets().size(), 1U) << seed;
    EXPECT_EQ(made.insets().front().release.parts().grid.axis(0).hi(), 1);
    ASSERT_EQ(made.notices().size(), 1U);
    EXPECT_NE(made.notices().front().find("check the bounds"), std::string::npos);
    EXPECT_NE(made.report().find("check the bounds"), std::string::npos);
  }
}

TEST(InsetRelease, AWeakGuaranteeIsThatOfAllParts) {
  ReleaseRequest one = request(2, "12");
  one.seed.reset();
  const std::vector<std::string> said = private_release(*points_of(world(2, 3000, two_cities)), one).notices();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(said.front().starts_with("Epsilon 12 is a weak guarantee")) << said.front();
}

TEST(InsetRelease, PointsAndTheirCountsGiveTheSame) {
  const Columns data = world(2, 3000, two_cities);
  const ReleaseRequest one = request(2);
  const Counts counts = quantize(*points_of(data), counted_grid(one));
  EXPECT_FALSE(counts.is_dense());
  EXPECT_EQ(private_release(counts, one).json(), private_release(*points_of(data), one).json());
}

TEST(InsetRelease, AxesOfWholeNumbersDatesAndNamesStayWhole) {
  ReleaseRequest one = request(2);
  const auto with = [&](const Axis& second) {
    one.grid = AutomaticGrid{Grid({Axis(0, 1, 2, "x"), second})};
    return one;
  };
  Columns data = world(2, 2000, {{{0.2, 0.5}, 0.01, 20000}});
  for (double& y : data[1]) y = std::floor(y * 3);
  for (const Axis& second :
       {Axis::fitted(0, 2, 2, "n", {.scale = Numbers{1}}),
        Axis::fitted(0, 0, 2, "kind", {.scale = Names{{"a", "b", "c"}}, .border = Border::apart}),
        Axis::fitted(0, 86400 * 20, 2, "day", {.scale = Instants{.least = Instants::Least::day}})}) {
    const ReleaseSet made = private_release(*points_of(data), with(second));
    for (const NamedRelease& inset : made.insets()) {
      EXPECT_EQ(inset.release.parts().grid.axis(1).lo(), made.first().parts().grid.axis(1).lo()) << second.name();
      EXPECT_LT(inset.release.parts().grid.axis(0).hi() - inset.release.parts().grid.axis(0).lo(), 0.6);
    }
    EXPECT_EQ(ReleaseSet::parse(made.json(), "it").json(), made.json());
  }
}

TEST(InsetRelease, APartOfACircleIsNoCircle) {
  ReleaseRequest one = request(2);
  one.grid = AutomaticGrid{Grid({Axis(0, 1, 2, "turn", {.border = Border::circle}), Axis(0, 1, 2, "y")})};
  const ReleaseSet made = private_release(*points_of(world(2, 3000, two_cities)), one);
  EXPECT_EQ(made.insets().front().release.parts().grid.axis(0).kind().border, Border::open);
  // A turn further is the same place.
  const Columns at{{0.2, 1.2, -1.8}, {0.3, 0.3, 0.3}};
  const PointLabels of = Labeller(made, {.doubtful = Doubtful::keep, .strength = true}).label(spans_of(at));
  EXPECT_GT(of.places[0], 0U);
  EXPECT_GT(of.labels[0], 0U);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(of.places[i], of.places[0]);
    EXPECT_EQ(of.parts[i], of.parts[0]);
    EXPECT_EQ(of.labels[i], of.labels[0]);
    EXPECT_EQ(of.strengths[i], of.strengths[0]);
  }
}

// Two cities of two quarters each, which the overview does not tell apart.
const std::vector<City> quarters = {
    {{0.194, 0.3}, 0.006, 4000}, {{0.206, 0.3}, 0.006, 4000}, {{0.694, 0.6}, 0.006, 3000}, {{0.706, 0.6}, 0.006, 3000}};

TEST(InsetRelease, PointsAreLabelledByTheInsetThatTheyLieIn) {
  const Columns data = world(2, 3000, quarters);
  const ReleaseSet made = private_release(*points_of(data), request(2));
  const Columns at{{0.194, 0.206, 0.694, 0.706, 0.999, 3.0}, {0.3, 0.3, 0.6, 0.6, 0.001, 0.5}};
  const PointLabels of = Labeller(made).label(spans_of(at));
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_GT(of.places[i], 0U);
    EXPECT_EQ(of.parts[i], of.places[i]);
    const Release& inset = made.parts()[of.parts[i]].release;
    const std::vector<double> point{at[0][i], at[1][i]};
    EXPECT_TRUE(contains(inset.parts().grid, point));
    EXPECT_EQ(of.labels[i], inset.labelling().assigned(inset.usual_assign()).label(point));
    EXPECT_GT(of.labels[i], 0U);
  }
  EXPECT_NE(std::pair(of.parts[0], of.labels[0]), std::pair(of.parts[1], of.labels[1]));
  EXPECT_EQ(of.places[4], 0U);
  EXPECT_EQ(of.places[5], 0U);
  EXPECT_EQ(of.labels[5], 0U);
  EXPECT_TRUE(of.strengths.empty());
}

// The only cluster of an inset within one of the overview is that one: a frame cuts none in two.
TEST(InsetRelease, AClusterThatAnInsetDoesNotSplitKeepsItsNumber) {
  const Columns data = world(2, 3000, two_cities);
  const ReleaseSet made = private_release(*points_of(data), request(2));
  const Columns at{{0.2, 0.7}, {0.3, 0.6}};
  const PointLabels of = Labeller(made).label(spans_of(at));
  const ClusterMap overview = made.first().labelling().assigned(made.first().usual_assign());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(of.places[i], 0U);
    EXPECT_EQ(of.parts[i], 0U);
    EXPECT_EQ(of.labels[i], overview.label(std::vector<double>{at[0][i], at[1][i]}));
  }
}

TEST(InsetRelease, WhereAnInsetFindsNothingTheOverviewLabels) {
  const Columns data = world(2, 3000, two_cities);
  const ReleaseSet made = private_release(*points_of(data), request(2));
  std::vector<Release> blank{made.first()};
  for (const NamedRelease& inset : made.insets()) {
    blank.push_back(reshape(inset.release, {.threshold = Percentile(0), .min_cells = 1'000'000}));
    ASSERT_TRUE(blank.back().clusters().empty());
  }
  const Columns at{{0.2, 0.7}, {0.3, 0.6}};
  const PointLabels of = Labeller(ReleaseSet(made.layout(), blank), {.strength = true}).label(spans_of(at));
  const ClusterMap overview = made.first().labelling().assigned(made.first().usual_assign());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GT(of.places[i], 0U);
    EXPECT_EQ(of.parts[i], 0U);
    EXPECT_EQ(of.labels[i], overview.label(std::vector<double>{at[0][i], at[1][i]}));
    EXPECT_GT(of.labels[i], 0U);
    EXPECT_GT(of.strengths[i], 0);
  }
}

TEST(InsetRelease, UnitsAreBoundedBeforeAllPartsSeeThem) {
  const Columns data = world(2, 3000, two_cities);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < data[0].size(); ++i) names.push_back("u" + std::to_string(i % 500));
  const std::vector<std::string_view> units(names.begin(), names.end());
  ReleaseRequest one = request(2, "10000");
  for (const bool share : {false, true}) {
    one.options.unit = {.column = "person", .max_contributions = share ? 1U : 3U, .share = share};
    const ReleaseSet made = private_release(*points_of(data, units), one);
    // Shares of a unit are rounded up or down at random, cell by cell.
    EXPECT_NEAR(static_cast<double>(total(made.first())), share ? 500 : 1500, share ? 50 : 0) << share;
    std::int64_t inside = 0;
    for (const NamedRelease& inset : made.insets()) inside += total(inset.release);
    EXPECT_LE(inside, share ? 600 : 1500);
    EXPECT_GT(inside, 0);
  }
}

// ---- the choice

TEST(InsetPlaces, AreDisjointAndBestFirst) {
  const Columns data = world(2, 3000, {{{0.2, 0.3}, 0.02, 8000}, {{0.7, 0.6}, 0.03, 6000}, {{0.72, 0.64}, 0.01, 9000}});
  const ReleaseRequest one = request(2, "1", 64);
  const Grid bounds = finest_grid(one.bounds());
  const auto noise = seeded_noise_not_private(1);
  const auto [for_overview, for_insets] = inset_shares(one.epsilon);
  const Release overview = automatic_release(quantize(*points_of(data), bounds), for_overview, one.options, *noise);
  const std::vector<InsetPlace> places = inset_places(*overview.parts().values(), bounds, for_insets, one.options.unit,
                                                      overview.parts().automatic->rounded);
  ASSERT_GE(places.size(), 2U);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const auto& [first, last] : places[i]) {
      EXPECT_LT(first, last);
      EXPECT_LE(last, 512U);
      EXPECT_EQ((last - first) & (last - first - 1), 0U);  // a power of two
    }
    for (std::size_t j = 0; j < i; ++j) {
      bool apart = false;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        apart =
            apart || places[i][axis].second <= places[j][axis].first || places[j][axis].second <= places[i][axis].first;
      }
      EXPECT_TRUE(apart) << i << ' ' << j;
    }
  }
  EXPECT_TRUE(contains(grid_of_place(bounds, places.front()), {0.72, 0.64}));
}

// Even where places overlap, a record is counted in one of them.
TEST(InsetPlaces, ARecordIsCountedInOnePlaceAtMost) {
  const ReleaseRequest one = request(2, "1000");
  const Columns data = world(2, 2000, {});
  const auto noise = seeded_noise_not_private(1);
  const InsetPlace whole{{0, 512}, {0, 512}}, half{{0, 256}, {0, 512}};
  const std::vector<Release> both =
      released_places(quantize(*points_of(data), counted_grid(one)), finest_grid(one.bounds()), {half, whole},
                      Epsilon::parse("1000"), one.options, *noise);
  EXPECT_EQ(total(both[0]) + total(both[1]), 2000);
}

// ---- the request

TEST(InsetRelease, ThePlanAddsUpToEpsilon) {
  for (const char* epsilon : {"1", "0.3", "0.7000000003"}) {
    const ReleaseRequest one = request(2, epsilon);
    Epsilon sum = Epsilon::zero();
    for (const Spent& spent : planned_spending(one)) sum = sum + spent.epsilon;
    EXPECT_EQ(sum.text(), epsilon);
    const ReleaseSet made = private_release(*points_of(world(2, 100, {})), one);
    EXPECT_EQ(made.epsilon().text(), epsilon);
    EXPECT_EQ(made.spent()[0].epsilon + made.spent()[1].epsilon, one.epsilon);
  }
}

TEST(InsetRelease, WhatCannotBeIsRefusedBeforeAnythingIsRead) {
  const auto refusal = [](const ReleaseRequest& one) -> std::string {
    const auto none =
        iterated_points(one.bounds().dimensions(), []() -> PointBlock { throw std::logic_error("read"); });
    try {
      static_cast<void>(private_release(*none, one));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(has, refusal(request(2, "1", 0)), "choose 1 to 64");
  EXPECT_PRED2(has, refusal(request(2, "1", 65)), "choose 1 to 64");
  EXPECT_PRED2(has, refusal(request(2, "0.000000000001")), "too small");
  ReleaseRequest fixed = request(2);
  fixed.grid = fixed.bounds();
  fixed.options.cluster.threshold = Percentile(30);
  EXPECT_PRED2(has, refusal(fixed), "automatic");
  ReleaseRequest names = request(1);
  names.grid = AutomaticGrid{Grid({Axis::fitted(0, 9, 2, "n", {.scale = Numbers{1}})})};
  EXPECT_PRED2(has, refusal(names), "without a step");
  ReleaseRequest four = request(2);
  four.grid = AutomaticGrid{Grid({{0, 1, 2, "a"}, {0, 1, 2, "b"}, {0, 1, 2, "c"}, {0, 1, 2, "d"}})};
  EXPECT_PRED2(has, refusal(four), "at most 3 axes");
  ReleaseRequest again = request(2);
  again.grid = AutomaticGrid{again.bounds(), EarlierChoice{finest_grid(again.bounds()), {}}};
  EXPECT_PRED2(has, refusal(again), "without insets");
}

class InsetLedger : public testing::LedgerFile {};

TEST_F(InsetLedger, IsDebitedOnceWithAllOfEpsilon) {
  Ledger::create(path, "visits", Epsilon::parse("1.5"));
  ReleaseRequest one = request(2);
  one.seed.reset();
  one.ledger = path;
  one.dataset = "visits";
  const Columns data = world(2, 3000, two_cities);
  EXPECT_TRUE(private_release(*points_of(data), one).is_private());
  EXPECT_EQ(Ledger(path).accounts().front().spent.text(), "1");
  ASSERT_EQ(Ledger(path).history().size(), 1U);
  EXPECT_EQ(Ledger(path).history().front().purpose, "release --auto, up to 4 insets");
  EXPECT_THROW(static_cast<void>(private_release(*points_of(data), one)), Error);
  EXPECT_EQ(Ledger(path).accounts().front().spent.text(), "1");
}

// ---- the file

ReleaseSet some_insets() { return private_release(*points_of(world(2, 3000, two_cities)), request(2)); }

TEST(InsetRelease, TheFileIsReadBackAsItWas) {
  const ReleaseSet made = some_insets();
  const std::string text = made.json();
  EXPECT_EQ(ReleaseSet::parse(text, "it").insets().size(), made.insets().size());
  EXPECT_TRUE(ReleaseSet::parse(made.first().json(), "it").is_whole());
  EXPECT_EQ(ReleaseSet::parse(text, "it").json(), text);
  EXPECT_EQ(ReleaseSet::parse(nlohmann::json::parse(text).dump(), "it").json(), text);
  EXPECT_THROW(static_cast<void>(Release::parse(text, "it")), InputError);
  EXPECT_EQ(made.at("overview").json(), made.first().json());
  EXPECT_EQ(made.at("1").json(), made.insets().front().release.json());
  EXPECT_THROW(static_cast<void>(made.at("99")), InputError);
  EXPECT_EQ(reshape(made, made.first().parts().options).json(), text);
  EXPECT_NE(reshape(made, {.threshold = Percentile(30)}).json(), text);
}

TEST(InsetRelease, AnAlteredFileIsRefusedWithItsPlace) {
  const ReleaseSet whole = some_insets();
  const auto refusal = [&whole](const std::function<void(nlohmann::json&)>& alter) {
    return testing::refusal(whole, alter);
  };
  using testing::has;
  EXPECT_EQ(refusal([](auto&) {}), "");
  // Overlapping insets cost more than they say, whoever signs them.
  EXPECT_PRED2(has, refusal([](auto& d) { d["parts"][2]["release"] = d["parts"][1]["release"]; }), "overlap");
  EXPECT_PRED2(has, refusal([](auto& d) { std::swap(d["parts"][1]["release"], d["parts"][2]["release"]); }),
               "altered or damaged");
  EXPECT_PRED2(has, refusal([](auto& d) { std::swap(d["parts"][0]["release"], d["parts"][1]["release"]); }), "past");
  EXPECT_PRED2(has, refusal([](auto& d) { d["parts"][1]["name"] = "2"; }), "/parts");
  EXPECT_PRED2(has, refusal([](auto& d) { d["parts"][1]["release"]["k"] = 99; }), "part '1' of it");
  EXPECT_PRED2(has, refusal([](auto& d) { d["parts"] = nlohmann::json::array(); }), "at least one inset");
  EXPECT_PRED2(has, refusal([](auto& d) { d["parts"].erase(d["parts"].size() - 1); }), "altered or damaged");
  EXPECT_PRED2(has, refusal([](auto& d) {
                 d["epsilon"] = 0.6;
                 d["epsilon_exact"] = "0.6";
               }),
               "must be 1");
  EXPECT_PRED2(has, refusal([](auto& d) { d["spent"][0]["sensitivity"] = 3; }), "/spent");
  EXPECT_PRED2(has, refusal([](auto& d) { d["private"] = true; }), "/private");
  EXPECT_PRED2(has, refusal([](auto& d) { d["more"] = 1; }), "unknown key");
  EXPECT_PRED2(has, refusal([](auto& d) { d["format"] = "shoal-insets/2"; }), "/format");
}

TEST(InsetRelease, OtherFormatsNameThePart) {
  const ReleaseSet made = some_insets();
  EXPECT_TRUE(made.csv().starts_with("inset,cluster,x_lo,x_hi,y_lo,y_hi,noisy_count"));
  const auto geojson = nlohmann::json::parse(made.geojson(Doubtful::keep));
  std::size_t clusters = 0;
  std::string last;  // part with a cluster
  for (const NamedRelease& part : made.parts()) {
    clusters += part.release.clusters().size();
    if (!part.release.clusters().empty()) last = part.name;
  }
  ASSERT_NE(last, "overview");
  ASSERT_EQ(geojson["features"].size(), clusters);
  EXPECT_EQ(geojson["features"][0]["properties"]["inset"], "overview");
  EXPECT_EQ(geojson["features"].back()["properties"]["inset"], last);
  const std::string html = made.html();
  for (const char* text : {"<h2>Inset 1</h2>", "<h2>Inset 2</h2>", "NOT PRIVATE"}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
  for (const char* path : {"a.json", "a.geojson", "a.csv", "a.html", "a.svg", "a.png"}) {
    EXPECT_GE(bytes_to_reserve(request(2), path), made.contents(path).size()) << path;
  }
  EXPECT_THROW(static_cast<void>(made.contents("a.txt")), InputError);
}

TEST(InsetRelease, WhatIsTooLargeIsKeptWithoutNoisyValues) {
  const ReleaseSet made = some_insets();
  const ReleaseSet small = made.trimmed_to((std::size_t{1} << 16) + 3000 * made.parts().size());
  for (const NamedRelease& of : small.parts()) EXPECT_EQ(of.release.parts().values(), nullptr);
  EXPECT_EQ(ReleaseSet::parse(small.json(), "it").json(), small.json());
  EXPECT_EQ(made.trimmed_to().json(), made.json());
}

}  // namespace
}  // namespace shoal
