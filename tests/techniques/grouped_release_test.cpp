#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "altered_file.hpp"
#include "drawing/groups_picture.hpp"
#include "drawing/page.hpp"
#include "ledger_file.hpp"
#include "shoal/compare.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"
#include "shoal/private_release.hpp"
#include "shoal/release_set.hpp"

namespace shoal {
namespace {

ReleaseRequest request(const std::string& technique = "privqt") {
  return {.grid = Grid({{0, 1, 8, "x"}, {0, 1, 8, "y"}}),
          .epsilon = Epsilon::parse("0.5"),
          .options = {.cluster = {.threshold = Percentile(30)}},
          .technique = technique,
          .seed = 3};
}

struct Data {
  std::vector<double> group, x, y;
  std::vector<std::string_view> units;

  [[nodiscard]] std::unique_ptr<Points> points() const {
    return array_points({{group.data()}, {x.data()}, {y.data()}}, group.size(), units);
  }
  // Of one group, without its column.
  [[nodiscard]] Data of(double which) const {
    Data result;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (group[i] != which) continue;
      result.x.push_back(x[i]);
      result.y.push_back(y[i]);
    }
    return result;
  }
  [[nodiscard]] std::unique_ptr<Points> plain() const { return array_points({{x.data()}, {y.data()}}, x.size()); }
};

// Three groups of three sizes, and rows of a fourth that is not listed.
Data data() {
  Data result;
  for (int i = 0; i < 900; ++i) {
    const int group = i % 9 < 5 ? 0 : i % 9 < 7 ? 1 : i % 9 < 8 ? 2 : 7;
    result.group.push_back(group);
    result.x.push_back((i * 37 % 100) * 0.01);
    result.y.push_back((i * 61 % 100) * (group == 1 ? 0.004 : 0.01));
  }
  return result;
}

Grouping abc() { return listed_groups("ward", {"A", "B", "C"}); }

ReleaseRequest by(ReleaseRequest request, const Grouping& groups) {
  request.layout = groups;
  return request;
}
ReleaseRequest by(ReleaseRequest request) { return by(std::move(request), abc()); }

TEST(GroupedRelease, TheFirstGroupIsAsIfItWereReleasedAlone) {
  const Data all = data();
  for (const char* technique : {"privwave", "privthr-em", "privthr", "privqt", "baseline"}) {
    for (const std::uint64_t limit : {dense_limit, std::uint64_t{4}}) {
      if (limit == 4 && std::string(technique) == "baseline") continue;
      ReleaseRequest one = request(technique);
      one.options.dense_limit = limit;
      const auto refused_or = [](const auto& make) -> std::string {
        try {
          return make();
        } catch (const InputError& error) {
          return error.what();
        }
      };
      const std::string alone = refused_or([&] { return private_release(*all.of(0).plain(), one).json(); });
      EXPECT_EQ(refused_or([&] { return private_release(*all.points(), by(one)).at("A").json(); }), alone)
          << technique << ' ' << limit;
    }
  }
}

// With next to no noise every group has its own counts; what lies in no group is nowhere.
TEST(GroupedRelease, EachGroupHoldsItsOwnRecords) {
  const Data all = data();
  ReleaseRequest one = request();
  one.epsilon = Epsilon::parse("1000");
  for (const Outside outside : {Outside::drop, Outside::clamp}) {
    one.outside = outside;
    const ReleaseSet groups = private_release(*all.points(), by(one));
    for (std::size_t i = 0; i < 3; ++i) {
      const Counts counts = quantize(*all.of(static_cast<double>(i)).plain(), one.bounds(), {.outside = outside});
      EXPECT_EQ(groups.parts()[i].release.parts().counts()->counts.value(), counts.raw()) << i;
    }
  }
}

TEST(GroupedRelease, AutomaticGroupsHaveOneGridAndCanBeCompared) {
  const Data all = data();
  ReleaseRequest one = request("privwave");
  one.grid = AutomaticGrid{one.bounds()};
  one.options.cluster.threshold = DensityModes{};
  one.epsilon = Epsilon::parse("5");
  const ReleaseSet groups = private_release(*all.points(), by(one));
  const Grid& grid = groups.parts().front().release.parts().grid;
  for (const NamedRelease& group : groups.parts()) {
    EXPECT_EQ(group.release.parts().grid, grid);
    EXPECT_EQ(group.release.parts().spent().front().mechanism, "records");
  }
  EXPECT_EQ(compare(groups.releases()).size(), 2U);
  // That of the middle one of the three sizes, 200 records, alone.
  EXPECT_EQ(private_release(*all.of(1).plain(), one).first().parts().grid, grid);
  EXPECT_NE(private_release(*all.of(0).plain(), one).first().parts().grid, grid);
}

TEST(GroupedRelease, UnitsAreBoundedAndCharged) {
  Data all = data();
  const std::vector<std::string> names{"p", "q", "r", "s"};
  for (std::size_t i = 0; i < all.group.size(); ++i) all.units.push_back(names[i % 4]);
  ReleaseRequest one = request();
  one.epsilon = Epsilon::parse("1000");
  one.options.unit = {.column = "person", .max_contributions = 2};
  const auto total = [](const Release& release) {
    std::int64_t sum = 0;
    for (const std::int64_t value : release.parts().counts()->counts.value().values()) sum += value;
    return sum;
  };
  for (const std::uint64_t most : {1U, 2U, 3U}) {
    Grouping groups = abc();
    groups.max_groups = most;
    const ReleaseSet made = private_release(*all.points(), by(one, groups));
    EXPECT_EQ(made.epsilon(), Epsilon::from_units(most * one.epsilon.units()));
    EXPECT_EQ(made.first().parts().epsilon, one.epsilon);
    std::int64_t sum = 0;
    for (const NamedRelease& group : made.parts()) sum += total(group.release);
    EXPECT_EQ(sum, static_cast<std::int64_t>(4 * most * 2));  // four units, in all of these groups
  }
}

// Rows outside the bounds take no place of a unit's.
TEST(GroupedRelease, PointsInNoCellAreNobodys) {
  Data all;
  const std::vector<std::string> names{"p", "q", "r", "s", "t"};
  for (int i = 0; i < 500; ++i) {
    all.group.push_back(i / 5 % 2);
    all.x.push_back(i < 5 ? 0.5 : 7.0);
    all.y.push_back(0.5);
    all.units.push_back(names[static_cast<std::size_t>(i % 5)]);
  }
  ReleaseRequest one = request();
  one.epsilon = Epsilon::parse("1000");
  one.options.unit = {.column = "person", .max_contributions = 1};
  std::int64_t sum = 0;
  const ReleaseSet made = private_release(*all.points(), by(one));
  for (const std::int64_t value : made.at("A").parts().counts()->counts.value().values()) sum += value;
  EXPECT_EQ(sum, 5);
}

class GroupedLedger : public testing::LedgerFile {};

TEST_F(GroupedLedger, IsDebitedOnceWithAllThatTheGroupsCost) {
  Ledger::create(path, "visits", Epsilon::parse("1.2"));
  Data all = data();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.group.size(); ++i) names.push_back("u" + std::to_string(i % 100));
  for (const std::string& name : names) all.units.emplace_back(name);
  ReleaseRequest one = request();
  one.seed.reset();
  one.ledger = path;
  one.dataset = "visits";
  one.options.unit = {.column = "person", .max_contributions = 1};
  Grouping groups = abc();
  groups.max_groups = 2;
  static_cast<void>(private_release(*all.points(), by(one, groups)));
  EXPECT_EQ(Ledger(path).accounts().front().spent.text(), "1");
  EXPECT_EQ(Ledger(path).history().size(), 1U);
  EXPECT_EQ(Ledger(path).history().front().purpose, "release privqt, 3 groups, 2 a unit");
  // 0.2 is left: enough for a group's 0.2, not for two.
  one.epsilon = Epsilon::parse("0.2");
  int read = 0;
  const auto counted = iterated_points(3, [&read]() -> PointBlock {
    ++read;
    return {};
  });
  EXPECT_THROW(static_cast<void>(private_release(*counted, by(one, groups))), Error);
  EXPECT_EQ(read, 0);
  EXPECT_EQ(Ledger(path).accounts().front().spent.text(), "1");
  groups.max_groups = 1;
  static_cast<void>(private_release(*all.points(), by(one, groups)));
  EXPECT_EQ(Ledger(path).accounts().front().spent.text(), "1.2");
}

