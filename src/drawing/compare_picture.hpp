// Releases side by side, with what changed between them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "drawing/canvas.hpp"
#include "drawing/panel.hpp"
#include "shoal/compare.hpp"

namespace shoal {

// names: what each release is called.
std::string compare_svg(std::span<const Release> releases, const std::vector<std::string>& names);
std::string compare_png(std::span<const Release> releases, const std::vector<std::string>& names, double scale = 2);
std::string compare_html(std::span<const Release> releases, const std::vector<std::string>& names);

// "4 clusters changed".
std::string changes_title(std::span<const Changes> changes);

// A map of its own, as a page shows it.
struct ComparedMap {
  std::string svg;
  Box box;                          // of the map in it
  Panel panel;                      // which cluster lies where
  std::vector<std::string> colors;  // of its clusters
};
std::vector<ComparedMap> compared_maps(std::span<const Release> releases, const std::vector<std::string>& names,
                                       const std::vector<Changes>& changes);

// Side by side, without what changed. title: not empty.
std::string multiples_svg(std::span<const Release> releases, const std::vector<std::string>& names,
                          const std::string& title);
std::string multiples_png(std::span<const Release> releases, const std::vector<std::string>& names,
                          const std::string& title, double scale = 2);

}  // namespace shoal
