#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>

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
  if (options.rule == ThresholdRule::coverage && !(options.coverage > 0 && options.coverage <= 100)) {
    throw InputError(
        fmt::format("the coverage is {}; choose more than 0 and at most 100, such as 80", options.coverage));
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

// In units of 10^-9 percent a share is an integer, and so is everything after it.
constexpr std::uint64_t whole = 100'000'000'000;
std::uint64_t exact_share(double percent) { return static_cast<std::uint64_t>(std::llround(percent * 1e9)); }

// The least sum that is at least this share of the total.
Int128 share_of(Int128 total, double percent) {
  const auto share = static_cast<Int128>(exact_share(percent));
  return total / whole * share + (total % whole * share + (whole - 1)) / whole;
}
double share_of(double total, double percent) { return total * (percent / 100); }

// The smallest k whose k largest values add up to the share of all. Reorders the values: halves that are wholly in or
// wholly out are settled at once.
template <class T>
std::uint64_t covering_count(std::vector<T>& values, double percent) {
  using Sum = std::conditional_t<std::is_integral_v<T>, Int128, double>;
  if (values.empty() || percent == 100) return values.size();
  const Sum wanted = share_of(std::accumulate(values.begin(), values.end(), Sum{0}), percent);
  Sum taken = 0;
  auto first = values.begin(), last = values.end();
  while (last - first > 1) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, std::greater<>());
    const Sum upper = std::accumulate(first, middle, Sum{0});
    if (taken + upper >= wanted) {
      last = middle;
    } else {
      taken += upper;
      first = middle;
    }
  }
  return static_cast<std::uint64_t>(first - values.begin()) + 1;
}

std::uint64_t asked_count(auto& positives, const ThresholdOptions& options) {
  if (options.rule == ThresholdRule::top) return std::min<std::uint64_t>(options.top, positives.size());
  if (options.rule == ThresholdRule::coverage) return covering_count(positives, options.coverage);
  return significant_count(options.percentile, positives.size());
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
    result.k = asked_count(positives, options);
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
  const std::uint64_t kept = whole - exact_share(percentile);
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
