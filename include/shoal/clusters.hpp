// Thresholds and connected components of the transformed values, the options that determine them, and the map from
// points to clusters. Plain WaveCluster and every private technique share them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shoal/cells.hpp"
#include "shoal/grid.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {

// Defines which neighbouring cells are connected.
enum class Adjacency {
  full,  // All 3^n - 1 neighbours.
  face,  // Only the 2n neighbours that share a face.
};

// The five types below are the rules that decide which values of W, the average subband, are significant. Each
// constructor throws if its number is out of range. There is no default rule.

// The rule of the paper: drops the smallest `percent` % of the positive values. `percent` is in [0, 100).
class Percentile {
 public:
  explicit Percentile(double percent);
  [[nodiscard]] double percent() const noexcept { return percent_; }
  friend bool operator==(const Percentile&, const Percentile&) = default;

 private:
  double percent_;
};

// Keeps the fewest largest values that together hold `percent` % of the sum of the positive values. `percent` is in (0,
// 100].
class Coverage {
 public:
  explicit Coverage(double percent);
  [[nodiscard]] double percent() const noexcept { return percent_; }
  friend bool operator==(const Coverage&, const Coverage&) = default;

 private:
  double percent_;
};

// Keeps the `cells` largest values. `cells` is at least 1.
class Top {
 public:
  explicit Top(std::uint64_t cells);
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  friend bool operator==(const Top&, const Top&) = default;

 private:
  std::uint64_t cells_;
};

// Keeps the values that are at least `least`, in the units of W. `least` is finite and above 0.
class Density {
 public:
  explicit Density(double least);
  [[nodiscard]] double least() const noexcept { return least_; }
  friend bool operator==(const Density&, const Density&) = default;

 private:
  double least_;
};

// Applies no threshold: the clusters are the modes of the density (--auto; docs/quality.md).
struct DensityModes {
  friend bool operator==(const DensityModes&, const DensityModes&) = default;
};

// The rule that selects the significant cells.
using Threshold = std::variant<Percentile, Coverage, Top, Density, DensityModes>;

// Returns the number of significant cells, k = ceil((1 - p) |L|), where |L| is `positives`. The result is at least 1 if
// |L| > 0. The result is exact for percentiles with up to nine decimals: 58 means 58/100.
std::uint64_t significant_count(Percentile percentile, std::uint64_t positives);

// The significant cells and how they were selected.
template <class T>
struct Significant {
  std::uint64_t positive = 0;  // |L|, the number of positive values.
  // |Z|, the number of other cells. |L| + |Z| is the number of cells of the box, including cells that a sparse box
  // omits.
  std::uint64_t nonpositive = 0;
  // Number of cells that the rule selects, at most |L|. Ties may make more cells significant.
  std::uint64_t k = 0;
  // The k-th largest value, or the density (rounded up if T is an integer). It is 0 if |L| is 0.
  T threshold{};
  // Linear indices in ascending order. Every listed value is positive and at least `threshold`.
  std::vector<std::uint64_t> cells;
};

// Selects the significant cells of `values`. A Density is in the units of `values` here. For Coverage, k is the
// smallest number such that the k largest values reach the share. Sums of integers are exact for shares with up to nine
// decimals. NaN is never positive. Throws if the rule is DensityModes.
Significant<std::int64_t> significant_cells(const Cells<std::int64_t>& values, const Threshold& threshold,
                                            unsigned threads = 1);
Significant<double> significant_cells(const Cells<double>& values, const Threshold& threshold, unsigned threads = 1);

// Clusters of cells. They are numbered from 1 by size, largest first; clusters of equal size are ordered by their first
// cell. Label 0 means that a cell is in no cluster.
class Clusters {
 public:
  Clusters() = default;
  // Takes the clustered cells and their labels. Throws if they violate an invariant of this class, because they may
  // come from a file.
  Clusters(Shape shape, std::vector<std::uint64_t> cells, std::vector<std::uint32_t> labels);

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t count() const noexcept { return sizes_.size(); }
  // Number of cells of each cluster, in descending order. sizes()[i] belongs to cluster i + 1.
  [[nodiscard]] const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }
  // Clustered cells in ascending order of their linear index, and the label of each, which is at least 1.
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

