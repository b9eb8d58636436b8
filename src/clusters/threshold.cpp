#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/wide.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

void check(const ThresholdOptions& options) {
  if (options.rule == ThresholdRule::percentile && !(options.percentile >= 0 && options.percentile < 100)) {
    throw InputError(
        fmt::format("the percentile is {}; choose 0 or more and less than 100, such as 58", options.percentile));
  }
  if (options.rule == ThresholdRule::top && options.top == 0) {
    throw InputError("the top 0 cells are no cells; choose a number of cells of at least 1");
  }
  if (options.rule == ThresholdRule::density && !(options.density > 0 && std::isfinite(options.density))) {
    throw InputError(fmt::format("the density is {}; choose a finite number above 0", options.density));
  }
}

double least_value(double density, double /*kind*/) { return density; }

// The smallest integer that reaches the density.
std::int64_t least_value(double density, std::int64_t /*kind*/) {
  const double least = std::ceil(density);
  return least < 0x1p63 ? static_cast<std::int64_t>(least) : std::numeric_limits<std::int64_t>::max();
}

// The k-th largest, 1 <= k <= values.size(). Reorders the values.
template <class T>
T kth_largest(std::vector<T>& values, std::uint64_t k) {
  const auto kth = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(values.begin(), kth, values.end(), std::greater<>());
  return *kth;
}

template <class T>
Significant<T> select(const Cells<T>& cells, const ThresholdOptions& options) {
  check(options);
  const std::span<const T> values = cells.values();
  std::vector<T> positives;
  std::copy_if(values.begin(), values.end(), std::back_inserter(positives), [](T value) { return value > 0; });

  Significant<T> result;
  result.positive = positives.size();
  result.nonpositive = cells.cell_count() - result.positive;
  if (options.rule == ThresholdRule::density) {
    result.threshold = least_value(options.density, T{});
    result.k = static_cast<std::uint64_t>(
        std::count_if(positives.begin(), positives.end(), [&](T value) { return value >= result.threshold; }));
  } else {
    result.k = options.rule == ThresholdRule::top ? std::min(options.top, result.positive)
                                                  : significant_count(options.percentile, result.positive);
    if (result.k > 0) result.threshold = kth_largest(positives, result.k);
  }
  if (result.k == 0) return result;
  result.cells.reserve(result.k);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0 && values[i] >= result.threshold) result.cells.push_back(cells.index_of(i));
  }
  return result;
}

}  // namespace

std::uint64_t significant_count(double percentile, std::uint64_t positives) {
  check({.rule = ThresholdRule::percentile, .percentile = percentile});
  // In units of 10^-9 percent the percentile is an integer, and so is everything after it.
  constexpr std::uint64_t whole = 100'000'000'000;
  const std::uint64_t kept = whole - static_cast<std::uint64_t>(std::llround(percentile * 1e9));
  const Uint128 k = (static_cast<Uint128>(kept) * positives + (whole - 1)) / whole;
  return positives == 0 ? 0 : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(k));
}

Significant<std::int64_t> significant_cells(const Cells<std::int64_t>& values, const ThresholdOptions& options) {
  return select(values, options);
}

Significant<double> significant_cells(const Cells<double>& values, const ThresholdOptions& options) {
  return select(values, options);
}

}  // namespace shoal
