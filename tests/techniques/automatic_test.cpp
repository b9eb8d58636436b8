#include "techniques/automatic.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "formats/release_json.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/private_release.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/request.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal {
namespace {

using testing::ZeroNoiseNotPrivate;

Grid bounds_of(std::size_t dimensions) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < dimensions; ++i) axes.emplace_back(0, 1, 2, "a" + std::to_string(i));
  return Grid(std::move(axes));
}

using Points2 = std::vector<std::vector<double>>;

// Round blobs far from each other, each of as many points, and a tenth as many anywhere.
Points2 four_blobs(std::size_t points, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> spread(0, 0.04);
  std::uniform_real_distribution<double> anywhere(0, 1);
  Points2 columns(2);
  for (std::size_t i = 0; i < points; ++i) {
    const bool stray = i % 11 == 0;
    columns[0].push_back(stray ? anywhere(random) : (i % 2 == 0 ? 0.25 : 0.75) + spread(random));
    columns[1].push_back(stray ? anywhere(random) : (i % 4 < 2 ? 0.25 : 0.75) + spread(random));
  }
  return columns;
}

Counts counted(const Points2& columns, const Grid& grid) {
  std::vector<Column> views;
  for (const auto& column : columns) views.push_back({column.data()});
  return quantize(*array_points(views, columns[0].size()), grid, {.threads = 1});
}

Release released(const Counts& counts, const char* epsilon, std::uint64_t seed,
                 const PrivateOptions& options = {.cluster = {.threshold = DensityModes{}}}) {
  const auto noise = seeded_noise_not_private(seed);
  return automatic_release(counts, Epsilon::parse(epsilon), options, *noise);
}

TEST(AutomaticGrids, AreHadByAddingUpCellsOfTheFinest) {
  for (std::size_t dimensions = 1; dimensions <= 8; ++dimensions) {
    const Grid finest = finest_grid(bounds_of(dimensions));
    EXPECT_LE(finest.cell_count(), std::uint64_t{1} << (dimensions <= 3 ? 24 : 56));
    const auto grids = automatic_grids(dimensions);
    EXPECT_TRUE(std::is_sorted(grids.begin(), grids.end()));
    for (const std::uint64_t cells : grids) {
      EXPECT_EQ(finest.axis(0).cells() % cells, 0U);
      EXPECT_EQ(cells % 2, 0U);  // so that Haar's blocks are whole
    }
    EXPECT_EQ(finest.axis(0).cells() % grids.back(), 0U);
    EXPECT_EQ(finest.axis(0).name(), "a0");
  }
  EXPECT_THROW(static_cast<void>(finest_grid(bounds_of(9))), InputError);
}

TEST(AutomaticGrids, GrowWithRecordsAndBudget) {
  const auto cells = [](std::int64_t records, const char* epsilon) {
    return automatic_shape(bounds_of(2), records, Epsilon::parse(epsilon)).front();
  };
  EXPECT_EQ(cells(30000, "1"), 120U);   // 6.5 records a cell: 68 x 68 sums, at most
  EXPECT_EQ(cells(30000, "10"), 160U);  // 5.15 records a cell: 76.3, and nearly 80
  EXPECT_EQ(cells(30000, "0.1"), 80U);  // 20 records a cell: 38.7, and nearly 40
  // Ten records per unit: as at a tenth of epsilon.
  EXPECT_EQ(automatic_shape(bounds_of(2), 30000, Epsilon::parse("1"), 10), (Shape{80, 80}));
  EXPECT_EQ(automatic_shape(bounds_of(2), 30000, std::nullopt), (Shape{160, 160}));
  EXPECT_EQ(cells(1'000'000'000'000, "1"), 960U);
  for (const std::int64_t few : {std::int64_t{-50}, std::int64_t{0}, std::int64_t{50}}) EXPECT_EQ(cells(few, "1"), 8U);
  for (std::size_t dimensions = 1; dimensions <= 8; ++dimensions) {
    std::uint64_t before = 0;
    for (std::int64_t records = 1; records < 1'000'000'000; records *= 3) {
      const std::uint64_t now = automatic_shape(bounds_of(dimensions), records, Epsilon::parse("0.5")).front();
      EXPECT_GE(now, before);
      before = now;
    }
  }
}

