// Releases of boxes too large to noise every value: they hold the values that reach a floor, and know nothing of the
// others (Mechanisms::values_above_floor). Public side: floors are made of noised and public values alone.
#pragma once

#include <cstdint>

#include "inference/laplace_law.hpp"
#include "shoal/clusters.hpp"
#include "shoal/epsilon.hpp"
#include "shoal/evidence.hpp"
#include "shoal/grid.hpp"
#include "shoal/noised.hpp"
#include "shoal/options.hpp"
#include "shoal/profile.hpp"

namespace shoal {

// Of `cells` values that are zero, the expected number that one draw of noise raises to the floor.
double noise_reaching(double cells, const LaplaceLaw& law, std::int64_t floor);
// The least floor, at least 1, that no more than `most` of them are expected to reach.
std::int64_t least_floor(double cells, const LaplaceLaw& law, double most);

// More cells than this that are noise alone are not drawn: they say nothing, and each would be a cluster.
inline constexpr double most_noise_cells = 1 << 16;

// privwave's floors, for functions of PostProcessing. Of what is asked for, at most a twentieth may be noise alone.
// By percentile, from the profile; sensitivities follow the unit.
std::int64_t floor_by_profile(const Noised<ProfileSums>& profile, const Grid& grid, const ClusterOptions& options,
                              const PrivacyUnit& unit, const Epsilon& for_profile, const Epsilon& for_values);
// By the rules top and density. Density: what it asks for is the floor; one that more than most_noise_cells of noise
// reach is refused, with one that works.
std::int64_t floor_by_rule(const Grid& grid, const ClusterOptions& options, const PrivacyUnit& unit,
                           const Epsilon& for_values);

// The sum of counts from which on a value is significant under the rule density.
std::int64_t density_as_sum(const Grid& grid, const ClusterOptions& options);

// Clusters without those of which no cell is clear of the noise: of which all values might be noise alone. A value is
// clear from where on less than a thousandth of a cell is expected in the whole box.
Clusters clear_of_noise(const Clusters& clusters, const Cells<std::int64_t>& values, const NoiseLaw& law,
                        Adjacency adjacency, std::uint64_t min_cells);

// What a file or a technique must keep to: sparse sums of the options' level, all of them at the floor or above.
// Throws InputError.
void check_floor(const ReleaseParts& parts);
// Throws InputError when a release with a floor cannot give what the options ask for, because it lies below the floor.
void check_above_floor(const ReleaseParts& parts, const ClusterOptions& options);

}  // namespace shoal
