#include "evaluation/literal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "points/random.hpp"
#include "shoal/error.hpp"

namespace shoal::evaluation {

namespace {

// Continuous Laplace noise of the given scale, by its inverse distribution function.
double laplace(Random& random, double scale) {
  const double u = random.uniform() - 0.5;
  return (u < 0 ? scale : -scale) * std::log1p(-2 * std::min(std::fabs(u), 0.5 - 0x1p-54));
}

void check(const ClusterOptions& options) {
  if (!options.wavelet.is_haar()) {
    throw InputError("the paper gives sensitivities for Haar only; use --wavelet haar");
  }
  if (!std::holds_alternative<Percentile>(options.threshold)) {
    throw InputError("the paper's techniques take a percentile as threshold");
  }
}

void check(const Counts& counts, const ClusterOptions& options) {
  check(options);
  if (!counts.raw().is_dense()) throw InputError("the paper's techniques need a dense grid; use fewer cells");
}

// M' = PrivQuantization(D, g, epsilon); W' = WaveletTransform(M').
Cells<double> noisy_transform(const Counts& counts, double epsilon, const ClusterOptions& options, Random& random) {
  std::vector<double> noisy(counts.raw().values().begin(), counts.raw().values().end());
  for (double& value : noisy) value += laplace(random, 1 / epsilon);
  return average_subband(Cells<double>::dense(counts.grid().shape(), noisy), options.wavelet, options.level,
                         options.transform, options.threads);
}

// L: the positive values of the true W, descending.
std::vector<double> true_positives(const Counts& counts, const ClusterOptions& options) {
  const Transformed transformed = transform(counts.raw(), options);
  std::vector<double> positives;
  for (const std::int64_t sum : transformed.sums()->values()) {
    if (sum > 0) positives.push_back(static_cast<double>(sum) * transformed.unit());
  }
  std::sort(positives.begin(), positives.end(), std::greater<>());
  return positives;
}

// The k largest values of W' are significant; none when k is 0.
Segmentation segment_top(Cells<double> noisy, std::uint64_t k, ClusterOptions options) {
  options.threshold = Top(std::max<std::uint64_t>(k, 1));
  Segmentation result = segment(Transformed(std::move(noisy)), options);
  if (k > 0) return result;
  result.clusters = Clusters(result.clusters.shape(), {}, {});
  result.k = result.significant = 0;
  return result;
}

// ---- Baseline --------------------------------------------------------------------------------------------------

constexpr std::uint64_t first_cells = 10;  // per axis, in the first level of the adaptive grid
constexpr double first_share = 0.5;        // of epsilon
constexpr double c2 = 5;
constexpr double least_to_split = 4 * c2;

struct Extent {
  double lo = 0, hi = 0;
};

std::vector<Extent> extents_of(const PointTable& points) {
  std::vector<Extent> extents;
  for (const std::vector<double>& column : points.columns) {
    const auto [lo, hi] = std::minmax_element(column.begin(), column.end());
    extents.push_back({*lo, *hi});
  }
  return extents;
}

// Position of a value in units of first-level cells, in [0, first_cells].
double position_of(double x, const Extent& extent) {
  return extent.hi > extent.lo ? (x - extent.lo) / (extent.hi - extent.lo) * first_cells : 0;
}

std::uint64_t index_in(double position, std::uint64_t cells) {
  return std::min(static_cast<std::uint64_t>(std::max(position, 0.0)), cells - 1);
}

// Row-major index over `cells` per axis, one coordinate at a time.
class Cube {
 public:
  Cube(std::uint64_t cells, std::size_t dimensions) : cells_(cells), dimensions_(dimensions) {}
  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t size = 1;
    for (std::size_t a = 0; a < dimensions_; ++a) size *= cells_;
    return size;
  }
  [[nodiscard]] std::vector<std::uint64_t> coordinates(std::uint64_t index) const {
    std::vector<std::uint64_t> at(dimensions_);
    for (std::size_t a = dimensions_; a-- > 0; index /= cells_) at[a] = index % cells_;
    return at;
  }

