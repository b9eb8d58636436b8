#include "techniques/techniques.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "block_points.hpp"
#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal {
namespace {

using testing::BlockPoints;
using testing::Columns;
using testing::ZeroNoiseNotPrivate;
using Random = std::mt19937_64;

Grid unit_grid(const Shape& shape) {
  std::vector<Axis> axes;
  for (const std::uint64_t cells : shape) axes.emplace_back(0, 1, cells);
  return Grid(std::move(axes));
}

Counts counts_of(const Shape& shape, const std::vector<std::int64_t>& values) {
  const auto points = static_cast<std::uint64_t>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
  return {unit_grid(shape), Cells<std::int64_t>::dense(shape, values), points, 0};
}

// Some dense spots, much of it empty.
Counts random_counts(Random& random, const Shape& shape) {
  std::vector<std::int64_t> values(cell_count(shape));
  for (std::int64_t& value : values) value = random() % 3 != 0 ? 0 : static_cast<std::int64_t>(random() % 40);
  return counts_of(shape, values);
}

PrivateOptions options_of(const std::string& wavelet, unsigned level, Transform transform, double percentile) {
  PrivateOptions options{.cluster = {.threshold = Percentile(0)}};
  options.cluster.wavelet = Wavelet::named(wavelet);
  options.cluster.level = level;
  options.cluster.transform = transform;
  options.cluster.threshold = Percentile(percentile);
  options.cluster.threads = 1;
  return options;
}

// Several chunks of noise and several parts of every pass.
TEST(Techniques, ThreadsChangeNothingInASeededRun) {
  Random random(11);
  for (const Shape& shape : {Shape{320, 301}, Shape{48, 45, 50}}) {
    const Counts counts = random_counts(random, shape);
    for (const std::string technique : {"privqt", "privthr", "privthr-em", "privwave"}) {
      PrivateOptions options = options_of("haar", 1, Transform::decimated, 80);
      const auto run = [&](unsigned threads) {
        options.cluster.threads = threads;
        return run_technique(technique, {counts}, Epsilon::parse("1"), options, *seeded_noise_not_private(3));
      };
      const Release alone = run(1);
      const auto noisy_values = [](const Release& release) {
        const ReleaseParts& parts = release.parts();
        return parts.values()->value();
      };
      const bool whole = technique == "privqt";  // all that a file holds, which takes longer
      const std::string alone_json = whole ? alone.json() : "";
      for (const unsigned threads : {2U, 3U}) {
        const Release release = run(threads);
        ASSERT_EQ(release.cluster_cells(), alone.cluster_cells()) << technique;
        ASSERT_EQ(release.k(), alone.k()) << technique;
        ASSERT_EQ(release.threshold(), alone.threshold()) << technique;
        ASSERT_EQ(noisy_values(release), noisy_values(alone)) << technique;
        if (whole) {
          ASSERT_EQ(release.json(), alone_json);
        }
      }
    }
  }
}

// ---- without noise, each technique is its pseudocode ---------------------------------------------------------------

// W in the units of W, by the filter in floating point, in whole steps as ties are decided on.
std::vector<double> w_of(const Counts& counts, const ClusterOptions& options) {
  const std::vector<double> values(counts.raw().values().begin(), counts.raw().values().end());
  const Cells<double> w =
      average_subband(counts.grid().shape(), values, options.wavelet, options.level, options.transform);
  std::vector<double> values_of_w(w.values().begin(), w.values().end());
  const double step = tie_step(counts.grid().dimensions(), options.level);
  if (options.wavelet.is_haar()) return values_of_w;
  for (double& value : values_of_w) value = std::floor(value / step + 1.0 / 3) * step;
  return values_of_w;
}

std::vector<double> positives_descending(std::vector<double> w) {
  std::erase_if(w, [](double value) { return value <= 1e-9; });
  std::sort(w.rbegin(), w.rend());
  return w;
}

std::uint64_t k_of(double percentile, std::uint64_t positives) {
  return static_cast<std::uint64_t>(std::ceil((100 - percentile) * static_cast<double>(positives) / 100 - 1e-9));
}

// Sums of integers are multiples of 2^-12 here: the tolerance only forgives rounding.
std::vector<std::uint64_t> at_least(const std::vector<double>& w, double d, double tolerance = 1e-9) {
  std::vector<std::uint64_t> cells;
  for (std::uint64_t cell = 0; cell < w.size(); ++cell) {
    if (w[cell] >= d - tolerance) cells.push_back(cell);
  }
  return cells;
}

struct Setting {
  std::string wavelet;
  unsigned level;
  Transform transform;
  Shape shape;
};

std::vector<Setting> settings() {
  return {{"haar", 1, Transform::decimated, {16, 16}},    {"haar", 1, Transform::decimated, {9, 7}},
          {"haar", 2, Transform::decimated, {16, 12}},    {"haar", 1, Transform::stationary, {8, 9}},
          {"haar", 1, Transform::decimated, {6, 5, 4}},   {"haar", 1, Transform::decimated, {40}},
          {"bior2.2", 1, Transform::decimated, {16, 12}}, {"bior2.2", 1, Transform::stationary, {10, 10}},
          {"db4", 2, Transform::decimated, {16, 16}},     {"rbio3.1", 1, Transform::decimated, {8, 6, 8}}};
}

void for_each_setting(const std::function<void(const Counts&, const PrivateOptions&)>& check) {
  Random random(3);
  for (const Setting& at : settings()) {
    for (const double percentile : {0.0, 23.0, 58.0, 99.0}) {
      SCOPED_TRACE(at.wavelet + " level " + std::to_string(at.level) + " p " + std::to_string(percentile));
      check(random_counts(random, at.shape), options_of(at.wavelet, at.level, at.transform, percentile));
    }
  }
}

TEST(WithoutNoise, PrivqtIsWaveClusterOnTheCounts) {
  for_each_setting([](const Counts& counts, const PrivateOptions& options) {
    ZeroNoiseNotPrivate zero;
    const Release release = privqt({counts}, Epsilon::parse("1"), options, zero);
    const std::vector<double> w = w_of(counts, options.cluster);
    const std::vector<double> positives = positives_descending(w);
    const std::uint64_t k = k_of(std::get<Percentile>(options.cluster.threshold).percent(), positives.size());
    EXPECT_EQ(release.k(), k);
    EXPECT_NEAR(release.threshold(), positives[k - 1], 1e-9);
    EXPECT_EQ(release.cluster_cells().cells(), at_least(w, positives[k - 1]));
  });
}

// Chance that noise on a value of W is positive. Haar: the distribution of a sum of 2^(n*level) discrete Laplace, by
// convolution; other wavelets: half.
double chance_of_positive_noise(const PrivateOptions& options, std::size_t dimensions, double epsilon) {
  if (!options.cluster.wavelet.is_haar()) return 0.5;
  constexpr int most = 400;  // what lies beyond is below 1e-16 for epsilon near 1
  std::vector<double> sum(2 * most + 1);
  sum[most] = 1;
  for (std::size_t term = 0; term < std::size_t{1} << (dimensions * options.cluster.level); ++term) {
    std::vector<double> next(sum.size());
    for (int at = 0; at <= 2 * most; ++at) {
      for (int x = -60; x <= 60; ++x) {
        if (at + x < 0 || at + x > 2 * most) continue;
        next[static_cast<std::size_t>(at + x)] +=
            sum[static_cast<std::size_t>(at)] * std::tanh(epsilon / 2) * std::exp(-epsilon * std::abs(x));
      }
    }
    sum = std::move(next);
  }
  return (1 - sum[most]) / 2;
}

TEST(WithoutNoise, PrivthrDropsWhatNoiseWouldMakeOfZBeforeItCounts) {
  for_each_setting([](const Counts& counts, const PrivateOptions& options) {
    ZeroNoiseNotPrivate zero;
    const Release release = privthr({counts}, Epsilon::parse("1"), options, zero);
    const std::vector<double> w = w_of(counts, options.cluster);
    std::vector<double> positives = positives_descending(w);
    const double made = static_cast<double>(w.size() - positives.size()) *
                        chance_of_positive_noise(options, counts.grid().dimensions(), 0.9);
    const std::size_t dropped = std::min(positives.size(), static_cast<std::size_t>(std::llround(made)));
    positives.resize(positives.size() - dropped);
    const std::uint64_t k = k_of(std::get<Percentile>(options.cluster.threshold).percent(), positives.size());
    EXPECT_EQ(release.k(), k);
    if (k > 0) {
      EXPECT_EQ(release.cluster_cells().cells(), at_least(w, positives[k - 1]));
    } else {
      EXPECT_TRUE(release.cluster_cells().cells().empty());
    }
  });
}

TEST(WithoutNoise, PrivthrEmDrawsTheFirstThresholdWhoseRankIsNearestToK) {
  for_each_setting([](const Counts& counts, const PrivateOptions& options) {
    ZeroNoiseNotPrivate zero;
    const Release release = privthr_em({counts}, Epsilon::parse("1"), options, zero);
    const std::vector<double> w = w_of(counts, options.cluster);
    const std::vector<double> positives = positives_descending(w);
    const auto k =
        static_cast<std::int64_t>(k_of(std::get<Percentile>(options.cluster.threshold).percent(), positives.size()));
    const bool haar = options.cluster.wavelet.is_haar();
    const double record = std::exp2(-static_cast<double>(counts.grid().dimensions()) * options.cluster.level / 2);
    const double unit = haar ? record : release.parts().answer()->unit;
    const double tolerance = haar ? 1e-9 : 0;  // others are compared as computed
    double best_x = 0;
    std::int64_t best = INT64_MAX;
    for (std::int64_t step = 1; static_cast<double>(step) * unit <= positives.front() + unit; ++step) {
      const double x = static_cast<double>(step) * unit;
      const auto rank = static_cast<std::int64_t>(at_least(w, x, tolerance).size());
      if (std::abs(rank - k) < best) {
        best = std::abs(rank - k);
        best_x = x;
      }
    }
    EXPECT_DOUBLE_EQ(release.threshold(), best_x);
    EXPECT_EQ(release.cluster_cells().cells(), at_least(w, best_x, tolerance));
    EXPECT_EQ(release.k(), at_least(w, best_x, tolerance).size());
  });
}

// ---- spending -------------------------------------------------------------------------------------------------------

TEST(Spending, WhatIsPlannedIsWhatIsSpentAndAddsUpToEpsilon) {
  Random random(4);
  for (const char* name : {"privqt", "privthr", "privthr-em"}) {
    for (const char* wavelet : {"haar", "bior2.2", "rbio3.3"}) {
      for (const Neighbors relation : {Neighbors::add_remove, Neighbors::replace}) {
        for (const std::uint64_t m : {1U, 3U}) {
          const Counts counts = random_counts(random, {16, 20});
          PrivateOptions options = options_of(wavelet, 1, Transform::decimated, 58);
          options.unit.neighbors = relation;
          options.unit.max_contributions = m;
          if (m > 1) options.unit.column = "user";
          const Epsilon epsilon = Epsilon::parse("0.731");
          const auto noise = seeded_noise_not_private(random());
          const Release release = run_technique(name, {counts}, epsilon, options, *noise);
          EXPECT_EQ(release.parts().spent(), planned_spending(name, counts.grid(), epsilon, options)) << name;
          Epsilon sum = Epsilon::zero();
          for (const Spent& spent : release.parts().spent()) sum = sum + spent.epsilon;
          EXPECT_EQ(sum, epsilon);
          EXPECT_FALSE(release.parts().is_private);
        }
      }
    }
  }
}

TEST(Spending, AlphaIsTheSharesOfTheCounts) {
  const Grid grid = unit_grid({64, 64});
  PrivateOptions options = options_of("haar", 1, Transform::decimated, 58);
  const Epsilon one = Epsilon::parse("1");
  EXPECT_EQ(planned_spending("privthr", grid, one, options)[0].epsilon, Epsilon::parse("0.9"));
  EXPECT_EQ(planned_spending("privthr-em", grid, one, options)[0].epsilon, Epsilon::parse("0.7"));
  options.alpha = 0.25;
  EXPECT_EQ(planned_spending("privthr", grid, one, options)[0].epsilon, Epsilon::parse("0.25"));
  EXPECT_EQ(planned_spending("privthr", grid, one, options)[1].epsilon, Epsilon::parse("0.75"));
}

TEST(Spending, LongFiltersDeclareAllTheCellsThatARecordTouches) {
  const Grid grid = unit_grid({64, 64});
  const PrivateOptions options = options_of("bior2.2", 1, Transform::decimated, 58);
  const std::uint64_t c = touched_outputs(Wavelet::named("bior2.2"), {64, 64}, 1, Transform::decimated);
  EXPECT_EQ(c, 9U);  // taps -a b c b -a: three of them on every other cell
  EXPECT_EQ(planned_spending("privthr", grid, Epsilon::parse("1"), options)[1].sensitivity, c);
  EXPECT_EQ(planned_spending("privthr-em", grid, Epsilon::parse("1"), options)[1].sensitivity, c);
}

TEST(Spending, ASecureRunIsPrivate) {
  Random random(5);
  const Counts counts = random_counts(random, {8, 8});
  const auto noise = secure_noise();
  EXPECT_TRUE(privthr({counts}, Epsilon::parse("1"), options_of("haar", 1, Transform::decimated, 10), *noise)
                  .parts()
                  .is_private);
}

// ---- refusals and degenerate data -----------------------------------------------------------------------------------

TEST(Refused, OptionsThatCannotBeFollowed) {
  Random random(6);
  const Counts counts = random_counts(random, {8, 8});
  const auto noise = seeded_noise_not_private(1);
  const auto run = [&](const std::string& name, const PrivateOptions& options) {
    static_cast<void>(run_technique(name, {counts}, Epsilon::parse("1"), options, *noise));
  };
  PrivateOptions good = options_of("haar", 1, Transform::decimated, 10);
  EXPECT_THROW(run("privacy", good), InputError);
  for (const char* name : {"privqt", "privthr", "privthr-em"}) {
    PrivateOptions bad = good;
    bad.cluster.level = 0;
    EXPECT_THROW(run(name, bad), InputError);
    bad = good;
    bad.unit.max_contributions = 0;
    EXPECT_THROW(run(name, bad), InputError);
  }
  for (const char* name : {"privthr", "privthr-em"}) {
    for (const double alpha : {0.0, 1.0, -1.0, 2.0, std::nan("")}) {
      PrivateOptions bad = good;
      bad.alpha = alpha;
      EXPECT_THROW(run(name, bad), InputError);
    }
    PrivateOptions bad = good;
    bad.cluster.threshold = Top(5);
    EXPECT_THROW(run(name, bad), InputError);
  }
  for (const double max : {0.0, -3.0, 1e300, std::nan("")}) {
    PrivateOptions bad = good;
    bad.max_density = max;
    EXPECT_THROW(run("privthr-em", bad), InputError) << max;
  }
}

TEST(Degenerate, EndsInAReleaseOrAClearRefusal) {
  const std::vector<Counts> data = {
      counts_of({8, 8}, std::vector<std::int64_t>(64)),                        // empty
      counts_of({1}, {0}),                                                     // one cell, empty
      counts_of({1, 1}, {7}),                                                  // everything in the only cell
      counts_of({3, 5}, {0, 0, 0, 0, 0, 0, 0, 1000000, 0, 0, 0, 0, 0, 0, 0}),  // everything in one cell
      counts_of({2, 2}, {INT64_MAX / 8, 0, 0, 0}),                             // sums near the limit
  };
  for (const Counts& counts : data) {
    for (const char* name : {"privqt", "privthr", "privthr-em"}) {
      for (const char* epsilon : {"0.000000000002", "0.00000001", "1", "1000000"}) {
        for (const char* wavelet : {"haar", "bior2.2"}) {
          const auto noise = seeded_noise_not_private(9);
          const PrivateOptions options = options_of(wavelet, 1, Transform::decimated, 58);
          try {
            const Release release = run_technique(name, {counts}, Epsilon::parse(epsilon), options, *noise);
            EXPECT_EQ(release.clusters().size(), release.cluster_cells().count());
          } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input) << name << " " << epsilon << ": " << error.what();
          }
        }
      }
    }
  }
}

