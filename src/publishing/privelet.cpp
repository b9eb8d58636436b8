// Privelet (Xiao, Wang, Gehrke: Differential privacy via wavelet transforms, ICDE 2010) with the Haar wavelet: noise is
// added to the coefficients of all levels, so that the noise of large ranges cancels; then the transform is inverted.
//
// The coefficients are sums and differences of counts, kept as integers (haar_tree.hpp). One record moves prod(1 + log2
// m_i) of them by 1 each: that is the L1 sensitivity. The same noise on each of these equals Privelet's noise in
// proportion to 1/weight on the normalised coefficients. The cells are those of the public grid, padded with empty
// cells to powers of two.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "publishing/haar_tree.hpp"
#include "publishing/publisher.hpp"

namespace shoal::publishing {

namespace {
// Returns the axes with the grid's own cells. If padding would make too many, the longest axis is cut more coarsely
// until they fit.
std::vector<Axis> axes(const Grid& grid) {
  std::vector<std::uint64_t> cells = grid.shape().extents();
  for (;;) {
    std::uint64_t product = 1;
    for (const std::uint64_t extent : cells) product = std::min(product * std::bit_ceil(extent), 2 * most_boxes);
    if (product <= most_boxes) break;
    std::uint64_t& longest = *std::max_element(cells.begin(), cells.end());
    longest = (longest + 1) / 2;
  }
  std::vector<Axis> result;
  for (std::size_t a = 0; a < cells.size(); ++a) {
    result.emplace_back(grid.axis(a).lo(), grid.axis(a).hi(), cells[a], grid.axis(a).name());
  }
  return result;
}

Shape padded(const std::vector<Axis>& axes) {
  Shape shape;
  for (const Axis& axis : axes) shape.push_back(std::bit_ceil(axis.cells()));
  return shape;
}

// Copies the cells that both shapes have, line by line. The other cells of `to` are zero.
template <class T>
std::vector<T> reshaped(const std::vector<T>& values, const Shape& from, const Shape& to) {
  Shape common;
  for (std::size_t a = 0; a < from.size(); ++a) common.push_back(std::min(from[a], to[a]));
  const std::uint64_t length = common.back();
  const std::vector<std::uint64_t> from_stride = strides(from);
  const std::vector<std::uint64_t> to_stride = strides(to);
  std::vector<T> result(cell_count(to), T{});
  for (std::uint64_t cell = 0; cell < cell_count(common); cell += length) {
    const std::vector<std::uint64_t> at = coordinates(cell, common);
    const std::uint64_t source = std::inner_product(at.begin(), at.end(), from_stride.begin(), std::uint64_t{0});
    const std::uint64_t target = std::inner_product(at.begin(), at.end(), to_stride.begin(), std::uint64_t{0});
    std::copy_n(values.data() + source, length, result.data() + target);
  }
  return result;
}

Plan plan(const Grid& grid, Epsilon epsilon) {
  return {{"privelet: coefficients", haar_sensitivity(padded(axes(grid))), epsilon}};
}

// Returns the variance of the noise in a cell: each axis adds sum / m, and its differences / 2, / 4, ..., / m.
double cell_variance(const Shape& shape, const NoiseLaw& law) {
  const double q = std::exp(-Rate::of(law.epsilon, law.sensitivity).value());
  double variance = 2 * q / ((1 - q) * (1 - q));
  for (const std::uint64_t extent : shape) {
    const double last = 1 / (static_cast<double>(extent) * static_cast<double>(extent));
    variance *= last + (1 - last) / 3;
  }
  return variance;
}

// Where four deviations of the noise are less than one half, the nearest whole number is nearly always the count.
// Counts of records are whole; weights that units share need not be.
bool rounds_to_counts(const Shape& shape, const std::optional<NoiseLaw>& law) {
  return law && law->parts_per_unit == 1 && cell_variance(shape, *law) < 1.0 / 64;
}

Synopsis synopsis(const Grid& grid, const NoisyCounts& coefficients) {
  const std::vector<Axis> cells = axes(grid);
  const Shape shape = padded(cells);
  const std::span<const std::int64_t> noisy = coefficients.value().values();
  std::vector<double> values = haar_inverse(std::vector<double>(noisy.begin(), noisy.end()), shape);
  if (rounds_to_counts(shape, coefficients.law())) {
    for (double& value : values) value = std::nearbyint(value);
  }
  Synopsis result(grid.dimensions());
  append_grid(result, cells, reshaped(values, shape, shape_of(cells)));
  return result;
}

Noised<Synopsis> run(const PointTable& points, const Grid& grid, const Plan& plan, Mechanisms& mechanisms) {
  const std::vector<Axis> cells = axes(grid);
  const Shape shape = padded(cells);
  const std::vector<std::int64_t> counts = reshaped(histogram(points, cells), shape_of(cells), shape);
  return PostProcessing::of(&synopsis, grid, ask(mechanisms, haar_coefficients(counts, shape), plan[0]));
}
}  // namespace

Publisher privelet() { return {"privelet", &plan, &run}; }

}  // namespace shoal::publishing
