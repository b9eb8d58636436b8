// The content of one panel of a picture: density and clusters along a pair of axes (or along one), on pixels.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "drawing/canvas.hpp"
#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

// How the cells of an axis become pixels: cell >> shift for cells of W, cell / cells_per_pixel for cells of the
// density.
struct PixelAxis {
  std::size_t axis = 0;
  std::size_t pixels = 1;
  std::uint64_t cells_per_pixel = 1;  // cells of the density
  bool pooled = true;                 // whether a cell of W covers several of them
  // If the axis was cut: for each cell of W, its first pixel and the one behind its last. The pixels are equally wide.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> of_cell = {};
  double covered = 1;  // length of the pixels over that of the axis: above 1 if the last one is cut
};

struct Panel {
  PixelAxis x, y;                    // in a profile, y.pixels == 1 and y is meaningless
  std::vector<double> density;       // pixel (i, j) at j * x.pixels + i; j grows upwards; never negative
  std::vector<std::uint32_t> label;  // 0: unclustered
};

PixelAxis pixel_axis(const ClusterMap& map, const Shape& density_shape, std::size_t axis, std::size_t most);

// Sums the density along all other axes.
// Returns the shape of a map, width over height: equal units on both axes if that is sensible, degrees as they look in
// the middle of the map.
double aspect_of(const Grid& grid, std::size_t x, std::size_t y);

// Returns the value that a pixel of pure noise reaches in one of a hundred pictures, given half the width of the 95 %
// interval of its noise: the noise is Laplace's or has lighter tails.
double least_beyond_noise(double half_width, std::size_t pixels);

Panel project(const Cells<std::int64_t>& density, const ClusterMap& map, const PixelAxis& x, const PixelAxis& y);
Panel profile(const Cells<std::int64_t>& density, const ClusterMap& map, const PixelAxis& x);

// Finds which clusters lie next to each other: those that meet when they are grown over the panel. Adds them to
// neighbors (index: id - 1).
void add_neighbors(const Panel& panel, std::vector<std::vector<std::uint32_t>>& neighbors);

// A pixel deep inside each cluster (index: id - 1), and its distance from the border. The depth is 0 if the cluster is
// not visible.
struct Inside {
  std::size_t x = 0, y = 0;
  std::uint32_t depth = 0;
};
std::vector<Inside> deepest_pixels(const Panel& panel, std::size_t clusters);

// Returns the borders of the clusters, in pixels from the lower left. Straight stretches are one segment.
std::vector<Segment> borders(const Panel& panel);

}  // namespace shoal
