// What changes the clustering, shared by plain WaveCluster and every private technique.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "shoal/clusters.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {

// What changes the clusters, for plain and private runs alike.
struct ClusterOptions {
  Threshold threshold;
  Wavelet wavelet = Wavelet::haar();
  unsigned level = 1;
  Transform transform = Transform::decimated;
  Adjacency adjacency = Adjacency::full;
  std::uint64_t min_cells = 1;
  unsigned threads = 0;  // only changes the speed; 0: all cores

  friend bool operator==(const ClusterOptions&, const ClusterOptions&) = default;
};

// Filters other than Haar's are summed in floating point, where values that are equal in exact arithmetic may differ in
// their last bits and fall on both sides of a threshold. So each value of W, raw or noisy, is taken to a multiple of a
// step that is far above these errors and far below what a record does:
//   floor(w / step + 1/3) * step,   step = 2^(-20 - ceil(n*level/2)), about a millionth of a record under Haar
// A third, because weights that are multiples of powers of two put no value on the border between two steps then.
// Errors stay below a hundredth of a step while no filter sums more than about 2^24 records. The step depends on public
// parameters alone, and a value's rounding on that value alone: one record still moves just the values that it touches.
double tie_step(std::size_t pooled_axes, unsigned level);

// The average subband W: integer sums of counts when the wavelet is Haar (W = sums * unit), else values in floating
// point, in whole tie_steps.
class Transformed {
 public:
  // Of Haar, after `level` levels.
  Transformed(Cells<std::int64_t> sums, unsigned level);
  explicit Transformed(Cells<double> values) : cells_(std::move(values)) {}

  [[nodiscard]] bool is_haar() const noexcept { return sums() != nullptr; }
  [[nodiscard]] const Cells<std::int64_t>* sums() const noexcept { return std::get_if<0>(&cells_); }  // null: not Haar
  [[nodiscard]] double unit() const noexcept { return unit_; }  // 2^(-n*level/2) for Haar, 1 else
  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] bool is_dense() const noexcept;
  // use(cells), of whichever type they are; a value of W is one of them times unit().
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    return sums() != nullptr ? use(std::get<0>(cells_)) : use(std::get<1>(cells_));
  }
  [[nodiscard]] Cells<std::int64_t> take_sums() && { return std::move(std::get<0>(cells_)); }  // of Haar

  friend bool operator==(const Transformed&, const Transformed&) = default;

 private:
  std::variant<Cells<std::int64_t>, Cells<double>> cells_;
  double unit_ = 1;
};
// The average subband of the counts.
Transformed transform(const Cells<std::int64_t>& counts, const ClusterOptions& options);

// Threshold and connect: the steps after the transform, the same for raw and noisy values.
struct Segmentation {
  std::uint64_t positive = 0, nonpositive = 0, k = 0, significant = 0;
  double threshold = 0;                       // in the units of W
  std::optional<std::int64_t> threshold_sum;  // Haar: the same as an integer sum of counts
  Clusters clusters;
};
Segmentation segment(const Transformed& transformed, const ClusterOptions& options);

}  // namespace shoal
