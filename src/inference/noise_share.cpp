#include "inference/noise_share.hpp"

#include <algorithm>
#include <cmath>

#include "inference/laplace_law.hpp"
#include "shoal/clusters.hpp"
#include "wavelet/placement.hpp"

namespace shoal {

namespace {

// Chosen on DS1 to DS3 with bior2.2, db2 and rbio2.2 at the budgets of the paper (docs/techniques.md, "privthr").
constexpr double occupied_by_noise = 0.25;  // of the cells that a value of W reads: expected number kept by noise alone
constexpr double error_of_by_cells = 0.04;  // standard deviation of by_cells, as a share of it
constexpr double most_deviations = 4;       // of by_zeros

// Returns the number of cells of the grid that a value of W reads.
double cells_read(const Shape& shape, const ClusterOptions& options) {
  double cells = 1;
  const std::uint64_t span = filter_span(options.wavelet, options.level);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape.side(axis).pooled) cells *= static_cast<double>(std::min(span, shape[axis]));
  }
  return cells;
}

double by_cells(const ReleaseParts& parts, const ClusterOptions& options) {
  const NoisyCounts& counts = parts.counts()->counts;
  const LaplaceLaw draw = draw_law(*counts.law());
  const double least = std::max(1.0, draw.value_of_tail(occupied_by_noise / cells_read(parts.grid.shape(), options)));
  Cells<std::int64_t> occupied = counts.value();
  for (std::int64_t& value : occupied.values()) value = static_cast<double>(value) < least ? 0 : value;
  double positive = 0;
  transform(occupied, options).visit([&](const auto& cells) {
    for (const auto value : cells.values()) positive += value > 0 ? 1 : 0;
  });
  return positive;
}

}  // namespace

double positive_noise_share(const ReleaseParts& parts, const ClusterOptions& options) {
  const Shape shape = parts.grid.shape();
  const std::optional<NoiseLaw>& law = parts.values()->law();
  if (!parts.counts() || !law) return 0.5;
  const LaplaceLaw draw = draw_law(*law);
  if (options.wavelet.is_haar()) {
    const double cells = std::exp2(static_cast<double>(shape.pooled_axes()) * options.level);
    return (1 - draw.chance_of_zero(cells)) / 2;
  }
  return (1 - std::pow(draw.chance_of_zero(1), cells_read(shape, options))) / 2;
}

std::uint64_t positives_left(std::uint64_t positive, std::int64_t nonpositive, double share) {
  const std::int64_t made = std::llround(static_cast<double>(nonpositive) * share);
  return made <= 0 ? positive : positive - std::min(static_cast<std::uint64_t>(made), positive);
}

std::uint64_t positives_of_filter(const ReleaseParts& parts, const ClusterOptions& options, std::uint64_t positive) {
  const Noised<std::int64_t>& zeros = parts.answer()->answer;
  const double share = positive_noise_share(parts, options);
  if (!parts.counts() || !parts.values()->law() || !zeros.law()) return positives_left(positive, zeros.value(), share);
  const auto most = static_cast<double>(positive);
  const auto cells =
      static_cast<double>(cell_count(transformed_shape(parts.grid.shape(), options.level, options.transform)));
  const auto z = static_cast<double>(zeros.value());
  // Two things move by_zeros: the noise of |Z|', and that the zeros of W become positive by chance.
  const double by_zeros = most - share * z;
  const double variance =
      share * share * draw_law(*zeros.law()).variance() + share * (1 - share) * std::clamp(z, 0.0, cells);
  const double estimate = by_cells(parts, options);
  const double error = error_of_by_cells * estimate;
  const double weight = variance > 0 ? error * error / (error * error + variance) : 1;
  const double reach = most_deviations * std::sqrt(variance);
  const double mean = estimate + weight * (by_zeros - estimate);
  const double kept = std::clamp(mean, by_zeros - reach, by_zeros + reach);
  return static_cast<std::uint64_t>(std::llround(std::clamp(kept, 0.0, most)));
}

}  // namespace shoal
