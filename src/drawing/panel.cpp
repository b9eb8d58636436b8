#include "drawing/panel.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "base/geographic_axes.hpp"

namespace shoal {

namespace {

// Returns the number of halvings from the cells of the density to the cells of the clusters.
unsigned shift_between(const Shape& density, const Shape& clusters) {
  Shape shape = density;
  unsigned shift = 0;
  while (shape != clusters && shift < 32) {
    shape = transformed_shape(shape, 1, Transform::decimated);
    ++shift;
  }
  return shift;
}

struct Share {
  std::uint64_t pixel;
  std::uint32_t label;
};

constexpr std::size_t pixels_of_cuts = 96;  // most along an axis that was cut

// Calls visit(pixel) for every pixel that the cell (cell_x, cell_y) of W covers.
template <class Visit>
void each_covered(const PixelAxis& x, const PixelAxis& y, std::uint64_t cell_x, std::uint64_t cell_y, unsigned shift,
                  bool has_y, Visit visit) {
  const auto range = [shift](const PixelAxis& axis, std::uint64_t cell) {
    if (!axis.of_cell.empty()) return std::pair(axis.of_cell[cell].first, axis.of_cell[cell].second - 1);
    const unsigned along = axis.pooled ? shift : 0;
    const std::uint64_t first = (cell << along) / axis.cells_per_pixel;
    const std::uint64_t last = (((cell + 1) << along) - 1) / axis.cells_per_pixel;
    return std::pair(first, std::min<std::uint64_t>(last, axis.pixels - 1));
  };
  const auto [x0, x1] = range(x, cell_x);
  const auto [y0, y1] = has_y ? range(y, cell_y) : std::pair<std::uint64_t, std::uint64_t>(0, 0);
  for (std::uint64_t j = y0; j <= y1; ++j) {
    for (std::uint64_t i = x0; i <= x1; ++i) visit(j * x.pixels + i);
  }
}

// Labels each pixel with the cluster that covers most of it; of those that cover as much, with the first.
void paint(Panel& panel, const std::vector<Share>& shares) {
  std::vector<std::uint32_t> ends(panel.label.size() + 1);  // of the labels of each pixel
  for (const Share& share : shares) ++ends[share.pixel + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint32_t> labels(shares.size()), next(ends.begin(), ends.end() - 1);
  for (const Share& share : shares) labels[next[share.pixel]++] = share.label;
  for (std::size_t pixel = 0; pixel < panel.label.size(); ++pixel) {
    const auto begin = labels.begin() + ends[pixel], end = labels.begin() + ends[pixel + 1];
    if (end - begin > 1) std::sort(begin, end);
    std::ptrdiff_t most = 0;
    for (auto at = begin; at != end;) {
      const auto start = at;
      while (at != end && *at == *start) ++at;
      if (at - start > most) {
        most = at - start;
        panel.label[pixel] = *start;
      }
    }
  }
}

Panel drawn(const Cells<std::int64_t>& density, const ClusterMap& map, const PixelAxis& x, const PixelAxis& y,
            bool has_y) {
  Panel panel{x, y, std::vector<double>(x.pixels * y.pixels, 0.0), std::vector<std::uint32_t>(x.pixels * y.pixels, 0)};
  const Shape& shape = density.shape();
  const std::vector<std::uint64_t> stride = strides(shape);
  const auto pixel_of = [&](std::uint64_t cell) {
    const std::uint64_t px = cell / stride[x.axis] % shape[x.axis] / x.cells_per_pixel;
    const std::uint64_t py = has_y ? cell / stride[y.axis] % shape[y.axis] / y.cells_per_pixel : 0;
    return py * x.pixels + px;
  };
  if (density.is_dense()) {  // along the last axis, only what lies along it changes
    std::vector<std::uint64_t> along(shape.back());
    for (std::uint64_t i = 0; i < along.size(); ++i) along[i] = pixel_of(i);
    for (std::size_t first = 0; first < density.stored(); first += along.size()) {
      const std::uint64_t pixel = pixel_of(first);
      for (std::size_t i = 0; i < along.size(); ++i) {
        panel.density[pixel + along[i]] += static_cast<double>(density.values()[first + i]);
      }
    }
  } else {
    for (std::size_t i = 0; i < density.stored(); ++i) {
      panel.density[pixel_of(density.index_of(i))] += static_cast<double>(density.values()[i]);
    }
  }
  for (double& value : panel.density) value = std::max(value, 0.0);

  const Clusters& clusters = map.clusters();
  const unsigned shift = shift_between(shape, clusters.shape());
  const std::vector<std::uint64_t> cluster_stride = strides(clusters.shape());
  std::vector<Share> shares;
  shares.reserve(clusters.cells().size());
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    const std::uint64_t cell = clusters.cells()[i];
    const std::uint64_t cx = cell / cluster_stride[x.axis] % clusters.shape()[x.axis];
    const std::uint64_t cy = has_y ? cell / cluster_stride[y.axis] % clusters.shape()[y.axis] : 0;
    each_covered(x, y, cx, cy, shift, has_y, [&](std::uint64_t pixel) {
      shares.push_back({pixel, clusters.labels()[i]});
    });
  }
  paint(panel, shares);
  return panel;
}

// Calls visit for the neighbours of a pixel on the panel, at most four.
template <class Visit>
void each_neighbor(const Panel& panel, std::size_t pixel, Visit visit) {
  const std::size_t width = panel.x.pixels, height = panel.y.pixels;
  const std::size_t i = pixel % width, j = pixel / width;
  if (i > 0) visit(pixel - 1);
  if (i + 1 < width) visit(pixel + 1);
  if (j > 0) visit(pixel - width);
  if (j + 1 < height) visit(pixel + width);
}

}  // namespace

PixelAxis pixel_axis(const ClusterMap& map, const Shape& density_shape, std::size_t axis, std::size_t most) {
  const std::uint64_t cells = density_shape[axis];
  PixelAxis result;
  result.axis = axis;
  result.pooled = density_shape.side(axis).pooled;
  result.cells_per_pixel = (cells + most - 1) / most;
  result.pixels = static_cast<std::size_t>((cells + result.cells_per_pixel - 1) / result.cells_per_pixel);
  const Axis& of_grid = map.grid().axis(axis);
  if (!of_grid.cuts().empty()) {
    result.pixels = std::min(most, pixels_of_cuts);
    const double first = of_grid.position(of_grid.lo()), width = of_grid.position(of_grid.hi()) - first;
    const auto pixel_at = [&](double x) {
      const double share = (of_grid.position(x) - first) / width;
      return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(result.pixels)));
    };
    for (std::uint64_t cell = 0; cell < map.clusters().shape()[axis]; ++cell) {
      const auto [lower, upper] = map.cell_bounds(axis, cell);
      const std::uint64_t begin = std::min<std::uint64_t>(pixel_at(lower), result.pixels - 1);
      result.of_cell.emplace_back(begin, std::max(begin + 1, pixel_at(upper)));
    }
    return result;
  }
  std::uint64_t grid_cells_per_cell = 1;
  for (std::uint64_t extent = map.grid().axis(axis).cells(); extent > cells; extent = (extent + 1) / 2) {
    grid_cells_per_cell *= 2;
  }
  result.covered = static_cast<double>(result.pixels) * static_cast<double>(result.cells_per_pixel) *
                   static_cast<double>(grid_cells_per_cell) / static_cast<double>(map.grid().axis(axis).cells());
  return result;
}

