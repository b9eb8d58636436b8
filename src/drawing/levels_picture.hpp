// Clusters at several levels: a map per level side by side, and below them which cluster holds which.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shoal/levels.hpp"

namespace shoal {

struct LevelsPicture {
  std::string title, subtitle;
  Cells<std::int64_t> density;    // raw or noisy, on the cells of the grid or of a level at least as fine as the views
  std::vector<LevelView> levels;  // the finest first
  Publication publication = {};   // its base map lies under the maps, and its title heads them
  // Returns half the width of the 95 % interval of the sum of that many values: cells that noise may explain are not
  // drawn. Empty: all are.
  std::function<std::optional<double>(double count)> noise = {};
};

// Returns the picture of a release.
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

}  // namespace shoal
