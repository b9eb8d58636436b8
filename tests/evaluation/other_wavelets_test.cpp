// With bior2.2 a record moves nine cells of W, so |Z|' has nine times the noise that it has with Haar. privthr must not
// follow that noise: privqt does not ask for |Z|, and it is the technique to beat at every budget of the paper. Means
// of 100 runs are compared, within two standard errors of their difference.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "chi_square.hpp"
#include "clusters/contingency.hpp"
#include "clusters/metrics.hpp"
#include "evaluation_examples.hpp"
#include "privacy/noise.hpp"
#include "shoal/readers.hpp"
#include "shoal/wavecluster.hpp"
#include "technique_examples.hpp"
#include "techniques/techniques.hpp"

namespace shoal::evaluation {
namespace {

struct PaperSet {
  const char* generated;  // if the authors' file is not there
  const char* file;
  Axis x, y;
  double percentile;
};

Counts counts_of(const PaperSet& set) {
  const std::string path = std::string(SHOAL_SHARED_DATA) + "/shapes/" + set.file;
  if (!std::ifstream(path)) return examples::example(set.generated).data.counts;
  const auto points = open_csv(path, {.columns = {"x", "y"}});
  return quantize(*points, Grid({set.x, set.y}));
}

struct Mean {
  double value = 0, variance = 0;  // of the mean
};

Mean mean_dsg_c(const std::string& technique, const Counts& counts, const PrivateOptions& options,
                const std::string& epsilon) {
  const std::uint64_t runs = testing::quick() ? 10 : 100;
  const Segmentation truth = wavecluster(counts, options.cluster);
  double sum = 0, squares = 0;
  for (std::uint64_t run = 1; run <= runs; ++run) {
    const auto noise = seeded_noise_not_private(run);
    const Release release = run_technique(technique, {counts}, Epsilon::parse(epsilon), options, *noise);
    const double value = dsg_c(shared_cells(truth.clusters, release.cluster_cells()));
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<double>(runs);
  return {sum / n, (squares / n - sum * sum / (n * n)) / n};
}

TEST(OtherWavelets, PrivThrWithBior22IsNoWorseThanPrivQtAtAnyBudgetOfThePaper) {
  const PaperSet sets[] = {{"ds1", "paper_ds1.csv", Axis(20406, 963766, 64, "x"), Axis(51397, 972357, 64, "y"), 58},
                           {"ds2", "paper_ds2.csv", Axis(90045, 964445, 40, "x"), Axis(87019, 955419, 40, "y"), 10},
                           {"ds3", "paper_ds3.csv", Axis(100504, 1097128, 36, "x"), Axis(58503, 875127, 36, "y"), 23}};
  for (const PaperSet& set : sets) {
    const Counts counts = counts_of(set);
    const PrivateOptions options{
        .cluster = {.threshold = Percentile(set.percentile), .wavelet = Wavelet::named("bior2.2"), .threads = 1}};
    for (const char* epsilon : {"0.1", "0.25", "0.5", "0.75", "1", "1.5", "2"}) {
      if (testing::quick() && std::string(epsilon) != "1") continue;
      const Mean privthr = mean_dsg_c("privthr", counts, options, epsilon);
      const Mean privqt = mean_dsg_c("privqt", counts, options, epsilon);
      EXPECT_LE(privthr.value, privqt.value + 2 * std::sqrt(privthr.variance + privqt.variance))
          << set.generated << " at epsilon " << epsilon;
    }
  }
}

// Every occupied cell has two records. Noise alone reaches that often, so the counts show few occupied cells. The noise
// of |Z|' is small compared with |Z| on this grid, and k' must follow it.
TEST(OtherWavelets, PrivThrFollowsTheZerosWhereCountsAreTooSmallToSee) {
  const Shape shape = {200, 200};
  std::vector<std::int64_t> values(cell_count(shape), 0);
  for (std::uint64_t cell = 0; cell < values.size() / 2; ++cell) values[cell] = cell % 3 == 0 ? 2 : 0;
  const Counts counts = shoal::examples::counts_of(shape, values);
  const PrivateOptions options = shoal::examples::options_of(20, 1, "bior2.2");
  const std::uint64_t k = wavecluster(counts, options.cluster).k;
  for (std::uint64_t run = 1; run <= 5; ++run) {
    const auto noise = seeded_noise_not_private(run);
    const Release release = run_technique("privthr", {counts}, Epsilon::parse("0.75"), options, *noise);
    EXPECT_GT(release.k(), k / 2);
  }
}

}  // namespace
}  // namespace shoal::evaluation
