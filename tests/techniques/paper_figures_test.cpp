// The paper's figures and its theorems, on the paper's data.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "block_points.hpp"
#include "technique_examples.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

using examples::chance_of_positive_noise;
using examples::k_of;
using examples::options_of;
using examples::positives_descending;
using examples::w_of;
using testing::BlockPoints;
using testing::read_xy;

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
  BlockPoints points(read_xy(std::string(SHOAL_SHARED_DATA) + "/shapes/" + set.name + ".csv"));
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
  PrivateOptions options = options_of(set.percentile);
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
  const PrivateOptions haar = options_of(0);
  const double at_8 = chance_of_positive_noise(haar, {2, 2}, 8);
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

}  // namespace
}  // namespace shoal