TEST(GroupedRelease, WhatCannotBeIsRefusedBeforeAnythingIsRead) {
  const auto refusal = [](const ReleaseRequest& one, const Grouping& groups) -> std::string {
    const auto none = iterated_points(3, []() -> PointBlock { throw std::logic_error("read"); });
    try {
      static_cast<void>(private_release(*none, by(one, groups)));
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  Grouping two = abc();
  two.max_groups = 2;
  EXPECT_NE(refusal(request(), two).find("no unit column"), std::string::npos);
  ReleaseRequest one = request();
  one.options.unit = {.column = "person", .max_contributions = 1};
  two.max_groups = 4;
  EXPECT_NE(refusal(one, two).find("there are 3 groups"), std::string::npos);
  EXPECT_NE(refusal(request("none"), abc()).find("no technique"), std::string::npos);
}

TEST(GroupedRelease, CountsOfAnotherGridOrForBaselineAreRefused) {
  const Grid grid = counted_grid(by(request()));
  EXPECT_EQ(grid.dimensions(), request().bounds().dimensions() + 1);
  EXPECT_EQ(grid.axis(0).cells(), 3U);
  const auto counts = [](const Grid& on) {
    return Counts(on, Cells<std::int64_t>::sparse(on.shape(), {}, Values<std::int64_t>{}), 0, 0);
  };
  EXPECT_EQ(PreparedRelease(counts(grid), by(request())).charge(), std::nullopt);
  EXPECT_THROW(PreparedRelease(counts(request().bounds()), by(request())), InputError);
  EXPECT_THROW(PreparedRelease(counts(grid), by(request(), listed_groups("ward", {"A", "B"}))), InputError);
  EXPECT_THROW(PreparedRelease(counts(grid), by(request("baseline"))), InputError);
}

// ---- the file

ReleaseSet some_groups(const std::string& technique = "privwave") {
  return private_release(*data().points(), by(request(technique)));
}

TEST(GroupedRelease, TheFileIsReadBackAsItWas) {
  for (const char* technique : {"privwave", "privthr-em", "privqt", "baseline"}) {
    const ReleaseSet groups = some_groups(technique);
    const std::string text = groups.json();
    EXPECT_TRUE(ReleaseSet::parse(groups.at("A").json(), "it").is_whole());
    const ReleaseSet again = ReleaseSet::parse(text, "it");
    EXPECT_EQ(again.json(), text);
    EXPECT_EQ(again.names(), groups.names());
    EXPECT_EQ(again.grouping()->axis.name(), "ward");
    EXPECT_EQ(again.at("B").json(), groups.at("B").json());
    // However it is laid out.
    EXPECT_EQ(ReleaseSet::parse(nlohmann::json::parse(text).dump(), "it").json(), text);
    EXPECT_THROW(static_cast<void>(Release::parse(text, "it")), InputError);
    EXPECT_EQ(reshape(again, {.threshold = Percentile(30)}).json(), text);
  }
}

TEST(GroupedRelease, AFileOfARangeSaysHowDatesFallIntoItsGroups) {
  const std::vector<Release> releases = some_groups().releases();
  const ReleaseSet months(declared_groups("day=2026-01..2026-03:zone=+02:00"), releases);
  const ReleaseSet again = ReleaseSet::parse(months.json(), "it");
  EXPECT_EQ(again.json(), months.json());
  EXPECT_EQ(again.grouping()->axis, months.grouping()->axis);
  EXPECT_EQ(reshape(again, {.threshold = Percentile(30)}).grouping()->range, "2026-01..2026-03:zone=+02:00");
  EXPECT_EQ(nlohmann::json::parse(some_groups().json()).contains("range"), false);
  for (const char* range : {"2026-02..2026-04", "2026-01..2026-02", "2026-01|2026-02|2026-03", "A..C", ""}) {
    nlohmann::json document = nlohmann::json::parse(months.json());
    document["range"] = range;
    try {
      static_cast<void>(ReleaseSet::parse(document.dump(), "it"));
      ADD_FAILURE() << range;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("at /range: does not match the groups"), std::string::npos) << range;
    }
  }
  EXPECT_THROW(ReleaseSet(declared_groups("day=2026-01..2026-04"), releases), InputError);
}

TEST(GroupedRelease, AnAlteredFileIsRefusedWithItsPlace) {
  const ReleaseSet whole = some_groups();
  const auto refusal = [&whole](const std::function<void(nlohmann::json&)>& alter) {
    return testing::refusal(whole, alter);
  };
  using testing::has;
  EXPECT_EQ(refusal([](auto&) {}), "");
  EXPECT_PRED2(has, refusal([](auto& d) { d["groups"][1]["name"] = "A"; }), "'A' twice");
  EXPECT_PRED2(has, refusal([](auto& d) { d["groups"][1]["name"] = "D"; }), "altered or damaged");
  EXPECT_PRED2(has, refusal([](auto& d) { std::swap(d["groups"][0]["release"], d["groups"][1]["release"]); }),
               "altered or damaged");
  EXPECT_PRED2(has, refusal([](auto& d) { d["groups"][1]["release"]["k"] = 99; }), "group 'B' of it");
  EXPECT_PRED2(has, refusal([](auto& d) { d["groups"].erase(2); }), "altered or damaged");
  EXPECT_PRED2(has, refusal([](auto& d) { d["groups"] = nlohmann::json::array(); }), "empty");
  // The total is what the groups cost, whoever signs it.
  EXPECT_PRED2(has, refusal([](auto& d) {
                 d["epsilon"] = 0.4;
                 d["epsilon_exact"] = "0.4";
               }),
               "must be 0.5");
  EXPECT_PRED2(has, refusal([](auto& d) { d["spent"][0]["sensitivity"] = 3; }), "/spent");
  EXPECT_PRED2(has, refusal([](auto& d) { d["max_groups"] = 2; }), "no unit column");
  EXPECT_PRED2(has, refusal([](auto& d) { d["private"] = true; }), "/private");
  EXPECT_PRED2(has, refusal([](auto& d) { d["more"] = 1; }), "unknown key");
  EXPECT_PRED2(has, refusal([](auto& d) { d["format"] = "shoal-groups/2"; }), "/format");
}

TEST(GroupedRelease, OtherFormatsNameTheGroup) {
  const ReleaseSet groups = some_groups();
  const std::string csv = groups.csv();
  EXPECT_TRUE(csv.starts_with("group,cluster,x_lo,x_hi,y_lo,y_hi,noisy_count"));
  EXPECT_EQ(csv.find("group,", 10), std::string::npos);
  std::size_t rows = 0;
  for (const NamedRelease& group : groups.parts()) rows += group.release.cluster_cells().cells().size();
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), rows + 1);
  const auto geojson = nlohmann::json::parse(groups.geojson(Doubtful::keep));
  EXPECT_EQ(geojson["by"], "ward");
  std::size_t clusters = 0;
  for (const NamedRelease& group : groups.parts()) clusters += group.release.clusters().size();
  ASSERT_EQ(geojson["features"].size(), clusters);
  EXPECT_EQ(geojson["features"][0]["properties"]["group"], "A");
  EXPECT_EQ(geojson["features"].back()["id"].get<std::string>().substr(0, 2), "C/");
  for (const char* suffix : {"a.json", "a.geojson", "a.csv", "a.html", "a.svg", "a.png"}) {
    EXPECT_FALSE(groups.contents(suffix).empty()) << suffix;
  }
  EXPECT_THROW(static_cast<void>(groups.contents("a.txt")), InputError);
}

