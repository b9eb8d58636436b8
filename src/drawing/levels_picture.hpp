// Clusters at several levels: a map per level side by side, and below them which cluster holds which.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shoal/levels.hpp"

namespace shoal {

// One level, of a release or of the owner's own view.
struct LevelView {
  unsigned level = 1;
  ClusterMap map;
  std::vector<std::uint32_t> doubtful;  // numbers of doubtful clusters, ascending: drawn as unclustered
  std::vector<Holder> held_by;          // as ReleaseLevels::held_by
};

struct LevelsPicture {
  std::string title, subtitle;
  Cells<std::int64_t> density;    // raw or noisy, on the cells of the grid or of a level at least as fine as the views
  std::vector<LevelView> levels;  // the finest first
  Publication publication = {};   // its base map lies under the maps
};

// The views and the picture of a release.
std::vector<LevelView> level_views(const ReleaseLevels& levels);
LevelsPicture levels_picture(const ReleaseLevels& levels);

// What the picture shows, for the reader of a page.
inline constexpr const char* levels_caption =
    "One map per level of the wavelet transform: each level halves the resolution of the one before. Numbers are each "
    "level's own. Below: a line leads from a cluster to the cluster of the next coarser level that holds most of its "
    "cells.";

std::string levels_svg(const LevelsPicture& picture);
std::string levels_file(const LevelsPicture& picture, const std::string& path);

// A row per cluster with its level, its number, its size and the cluster that holds it, for an HTML page. sizes: of
// each level's clusters, under the given name.
std::string levels_table(const LevelsPicture& picture, const std::vector<std::vector<std::int64_t>>& sizes,
                         const std::string& size_name);

// "1, 2 in cluster 1 of level 2; 3 in 2; 4 in none": which clusters of level `index` the next coarser one holds.
// Doubtful clusters are left out. Empty for the coarsest level and where there is no cluster.
std::string held_in_words(const std::vector<LevelView>& levels, std::size_t index);

}  // namespace shoal
