#include "inference/intervals.hpp"

#include <algorithm>
#include <cmath>

#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "wavelet/haar_blocks.hpp"

namespace shoal {

namespace {

constexpr double excess_error = 0.6;  // twice the relative standard error of the estimated mean noise in chosen cells

// Noisy values in a cell of W. No cell has more than its axes have.
double values_in_a_cell(const ReleaseParts& parts) {
  if (parts.blocks_level() == 0 && parts.options.transform != Transform::decimated) return 1;
  const double along = std::exp2(static_cast<double>(parts.options.level - parts.blocks_level()));
  const Shape& noisy = parts.values()->value().shape();
  double result = 1;
  for (std::size_t axis = 0; axis < noisy.size(); ++axis) {
    if (parts.grid.shape().side(axis).pooled) result *= std::min(along, static_cast<double>(noisy[axis]));
  }
  return result;
}

constexpr double largest = 0x1p62;  // of the numbers that a release states
double in_a_file(double records) { return std::clamp(records, 0.0, largest); }

// Widens the intervals where a sum of Haar counts some cells of a block more often than others, at the end of an axis
// that whole blocks do not fill: which of them hold its records is unknown.
void widen_for_mixed_weights(const ReleaseParts& parts, const Clusters& clusters,
                             std::vector<ClusterConfidence>& confidence) {
  if (parts.blocks_level() == 0 || parts.blocks_level() != parts.options.level) return;
  struct Weights {
    double least = largest, most = 0, cells = 0, sum = 0;
  };
  const HaarPieces pieces = haar_pieces(parts.grid.shape(), parts.blocks_level());
  std::vector<std::vector<Weights>> weights;  // per axis and block
  for (std::size_t axis = 0; axis < pieces.blocks.size(); ++axis) {
    weights.emplace_back(pieces.blocks[axis]);
    for (const std::uint64_t piece : pieces.of_cell[axis]) {
      Weights& block = weights.back()[pieces.block_of[axis][piece]];
      const auto weight = static_cast<double>(pieces.weight[axis][piece]);
      block.least = std::min(block.least, weight);
      block.most = std::max(block.most, weight);
      block.sum += weight;
      ++block.cells;
    }
  }
  const Cells<std::int64_t>& sums = parts.values()->value();
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(clusters.cells()[i], clusters.shape());
    double least = 1, most = 1, mean = 1;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const Weights& block = weights[axis][at[axis]];
      least /= block.most;
      most /= block.least;
      mean *= block.cells / block.sum;
    }
    if (least == most) continue;
    const double value = std::max(0.0, static_cast<double>(sums.at(clusters.cells()[i])));
    ClusterConfidence& one = confidence[clusters.labels()[i] - 1];
    one.least_records = in_a_file(std::floor(one.least_records - value * (mean - least)));
    one.most_records = in_a_file(std::ceil(one.most_records + value * (most - mean)));
  }
}

}  // namespace

void set_interval_of_chosen(ClusterConfidence& result, double noisy_size, double excess, double reach) {
  const bool known = std::isfinite(excess);  // values of windows that are far larger than the grid overflow
  const double middle = known ? noisy_size - excess : noisy_size;
  const double half = known ? std::hypot(reach, excess_error * excess) : largest;
  result.least_records = in_a_file(std::floor(middle - half));
  result.most_records = in_a_file(std::ceil(middle + half));
  result.estimated_records = in_a_file(std::round(middle));
}

void set_intervals_of_noise(const ReleaseParts& parts, const Clusters& clusters, std::span<const double> excess,
                            std::vector<ClusterConfidence>& confidence) {
  const LaplaceLaw law = draw_law(*law_of_values(parts));
  const double a_cell = values_in_a_cell(parts);
  const std::vector<std::int64_t> sizes = noisy_sizes(parts, clusters);
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    const double reach = law.reach(a_cell * static_cast<double>(clusters.sizes()[i]));
    set_interval_of_chosen(confidence[i], static_cast<double>(sizes[i]), excess[i], reach);
  }
  widen_for_mixed_weights(parts, clusters, confidence);
}

// The values below the threshold count as much as those above. Of the mean noise of a value of W' that reaches the
// threshold, the cells that it stands for have the share that is correlated with theirs.
std::vector<double> excess_at(const ReleaseParts& parts, const Clusters& clusters, double threshold) {
  std::vector<double> result(clusters.count(), 0);
  const std::optional<NoiseOfW> noise = noise_of_w(parts, parts.options);
  if (!noise) return result;
  const double variance = draw_law(*law_of_values(parts)).variance() * values_in_a_cell(parts);
  const double deviation_of_w = std::sqrt(noise->noise.variance) * noise->scale.threshold;
  const NoisePlace place = parts.blocks_level() > 0 ? NoisePlace::sums : NoisePlace::counts;
  const double shared = shared_noise(parts.grid.shape(), parts.options, place);
  const Transformed w = transformed_noisy(parts, parts.options);
  w.visit([&](const auto& values) {
    for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
      const double off = static_cast<double>(values.at(clusters.cells()[i])) * w.unit() - threshold;
      result[clusters.labels()[i] - 1] +=
          2 * shared * excess_by(variance, scale_of_draw(variance), off * std::sqrt(variance) / deviation_of_w);
    }
  });
  return result;
}

// Clustered cells are chosen from all by their noisy values. Intervals of 1 - 0.05 R / m, where R of m are chosen, miss
// on average at most 5 % of those that are shown (Benjamini and Yekutieli 2005).
std::optional<CellIntervals> CellIntervals::of(const ReleaseParts& parts, const Clusters& clusters) {
  const NoiseLaw* law = law_of_values(parts);
  if (law == nullptr) return std::nullopt;
  if (parts.has_floor() && parts.options.level != parts.blocks_level()) return std::nullopt;
  const double chosen = static_cast<double>(std::max<std::size_t>(clusters.cells().size(), 1)) /
                        static_cast<double>(cell_count(clusters.shape()));
  const double reach = draw_law(*law).half_width(values_in_a_cell(parts), 0.05 * chosen);
  return CellIntervals(static_cast<std::int64_t>(std::min(largest, reach)), law->censored_below);
}

CellIntervals::Ends CellIntervals::around(std::int64_t noisy_count) const {
  const auto saturated = [](double value) { return static_cast<std::int64_t>(in_a_file(value)); };
  const auto count = static_cast<double>(noisy_count), reach = static_cast<double>(reach_);
  const std::int64_t least = saturated(count - reach);
  return {least > lowest_ ? least : 0, saturated(count + reach)};
}

}  // namespace shoal
