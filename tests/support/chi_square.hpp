// Pearson's chi-square as a distance in standard deviations. Seeds are fixed, so no verdict ever changes; the limits
// are stated so that a right sampler with a fresh seed would fail a look with a chance below 1e-6.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <vector>

namespace shoal::testing {

inline constexpr double accepted = 5.0;  // one-sided: 2.9e-7
inline constexpr double caught = 8.0;    // what a mutant must reach

// Under sanitizers (scripts/sanitize) statistics are cut short: they say nothing more there.
inline bool quick() { return std::getenv("SHOAL_QUICK") != nullptr; }

// Wilson and Hilferty 1931: the cube root of chi-square over its degrees of freedom is nearly normal.
inline double deviations(double chi_square, double freedom) {
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(chi_square / freedom) - (1 - spread)) / std::sqrt(spread);
}

// Observed against expected counts; neighbours are pooled until 10 are expected.
inline double deviations(std::span<const double> observed, std::span<const double> expected) {
  double chi_square = 0;
  double bins = 0;
  double seen = 0;
  double awaited = 0;
  double last_seen = 0;
  double last_awaited = 0;
  const auto close = [&](double sign) {
    const double off = last_seen - last_awaited;
    chi_square += sign * off * off / last_awaited;
  };
  for (std::size_t i = 0; i < observed.size(); ++i) {
    seen += observed[i];
    awaited += expected[i];
    if (awaited < 10) continue;
    last_seen = seen;
    last_awaited = awaited;
    close(+1);
    ++bins;
    seen = awaited = 0;
  }
  if (bins > 0 && awaited > 0) {  // what is left joins the last bin
    close(-1);
    last_seen += seen;
    last_awaited += awaited;
    close(+1);
  }
  return deviations(chi_square, bins - 1);
}

// Draws against the exact discrete Laplace, in bins of `width` values with zero alone, both tails complete.
inline double laplace_deviations(std::span<const std::int64_t> draws, double rate, std::int64_t width) {
  const auto reach = static_cast<std::int64_t>(std::ceil(45 / rate)) / width + 2;
  std::vector<double> observed(2 * reach + 1, 0);  // bin b >= 1: magnitudes (b - 1) width + 1 to b width
  for (const std::int64_t x : draws) {
    const std::int64_t bin = std::min(reach, (std::abs(x) + width - 1) / width);
    observed[reach + (x < 0 ? -bin : bin)] += 1;
  }
  std::vector<double> expected(observed.size());
  const auto count = static_cast<double>(draws.size());
  const auto beyond = [&](std::int64_t m) {  // P(X > m)
    return std::exp(-rate * static_cast<double>(m + 1)) / (1 + std::exp(-rate));
  };
  expected[reach] = count * std::tanh(rate / 2);
  for (std::int64_t bin = 1; bin <= reach; ++bin) {
    expected[reach + bin] = count * (beyond((bin - 1) * width) - (bin < reach ? beyond(bin * width) : 0));
    expected[reach - bin] = expected[reach + bin];
  }
  // From both ends to the middle, so that it is the tails that get pooled.
  std::vector<double> seen(observed.begin(), observed.begin() + reach);
  std::vector<double> awaited(expected.begin(), expected.begin() + reach);
  seen.insert(seen.end(), observed.rbegin(), observed.rbegin() + reach + 1);
  awaited.insert(awaited.end(), expected.rbegin(), expected.rbegin() + reach + 1);
  return deviations(seen, awaited);
}

// The worst of three looks: every value a bin of its own; bins as wide as the scale, which see a thin tail better; and
// zero by itself, where most mistakes are made.
inline double laplace_deviations(std::span<const std::int64_t> draws, double rate) {
  const auto width = static_cast<std::int64_t>(std::max(1.0, std::round(1 / rate)));
  const auto zeros = static_cast<double>(std::count(draws.begin(), draws.end(), 0));
  const double chance = std::tanh(rate / 2);
  const auto count = static_cast<double>(draws.size());
  const double at_zero = std::abs(zeros - count * chance) / std::sqrt(count * chance * (1 - chance));
  return std::max({laplace_deviations(draws, rate, 1), laplace_deviations(draws, rate, width), at_zero});
}

// Two samples of one distribution, whatever it is.
inline double two_sample_deviations(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  std::map<std::int64_t, std::pair<double, double>> table;
  for (const std::int64_t x : a) table[x].first += 1;
  for (const std::int64_t x : b) table[x].second += 1;
  const double share = static_cast<double>(a.size()) / static_cast<double>(a.size() + b.size());
  double chi_square = 0;
  double bins = 0;
  double first = 0;
  double second = 0;
  for (const auto& [value, counts] : table) {
    first += counts.first;
    second += counts.second;
    const double all = first + second;
    if (all < 40) continue;
    const double off = first - all * share;
    chi_square += off * off / (all * share * (1 - share));
    ++bins;
    first = second = 0;
  }
  return deviations(chi_square, bins - 1);
}

}  // namespace shoal::testing