TEST(AutomaticGrids, HaveSquareCellsWhereTheAxesShareAUnit) {
  const auto shape = [](double width, double height, const char* x = "x", const char* y = "y") {
    return automatic_shape(Grid({Axis(0, width, 2, x), Axis(-height / 2, height / 2, 2, y)}), 30000,
                           Epsilon::parse("1"));
  };
  EXPECT_EQ(shape(7, 7), (Shape{120, 120}));
  EXPECT_EQ(shape(14, 7), (Shape{192, 96}));  // 68 * sqrt(2) = 96 and 48 sums
  EXPECT_EQ(shape(7, 14), (Shape{96, 192}));
  EXPECT_EQ(shape(100, 7), (Shape{120, 120}));  // no one knows what they have in common
  EXPECT_EQ(shape(180, 90, "lon", "lat"), (Shape{192, 96}));
  const Grid north(
      {Axis(0, 10, 2, "lon"), Axis(55, 65, 2, "lat")});  // a degree of longitude is half of one of latitude
  EXPECT_EQ(automatic_shape(north, 30000, Epsilon::parse("1")), (Shape{96, 192}));
}

TEST(AutomaticGrids, MayDifferFromAxisToAxisInARelease) {
  const Grid wide({Axis(0, 2, 2, "x"), Axis(0, 1, 2, "y")});
  Points2 points = four_blobs(31000, 2);
  for (double& x : points[0]) x *= 2;
  ZeroNoiseNotPrivate zero;
  const Release chosen = automatic_release(counted(points, finest_grid(wide)), Epsilon::parse("1"),
                                           {.cluster = {.threshold = DensityModes{}}}, zero);
  EXPECT_EQ(chosen.parts().grid.shape(), (Shape{192, 96}));
  EXPECT_EQ(chosen.parts().values()->value(), haar_sums(counted(points, chosen.parts().grid).raw(), 1));
  EXPECT_EQ(chosen.clusters().size(), 4U);
}

// The owner's own view: the same choice without noise.
TEST(Automatic, WithoutNoiseCountsOnTheGridOfTheRecordsAlone) {
  const Points2 points = four_blobs(31000, 2);
  const Counts chosen = automatic_counts(counted(points, finest_grid(bounds_of(2))));
  EXPECT_EQ(chosen.grid().shape(), (Shape{160, 160}));
  EXPECT_EQ(chosen.raw(), counted(points, chosen.grid()).raw());
  EXPECT_EQ(wavecluster(chosen, {.threshold = DensityModes{}}).clusters.count(), 4U);
}

TEST(Automatic, FindsBlobsWithoutBeingToldAnything) {
  const Counts counts = counted(four_blobs(20000, 1), finest_grid(bounds_of(2)));
  for (const char* epsilon : {"0.1", "0.5", "2"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Release release = released(counts, epsilon, seed);
      std::size_t large = 0;
      for (const ReleasedCluster& cluster : release.clusters()) large += cluster.noisy_size > 2000 ? 1 : 0;
      EXPECT_EQ(large, 4U) << epsilon << " " << seed;
      const ReleaseParts& parts = release.parts();
      EXPECT_EQ(release.clusters().size(), 4U) << epsilon << " " << seed;
      EXPECT_EQ(parts.options.threshold, Threshold(DensityModes{}));
      ASSERT_TRUE(parts.automatic.has_value());
    }
  }
}

TEST(Automatic, CountsOnTheChosenGridAsIfItHadBeenGiven) {
  const Points2 points = four_blobs(31000, 2);
  ZeroNoiseNotPrivate zero;
  const Release chosen = automatic_release(counted(points, finest_grid(bounds_of(2))), Epsilon::parse("1"),
                                           {.cluster = {.threshold = DensityModes{}}}, zero);
  const Counts direct = counted(points, chosen.parts().grid);
  EXPECT_EQ(chosen.parts().grid.shape(), (Shape{120, 120}));
  EXPECT_EQ(chosen.parts().values()->value(), haar_sums(direct.raw(), 1));
  EXPECT_EQ(chosen.parts().automatic->records.value(),
            static_cast<std::int64_t>(direct.points()) - static_cast<std::int64_t>(direct.outside()));
}

