// One of several maps in a picture: the density of the first two axes and the clusters on it; with one axis, bars.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "drawing/base_map.hpp"
#include "drawing/canvas.hpp"
#include "drawing/panel.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

struct SmallMap {
  Grid grid;
  Panel panel;
  std::vector<std::uint8_t> colors;  // of the clusters (index: number - 1), into cluster_colors
  // What is drawn under a map whose first axis is longitude and whose second is latitude, or null.
  std::shared_ptr<const BaseMap> base = {};
  double least = 0;  // of the values outside clusters that are drawn
  [[nodiscard]] bool is_profile() const noexcept { return grid.dimensions() == 1; }
};

// width: of the box that it is drawn in, in CSS pixels.
Panel small_panel(const Cells<std::int64_t>& density, const ClusterMap& map, double width);

// Returns the base map for small maps of the grid, or null if there is none.
std::shared_ptr<const BaseMap> small_base_map(const Grid& grid, const Publication& publication);

// highest: the density of a bar that fills the box. upward_axis: whether ticks and name of the second axis are drawn;
// they take small_map_left pixels to the left of the box. Those of the first axis take 36 pixels below it.
inline constexpr double small_map_left = 56;
void draw_small_map(Canvas& canvas, const Box& box, const SmallMap& map, double highest, bool upward_axis);

}  // namespace shoal
