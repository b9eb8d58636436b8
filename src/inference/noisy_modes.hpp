// The clusters of a release without a threshold (--auto): modes of its noisy values, and their confidence.
#pragma once

#include <cstdint>
#include <vector>

#include "clusters/modes.hpp"
#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

// Returns whether modes can be found: this needs all values of W' under Haar, and known noise.
bool has_modes(const ReleaseParts& parts, const Transformed& w);
// Returns the modes. w: W' of the parts under the options. Throws unless has_modes.
Modes noisy_modes(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options);

// Returns the confidence of a cluster that chance explains with the probability `doubt`. alone: no other cluster can be
// reached from it; it is then a uniform area with this probability. towards: the cluster that it may be part of, or 0.
ClusterConfidence confidence_of_doubt(double doubt, bool alone, std::uint32_t towards);

// Returns the confidence of each cluster (index id - 1) for the population of the records. w: as above. A cluster from
// which no other can be reached is real if its density exceeds that of the whole box, beyond chance and noise;
// otherwise it is only a uniform area.
std::vector<ClusterConfidence> confidence_of(const ReleaseParts& parts, const Transformed& w, const Modes& modes);

}  // namespace shoal
