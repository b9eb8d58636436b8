// What changes the clustering, shared by plain WaveCluster and every private technique.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shoal/clusters.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {

struct ClusterOptions {
  ThresholdOptions threshold{};
  std::string wavelet = "haar";
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
double tie_step(std::size_t dimensions, unsigned level);

// The average subband W: integers when the wavelet is Haar (W = sums * unit), else floating point, in whole tie_steps.
struct Transformed {
  std::optional<Cells<std::int64_t>> sums;
  std::optional<Cells<double>> values;
  double unit = 1;  // 2^(-n*level/2) for Haar, 1 else
};
Transformed transform(const Cells<std::int64_t>& counts, const ClusterOptions& options);
// The same of Haar sums that are there already.
Transformed transformed_of(Cells<std::int64_t> sums, unsigned level);

// Threshold and connect: the steps after the transform, the same for raw and noisy values.
struct Segmentation {
  std::uint64_t positive = 0, nonpositive = 0, k = 0, significant = 0;
  double threshold = 0;                       // in the units of W
  std::optional<std::int64_t> threshold_sum;  // Haar: the same as an integer sum of counts
  Clusters clusters;
};
Segmentation segment(const Transformed& transformed, const ClusterOptions& options);

}  // namespace shoal
