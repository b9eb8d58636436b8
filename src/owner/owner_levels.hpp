// The owner's own view of the data at several levels. Not private, and no part of the public side.
#pragma once

#include <string>
#include <vector>

#include "drawing/levels_picture.hpp"
#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"

namespace shoal {

// Plain WaveCluster at several levels, the finest first. All of it is raw.
struct OwnerLevels {
  std::string input;  // what was read, as the owner calls it
  const Counts& counts;
  ClusterOptions options;                          // of the finest level
  std::vector<Segmentation> results;               // of each level
  std::vector<LevelView> views;                    // of each level
  std::vector<std::vector<std::int64_t>> sizes{};  // points of each level's clusters
};

// options: all but the level. Throws InputError for a level that the grid cannot give (check_levels).
OwnerLevels owner_levels(std::string input, const Counts& counts, ClusterOptions options,
                         const std::vector<unsigned>& levels);

LevelsPicture owner_levels_picture(const OwnerLevels& levels);
std::string owner_levels_report(const OwnerLevels& levels);

}  // namespace shoal