TEST(Automatic, SpendsWhatWasPlannedAndAddsUpExactly) {
  const Counts counts = counted(four_blobs(3000, 3), finest_grid(bounds_of(2)));
  PrivateOptions options{.cluster = {.threshold = Percentile(0)}};
  options.unit.neighbors = Neighbors::replace;
  for (const char* epsilon : {"0.013", "0.7", "1", "3.333333333333"}) {
    const std::vector<Spent> plan = planned_automatic(counts.grid(), Epsilon::parse(epsilon), options);
    const Release release = released(counts, epsilon, 4, options);
    const std::vector<Spent>& spent = release.parts().spent();
    ASSERT_EQ(spent.size(), 3U);
    Epsilon all = Epsilon::zero(), planned = Epsilon::zero();
    for (const Spent& share : spent) all = all + share.epsilon;
    for (const Spent& share : plan) planned = planned + share.epsilon;
    EXPECT_EQ(all, Epsilon::parse(epsilon));
    EXPECT_EQ(planned, Epsilon::parse(epsilon));
    EXPECT_EQ(spent[0], plan[0]);
    EXPECT_EQ(spent[0].mechanism, "records");
    EXPECT_EQ(spent[0].epsilon, Epsilon::from_units(Epsilon::parse(epsilon).units() / 20));
    EXPECT_EQ(spent[0].sensitivity, 2U);
    EXPECT_EQ(release.parts().grid.shape(),
              wide_enough(
                  counts.grid(),
                  automatic_shape(bounds_of(2), release.parts().automatic->records.value(), Epsilon::parse(epsilon), 2),
                  release.parts().automatic->rounded.value()));
    EXPECT_EQ(spent[1].mechanism, "rounding");
    EXPECT_EQ(spent[1].sensitivity, 4U);  // two records that change, on two axes
    EXPECT_GE(spent[1].epsilon, plan[1].epsilon);
    EXPECT_LE(spent[1].epsilon, Epsilon::from_units(Epsilon::parse(epsilon).units() / 4));
    EXPECT_EQ(spent[2].mechanism, "sums");
    EXPECT_GE(spent[2].epsilon, plan.back().epsilon);
  }
}

// Values of one Gaussian, some of them rounded.
Points2 one_gaussian(std::size_t dimensions, std::size_t points, double range, double step, double share,
                     unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> spread(0.47 * range, range / 8);
  std::bernoulli_distribution rounds(share);
  Points2 columns(dimensions);
  for (std::size_t i = 0; i < points; ++i) {
    const bool is_rounded = rounds(random);
    for (auto& column : columns) {
      const double x = spread(random);
      const double nearest = step < 1 ? std::round(x / step) / std::round(1 / step) : std::round(x / step) * step;
      column.push_back(is_rounded ? nearest : x);
    }
  }
  return columns;
}

std::size_t real_clusters(const Release& release) {
  return release.cluster_cells().count() - release.doubtful().size();
}

Grid plain_bounds(std::size_t dimensions, double range) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < dimensions; ++i) axes.emplace_back(0, range, 2, "a" + std::to_string(i));
  return Grid(std::move(axes));
}

struct Rounding {
  double range, step;
};
constexpr Rounding roundings[] = {{110, 1}, {110, 10}, {50, 0.5}, {8, 0.01}, {24, 0.25}, {86400, 900}};

TEST(Automatic, OneGaussianIsOneClusterHoweverItsValuesAreRounded) {
  for (const auto& [range, step] : roundings) {
    for (const double share : {1.0, 0.5}) {
      for (const std::size_t dimensions : {1U, 2U}) {
        const Counts counts = counted(one_gaussian(dimensions, 20000, range, step, share, 11),
                                      finest_grid(plain_bounds(dimensions, range)));
        for (const char* epsilon : {"0.1", "1", "10"}) {
          EXPECT_LE(real_clusters(released(counts, epsilon, 3)), 1U)
              << step << " " << share << " " << dimensions << " " << epsilon;
        }
        EXPECT_EQ(wavecluster(automatic_counts(counts), {.threshold = DensityModes{}}).clusters.count(), 1U)
            << step << " " << share << " " << dimensions;
      }
    }
  }
}

TEST(Automatic, GroupsOfRoundedValuesAreOneClusterEach) {
  const Grid finest = finest_grid(plain_bounds(1, 110));
  const std::vector<Counts> groups = {counted(one_gaussian(1, 20000, 110, 1, 1, 1), finest),
                                      counted(one_gaussian(1, 20000, 110, 1, 0, 2), finest)};
  const auto noise = seeded_noise_not_private(5);
  const auto releases = automatic_releases(
      groups.size(), [&](std::size_t group) { return groups[group]; }, Epsilon::parse("1"),
      {.cluster = {.threshold = DensityModes{}}}, *noise);
  EXPECT_EQ(releases[0].parts().automatic->rounded.value().size(), 1U);
  EXPECT_TRUE(releases[1].parts().automatic->rounded.value().empty());
  EXPECT_EQ(releases[0].parts().grid, releases[1].parts().grid);
  for (const Release& release : releases) EXPECT_EQ(real_clusters(release), 1U);
}

TEST(Automatic, SaysWhatRoundingWasFound) {
  const Counts ages = counted(one_gaussian(1, 20000, 110, 1, 1, 1), finest_grid(plain_bounds(1, 110)));
  const Release release = released(ages, "1", 1);
  EXPECT_EQ(rounding_in_words(release.parts()), (std::vector<std::string>{"Values of a0 are whole numbers."}));
  EXPECT_NE(release.html().find("Values of a0 are whole numbers."), std::string::npos);
  const Release read = Release::parse(release.json(), "r");
  EXPECT_EQ(read.json(), release.json());
  EXPECT_EQ(rounding_in_words(read.parts()), rounding_in_words(release.parts()));
  const Counts half = counted(one_gaussian(1, 20000, 110, 10, 0.5, 1), finest_grid(plain_bounds(1, 110)));
  const auto words = rounding_in_words(released(half, "1", 1).parts());
  ASSERT_EQ(words.size(), 1U);
  EXPECT_NE(words[0].find("Many values of a0 are multiples of "), std::string::npos) << words[0];
}

