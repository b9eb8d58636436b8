// The techniques as published, for studies against its own figures. NOT PRIVATE: their noise is continuous and
// in floating point, Baseline takes its bounds and PrivTHR_EM its Max from the data. They give a plain Segmentation and
// no Release, so that nothing of them can be published by mistake. Haar only: the paper gives its sensitivities for
// Haar.
#pragma once

#include <cstdint>

#include "grid/point_table.hpp"
#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"

namespace shoal::evaluation {

// Baseline as the authors ran it, of points inside the grid. The adaptive grid (Qardaji, Yang, Li 2013) lies over the
// range of the data and has 10 cells per axis in its first level, which gets half of epsilon; c2 = 5; a cell with a
// noisy count below 20 is not divided; counts are rounded to the nearest whole number. The range of the synthetic
// points is then taken for the range of the data, as the authors lay the grid over the points that they cluster.
Segmentation baseline_literal_not_private(const PointTable& points, const Grid& grid, double epsilon,
                                          const ClusterOptions& options, std::uint64_t seed);
// k in the result is the paper's k'. Percentile thresholds only. alpha: the share of epsilon for the counts.
Segmentation privqt_literal_not_private(const Counts& counts, double epsilon, const ClusterOptions& options,
                                        std::uint64_t seed);
Segmentation privthr_literal_not_private(const Counts& counts, double epsilon, double alpha,
                                         const ClusterOptions& options, std::uint64_t seed);
// The exponential mechanism over the partitions of (0, Max], Max the data's own; d' uniform in the partition drawn, and
// k' its rank.
Segmentation privthr_em_literal_not_private(const Counts& counts, double epsilon, double alpha,
                                            const ClusterOptions& options, std::uint64_t seed);

}  // namespace shoal::evaluation
