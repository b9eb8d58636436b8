// The clusters of a release without a threshold (--auto): modes of its noisy values, and how sure each is.
#pragma once

#include <vector>

#include "clusters/modes.hpp"
#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

// Whether modes can be found: of W' by Haar, all of it there, with known noise.
bool has_modes(const ReleaseParts& parts, const Transformed& w);
// w: W' of the parts under the options. Refuses what has_modes does not have.
Modes noisy_modes(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options);

// Of each cluster (index id - 1), about the population that the records come from. w: as above. A cluster from
// which no other can be reached is real when its density exceeds that of the whole box, beyond chance and noise; else
// it is but a uniform area.
std::vector<ClusterConfidence> confidence_of(const ReleaseParts& parts, const Transformed& w, const Modes& modes);

}  // namespace shoal