TEST(GroupedRelease, TheReportHasAPlaceForEveryGroup) {
  const std::string html = some_groups().html();
  for (const char* part :
       {"<section id=\"group-1\">\n<h2>A</h2>", "<section id=\"group-3\">\n<h2>C</h2>", "NOT PRIVATE"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(groups_html(some_groups()).find("<script"), std::string::npos);
  EXPECT_EQ(html.find("id=\"shoal-app\"") != std::string::npos, has_page());
}

TEST(GroupedRelease, TheRoomThatIsReservedSuffices) {
  for (const char* path : {"a.json", "a.geojson", "a.csv", "a.html", "a.png"}) {
    const ReleaseSet groups = some_groups();
    EXPECT_GE(bytes_to_reserve(by(request("privwave")), path), groups.contents(path).size()) << path;
  }
}

TEST(GroupedRelease, WhatIsTooLargeIsKeptWithoutNoisyValuesInEveryGroup) {
  const ReleaseSet groups = some_groups();
  const ReleaseSet small = groups.trimmed_to((std::size_t{1} << 16) + 3 * 1000);
  for (const NamedRelease& group : small.parts()) EXPECT_EQ(group.release.parts().values(), nullptr);
  EXPECT_EQ(ReleaseSet::parse(small.json(), "it").json(), small.json());
  EXPECT_EQ(groups.trimmed_to().json(), groups.json());
}

}  // namespace
}  // namespace shoal
