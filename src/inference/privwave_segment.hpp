// privwave after the noise: from the noisy profile and the noisy values to k', the threshold and the clusters.
#pragma once

#include "inference/noisy_segmentation.hpp"

namespace shoal {

// Segments W' with the help of the profile, for a percentile or a coverage. w: W' of the noisy values under the
// options. The profile must be about this W.
NoisySegmentation segment_by_profile(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options);

// Returns whether the parts have what a profile needs: dense noisy values or a floor, and the laws of both.
bool can_use_profile(const ReleaseParts& parts);

// A release knows all of its values, or only those above a bound: those that reach its floor, or those above its
// censoring bound. Values below a floor are not stored; values below a censoring bound were raised to it.
// Throws if the parts cannot have their bound.
void check_bound(const ReleaseParts& parts);
// Throws if the options ask for values that are below the bound.
void check_above_bound(const ReleaseParts& parts, const ClusterOptions& options);

}  // namespace shoal