TEST(Degenerate, NoPositiveValueGivesNoClusters) {
  const Counts empty = counts_of({8, 8}, std::vector<std::int64_t>(64));
  ZeroNoiseNotPrivate zero;
  for (const char* name : {"privqt", "privthr", "privthr-em"}) {
    const Release release =
        run_technique(name, {empty}, Epsilon::parse("1"), options_of("haar", 1, Transform::decimated, 58), zero);
    EXPECT_EQ(release.k(), 0U) << name;
    EXPECT_TRUE(release.clusters().empty()) << name;
  }
}

TEST(Degenerate, PrivthrWithMoreToDropThanThereIsGivesNoClusters) {
  std::vector<std::int64_t> values(256);
  values[0] = 5;
  ZeroNoiseNotPrivate zero;
  const Release release =
      privthr({counts_of({16, 16}, values)}, Epsilon::parse("1"), options_of("haar", 1, Transform::decimated, 0), zero);
  EXPECT_EQ(release.k(), 0U);
  EXPECT_TRUE(release.clusters().empty());
}

// ---- on the paper's data --------------------------------------------------------------------------------------------

struct PaperSet {
  const char* name;
  double x0, x1, y0, y1;
  std::uint64_t cells;
  double percentile;
};
constexpr PaperSet paper_sets[] = {{"paper_ds1", 20406, 963766, 51397, 972357, 64, 58},
                                   {"paper_ds2", 90045, 964445, 87019, 955419, 40, 10},
                                   {"paper_ds3", 100504, 1097128, 58503, 875127, 36, 23}};

