// Units that share one weight over their records: all that holds for a record holds for a weight.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "chi_square.hpp"
#include "drawing/report.hpp"
#include "grid/contributions.hpp"
#include "inference/noise_share.hpp"
#include "inference/noisy_records.hpp"
#include "privacy/refinable_noise.hpp"
#include "publishing_examples.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/private_release.hpp"
#include "shoal/synthesis.hpp"
#include "technique_examples.hpp"
#include "techniques/automatic.hpp"
#include "techniques/steps.hpp"
#include "techniques/techniques.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal {
namespace {

using examples::bumps, examples::options_of;

const PrivacyUnit share{.neighbors = Neighbors::add_remove, .column = "who", .max_contributions = 1, .share = true};
const Epsilon one = Epsilon::parse("1");

PrivateOptions with_shares(PrivateOptions options) {
  options.unit = share;
  return options;
}

std::vector<std::int64_t> noisy_values(const Release& release) {
  const Cells<std::int64_t>& cells = release.parts().values()->value();
  return {cells.values().begin(), cells.values().end()};
}

// Whole weights are like records: what is asked, in units of a weight, is the same.
TEST(Shares, OfWholeWeightsAskWhatRecordsAsk) {
  std::mt19937_64 random(1);
  for (const Shape& shape : {Shape{24, 20}, Shape{7, 9}}) {
    const Counts counts = bumps(random, shape);
    const Counts parts = in_parts(counts, share.parts_per_weight());
    for (const char* name : {"privwave", "privqt", "privthr"}) {
      for (const Transform transform : {Transform::decimated, Transform::stationary}) {
        const PrivateOptions options = options_of(30, 1, "haar", transform);
        testing::ZeroNoiseNotPrivate none;
        const Release records = run_technique(name, {counts}, one, options, none);
        const Release weights = run_technique(name, {parts}, one, with_shares(options), none);
        EXPECT_EQ(noisy_values(weights), noisy_values(records)) << name;
        if (records.parts().answer() != nullptr) {
          EXPECT_EQ(weights.parts().answer()->answer.value(), records.parts().answer()->answer.value());
        }
        if (records.parts().profile() != nullptr) {
          EXPECT_EQ(weights.parts().profile()->sums.value(), records.parts().profile()->sums.value());
        }
        for (std::size_t i = 0; i < records.parts().spent().size(); ++i) {
          EXPECT_EQ(weights.parts().spent()[i], records.parts().spent()[i]) << name;
        }
      }
    }
    PrivateOptions automatic = options_of(30);
    automatic.cluster.threshold = DensityModes{};
    testing::ZeroNoiseNotPrivate none;
    const Grid finest = finest_grid(counts.grid());
    std::vector<std::int64_t> fine(finest.cell_count());
    for (std::int64_t& value : fine) value = static_cast<std::int64_t>(random() % 2);
    const Counts on_finest(finest, Cells<std::int64_t>::dense(finest.shape(), fine), 0, 0);
    const Release records = automatic_release(on_finest, one, automatic, none);
    const Release weights =
        automatic_release(in_parts(on_finest, share.parts_per_weight()), one, with_shares(automatic), none);
    EXPECT_EQ(noisy_values(weights), noisy_values(records));
    EXPECT_EQ(weights.parts().automatic->records.value(), records.parts().automatic->records.value());
  }
}

Counts as_sparse(const Counts& counts) {
  std::vector<std::uint64_t> index;
  std::vector<std::int64_t> values;
  for (std::uint64_t cell = 0; cell < counts.raw().cell_count(); ++cell) {
    if (counts.raw().at(cell) == 0) continue;
    index.push_back(cell);
    values.push_back(counts.raw().at(cell));
  }
  return {counts.grid(), Cells<std::int64_t>::sparse(counts.grid().shape(), std::move(index), values), 0, 0};
}

// Past the dense limit too: from a floor on, and where a coarse transform has few values.
TEST(Shares, OfWholeWeightsAskWhatRecordsAskOfSparseCounts) {
  std::mt19937_64 random(1);
  const Counts counts = as_sparse(bumps(random, {24, 20}));
  const Counts parts = in_parts(counts, share.parts_per_weight());
  for (const auto& [level, limit] : {std::pair(1U, 0U), {2U, 400U}}) {
    PrivateOptions options = options_of(30, level);
    options.dense_limit = limit;
    if (limit == 0) options.cluster.threshold = Density(2);
    testing::ZeroNoiseNotPrivate none;
    const Release records = run_technique("privwave", {counts}, one, options, none);
    const Release weights = run_technique("privwave", {parts}, one, with_shares(options), none);
    EXPECT_EQ(weights.parts().values()->value(), records.parts().values()->value()) << level;
    EXPECT_EQ(weights.parts().has_floor(), limit == 0);
    EXPECT_EQ(weights.parts().spent(), records.parts().spent()) << level;
    EXPECT_EQ(weights.cluster_cells(), records.cluster_cells()) << level;
  }
}

// ---- filters in floating point: W in whole steps of a part ---------------------------------------------------------

std::int64_t moved(const ProfileSums& a, const ProfileSums& b) {
  std::int64_t result = 0;
  for (std::size_t level = 0; level < a.size(); ++level) result += std::abs(a[level] - b[level]);
  return result;
}

// Neighbours: one weight more, in one cell, in a few of them, or in all, on counts of which many values of W lie just
// below a whole step.
TEST(Shares, AUnitMovesWhatIsAskedAboutAFilterByNoMoreThanItsSensitivity) {
  const Grid grid({{0, 1, 64, "x"}, {0, 1, 64, "y"}});
  const auto cells = grid.cell_count();
  const auto parts = static_cast<std::int64_t>(share.parts_per_weight());
  std::mt19937_64 random(7);
  double largest = 0;
  for (const char* wavelet : {"db2", "bior2.2", "bior3.1"}) {
    for (const Transform transform : {Transform::decimated, Transform::stationary}) {
      for (const std::int64_t start : {0, 5, 30'000, 65'530, 300'000}) {
        const PrivateOptions options = with_shares(options_of(0, 1, wavelet, transform));
        const Steps steps = steps_of(grid.shape(), options.cluster, share);
        std::vector<std::int64_t> before(cells, start);
        if (start == 5) {
          for (std::int64_t& value : before) value = static_cast<std::int64_t>(random() % 200'000);
        }
        for (const std::uint64_t spread : {std::uint64_t{1}, std::uint64_t{7}, cells}) {
          std::vector<std::int64_t> after = before;
          for (std::int64_t part = 0; part < parts; ++part) {
            ++after[spread == cells ? static_cast<std::uint64_t>(part) % cells : random() % spread * 570];
          }
          const auto profile = [&](const std::vector<std::int64_t>& counts) {
            const auto raw = Cells<std::int64_t>::dense(grid.shape(), counts);
            return profile_of(whole_steps(raw, steps, options.cluster), static_cast<std::int64_t>(steps.scale) * parts);
          };
          const auto most = static_cast<double>(steps.per_record * share.parts_per_weight());
          const auto change = static_cast<double>(moved(profile(before), profile(after)));
          EXPECT_LE(change, most) << wavelet << ' ' << start << ' ' << spread;
          largest = std::max(largest, change / most);
          const auto nonpositive = [&](const std::vector<std::int64_t>& counts) {
            testing::ZeroNoiseNotPrivate none;
            const Counts raw(grid, Cells<std::int64_t>::dense(grid.shape(), counts), 0, 0);
            const Release release = run_technique("privthr", {raw}, one, options, none);
            return std::pair(release.parts().answer()->answer.value(),
                             static_cast<std::int64_t>(release.parts().spent()[1].sensitivity));
          };
          const auto [fewer, sensitivity] = nonpositive(before);
          EXPECT_LE(std::abs(nonpositive(after).first - fewer), sensitivity)
              << wavelet << ' ' << start << ' ' << spread;
        }
      }
    }
  }
  EXPECT_GT(largest, 0.5);  // it is nearly reached
}

// A circular window meets a cell of a short axis several times, and each of these times a part counts.
TEST(Shares, MoveNonpositiveCellsByNoMoreThanDeclaredOnAxesShorterThanTheWindow) {
  const auto parts = static_cast<std::int64_t>(share.parts_per_weight());
  struct Case {
    Shape shape;
    const char* wavelet;
    unsigned level;
    Transform transform;
    std::uint64_t reached;  // 0: not by these neighbours
  };
  for (const Case& at : {Case{{1, 64}, "haar", 3, Transform::stationary, 64},
                         {{3, 5}, "haar", 2, Transform::stationary, 15},
                         {{2, 16}, "haar", 2, Transform::stationary, 16},
                         {{32}, "haar", 2, Transform::stationary, 4},
                         {{7, 9}, "haar", 2, Transform::decimated, 1},
                         {{1, 64}, "rbio3.1", 2, Transform::stationary, 0},
                         {{2, 33}, "bior2.2", 2, Transform::stationary, 0},
                         {{3, 9}, "db3", 2, Transform::decimated, 0}}) {
    std::vector<Axis> axes;
    for (std::size_t axis = 0; axis < at.shape.size(); ++axis) axes.emplace_back(0, 1, at.shape[axis]);
    const Grid grid(axes);
    for (const Neighbors neighbors : {Neighbors::add_remove, Neighbors::replace}) {
      PrivateOptions options = with_shares(options_of(0, at.level, at.wavelet, at.transform));
      options.unit.neighbors = neighbors;
      const auto nonpositive = [&](const std::vector<std::int64_t>& counts) {
        testing::ZeroNoiseNotPrivate none;
        const Counts raw(grid, Cells<std::int64_t>::dense(grid.shape(), counts), 0, 0);
        return run_technique("privthr", {raw}, one, options, none).parts().answer()->answer.value();
      };
      const auto declared = static_cast<std::int64_t>(zero_sensitivity(grid.shape(), options.cluster, options.unit));
      const auto cells = grid.cell_count();
      std::int64_t largest = 0;
      for (const std::uint64_t spread :
           {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{4}, std::uint64_t{8}, cells}) {
        std::vector<std::int64_t> empty(cells), unit(cells), moved(cells);
        for (std::int64_t part = 0; part < parts; ++part) {
          ++unit[static_cast<std::uint64_t>(part) % spread * (cells / std::min(spread, cells)) % cells];
          ++moved[cells - 1];
        }
        const std::int64_t before = nonpositive(neighbors == Neighbors::replace ? moved : empty);
        largest = std::max(largest, std::abs(before - nonpositive(unit)));
      }
      EXPECT_LE(largest, declared) << at.wavelet << ' ' << grid.cell_count();
      if (at.reached > 0 && neighbors == Neighbors::add_remove) {
        EXPECT_EQ(largest, static_cast<std::int64_t>(at.reached)) << grid.cell_count();
        EXPECT_EQ(declared, largest) << grid.cell_count();
      }
    }
  }
}

// Whole weights under a filter: the same question in finer steps.
TEST(Shares, TheProfileOfAFilterIsThatOfRecords) {
  std::mt19937_64 random(1);
  const Counts counts = bumps(random, {24, 20});
  const PrivateOptions options = options_of(30, 1, "db2");
  testing::ZeroNoiseNotPrivate none;
  const Release records = run_technique("privwave", {counts}, one, options, none);
  const Release weights =
      run_technique("privwave", {in_parts(counts, share.parts_per_weight())}, one, with_shares(options), none);
  EXPECT_EQ(noisy_values(weights), noisy_values(records));
  EXPECT_EQ(weights.parts().spent(), records.parts().spent());
  EXPECT_EQ(weights.parts().profile()->scale, 256U);
  for (std::size_t level = 0; level < profile_levels; ++level) {
    EXPECT_NEAR(static_cast<double>(weights.parts().profile()->sums.value()[level]),
                static_cast<double>(records.parts().profile()->sums.value()[level]), 12 * 10 + 1);
  }
}

// A cell that lacks a part of a weight counts to |Z| by that part, and to the profile's first level by the rest.
TEST(Shares, CellsCountByTheirPartOfAWeight) {
  const Counts quarters = in_parts(examples::counts_of({8}, {1, 0, 2, 1, 6, 0, 0, 0}), share.parts_per_weight() / 4);
  testing::ZeroNoiseNotPrivate none;
  const Release thr = run_technique("privthr", {quarters}, one, with_shares(options_of(0)), none);
  EXPECT_EQ(thr.parts().answer()->answer.value(), 2);  // 3/4 + 1/4 + 0 + 1, rounded
  const Release wave = run_technique("privwave", {quarters}, one, with_shares(options_of(0)), none);
  EXPECT_EQ(wave.parts().profile()->sums.value()[0], 2);  // 1/4 + 3/4 + 1
  EXPECT_EQ(wave.parts().profile()->sums.value()[1], 0);  // 2/4, here rounded down
}

TEST(Shares, NoiseIsThatOfOneWeightHoweverMuchAUnitHas) {
  const Grid grid({{0, 1, 400, "x"}, {0, 1, 400, "y"}});
  const Counts empty(grid, Cells<std::int64_t>::dense(grid.shape(), std::vector<std::int64_t>(160'000)), 0, 0);
  for (const auto& [neighbors, epsilon] :
       {std::pair(Neighbors::add_remove, "1"), {Neighbors::replace, "1"}, {Neighbors::add_remove, "3"}}) {
    PrivateOptions options = with_shares(options_of(0));
    options.unit.neighbors = neighbors;
    const auto noise = seeded_noise_not_private(5);
    const Release release = run_technique("privqt", {empty}, Epsilon::parse(epsilon), options, *noise);
    const NoiseLaw& law = *release.parts().values()->law();
    EXPECT_EQ(law.sensitivity, neighbors == Neighbors::replace ? 2U : 1U);
    EXPECT_EQ(law.parts_per_unit, 65536U);
    double squares = 0, fourth = 0;
    for (const std::int64_t value : noisy_values(release)) {
      squares += std::pow(static_cast<double>(value), 2);
      fourth += std::pow(static_cast<double>(value), 4);
    }
    const double variance = squares / 160'000, spread = std::sqrt((fourth / 160'000 - variance * variance) / 160'000);
    EXPECT_LT(std::fabs(variance - noise_of(law).variance), 6 * spread);
    const Transformed w = transform(release.parts().values()->value(), options.cluster);
    double positive = 0;
    for (const std::int64_t value : w.sums()->values()) positive += value > 0 ? 1 : 0;
    const double share_of = positive_noise_share(release.parts(), options.cluster);
    EXPECT_LT(std::fabs(positive / 40'000 - share_of), 6 * std::sqrt(share_of * (1 - share_of) / 40'000));
  }
}

// ---- from points to a file -----------------------------------------------------------------------------------------

struct Trips {
  std::vector<double> x, y;
  std::vector<std::string> names;
  std::vector<std::string_view> units;
  std::unique_ptr<Points> points;

  Trips() {
    std::mt19937_64 random(3);
    std::normal_distribution<double> near(0, 0.05);
    for (int unit = 0; unit < 900; ++unit) {
      const auto own = random() % 30 + 1;
      for (std::uint64_t i = 0; i < own; ++i) {
        x.push_back((unit % 3 == 0 ? 0.2 : 0.7) + near(random));
        y.push_back(0.5 + near(random));
        names.push_back(std::to_string(unit));
      }
    }
    units.assign(names.begin(), names.end());
    points = array_points({{x.data()}, {y.data()}}, x.size(), units);
  }
};

ReleaseRequest request(PrivateOptions options) {
  return {.grid = Grid({{0, 1, 32, "x"}, {0, 1, 32, "y"}}), .epsilon = one, .options = std::move(options)};
}

TEST(Shares, AReleaseCountsUnits) {
  const Trips trips;
  ReleaseRequest plain = request(with_shares(options_of(0)));
  plain.seed = 4;
  ReleaseRequest automatic = plain, covered = plain, filtered = plain, sparse = plain;
  covered.options.cluster.threshold = Coverage(80);
  automatic.grid = AutomaticGrid{automatic.bounds()};
  automatic.options.cluster.threshold = DensityModes{};
  filtered.options.cluster.wavelet = Wavelet::named("db2");
  sparse.options.dense_limit = 100;
  for (const ReleaseRequest* asked : {&plain, &automatic, &covered, &filtered, &sparse}) {
    const Release release = private_release(*trips.points, *asked).first();
    const std::optional<Estimate> inside = records_inside(release);
    ASSERT_TRUE(inside.has_value());
    EXPECT_NEAR(inside->mean, 900, 6 * inside->deviation);
    EXPECT_LT(inside->deviation, asked == &filtered ? 160 : asked == &sparse ? 80 : 40);
    ASSERT_GE(release.clusters().size(), 2U);
    EXPECT_EQ(release.parts().has_floor(), asked == &sparse);
    for (const Spent& spent : release.parts().spent()) {
      const std::uint64_t of_rounding = 2;  // a bin of each axis
      EXPECT_EQ(spent.sensitivity, asked == &filtered && spent.mechanism == "profile" ? 486U
                                   : spent.mechanism == "rounding"                    ? of_rounding
                                                                                      : 1U);
    }
    EXPECT_EQ(planned_spending(*asked).front().sensitivity, release.parts().spent().front().sensitivity);
    EXPECT_NE(counted_records(release, 0).find(" people (95 %"), std::string::npos) << counted_records(release, 0);
    EXPECT_EQ(promise(share, one),  // whatever the technique
              "The probability of any result changes by a factor of at most e^1, about 2.72, when one person (counted "
              "once with all records) is added or removed.");
    const Release again = Release::parse(release.json(), "shares.json");
    EXPECT_TRUE(again.parts().unit.share);
    EXPECT_EQ(again.parts().values()->law(), release.parts().values()->law());
    EXPECT_EQ(again.json(), release.json());
    EXPECT_EQ(reshape(again, {.threshold = Top(2), .wavelet = asked->options.cluster.wavelet}).parts().unit.share,
              true);
    // A report speaks of units; of records only where it says whose they are.
    std::string report = release_report(release);
    for (const char* whose : {"counted once with all records", "knows all other records", "<td>records: "}) {
      for (std::size_t at = 0; (at = report.find(whose)) != std::string::npos;) report.erase(at, std::strlen(whose));
    }
    report.erase(0, report.find("<body"));
    const std::size_t at = report.find("records");
    EXPECT_EQ(at, std::string::npos) << report.substr(at < 100 ? 0 : at - 100, 200);
  }
}

// Values below a point are raised to it, and what a reshape cannot tell is said in units.
TEST(Shares, ACensoredReleaseSpeaksOfUnits) {
  std::vector<std::int64_t> records(64);
  for (std::size_t cell = 0; cell < 48; cell += 2) records[cell] = 300 + static_cast<std::int64_t>(cell);
  records[56] = 1;
  const Counts counts = in_parts(examples::counts_of({64}, records), share.parts_per_weight());
  const auto noise = seeded_noise_not_private(1);
  const Release release = run_technique("privwave", {counts}, one, with_shares(options_of(30)), *noise);
  ASSERT_GT(release.parts().censored_below(), 0);
  try {
    static_cast<void>(reshape(release, {.threshold = Percentile(30), .level = 2}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(release.parts().censored_below() == 1 ? " unit," : " units,"),
              std::string::npos)
        << error.what();
  }
}

// Synthetic points stand for units: of whole weights publishers make what they make of records.
TEST(Shares, PublishersCountWeights) {
  PointTable records = examples::lumpy(400, 2, 8), weights = records;
  weights.parts.assign(weights.rows(), static_cast<std::uint32_t>(share.parts_per_weight()));
  const Grid grid({{0, 1, 8}, {0, 1, 8}});
  for (const std::string& publisher : publisher_names()) {
    std::vector<std::pair<std::vector<double>, double>> boxes[2];
    for (const bool shared : {false, true}) {
      testing::NoNoise none;
      Mechanisms mechanisms(none, shared ? share : PrivacyUnit{}, one);
      const Noised<Synopsis> synopsis = publish(publisher, shared ? weights : records, grid, one, mechanisms);
      for (std::size_t box = 0; box < synopsis.value().boxes(); ++box) {
        const std::span<const double> bounds = synopsis.value().bounds(box);
        boxes[shared ? 1 : 0].emplace_back(std::vector(bounds.begin(), bounds.end()), synopsis.value().count(box));
      }
      for (const Spent& spent : mechanisms.spent()) EXPECT_EQ(spent.sensitivity, publisher == "privelet" ? 16U : 1U);
    }
    EXPECT_EQ(boxes[0], boxes[1]) << publisher;
  }
}

TEST(Shares, SyntheticPointsAreAsManyAsUnits) {
  const Trips trips;
  for (const std::string& publisher : publisher_names()) {
    SynthesisRequest asked{.grid = Grid({{0, 1, 4, "x"}, {0, 1, 4, "y"}}), .epsilon = Epsilon::parse("8")};
    asked.publisher = publisher;
    asked.unit = share;
    asked.seed = 4;
    std::size_t drawn = 0;
    synthesize(*trips.points, asked).draw([&](const PointBlock& block) { drawn += block.rows(); });
    EXPECT_NEAR(static_cast<double>(drawn), 900, 250) << publisher;
  }
  ReleaseRequest asked = request(with_shares(options_of(0)));
  asked.technique = "baseline";
  asked.options.publisher = "uniform-grid";
  asked.seed = 4;
  const Release release = private_release(*trips.points, asked).first();
  std::int64_t total = 0;
  for (const std::int64_t value : noisy_values(release)) total += value;
  EXPECT_NEAR(static_cast<double>(total), 900, 250);
}

std::string refusal_of(const ReleaseRequest& asked) {
  try {
    static_cast<void>(planned_spending(asked));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Shares, AreRefusedWhereTheyCannotBeKept) {
  EXPECT_EQ(refusal_of(request(with_shares(options_of(10)))), "");
  ReleaseRequest asked = request(with_shares(options_of(10)));
  asked.technique = "privthr-em";
  EXPECT_NE(refusal_of(asked).find("privthr-em counts whole records"), std::string::npos) << refusal_of(asked);
  for (const char* technique : {"privwave", "privthr"}) {
    asked = request(with_shares(options_of(10, 4, "db8")));
    asked.technique = technique;
    EXPECT_EQ(refusal_of(asked),
              "Shoal cannot bound the effect of a unit on db8 at level 4 in 2 dimensions; use wavelet haar, a lower "
              "level, or privqt");
    asked = request(with_shares(options_of(10, 1, "db2")));
    asked.technique = technique;
    EXPECT_EQ(refusal_of(asked), "");
    asked.options.dense_limit = 100;
    const char* says = technique == std::string("privwave") ? "then supports only wavelet haar" : "use privwave";
    EXPECT_NE(refusal_of(asked).find(says), std::string::npos) << refusal_of(asked);
  }
  asked = request(with_shares(options_of(10)));
  asked.technique = "privthr";
  asked.grid = Grid({{0, 1, 1U << 20, "x"}, {0, 1, 1U << 20, "y"}});
  EXPECT_NE(refusal_of(asked).find("use privwave, or fewer cells"), std::string::npos) << refusal_of(asked);
  asked = request(with_shares(options_of(10)));
  asked.epsilon = Epsilon::parse("0.0000001");
  EXPECT_NE(refusal_of(asked).find("below 2^-40"), std::string::npos) << refusal_of(asked);
  EXPECT_EQ(refusal_of(asked).find("max-contributions"), std::string::npos) << refusal_of(asked);
  asked = request(with_shares(options_of(10)));
  asked.options.unit.column = "";
  EXPECT_NE(refusal_of(asked).find("shares need a unit column"), std::string::npos);
  asked.options.unit = share;
  asked.options.unit.max_contributions = 2;
  EXPECT_NE(refusal_of(asked).find("shares need a unit column"), std::string::npos);
  EXPECT_EQ(technique_names(Percentile(10), share),
            (std::vector<std::string>{"privwave", "privthr", "privqt", "baseline"}));
}

}  // namespace
}  // namespace shoal
