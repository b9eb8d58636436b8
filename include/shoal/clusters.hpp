// Significant cells and their connected components, on plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "shoal/cells.hpp"
#include "shoal/grid.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {

// Which neighbouring cells connect.
enum class Adjacency {
  full,  // all 3^n - 1 neighbours
  face,  // the 2n that share a face
};

// Which values of W are significant, one of the five below. Each refuses a number out of its range; none is the
// default.

// The paper's rule: the smallest `percent` % of the positive values are dropped. In [0, 100).
class Percentile {
 public:
  explicit Percentile(double percent);
  [[nodiscard]] double percent() const noexcept { return percent_; }
  friend bool operator==(const Percentile&, const Percentile&) = default;

 private:
  double percent_;
};

// The largest values that together hold `percent` % of the sum of the positive ones. In (0, 100].
class Coverage {
 public:
  explicit Coverage(double percent);
  [[nodiscard]] double percent() const noexcept { return percent_; }
  friend bool operator==(const Coverage&, const Coverage&) = default;

 private:
  double percent_;
};

// This many of the largest values, at least 1.
class Top {
 public:
  explicit Top(std::uint64_t cells);
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  friend bool operator==(const Top&, const Top&) = default;

 private:
  std::uint64_t cells_;
};

// Values of at least this, in the units of W. Finite and above 0.
class Density {
 public:
  explicit Density(double least);
  [[nodiscard]] double least() const noexcept { return least_; }
  friend bool operator==(const Density&, const Density&) = default;

 private:
  double least_;
};

// No threshold: clusters are the modes of the density (--auto; docs/quality.md).
struct DensityModes {
  friend bool operator==(const DensityModes&, const DensityModes&) = default;
};

// The rule that chooses the significant cells.
using Threshold = std::variant<Percentile, Coverage, Top, Density, DensityModes>;

// k = ceil((1 - p) |L|), at least 1 when |L| > 0. Exact for percentiles given with up to nine decimals: 58 means
// 58/100.
std::uint64_t significant_count(Percentile percentile, std::uint64_t positives);

// The significant cells and how they were chosen.
template <class T>
struct Significant {
  std::uint64_t positive = 0;        // |L|
  std::uint64_t nonpositive = 0;     // |Z|: |L| + |Z| is the number of cells, also when sparse
  std::uint64_t k = 0;               // cells that were asked for (at most |L|); ties may make more significant
  T threshold{};                     // the k-th largest value, or the density (integers: rounded up); 0 when |L| is 0
  std::vector<std::uint64_t> cells;  // linear indices, ascending; all positive and >= threshold
};

// Density is given in the units of `values` here. Under coverage k is the smallest number whose k largest values reach
// the share; sums of integers are exact, for shares given with up to nine decimals. Refuses DensityModes. NaN is never
// positive.
Significant<std::int64_t> significant_cells(const Cells<std::int64_t>& values, const Threshold& threshold,
                                            unsigned threads = 1);
Significant<double> significant_cells(const Cells<double>& values, const Threshold& threshold, unsigned threads = 1);

// Clusters are numbered 1, 2, ... by size, the largest first; equal sizes by their first cell. 0: unclustered.
class Clusters {
 public:
  Clusters() = default;
  // Refuses what breaks a rule of this class: they also come from files.
  Clusters(Shape shape, std::vector<std::uint64_t> cells, std::vector<std::uint32_t> labels);

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t count() const noexcept { return sizes_.size(); }
  // sizes()[i]: cells of cluster i + 1; descending.
  [[nodiscard]] const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }
  // Clustered cells, ascending by linear index, and the label of each (>= 1).
  [[nodiscard]] const std::vector<std::uint64_t>& cells() const noexcept { return cells_; }
  [[nodiscard]] const std::vector<std::uint32_t>& labels() const noexcept { return labels_; }
  [[nodiscard]] std::uint32_t label(std::uint64_t cell) const noexcept;

  friend bool operator==(const Clusters&, const Clusters&) = default;

 private:
  Shape shape_;
  std::vector<std::uint64_t> cells_;
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint64_t> sizes_;
};

// Connected components of the given cells (ascending, unique). Components of fewer than min_cells cells stay
// unclustered. Takes memory of the listed cells, whatever the size of the box.
Clusters connect(const Shape& shape, std::span<const std::uint64_t> cells, Adjacency adjacency = Adjacency::full,
                 std::uint64_t min_cells = 1, unsigned threads = 1);

// The same from a mask of the whole box (row-major, not zero: set) to a label for every cell of it. Returns the sizes.
// mask.size() == labels.size() == cell_count(shape).
std::vector<std::uint64_t> connect_mask(const Shape& shape, std::span<const std::uint8_t> mask,
                                        std::span<std::uint32_t> labels, Adjacency adjacency = Adjacency::full,
                                        std::uint64_t min_cells = 1, unsigned threads = 0);

// Which points near a cluster get its label.
enum class Assign {
  none,     // those in its cells
  halo,     // those in cells next to it too
  nearest,  // all inside the bounds, each by the nearest cluster
};

// From a point to its cluster: through the grid's cell to the transformed cell that covers it.
class ClusterMap {
 public:
  ClusterMap(Grid grid, unsigned level, Transform transform, Clusters clusters);
  // point.size() == grid.dimensions(). 0: unclustered or outside.
  [[nodiscard]] std::uint32_t label(std::span<const double> point) const noexcept;
  // columns: one array per axis. labels.size() rows.
  void label(const std::vector<std::span<const double>>& columns, std::span<std::uint32_t> labels) const;
  // The same clusters with labels that reach further. A cell gets the most frequent label of its labelled neighbours,
  // in a tie that of the largest cluster, ring by ring. Refuses boxes past the dense limit.
  [[nodiscard]] ClusterMap assigned(Assign assign) const;
  // The same clusters, but no point is labelled with one of these.
  [[nodiscard]] ClusterMap without(std::span<const std::uint32_t> labels) const;
  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] const Clusters& clusters() const noexcept { return clusters_; }
  // Bounds of a transformed cell along an axis, in the units of the axis.
  [[nodiscard]] std::pair<double, double> cell_bounds(std::size_t axis, std::uint64_t coordinate) const noexcept;

 private:
  Grid grid_;
  unsigned level_;
  Transform transform_;
  Clusters clusters_;
  [[nodiscard]] std::uint32_t shown(std::uint32_t label) const noexcept {
    return label < left_out_.size() && left_out_[label] ? 0 : label;
  }

  std::vector<std::uint32_t> reach_;  // label of each cell, where it is not that of clusters_
  std::vector<bool> left_out_;        // by label
};

// 2-D outlines of a cluster, in the axes' units: closed rings (first point repeated last), x = axis 0, y = axis 1.
// Exterior rings counter-clockwise, holes clockwise; corners only. Under face adjacency and full adjacency alike a ring
// never touches itself: cells that meet at a corner only give separate polygons.
struct Ring {
  std::vector<std::pair<double, double>> points;
};
struct Polygon {
  Ring exterior;
  std::vector<Ring> holes;
};
std::vector<Polygon> outline(const ClusterMap& map, std::uint32_t cluster);
// Of all clusters at once: result[i] is the outline of cluster i + 1.
std::vector<std::vector<Polygon>> outlines(const ClusterMap& map, unsigned threads = 1);

}  // namespace shoal
