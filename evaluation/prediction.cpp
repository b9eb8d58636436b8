#include "evaluation/prediction.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "points/random.hpp"
#include "shoal/error.hpp"

namespace shoal::evaluation {

namespace {
constexpr std::uint64_t most_unclustered_cells = std::uint64_t{1} << 24;

// Which rows are for the test: the first of a shuffle.
std::vector<bool> drawn_rows(std::size_t rows, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  Random random(seed, 0x73706c6974);
  std::vector<bool> drawn(rows, false);
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + random.below(rows - i)]);
    drawn[order[i]] = true;
  }
  return drawn;
}
}  // namespace

Split split_points(const PointTable& points, double train_share, std::uint64_t seed) {
  if (!(train_share > 0 && train_share < 1)) {
    throw InputError(fmt::format("a training share of {} is not between 0 and 1", train_share));
  }
  if (points.rows() >= UINT32_MAX) throw InputError("at most 2^32 - 2 points can be split for training and test");
  const auto tests = static_cast<std::size_t>(std::llround((1 - train_share) * static_cast<double>(points.rows())));
  const std::vector<bool> drawn = drawn_rows(points.rows(), tests, seed);
  Split split;
  for (const std::vector<double>& column : points.columns) {
    split.train.columns.emplace_back().reserve(points.rows() - tests);
    split.test.columns.emplace_back().reserve(tests);
    for (std::size_t row = 0; row < column.size(); ++row) {
      (drawn[row] ? split.test : split.train).columns.back().push_back(column[row]);
    }
  }
  for (std::size_t row = 0; row < points.units.size(); ++row) {
    (drawn[row] ? split.test : split.train).units.push_back(points.units[row]);
  }
  return split;
}

C45 train_on_cells(const ClusterMap& map, UnclusteredClass unclustered, const C45Options& options) {
  const Shape& shape = map.clusters().shape();
  std::vector<std::uint64_t> cells = map.clusters().cells();
  std::vector<std::uint32_t> labels = map.clusters().labels();
  if (unclustered == UnclusteredClass::kept) {
    const std::uint64_t count = cell_count(shape);
    if (count > most_unclustered_cells) {
      throw InputError(fmt::format(
          "the class of unclustered cells would have {} cells; use at most 2^24, or remove --unclustered-class",
          count));
    }
    cells.resize(count);
    std::iota(cells.begin(), cells.end(), std::uint64_t{0});
    labels.assign(count, 0);
    for (std::size_t i = 0; i < map.clusters().cells().size(); ++i) {
      labels[map.clusters().cells()[i]] = map.clusters().labels()[i];
    }
  }
  std::vector<std::vector<double>> centres(shape.size());
  for (const std::uint64_t cell : cells) {
    const std::vector<std::uint64_t> place = coordinates(cell, shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const auto [lo, hi] = map.cell_bounds(axis, place[axis]);
      centres[axis].push_back(lo + (hi - lo) / 2);
    }
  }
  return C45({centres.begin(), centres.end()}, labels, options);
}

std::vector<std::uint32_t> predict(const C45& tree, const PointTable& points) {
  std::vector<std::uint32_t> labels(points.rows());
  tree.predict({points.columns.begin(), points.columns.end()}, labels);
  return labels;
}

}  // namespace shoal::evaluation
