// privwave after the noise: from the noisy profile and the noisy values to k', the threshold and the clusters.
#pragma once

#include "inference/noisy_segmentation.hpp"

namespace shoal {

// w: W' of parts' noisy values under options, which the profile of parts is about. The rule is a percentile or a
// coverage.
NoisySegmentation segment_by_profile(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options);

// What a profile needs beside it: dense noisy values or a floor, and the laws of both.
bool can_use_profile(const ReleaseParts& parts);

// Refuses a censoring bound (ReleaseParts::censored_below) that the parts cannot have.
void check_censoring(const ReleaseParts& parts);
// Refuses options that ask for cells below it: these have no values.
void check_above_censoring(const ReleaseParts& parts, const ClusterOptions& options);

}  // namespace shoal
