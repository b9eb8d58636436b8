// Draws releases side by side, with what changed between them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "drawing/canvas.hpp"
#include "drawing/panel.hpp"
#include "shoal/compare.hpp"

namespace shoal {

// Returns a picture by the suffix of `path`, as canvas_for chooses it. names: the name of each release.
std::string compare_file(std::span<const Release> releases, const std::vector<std::string>& names,
                         const std::string& path);
std::string compare_html(std::span<const Release> releases, const std::vector<std::string>& names);

// Returns a title such as "4 clusters changed".
std::string changes_title(std::span<const Changes> changes);

// One map by itself, as a page shows it.
struct ComparedMap {
  std::string svg;
  Box box;                          // the box of the map within the picture
  Panel panel;                      // which cluster lies where
  std::vector<std::string> colors;  // of its clusters
};
std::vector<ComparedMap> compared_maps(std::span<const Release> releases, const std::vector<std::string>& names,
                                       const std::vector<Changes>& changes);

// Draws the releases side by side, without what changed. title: must not be empty.
std::string multiples_file(std::span<const Release> releases, const std::vector<std::string>& names,
                           const std::string& title, const std::string& path);

}  // namespace shoal
