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

// The average subband W: integers when the wavelet is Haar (W = sums * unit), else floating point.
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