// Returns the connected components of `cells`, which must be ascending and free of duplicates. Components of fewer than
// `min_cells` cells stay unclustered. Memory grows with the number of listed cells, not with the size of the box.
Clusters connect(const Shape& shape, std::span<const std::uint64_t> cells, Adjacency adjacency = Adjacency::full,
                 std::uint64_t min_cells = 1, unsigned threads = 1);

// Connects the cells of a mask of the whole box and writes one label per cell. A cell is set if its mask byte is not
// zero. The mask and the labels are in row-major order; mask.size() and labels.size() must equal cell_count(shape).
// Returns the sizes of the clusters.
std::vector<std::uint64_t> connect_mask(const Shape& shape, std::span<const std::uint8_t> mask,
                                        std::span<std::uint32_t> labels, Adjacency adjacency = Adjacency::full,
                                        std::uint64_t min_cells = 1, unsigned threads = 0);

// Defines which points near a cluster receive its label.
enum class Assign {
  none,     // Only points in the cells of the cluster.
  halo,     // In addition, points in cells next to the cluster.
  nearest,  // All points inside the bounds; each receives the label of a nearest cluster.
};

// Maps a point to its cluster: a point lies in a cell of the grid, which is covered by a transformed cell.
class ClusterMap {
 public:
  ClusterMap(Grid grid, unsigned level, Transform transform, Clusters clusters);
  // Returns the cluster of a point, or 0 if the point is unclustered or outside the bounds. point.size() must equal
  // grid().dimensions().
  [[nodiscard]] std::uint32_t label(std::span<const double> point) const noexcept;
  // Writes the label of each point. `columns` holds one array per axis, each with labels.size() rows.
  void label(const std::vector<std::span<const double>>& columns, std::span<std::uint32_t> labels) const;
  // Returns a map with the same clusters whose labels extend to neighbouring cells, one ring of cells after the other.
  // An unlabelled cell receives the most frequent label among its labelled neighbours; a tie goes to the largest
  // cluster. Throws if the box has more than dense_limit cells, unless `assign` is Assign::none or there are no
  // clusters.
  [[nodiscard]] ClusterMap assigned(Assign assign) const;
  // Returns a map with the same clusters that gives no point one of these labels. Points of these clusters receive 0.
  [[nodiscard]] ClusterMap without(std::span<const std::uint32_t> labels) const;
  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] const Clusters& clusters() const noexcept { return clusters_; }
  // Returns the lower and upper edge of a transformed cell along an axis, in the units of the axis.
  [[nodiscard]] std::pair<double, double> cell_bounds(std::size_t axis, std::uint64_t coordinate) const noexcept;

 private:
  Grid grid_;
  unsigned level_;
  Transform transform_;
  Clusters clusters_;
  [[nodiscard]] std::uint32_t shown(std::uint32_t label) const noexcept {
    return label < left_out_.size() && left_out_[label] ? 0 : label;
  }

  // The label of each cell if labels extend beyond the clusters; else empty.
  std::vector<std::uint32_t> reach_;
  // Whether the label with this index is left out.
  std::vector<bool> left_out_;
};

// Outline of a cluster in two dimensions, in the units of the axes. x is axis 0 and y is axis 1. A ring is closed: its
// last point repeats its first point. Exterior rings run counter-clockwise and holes run clockwise. Rings list corners
// only. A ring never touches itself, for either adjacency: cells that meet only at a corner belong to separate
// polygons.
struct Ring {
  std::vector<std::pair<double, double>> points;
};
struct Polygon {
  Ring exterior;
  std::vector<Ring> holes;
};
std::vector<Polygon> outline(const ClusterMap& map, std::uint32_t cluster);
// Returns the outlines of all clusters. result[i] is the outline of cluster i + 1.
std::vector<std::vector<Polygon>> outlines(const ClusterMap& map, unsigned threads = 1);