// No points when the data are not here.
Counts load(const PaperSet& set) {
  std::ifstream file(std::string(SHOAL_SHARED_DATA) + "/shapes/" + set.name + ".csv");
  Columns columns(2);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::size_t comma = line.find(',');
    columns[0].push_back(std::stod(line.substr(0, comma)));
    columns[1].push_back(std::stod(line.substr(comma + 1)));
  }
  BlockPoints points(columns);
  return quantize(points, Grid({Axis(set.x0, set.x1, set.cells), Axis(set.y0, set.y1, set.cells)}));
}

// W' of a release, as sums.
std::vector<std::int64_t> noisy_sums(const Release& release) {
  const Cells<std::int64_t> sums = haar_sums(release.parts().counts()->counts.value(), 1, Transform::decimated, 1);
  return {sums.values().begin(), sums.values().end()};
}

const PrivateOptions plain{.cluster = {.threshold = Percentile(0)}};

void for_each_run(const char* technique, const Counts& counts, const PaperSet& set, const char* epsilon, int runs,
                  const std::function<void(const Release&)>& visit, const PrivateOptions& extra = plain) {
  PrivateOptions options = options_of("haar", 1, Transform::decimated, set.percentile);
  options.max_density = extra.max_density;
  options.base = extra.base;
  for (int run = 0; run < runs; ++run) {
    const auto noise = seeded_noise_not_private(static_cast<std::uint64_t>(run) + 1);
    visit(run_technique(technique, {counts}, Epsilon::parse(epsilon), options, *noise));
  }
}

