// Counts and options that tests of techniques start from.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "release_examples.hpp"
#include "shoal/counts.hpp"
#include "shoal/privacy.hpp"
#include "shoal/wavelet.hpp"

namespace shoal::examples {

inline Counts counts_of(const Shape& shape, const std::vector<std::int64_t>& values) {
  const auto points = static_cast<std::uint64_t>(std::accumulate(values.begin(), values.end(), std::int64_t{0}));
  return {grid_of(shape), Cells<std::int64_t>::dense(shape, values), points, 0};
}

// Some dense spots, much of it empty.
inline Counts random_counts(std::mt19937_64& random, const Shape& shape, std::uint64_t most = 40) {
  std::vector<std::int64_t> values(cell_count(shape));
  for (std::int64_t& value : values) value = random() % 3 != 0 ? 0 : static_cast<std::int64_t>(random() % most);
  return counts_of(shape, values);
}

// Bumps of many heights, as data have them.
inline Counts bumps(std::mt19937_64& random, const Shape& shape) {
  std::vector<std::int64_t> values(cell_count(shape));
  for (int bump = 0; bump < 6; ++bump) {
    const double height = 20 + static_cast<double>(random() % 200), width = 2 + static_cast<double>(random() % 4);
    std::vector<double> centre;
    for (const std::uint64_t extent : shape) centre.push_back(static_cast<double>(random() % extent));
    for (std::uint64_t cell = 0; cell < values.size(); ++cell) {
      const auto at = coordinates(cell, shape);
      double distance = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        distance += std::pow((static_cast<double>(at[axis]) - centre[axis]) / width, 2);
      }
      values[cell] += std::llround(height * std::exp(-distance / 2));
    }
  }
  return counts_of(shape, values);
}

inline PrivateOptions options_of(double percentile, unsigned level = 1, const std::string& wavelet = "haar",
                                 Transform transform = Transform::decimated) {
  return {.cluster = {.threshold = Percentile(percentile),
                      .wavelet = Wavelet::named(wavelet),
                      .level = level,
                      .transform = transform,
                      .threads = 1}};
}

// W in the units of W, by the filter in floating point, in whole steps as ties are decided on.
inline std::vector<double> w_of(const Counts& counts, const ClusterOptions& options) {
  const std::vector<double> values(counts.raw().values().begin(), counts.raw().values().end());
  const Cells<double> w =
      average_subband(counts.grid().shape(), values, options.wavelet, options.level, options.transform);
  std::vector<double> values_of_w(w.values().begin(), w.values().end());
  const double step = tie_step(counts.grid().dimensions(), options.level);
  if (options.wavelet.is_haar()) return values_of_w;
  for (double& value : values_of_w) value = std::floor(value / step + 1.0 / 3) * step;
  return values_of_w;
}

inline std::vector<double> positives_descending(std::vector<double> w) {
  std::erase_if(w, [](double value) { return value <= 1e-9; });
  std::sort(w.rbegin(), w.rend());
  return w;
}

inline std::uint64_t k_of(double percentile, std::uint64_t positives) {
  return static_cast<std::uint64_t>(std::ceil((100 - percentile) * static_cast<double>(positives) / 100 - 1e-9));
}

// Chance that noise on a value of W is positive. Haar: the distribution of a sum of 2^(n*level) discrete Laplace, by
// convolution; other wavelets: half, unless none of the cells that a value reads has noise.
inline double chance_of_positive_noise(const PrivateOptions& options, const Shape& shape, double epsilon) {
  if (!options.cluster.wavelet.is_haar()) {
    const std::vector<double>& taps = options.cluster.wavelet.low_pass();
    const auto used = static_cast<double>(taps.size()) - static_cast<double>(std::count(taps.begin(), taps.end(), 0.0));
    const double span = (used - 1) * (std::exp2(options.cluster.level) - 1) + 1;
    double cells = 1;
    for (const std::uint64_t extent : shape) cells *= std::min(span, static_cast<double>(extent));
    return (1 - std::pow(std::tanh(epsilon / 2), cells)) / 2;
  }
  const std::size_t dimensions = shape.size();
  constexpr int most = 400;  // what lies beyond is below 1e-16 for epsilon near 1
  std::vector<double> sum(2 * most + 1);
  sum[most] = 1;
  for (std::size_t term = 0; term < std::size_t{1} << (dimensions * options.cluster.level); ++term) {
    std::vector<double> next(sum.size());
    for (int at = 0; at <= 2 * most; ++at) {
      for (int x = -60; x <= 60; ++x) {
        const int to = at + x;
        if (to < 0 || to > 2 * most) continue;
        next[static_cast<std::size_t>(to)] +=
            sum[static_cast<std::size_t>(at)] * std::tanh(epsilon / 2) * std::exp(-epsilon * std::abs(x));
      }
    }
    sum = std::move(next);
  }
  return (1 - sum[most]) / 2;
}

}  // namespace shoal::examples
