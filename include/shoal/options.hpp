// Options that determine the clustering, shared by plain WaveCluster and every private technique.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "shoal/clusters.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {

// Options that determine the clusters of plain and private runs. Only `threads` does not affect the result.
struct ClusterOptions {
  Threshold threshold;
  Wavelet wavelet = Wavelet::haar();
  unsigned level = 1;
  Transform transform = Transform::decimated;
  Adjacency adjacency = Adjacency::full;
  std::uint64_t min_cells = 1;
  // Number of threads. It affects only the speed. 0 means all cores.
  unsigned threads = 0;

  friend bool operator==(const ClusterOptions&, const ClusterOptions&) = default;
};

// Returns the step to which values of W are rounded. Filters other than Haar's are summed in floating point, where
// values that are equal in exact arithmetic may differ in their last bits and fall on both sides of a threshold. Each
// value w of W, raw or noisy, is therefore rounded to a multiple of a step that is far larger than these errors and far
// smaller than the effect of a record:
//   floor(w / step + 1/3) * step,   step = 2^(-20 - ceil(n*level/2)), about a millionth of a record under Haar
// The offset is one third because weights that are multiples of powers of two then put no value on the border between
// two steps. Errors stay below a hundredth of a step while no filter sums more than about 2^24 records. The step
// depends only on public parameters, and the rounding of a value only on that value. One record therefore still changes
// only the values that it touches.
double tie_step(std::size_t pooled_axes, unsigned level);

// The average subband W. For Haar, it holds integer sums of counts (W = sums * unit). For other wavelets, it holds
// floating point values that are whole multiples of tie_step().
class Transformed {
 public:
  // Takes the integer sums of Haar after `level` levels.
  Transformed(Cells<std::int64_t> sums, unsigned level);
  explicit Transformed(Cells<double> values) : cells_(std::move(values)) {}

  [[nodiscard]] bool is_haar() const noexcept { return sums() != nullptr; }
  // Returns the integer sums, or null if the wavelet is not Haar.
  [[nodiscard]] const Cells<std::int64_t>* sums() const noexcept { return std::get_if<0>(&cells_); }
  // Returns the factor from stored values to W: 2^(-n*level/2) for Haar, else 1.
  [[nodiscard]] double unit() const noexcept { return unit_; }
  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] bool is_dense() const noexcept;
  // Calls use(cells) with the stored cells, whatever their type. A value of W is a stored value times unit().
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    return sums() != nullptr ? use(std::get<0>(cells_)) : use(std::get<1>(cells_));
  }
  // Returns the integer sums and leaves this object empty. Only for Haar.
  [[nodiscard]] Cells<std::int64_t> take_sums() && { return std::move(std::get<0>(cells_)); }

  friend bool operator==(const Transformed&, const Transformed&) = default;

 private:
  std::variant<Cells<std::int64_t>, Cells<double>> cells_;
  double unit_ = 1;
};
// Returns the average subband of the counts.
Transformed transform(const Cells<std::int64_t>& counts, const ClusterOptions& options);

// The result of thresholding and connecting. These steps follow the transform and are the same for raw and noisy
// values.
struct Segmentation {
  std::uint64_t positive = 0, nonpositive = 0, k = 0, significant = 0;
  // The threshold, in the units of W.
  double threshold = 0;
  // Only for Haar: the same threshold as an integer sum of counts.
  std::optional<std::int64_t> threshold_sum;
  Clusters clusters;
};
// Selects the significant cells of W and connects them. Throws if the rule is DensityModes but W does not hold Haar
// sums of all cells.
Segmentation segment(const Transformed& transformed, const ClusterOptions& options);

}  // namespace shoal