Panel project(const Cells<std::int64_t>& density, const ClusterMap& map, const PixelAxis& x, const PixelAxis& y) {
  return drawn(density, map, x, y, true);
}

Panel profile(const Cells<std::int64_t>& density, const ClusterMap& map, const PixelAxis& x) {
  return drawn(density, map, x, PixelAxis{}, false);
}

void add_neighbors(const Panel& panel, std::vector<std::vector<std::uint32_t>>& neighbors) {
  std::vector<std::uint32_t> owner = panel.label;
  std::vector<std::size_t> front;  // every pixel comes once
  front.reserve(owner.size());
  const auto add = [&neighbors](std::uint32_t label, std::uint32_t other) {
    std::vector<std::uint32_t>& list = neighbors[label - 1];
    if (list.empty() || list.back() != other - 1) list.push_back(other - 1);  // along a border, the same come again
  };
  for (std::size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] != 0) front.push_back(i);
  }
  for (std::size_t i = 0; i < front.size(); ++i) {
    const std::size_t pixel = front[i];
    each_neighbor(panel, pixel, [&](std::size_t next) {
      if (owner[next] == 0) {
        owner[next] = owner[pixel];
        front.push_back(next);
      } else if (owner[next] != owner[pixel]) {
        add(owner[pixel], owner[next]);
        add(owner[next], owner[pixel]);
      }
    });
  }
  for (auto& list : neighbors) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

