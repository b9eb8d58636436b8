#include "evaluation/literal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "points/random.hpp"
#include "shoal/error.hpp"

namespace shoal::evaluation {

namespace {

// Continuous Laplace noise of the given scale, by its inverse distribution function.
double laplace(Random& random, double scale) {
  const double u = random.uniform() - 0.5;
  return (u < 0 ? scale : -scale) * std::log1p(-2 * std::min(std::fabs(u), 0.5 - 0x1p-54));
}

void check(const Counts& counts, const ClusterOptions& options) {
  if (!options.wavelet.is_haar()) {
    throw InputError("the paper gives sensitivities for Haar only; use --wavelet haar");
  }
  if (!std::holds_alternative<Percentile>(options.threshold)) {
    throw InputError("the paper's techniques take a percentile as threshold");
  }
  if (!counts.raw().is_dense()) throw InputError("the paper's techniques need a dense grid; use fewer cells");
}

// M' = PrivQuantization(D, g, epsilon); W' = WaveletTransform(M').
Cells<double> noisy_transform(const Counts& counts, double epsilon, const ClusterOptions& options, Random& random) {
  std::vector<double> noisy(counts.raw().values().begin(), counts.raw().values().end());
  for (double& value : noisy) value += laplace(random, 1 / epsilon);
  return average_subband(Cells<double>::dense(counts.grid().shape(), noisy), options.wavelet, options.level,
                         options.transform, options.threads);
}

// L: the positive values of the true W, descending.
std::vector<double> true_positives(const Counts& counts, const ClusterOptions& options) {
  const Transformed transformed = transform(counts.raw(), options);
  std::vector<double> positives;
  for (const std::int64_t sum : transformed.sums()->values()) {
    if (sum > 0) positives.push_back(static_cast<double>(sum) * transformed.unit());
  }
  std::sort(positives.begin(), positives.end(), std::greater<>());
  return positives;
}

// The k largest values of W' are significant; none when k is 0.
Segmentation segment_top(Cells<double> noisy, std::uint64_t k, ClusterOptions options) {
  options.threshold = Top(std::max<std::uint64_t>(k, 1));
  Segmentation result = segment(Transformed(std::move(noisy)), options);
  if (k > 0) return result;
  result.clusters = Clusters(result.clusters.shape(), {}, {});
  result.k = result.significant = 0;
  return result;
}

}  // namespace

Segmentation privqt_literal_not_private(const Counts& counts, double epsilon, const ClusterOptions& options,
                                        std::uint64_t seed) {
  check(counts, options);
  Random random(seed, 1);
  return segment(Transformed(noisy_transform(counts, epsilon, options, random)), options);
}

Segmentation privthr_literal_not_private(const Counts& counts, double epsilon, double alpha,
                                         const ClusterOptions& options, std::uint64_t seed) {
  check(counts, options);
  Random random(seed, 2);
  Cells<double> noisy = noisy_transform(counts, alpha * epsilon, options, random);
  const std::uint64_t cells = noisy.cell_count();
  const std::size_t positives = true_positives(counts, options).size();  // |L|
  const double nonpositive = static_cast<double>(cells - positives) + laplace(random, 1 / ((1 - alpha) * epsilon));
  std::uint64_t noisy_positives = 0;  // |L'|
  for (const double value : std::as_const(noisy).values()) noisy_positives += value > 0 ? 1 : 0;
  const double left = static_cast<double>(noisy_positives) - std::max(0.0, std::round(nonpositive / 2));  // |L''|
  const std::uint64_t k =
      left < 1 ? 0 : significant_count(std::get<Percentile>(options.threshold), static_cast<std::uint64_t>(left));
  return segment_top(std::move(noisy), k, options);
}

Segmentation privthr_em_literal_not_private(const Counts& counts, double epsilon, double alpha,
                                            const ClusterOptions& options, std::uint64_t seed) {
  check(counts, options);
  Random random(seed, 3);
  Cells<double> noisy = noisy_transform(counts, alpha * epsilon, options, random);
  std::vector<double> positives = true_positives(counts, options);
  if (positives.empty()) return segment_top(std::move(noisy), 0, options);
  const auto k = static_cast<double>(significant_count(std::get<Percentile>(options.threshold), positives.size()));
  const std::size_t count = positives.size();
  positives.push_back(0);

  // Partition i (from 1 on) is (x_{i+1}, x_i], of rank i. Costs are taken from the least, so that no weight vanishes.
  std::vector<double> cost(count);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    cost[i] = (1 - alpha) * epsilon / 2 * std::fabs(static_cast<double>(i + 1) - k);
    if (positives[i] > positives[i + 1]) least = std::min(least, cost[i]);
  }
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += (positives[i] - positives[i + 1]) * std::exp(least - cost[i]);
  double at = random.uniform() * sum;
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = (positives[i] - positives[i + 1]) * std::exp(least - cost[i]);
    if (weight == 0) continue;
    drawn = i;
    if (at < weight) break;
    at -= weight;
  }
  ClusterOptions from_threshold = options;
  from_threshold.threshold = Density(positives[drawn] - random.uniform() * (positives[drawn] - positives[drawn + 1]));
  Segmentation result = segment(Transformed(std::move(noisy)), from_threshold);
  result.k = drawn + 1;
  return result;
}

}  // namespace shoal::evaluation