struct MeanK {
  double mean = 0;
  double standard_error = 0;
};

MeanK mean_k(const char* technique, const Counts& counts, const std::function<double(const Release&)>& k) {
  constexpr int runs = 1000;
  double sum = 0;
  double squares = 0;
  for_each_run(technique, counts, paper_sets[1], "1", runs, [&](const Release& release) {
    const double value = k(release);
    sum += value;
    squares += value * value;
  });
  const double mean = sum / runs;
  return {mean, std::sqrt((squares / runs - mean * mean) / runs)};
}

double k_alone(const Release& release) { return static_cast<double>(release.k()); }

// What k' would be if a noisy value that is exactly zero, which continuous noise never gives, counted as half positive.
double k_with_half_of_zeros(const Release& release) {
  double positive = 0;
  for (const std::int64_t sum : noisy_sums(release)) positive += sum > 0 ? 1 : (sum == 0 ? 0.5 : 0);
  return 0.9 * positive;
}

// The paper's means of 10 runs on DS2 at epsilon 1: PrivQT 249.2, PrivTHR 141.0, PrivTHR_EM 142.8, where k is 144.
// Ours are means of 1000 runs, 232.9, 142.5 and 145.4 with standard errors of 0.2 to 0.35. PrivQT's is lower because
// integer noise leaves one empty cell of W in seven at exactly zero, which is not positive; with half of those counted
// it is 250.8.
TEST(PaperFigures, MeanKOnDs2AtEpsilonOne) {
  const Counts counts = load(paper_sets[1]);
  if (counts.points() == 0) GTEST_SKIP() << "the paper's data are not here";
  const auto expect = [](const char* what, MeanK found, double low, double high) {
    EXPECT_GT(found.mean, low) << what << ", standard error " << found.standard_error;
    EXPECT_LT(found.mean, high) << what << ", standard error " << found.standard_error;
  };
  expect("privqt", mean_k("privqt", counts, &k_alone), 231, 235);
  expect("privqt, zeros halved", mean_k("privqt", counts, &k_with_half_of_zeros), 248, 253);
  expect("privthr", mean_k("privthr", counts, &k_alone), 139, 145);
  expect("privthr-em", mean_k("privthr-em", counts, &k_alone), 140, 149);
}

