// Adaptive grid (Qardaji, Yang, Li: Differentially private grids for geospatial data, ICDE 2013): a coarse grid, each
// cell of which is cut again according to how much it holds.
//
// Level 1: one record lies in one cell, so the L1 sensitivity is 1. Level 2: the partition follows from the noisy
// counts of level 1 alone, so it is public when level 2 is asked; one record lies in one of all its cells, so the
// counts of all of them together have L1 sensitivity 1. The two levels and N compose sequentially.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "publishing/publisher.hpp"

namespace shoal::publishing {

namespace {
constexpr double alpha = 0.5;
constexpr double c = 10;
constexpr double c2 = c / 2;
constexpr double least_to_split = 4 * c2;  // a cell with a smaller noisy count stays whole
constexpr double least_cells = 100;        // of level 1; 10 x 10 in the plane
constexpr double level_1_divisor = 16;     // level 1 has fewer cells than a uniform grid by this factor

struct Budget {
  Epsilon first, second;
};

// What the raw side and the public side both compute from public values.
class Partition {
 public:
  Partition(const Grid& grid, const Budget& budget, const PrivacyUnit& unit, std::int64_t records)
      : second_budget_(effective(budget.second, unit)) {
    const std::size_t n = grid.dimensions();
    const double total = static_cast<double>(records) * effective(budget.first + budget.second, unit);
    const auto uniform = static_cast<double>(cells_an_axis(total / c, n));
    const double m1 = std::ceil(uniform / std::pow(level_1_divisor, 1 / static_cast<double>(n)) - 1e-9);
    first_ = cut(grid, std::max(cells_an_axis(least_cells, n), static_cast<std::uint64_t>(m1)));
    shape_ = shape_of(first_);
    cells_ = cell_count(shape_);
  }

  [[nodiscard]] const std::vector<Axis>& first() const noexcept { return first_; }
  [[nodiscard]] std::uint64_t first_cells() const noexcept { return cells_; }

  // Returns the axes that cut a cell of level 1, given its noisy count.
  [[nodiscard]] std::vector<Axis> second(std::uint64_t cell, std::int64_t noisy) const {
    const std::vector<std::uint64_t> at = coordinates(cell, shape_);
    std::vector<Axis> whole;
    for (std::size_t a = 0; a < first_.size(); ++a) {
      whole.emplace_back(first_[a].edge(at[a]), first_[a].edge(at[a] + 1), 1);
    }
    const auto count = static_cast<double>(noisy);
    const double wanted = count < least_to_split ? 1 : count * second_budget_ / c2;
    return cut(Grid(std::move(whole)),
               cells_an_axis(wanted, first_.size(), std::max<std::uint64_t>(most_boxes / cells_, 1)));
  }

 private:
  double second_budget_;
  std::vector<Axis> first_;
  Shape shape_;
  std::uint64_t cells_;
};

Plan plan(const Grid&, Epsilon epsilon) {
  const auto [records, counts] = epsilon.split(records_share);
  const auto [first, second] = counts.split(alpha);
  return {{"adaptive-grid: number of records", 1, records},
          {"adaptive-grid: level 1", 1, first},
          {"adaptive-grid: level 2", 1, second}};
}

// The rows of the points, grouped by their cell of level 1. start[cell] is where the rows of a cell begin.
struct Buckets {
  std::vector<std::size_t> rows, start;
};

Buckets bucket(const std::vector<std::uint64_t>& cells, std::uint64_t cell_count) {
  Buckets buckets;
  buckets.start.assign(cell_count + 1, 0);
  for (const std::uint64_t cell : cells) {
    if (cell != outside_cell) ++buckets.start[cell + 1];
  }
  std::partial_sum(buckets.start.begin(), buckets.start.end(), buckets.start.begin());
  buckets.rows.resize(buckets.start.back());
  std::vector<std::size_t> next(buckets.start.begin(), buckets.start.end() - 1);
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (cells[row] != outside_cell) buckets.rows[next[cells[row]]++] = row;
  }
  return buckets;
}

// Returns the counts of level 2, ordered by the cells of level 1. A coordinate that rounding puts beyond the edge of
// its level-1 cell is moved to that edge, so every point counts in exactly one cell.
std::vector<std::int64_t> second_counts(const PointTable& points, const Partition& partition, const Buckets& buckets,
                                        const NoisyCounts& first) {
  std::vector<std::int64_t> counts;
  for (std::uint64_t cell = 0; cell < partition.first_cells(); ++cell) {
    const std::vector<Axis> axes = partition.second(cell, first.value().values()[cell]);
    const std::size_t offset = counts.size();
    counts.resize(offset + cell_count(shape_of(axes)), 0);
    for (std::size_t i = buckets.start[cell]; i < buckets.start[cell + 1]; ++i) {
      std::uint64_t index = 0;
      for (std::size_t a = 0; a < axes.size(); ++a) {
        const double x = axes[a].clamp(points.columns[a][buckets.rows[i]]);
        index = index * axes[a].cells() + static_cast<std::uint64_t>(axes[a].cell(x));
      }
      counts[offset + index] += points.weight(buckets.rows[i]);
    }
  }
  return counts;
}

// Combines the estimates of a cell from both levels, weighted by their variances: v' = w v + (1 - w) sum(u). The
// difference between v' and the sum is spread evenly over the cells of level 2, which then add up to v'.
void make_consistent(double v, std::span<double> u, const Budget& budget) {
  const double size = static_cast<double>(u.size());
  const double ratio = budget.second.value() / budget.first.value();
  const double w = size / (ratio * ratio + size);
  const double sum = std::accumulate(u.begin(), u.end(), 0.0);
  const double agreed = w * v + (1 - w) * sum;
  for (double& each : u) each += (agreed - sum) / size;
}

Synopsis synopsis(const Grid& grid, const std::vector<Epsilon>& budget, const PrivacyUnit& unit,
                  const Noised<std::int64_t>& records, const NoisyCounts& first, const NoisyCounts& second) {
  const Budget levels{budget[0], budget[1]};
  const Partition partition(grid, levels, unit, records.value());
  const std::span<const std::int64_t> noisy = second.value().values();
  Synopsis result(grid.dimensions());
  std::size_t offset = 0;
  for (std::uint64_t cell = 0; cell < partition.first_cells(); ++cell) {
    const std::int64_t v = first.value().values()[cell];
    const std::vector<Axis> axes = partition.second(cell, v);
    const std::uint64_t size = cell_count(shape_of(axes));
    std::vector<double> u(noisy.begin() + static_cast<std::ptrdiff_t>(offset),
                          noisy.begin() + static_cast<std::ptrdiff_t>(offset + size));
    make_consistent(static_cast<double>(v), u, levels);
    append_grid(result, axes, u);
    offset += size;
  }
  return result;
}

Noised<Synopsis> run(const PointTable& points, const Grid& grid, const Plan& plan, Mechanisms& mechanisms) {
  const Budget budget{plan[1].epsilon, plan[2].epsilon};
  const auto records = ask_records(mechanisms, points, plan[0]);
  const Partition partition(grid, budget, mechanisms.unit(), records.value());
  const Buckets buckets = bucket(cells_of(points, partition.first()), partition.first_cells());
  const auto first = ask(mechanisms, histogram(points, partition.first()), plan[1]);
  const auto second = ask(mechanisms, second_counts(points, partition, buckets, first), plan[2]);
  return PostProcessing::of(&synopsis, grid, {budget.first, budget.second}, mechanisms.unit(), records, first, second);
}
}  // namespace

Publisher adaptive_grid() { return {"adaptive-grid", &plan, &run}; }

}  // namespace shoal::publishing