 private:
  std::uint64_t cells_;
  std::size_t dimensions_;
};

// Rows of the points by first-level cell: rows[start[cell]] .. rows[start[cell + 1]].
struct FirstLevel {
  std::vector<std::size_t> rows, start;
};

FirstLevel first_level(const PointTable& points, const std::vector<Extent>& extents) {
  FirstLevel level;
  level.start.assign(Cube(first_cells, extents.size()).size() + 1, 0);
  std::vector<std::uint64_t> cells(points.rows(), 0);
  for (std::size_t row = 0; row < points.rows(); ++row) {
    for (std::size_t a = 0; a < extents.size(); ++a) {
      cells[row] = cells[row] * first_cells + index_in(position_of(points.columns[a][row], extents[a]), first_cells);
    }
    ++level.start[cells[row] + 1];
  }
  std::partial_sum(level.start.begin(), level.start.end(), level.start.begin());
  level.rows.resize(points.rows());
  std::vector<std::size_t> next(level.start.begin(), level.start.end() - 1);
  for (std::size_t row = 0; row < points.rows(); ++row) level.rows[next[cells[row]]++] = row;
  return level;
}

// Adds the synthetic points of one first-level cell.
void synthesize_cell(const PointTable& points, const std::vector<Extent>& extents, std::span<const std::size_t> rows,
                     const std::vector<std::uint64_t>& at, double epsilon, Random& random, PointTable& synthetic) {
  const auto dimensions = static_cast<double>(extents.size());
  const double second = (1 - first_share) * epsilon;
  const double first_count = static_cast<double>(rows.size()) + laplace(random, 1 / (first_share * epsilon));
  const std::uint64_t divisions =
      first_count < least_to_split
          ? 1
          : static_cast<std::uint64_t>(std::ceil(std::pow(first_count * second / c2, 1 / dimensions)));
  const Cube cube(divisions, extents.size());
  std::vector<double> counts(cube.size(), 0);
  for (const std::size_t row : rows) {
    std::uint64_t index = 0;
    for (std::size_t a = 0; a < extents.size(); ++a) {
      const double inside = position_of(points.columns[a][row], extents[a]) - static_cast<double>(at[a]);
      index = index * divisions + index_in(inside * static_cast<double>(divisions), divisions);
    }
    ++counts[index];
  }
  for (double& count : counts) count += laplace(random, 1 / second);
  // Both levels weighted by their variances; the second then adds up to the result.
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double ratio = (1 - first_share) / first_share;
  const auto size = static_cast<double>(counts.size());
  const double weight = size / (ratio * ratio + size);
  const double correction = weight * (first_count - sum) / size;
  for (std::uint64_t index = 0; index < counts.size(); ++index) {
    const std::vector<std::uint64_t> in = cube.coordinates(index);
    for (double left = std::round(counts[index] + correction); left > 0; --left) {
      for (std::size_t a = 0; a < extents.size(); ++a) {
        const double inside = (static_cast<double>(in[a]) + random.uniform()) / static_cast<double>(divisions);
        const double cell = (extents[a].hi - extents[a].lo) / first_cells;
        synthetic.columns[a].push_back(extents[a].lo + (static_cast<double>(at[a]) + inside) * cell);
      }
    }
  }
}

}  // namespace