// Options that determine the clusters of plain and private runs. Only `threads` does not affect the result.
struct ClusterOptions {
  Threshold threshold;
  Wavelet wavelet = Wavelet::haar();
  unsigned level = 1;
  Transform transform = Transform::decimated;
  Adjacency adjacency = Adjacency::full;
  std::uint64_t min_cells = 1;
  // Number of threads. It affects only the speed. 0 means all cores.
  unsigned threads = 0;

  friend bool operator==(const ClusterOptions&, const ClusterOptions&) = default;
};

// Returns the step to which values of W are rounded. Filters other than Haar's are summed in floating point, where
// values that are equal in exact arithmetic may differ in their last bits and fall on both sides of a threshold. Each
// value w of W, raw or noisy, is therefore rounded to a multiple of a step that is far larger than these errors and far
// smaller than the effect of a record:
//   floor(w / step + 1/3) * step,   step = 2^(-20 - ceil(n*level/2)), about a millionth of a record under Haar
// The offset is one third because weights that are multiples of powers of two then put no value on the border between
// two steps. Errors stay below a hundredth of a step while no filter sums more than about 2^24 records. The step
// depends only on public parameters, and the rounding of a value only on that value. One record therefore still changes
// only the values that it touches.
double tie_step(std::size_t pooled_axes, unsigned level);

// The average subband W. For Haar, it holds integer sums of counts (W = sums * unit). For other wavelets, it holds
// floating point values that are whole multiples of tie_step(). Copies share the values.
class Transformed {
 public:
  // Takes the integer sums of Haar after `level` levels.
  Transformed(Cells<std::int64_t> sums, unsigned level);
  Transformed(std::shared_ptr<const Cells<std::int64_t>> sums, unsigned level);
  explicit Transformed(Cells<double> values) : values_(std::make_shared<const Cells<double>>(std::move(values))) {}

  [[nodiscard]] bool is_haar() const noexcept { return sums() != nullptr; }
  // Returns the integer sums, or null if the wavelet is not Haar.
  [[nodiscard]] const Cells<std::int64_t>* sums() const noexcept { return sums_.get(); }
  // Returns the factor from stored values to W: 2^(-n*level/2) for Haar, else 1.
  [[nodiscard]] double unit() const noexcept { return unit_; }
  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] bool is_dense() const noexcept;
  // Calls use(cells) with the stored cells, whatever their type. A value of W is a stored value times unit().
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    return sums_ ? use(*sums_) : use(*values_);
  }
  // Returns the integer sums, themselves if nothing else shares them. Only for Haar.
  [[nodiscard]] Cells<std::int64_t> take_sums() &&;

  friend bool operator==(const Transformed& a, const Transformed& b) {
    if (a.is_haar() != b.is_haar()) return false;
    return a.unit_ == b.unit_ && (a.is_haar() ? *a.sums_ == *b.sums_ : *a.values_ == *b.values_);
  }

 private:
  // One of the two is set.
  std::shared_ptr<const Cells<std::int64_t>> sums_;
  std::shared_ptr<const Cells<double>> values_;
  double unit_ = 1;
};
// Returns the average subband of the counts.
Transformed transform(const Cells<std::int64_t>& counts, const ClusterOptions& options);

// The result of thresholding and connecting. These steps follow the transform and are the same for raw and noisy
// values.
struct Segmentation {
  std::uint64_t positive = 0, nonpositive = 0, k = 0, significant = 0;
  // The threshold, in the units of W.
  double threshold = 0;
  // Only for Haar: the same threshold as an integer sum of counts.
  std::optional<std::int64_t> threshold_sum;
  Clusters clusters;
};
// Selects the significant cells of W and connects them. Throws if the rule is DensityModes but W does not hold Haar
// sums of all cells.
Segmentation segment(const Transformed& transformed, const ClusterOptions& options);

}  // namespace shoal
