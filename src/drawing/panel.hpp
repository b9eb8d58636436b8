// What one part of a picture shows: density and clusters of a pair of axes (or of one), on pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "drawing/canvas.hpp"
#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

// How the cells of an axis become pixels: cell >> shift for cells of W, cell / cells_per_pixel for those of the
// density.
struct PixelAxis {
  std::size_t axis = 0;
  std::size_t pixels = 1;
  std::uint64_t cells_per_pixel = 1;  // cells of the density
  bool pooled = true;                 // a cell of W covers several of them
  double covered = 1;                 // the pixels' length over the axis' own: above 1 when the last one is cut
};

struct Panel {
  PixelAxis x, y;                    // y.pixels == 1 and meaningless in a profile
  std::vector<double> density;       // pixel (i, j) at j * x.pixels + i; j grows upwards; never below zero
  std::vector<std::uint32_t> label;  // 0: unclustered
};

PixelAxis pixel_axis(const ClusterMap& map, const Shape& density_shape, std::size_t axis, std::size_t most);

// Adds the density up along all other axes.
Panel project(const Cells<std::int64_t>& density, const ClusterMap& map, const PixelAxis& x, const PixelAxis& y);
Panel profile(const Cells<std::int64_t>& density, const ClusterMap& map, const PixelAxis& x);

// Which clusters lie next to each other: grown over the panel, they meet. Adds to neighbors (index: id - 1).
void add_neighbors(const Panel& panel, std::vector<std::vector<std::uint32_t>>& neighbors);

// A pixel deep inside each cluster (index: id - 1), with its distance from the border; 0 where it does not show.
struct Inside {
  std::size_t x = 0, y = 0;
  std::uint32_t depth = 0;
};
std::vector<Inside> deepest_pixels(const Panel& panel, std::size_t clusters);

// Borders of the clusters, in pixels from the lower left; long pieces in one.
std::vector<Segment> borders(const Panel& panel);

}  // namespace shoal