// ---- the utility theorems -------------------------------------------------------------------------------------------

// W in its own units, and what the theorems say about it.
struct Truth {
  std::vector<double> w;
  std::vector<double> positives;  // L, descending
  double nonpositive = 0, k = 0;
};

Truth truth_of(const Counts& counts, const PaperSet& set) {
  Truth truth;
  truth.w = w_of(counts, plain.cluster);
  truth.positives = positives_descending(truth.w);
  truth.nonpositive = static_cast<double>(truth.w.size() - truth.positives.size());
  truth.k = static_cast<double>(k_of(set.percentile, truth.positives.size()));
  return truth;
}

// The rank-th largest of L; infinite above the first, 0 below the last.
double value_at(const Truth& truth, double rank) {
  if (rank < 1) return std::numeric_limits<double>::infinity();
  if (rank > static_cast<double>(truth.positives.size())) return 0;
  return truth.positives[static_cast<std::size_t>(rank) - 1];
}

// (1) all values in L greater than W_kmin + gamma are output, (2) none less than W_kmax - gamma is.
bool claims_hold(const Truth& truth, const Release& release, double k_min, double k_max, double gamma) {
  const double must = value_at(truth, std::ceil(k_min)) + gamma;
  const double may = value_at(truth, std::floor(k_max)) - gamma;
  std::vector<bool> output(truth.w.size());
  for (const std::uint64_t cell : release.cluster_cells().cells()) output[cell] = true;
  for (std::size_t cell = 0; cell < output.size(); ++cell) {
    if (truth.w[cell] <= 1e-9) continue;
    if (truth.w[cell] > must && !output[cell]) return false;
    if (truth.w[cell] < may && output[cell]) return false;
  }
  return true;
}

