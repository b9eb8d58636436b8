// What the publishers share: their plans, their limits, and counting points in boxes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "publishing/publishing.hpp"

namespace shoal::publishing {

// One charge of a plan. per_record: how far one record moves what is asked, in L1.
struct Share {
  std::string name;
  std::uint64_t per_record;
  Epsilon epsilon;
};
using Plan = std::vector<Share>;

// Maximum number of boxes of a synopsis, whatever the budget: 2^22.
inline constexpr std::uint64_t most_boxes = std::uint64_t{1} << 22;

// A method: how it divides its budget, and how it spends it. run charges exactly what plan lists, in the same order.
struct Publisher {
  std::string name;
  Plan (*plan)(const Grid& grid, Epsilon epsilon);
  Noised<Synopsis> (*run)(const PointTable& points, const Grid& grid, const Plan& plan, Mechanisms& mechanisms);
};
Publisher adaptive_grid();
Publisher uniform_grid();
Publisher quadtree();
Publisher kd_tree();
Publisher privelet();

// Share of epsilon for the number of records, in methods that choose the size of their cells by it.
inline constexpr double records_share = 0.01;

// Returns epsilon per record that differs between neighbours, which scales the noise on a count.
double effective(Epsilon epsilon, const PrivacyUnit& unit);

// Returns the smallest m with m^n >= cells: cutting each of n axes into m parts gives at least that many cells. m is at
// least 1, and m^n is at most `most`.
std::uint64_t cells_an_axis(double cells, std::size_t dimensions, std::uint64_t most = most_boxes);

// Returns the largest power of two, up to 2^30, into which the bounds of an axis can be cut.
std::uint64_t finest_cells(const Axis& axis);

// Returns the same bounds with each axis cut into `cells` (fewer if the bounds are too narrow for that).
std::vector<Axis> cut(const Grid& grid, std::uint64_t cells);

Shape shape_of(const std::vector<Axis>& axes);

// Returns the row-major cell of every point, or outside_cell for points outside the axes.
inline constexpr std::uint64_t outside_cell = UINT64_MAX;
std::vector<std::uint64_t> cells_of(const PointTable& points, const std::vector<Axis>& axes);
// Returns how many points each cell holds, by their weights.
std::vector<std::int64_t> histogram(const PointTable& points, const std::vector<Axis>& axes);

// Spends one charge of the plan on a list: adds noise to every value.
NoisyCounts ask(Mechanisms& mechanisms, const std::vector<std::int64_t>& values, const Share& share);
// Spends one charge of the plan on the number of records.
Noised<std::int64_t> ask_records(Mechanisms& mechanisms, const PointTable& points, const Share& share);

// Adds a box for every cell of the axes' grid, in row-major order.
void append_grid(Synopsis& synopsis, const std::vector<Axis>& axes, std::span<const double> counts);

}  // namespace shoal::publishing
