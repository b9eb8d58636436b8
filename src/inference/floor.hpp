// Releases of boxes that are too large for noise on every value. They hold the values that reach a floor, and nothing
// about the others (Mechanisms::values_above_floor). Public side: a floor depends on noised and public values only.
#pragma once

#include <cstdint>

#include "inference/laplace_law.hpp"
#include "privacy/profile.hpp"
#include "shoal/clusters.hpp"
#include "shoal/evidence.hpp"
#include "shoal/grid.hpp"
#include "shoal/noised.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// Returns the expected number of `cells` values of zero that one draw of noise raises to the floor.
double noise_reaching(double cells, const LaplaceLaw& law, std::int64_t floor);
// Returns the least floor, at least 1, that at most `most` of them are expected to reach.
std::int64_t least_floor(double cells, const LaplaceLaw& law, double most);

// Maximum expected number of cells that are noise alone. More would carry no information, and each would be a cluster.
inline constexpr double most_noise_cells = 1 << 16;

// Return privwave's floors, for PostProcessing. At most a twentieth of the requested cells may be noise alone. The
// first computes the floor of a percentile or coverage from the profile; the unit determines the sensitivities.
std::int64_t floor_by_profile(const Noised<ProfileSums>& profile, const Grid& grid, const ClusterOptions& options,
                              const PrivacyUnit& unit, const Epsilon& for_profile, const Epsilon& for_values);
// The same for the rules Top and Density. A density is the floor itself. Throws if noise alone is expected to raise
// more than most_noise_cells cells to it; the message names a density that works.
std::int64_t floor_by_rule(const Grid& grid, const ClusterOptions& options, const PrivacyUnit& unit,
                           const Epsilon& for_values);

// Throws as floor_by_rule does.
void check_rule_of_floor(const Grid& grid, const ClusterOptions& options, const PrivacyUnit& unit,
                         const Epsilon& for_values);

// Returns the smallest sum of counts that is significant under the rule Density.
std::int64_t density_as_sum(const Grid& grid, const ClusterOptions& options);

// Drops the clusters in which all values may be noise alone: those without a clear cell. A value is clear if noise
// alone is expected to reach it in less than a thousandth of a cell of the whole box.
Clusters clear_of_noise(const Clusters& clusters, const Cells<std::int64_t>& values, const NoiseLaw& law,
                        Adjacency adjacency, std::uint64_t min_cells);

}  // namespace shoal