Segmentation baseline_literal_not_private(const PointTable& points, const Grid& grid, double epsilon,
                                          const ClusterOptions& options, std::uint64_t seed) {
  check(options);
  Random random(seed, 4);
  PointTable synthetic;
  synthetic.columns.resize(grid.dimensions());
  if (points.rows() > 0) {
    const std::vector<Extent> extents = extents_of(points);
    const FirstLevel level = first_level(points, extents);
    const Cube cube(first_cells, extents.size());
    for (std::uint64_t cell = 0; cell + 1 < level.start.size(); ++cell) {
      const std::span rows =
          std::span(level.rows).subspan(level.start[cell], level.start[cell + 1] - level.start[cell]);
      synthesize_cell(points, extents, rows, cube.coordinates(cell), epsilon, random, synthetic);
    }
    if (synthetic.rows() > 0) {
      const std::vector<Extent> drawn = extents_of(synthetic);
      for (std::size_t a = 0; a < extents.size(); ++a) {
        if (drawn[a].hi <= drawn[a].lo) continue;
        const double stretch = (extents[a].hi - extents[a].lo) / (drawn[a].hi - drawn[a].lo);
        for (double& x : synthetic.columns[a]) {
          x = std::min(extents[a].lo + (x - drawn[a].lo) * stretch, extents[a].hi);
        }
      }
    }
  }
  const Counts counts = quantize(synthetic, grid, {.threads = options.threads});
  return segment(transform(counts.raw(), options), options);
}

Segmentation privqt_literal_not_private(const Counts& counts, double epsilon, const ClusterOptions& options,
                                        std::uint64_t seed) {
  check(counts, options);
  Random random(seed, 1);
  return segment(Transformed(noisy_transform(counts, epsilon, options, random)), options);
}

Segmentation privthr_literal_not_private(const Counts& counts, double epsilon, double alpha,
                                         const ClusterOptions& options, std::uint64_t seed) {
  check(counts, options);
  Random random(seed, 2);
  Cells<double> noisy = noisy_transform(counts, alpha * epsilon, options, random);
  const std::uint64_t cells = noisy.cell_count();
  const std::size_t positives = true_positives(counts, options).size();  // |L|
  const double nonpositive = static_cast<double>(cells - positives) + laplace(random, 1 / ((1 - alpha) * epsilon));
  std::uint64_t noisy_positives = 0;  // |L'|
  for (const double value : std::as_const(noisy).values()) noisy_positives += value > 0 ? 1 : 0;
  const double left = static_cast<double>(noisy_positives) - std::max(0.0, std::round(nonpositive / 2));  // |L''|
  const std::uint64_t k =
      left < 1 ? 0 : significant_count(std::get<Percentile>(options.threshold), static_cast<std::uint64_t>(left));
  return segment_top(std::move(noisy), k, options);
}

Segmentation privthr_em_literal_not_private(const Counts& counts, double epsilon, double alpha,
                                            const ClusterOptions& options, std::uint64_t seed) {
  check(counts, options);
  Random random(seed, 3);
  Cells<double> noisy = noisy_transform(counts, alpha * epsilon, options, random);
  std::vector<double> positives = true_positives(counts, options);
  if (positives.empty()) return segment_top(std::move(noisy), 0, options);
  const auto k = static_cast<double>(significant_count(std::get<Percentile>(options.threshold), positives.size()));
  const std::size_t count = positives.size();
  positives.push_back(0);

  // Partition i, counted from 1, is (x_{i+1}, x_i], of rank i. Costs are taken from the least, so that no weight
  // vanishes.
  std::vector<double> cost(count);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    cost[i] = (1 - alpha) * epsilon / 2 * std::fabs(static_cast<double>(i + 1) - k);
    if (positives[i] > positives[i + 1]) least = std::min(least, cost[i]);
  }
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += (positives[i] - positives[i + 1]) * std::exp(least - cost[i]);
  double at = random.uniform() * sum;
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = (positives[i] - positives[i + 1]) * std::exp(least - cost[i]);
    if (weight == 0) continue;
    drawn = i;
    if (at < weight) break;
    at -= weight;
  }
  ClusterOptions from_threshold = options;
  from_threshold.threshold = Density(positives[drawn] - random.uniform() * (positives[drawn] - positives[drawn + 1]));
  Segmentation result = segment(Transformed(std::move(noisy)), from_threshold);
  result.k = drawn + 1;
  return result;
}

}  // namespace shoal::evaluation