std::vector<Inside> deepest_pixels(const Panel& panel, std::size_t clusters) {
  std::vector<std::uint32_t> depth(panel.label.size(), 0);
  std::deque<std::size_t> front;
  const std::size_t width = panel.x.pixels, height = panel.y.pixels;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    bool border = i % width == 0 || i % width == width - 1 || i / width == 0 || i / width == height - 1;
    each_neighbor(panel, i, [&](std::size_t next) { border = border || panel.label[next] != panel.label[i]; });
    if (border) {
      depth[i] = 1;
      front.push_back(i);
    }
  }
  for (; !front.empty(); front.pop_front()) {
    const std::size_t pixel = front.front();
    each_neighbor(panel, pixel, [&](std::size_t next) {
      if (depth[next] != 0) return;
      depth[next] = depth[pixel] + 1;
      front.push_back(next);
    });
  }
  // Among equally deep pixels, takes the one nearest to the middle of them all.
  struct Middle {
    double x = 0, y = 0, count = 0;
  };
  std::vector<Inside> result(clusters);
  std::vector<Middle> middle(clusters);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (panel.label[i] == 0) continue;
    Inside& inside = result[panel.label[i] - 1];
    Middle& sum = middle[panel.label[i] - 1];
    if (depth[i] > inside.depth) {
      inside.depth = depth[i];
      sum = {};
    }
    if (depth[i] < inside.depth) continue;
    const std::size_t row = i / width;
    sum.x += static_cast<double>(i % width);
    sum.y += static_cast<double>(row);
    sum.count += 1;
  }
  std::vector<double> nearest(clusters, 1e300);
  for (std::size_t i = 0; i < depth.size(); ++i) {
    if (panel.label[i] == 0 || depth[i] != result[panel.label[i] - 1].depth) continue;
    const std::size_t cluster = panel.label[i] - 1, row = i / width;
    const double dx = static_cast<double>(i % width) - middle[cluster].x / middle[cluster].count;
    const double dy = static_cast<double>(row) - middle[cluster].y / middle[cluster].count;
    if (dx * dx + dy * dy >= nearest[cluster]) continue;
    nearest[cluster] = dx * dx + dy * dy;
    result[cluster].x = i % width;
    result[cluster].y = i / width;
  }
  return result;
}

std::vector<Segment> borders(const Panel& panel) {
  const std::size_t width = panel.x.pixels, height = panel.y.pixels;
  const auto label = [&](std::size_t i, std::size_t j) {  // the panel is surrounded by one ring of unclustered pixels
    return i == 0 || j == 0 || i > width || j > height ? 0U : panel.label[(j - 1) * width + i - 1];
  };
  std::vector<Segment> result;
  const auto as_double = [](std::size_t value) { return static_cast<double>(value); };
  for (std::size_t j = 0; j <= height; ++j) {
    for (std::size_t i = 1; i <= width; ++i) {
      const std::size_t start = i;
      while (i <= width && label(i, j) != label(i, j + 1)) ++i;
      if (i > start) result.push_back({as_double(start - 1), as_double(j), as_double(i - 1), as_double(j)});
    }
  }
  for (std::size_t i = 0; i <= width; ++i) {
    for (std::size_t j = 1; j <= height; ++j) {
      const std::size_t start = j;
      while (j <= height && label(i, j) != label(i + 1, j)) ++j;
      if (j > start) result.push_back({as_double(i), as_double(start - 1), as_double(i), as_double(j - 1)});
    }
  }
  return result;
}

double aspect_of(const Grid& grid, std::size_t x, std::size_t y) {
  const bool degrees = geographic_axes(grid).found;
  if (!degrees && (grid.axis(x).kind() != AxisKind{} || grid.axis(y).kind() != AxisKind{})) return 1;
  const auto half_of = [](const Axis& axis) { return axis.position(axis.hi()) / 2 - axis.position(axis.lo()) / 2; };
  double ratio = half_of(grid.axis(x)) / half_of(grid.axis(y));
  if (!degrees) return ratio >= 0.4 && ratio <= 2.5 ? ratio : 1;
  constexpr double degree = 3.14159265358979 / 180;
  const double middle = std::cos((grid.axis(y).lo() / 2 + grid.axis(y).hi() / 2) * degree);
  ratio *= std::holds_alternative<Latitude>(grid.axis(y).kind().scale) ? middle * middle : middle;
  return std::clamp(ratio, 0.4, 2.5);
}

double least_beyond_noise(double half_width, std::size_t pixels) {
  return half_width * std::log(50 * static_cast<double>(pixels)) / std::log(20.0);
}

}  // namespace shoal
