// How often noise alone makes a value of W' positive. Public: it follows from the epsilon of the counts.
#pragma once

#include "shoal/evidence.hpp"

namespace shoal {

// The paper drops |Z|'/2 positives because continuous noise on a zero is positive half the time. Integer noise on a
// Haar sum is also exactly zero at times, and then no positive value was made: at epsilon 1 in 2-D one time in seven,
// at epsilon 2 one in three. So the share is (1 - P(0)) / 2, P(0) of the sum of 2^(n*level) discrete Laplace. Other
// wavelets mix the noise of all cells that a value reads, with weights that hardly ever cancel: P(0) is the chance that
// none of these cells has noise.
double positive_noise_share(const ReleaseParts& parts, const ClusterOptions& options);

// |L''|: how many of the noisy positives are left when as many are dropped as noise has made of |Z|' zeros.
std::uint64_t positives_left(std::uint64_t positive, std::int64_t nonpositive, double share);

// |L''| for wavelets other than Haar, from two estimates of |L|. Both use noised values only. `positive` is |L'|.
// `parts` must hold noisy counts and a |Z|' about the W of `options`.
//   by_zeros  |L'| without the positives that noise has made of |Z|' zeros, as for Haar. A record moves |Z| by up to c
//             cells, so the noise of |Z|' is up to c times that of Haar.
//   by_cells  the positive values of W of the counts that noise alone rarely reaches. All other counts are set to 0. It
//             hardly varies, but it misses cells of few records.
// The result is their mean, weighted by the inverse of their variances. It stays within a few standard deviations of
// by_zeros, so that it follows by_zeros where by_cells misses much.
std::uint64_t positives_of_filter(const ReleaseParts& parts, const ClusterOptions& options, std::uint64_t positive);

}  // namespace shoal
