// The techniques as published, for studies against its own figures. NOT PRIVATE: their noise is continuous and
// in floating point, and PrivTHR_EM takes its Max from the data. They give a plain Segmentation and no Release, so that
// nothing of them can be published by mistake. Haar only: the paper gives its sensitivities for Haar.
#pragma once

#include <cstdint>

#include "shoal/counts.hpp"
#include "shoal/options.hpp"

namespace shoal::evaluation {

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