TEST(Automatic, IsReadBackAndReshaped) {
  const Release release = released(counted(four_blobs(5000, 5), finest_grid(bounds_of(2))), "1", 6);
  const Release read = Release::parse(release.json(), "r");
  EXPECT_EQ(read.json(), release.json());
  EXPECT_EQ(reshape(read, read.parts().options).json(), release.json());
  ClusterOptions other = read.parts().options;
  other.threshold = Percentile(30);
  EXPECT_GT(reshape(read, other).clusters().size(), 0U);
  EXPECT_NE(release.html().find("noisy number of records"), std::string::npos);
}

TEST(Automatic, AReshapeKeepsTheRecords) {
  const Release release = released(counted(four_blobs(5000, 5), finest_grid(bounds_of(2))), "1", 6);
  const std::vector<std::function<void(ClusterOptions&)>> changes = {
      [](ClusterOptions& options) { options.threshold = Coverage(70); },
      [](ClusterOptions& options) { options.threshold = Top(40); }, [](ClusterOptions& options) { options.level = 2; },
      [](ClusterOptions& options) { options.min_cells = 4; }};
  for (const auto& change : changes) {
    ClusterOptions options = release.parts().options;
    change(options);
    const Release other = Release::parse(reshape(release, options).json(), "r");
    EXPECT_EQ(nlohmann::json::parse(other.json())["automatic"],
              (nlohmann::json{{"records", release.parts().automatic->records.value()},
                              {"rounded", nlohmann::json::array()}}));
    EXPECT_NE(other.html().find("noisy number of records"), std::string::npos);
  }
}

TEST(Automatic, FilesWithABrokenChoiceAreRefused) {
  const Release release = released(counted(four_blobs(2000, 7), finest_grid(bounds_of(2))), "1", 8);
  const auto broken = [&](const char* key, const nlohmann::json& value) {
    nlohmann::json document = nlohmann::json::parse(release.json());
    document["automatic"][key] = value;
    if (value.is_null()) document["automatic"].erase(key);
    document["checksum"] = checksum_of_text(document.dump());
    return document.dump();
  };
  EXPECT_NO_THROW(static_cast<void>(Release::parse(broken("records", -3), "r")));
  const auto rounding = [](double axis, double step, double share) {
    return nlohmann::json::array({{{"axis", static_cast<int>(axis)}, {"step", step}, {"share", share}}});
  };
  EXPECT_NO_THROW(static_cast<void>(Release::parse(broken("rounded", rounding(1, 0.5, 1)), "r")));
  EXPECT_NO_THROW(static_cast<void>(Release::parse(broken("rounded", nullptr), "r")));  // files of earlier versions
  for (const std::string& text :
       {broken("records", 0.5), broken("records", nullptr), broken("more", 1), broken("rounded", rounding(2, 1, 1)),
        broken("rounded", rounding(0, 0, 1)), broken("rounded", rounding(0, 1, 1.5)), broken("rounded", 1)}) {
    EXPECT_THROW(static_cast<void>(Release::parse(text, "r")), InputError);
  }
}

TEST(Automatic, OfNothingOrLittleEndsInARelease) {
  for (std::size_t dimensions = 1; dimensions <= 8; ++dimensions) {
    const Grid finest = finest_grid(bounds_of(dimensions));
    const auto counts_of = [&finest](std::vector<std::uint64_t> cells, std::vector<std::int64_t> values) {
      const Counts sparse(finest, Cells<std::int64_t>::sparse(finest.shape(), std::move(cells), std::move(values)), 0,
                          0);
      return as_quantized(sparse, std::uint64_t{1} << 20);
    };
    const Counts nothing = counts_of({}, {});
    EXPECT_LE(Release::parse(released(nothing, "0.1", 9).json(), "r").parts().grid.axis(0).cells(), 40U);
    const Counts heap = counts_of({finest.cell_count() / 2}, {100000});
    EXPECT_EQ(released(heap, "1", 10).clusters().size(), 1U) << dimensions;
  }
  EXPECT_THROW(static_cast<void>(released(counted(four_blobs(10, 1), finest_grid(bounds_of(2))), "0.00000000001", 1)),
               InputError);
}

}  // namespace
}  // namespace shoal