// theta: positives that noise made nonpositive.
double lost_positives(const Truth& truth, const Release& release) {
  const std::vector<std::int64_t> noisy = noisy_sums(release);
  double lost = 0;
  for (std::size_t cell = 0; cell < noisy.size(); ++cell) lost += truth.w[cell] > 1e-9 && noisy[cell] <= 0 ? 1 : 0;
  return lost;
}

constexpr double omega = 0.1;
constexpr int theorem_runs = 60;

double gamma_of(const Truth& truth, double epsilon) {
  return 8 / epsilon * std::log(4 * static_cast<double>(truth.w.size()) / omega);
}

// Runs a technique on the three sets; `holds` says whether a run kept the theorem's claims.
void expect_theorem(const char* technique, double probability, const PrivateOptions& extra,
                    const std::function<bool(const Truth&, const Release&, double p, double epsilon)>& holds) {
  for (const PaperSet& set : paper_sets) {
    const Counts counts = load(set);
    if (counts.points() == 0) GTEST_SKIP() << "the paper's data are not here";
    const Truth truth = truth_of(counts, set);
    PrivateOptions options = extra;
    if (options.base == BaseMeasure::uniform) options.max_density = truth.positives.front();
    for (const char* epsilon : {"1", "8"}) {
      int kept = 0;
      const auto visit = [&](const Release& release) {
        kept += holds(truth, release, set.percentile / 100, Epsilon::parse(epsilon).value()) ? 1 : 0;
      };
      for_each_run(technique, counts, set, epsilon, theorem_runs, visit, options);
      EXPECT_GE(kept, probability * theorem_runs) << technique << " on " << set.name << " at epsilon " << epsilon;
    }
  }
}

// The theorem's half of |Z| is the chance that continuous noise is positive. Up to epsilon 1 it holds for integer noise
// as it is written; beyond, where integer noise is often exactly zero, with the chance that integer noise is positive.
TEST(Theorem, FourHoldsForPrivqt) {
  const PrivateOptions haar = options_of("haar", 1, Transform::decimated, 0);
  const double at_8 = chance_of_positive_noise(haar, 2, 8);
  expect_theorem("privqt", std::pow(1 - omega, 2), plain,
                 [at_8](const Truth& truth, const Release& release, double p, double epsilon) {
                   const double spread = std::sqrt(truth.nonpositive * std::log(1 / omega) / 2);
                   const double made = truth.nonpositive * (epsilon > 1 ? at_8 : 0.5);
                   const double middle = made - lost_positives(truth, release);
                   return claims_hold(truth, release, truth.k + (1 - p) * (middle - spread),
                                      truth.k + (1 - p) * (middle + spread), gamma_of(truth, epsilon));
                 });
}

TEST(Theorem, FiveHoldsForPrivthr) {
  expect_theorem("privthr", std::pow(1 - omega, 3), plain,
                 [](const Truth& truth, const Release& release, double p, double epsilon) {
                   const double spread = std::sqrt(truth.nonpositive * std::log(1 / omega) / 2) +
                                         2 / (0.1 * epsilon) * std::log(1 / omega);
                   const double lost = lost_positives(truth, release);
                   return claims_hold(truth, release, truth.k - (1 - p) * (lost + spread),
                                      truth.k - (1 - p) * (lost - spread), gamma_of(truth, 0.9 * epsilon));
                 });
}

bool theorem_six(const Truth& truth, const Release& release, double /*p*/, double epsilon) {
  const double at_k = value_at(truth, truth.k);
  const double above = truth.positives.front() - at_k;
  const auto size = static_cast<double>(truth.positives.size());
  const double down = size - truth.k - 1 + 2 / (0.3 * epsilon) * std::log(above / (at_k * omega));
  const double up = truth.k - 2 + 2 / (0.3 * epsilon) * std::log(at_k / (above * omega));
  return claims_hold(truth, release, truth.k - down, truth.k + up, gamma_of(truth, 0.7 * epsilon));
}

// Max as large as the largest value of W, and the uniform base, as in the paper.
TEST(Theorem, SixHoldsForPrivthrEmWithThePapersBase) {
  PrivateOptions uniform = plain;
  uniform.base = BaseMeasure::uniform;
  expect_theorem("privthr-em", std::pow(1 - omega, 2), uniform, &theorem_six);
}

TEST(Theorem, SixHoldsForPrivthrEmAsItIsByDefault) {
  expect_theorem("privthr-em", std::pow(1 - omega, 2), plain, &theorem_six);
}

// ---- several at once ------------------------------------------------------------------------------------------------

// Run under the thread sanitizer too: tables of noise may be shared, runs may not.
TEST(SideBySide, RunsGiveWhatTheyGiveAlone) {
  Random random(17);
  const Counts counts = random_counts(random, {16, 16});
  const PrivateOptions options = options_of("haar", 1, Transform::decimated, 58);
  const auto run = [&](std::size_t i) {
    const std::unique_ptr<Noise> noise = seeded_noise_not_private(i);
    const char* technique = i % 3 == 0 ? "privwave" : i % 3 == 1 ? "privthr" : "privthr-em";
    const Epsilon epsilon = Epsilon::parse(i % 2 == 0 ? "0.7" : "1.3");
    return run_technique(technique, {counts}, epsilon, options, *noise).json();
  };
  std::vector<std::string> together(24);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < together.size(); i += 3) together[(i * 7) % 24] = run((i * 7) % 24);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < together.size(); ++i) EXPECT_EQ(together[i], run(i)) << i;
}

}  // namespace
}  // namespace shoal
