// What the publishers have in common: their plans, their limits, and counting points in boxes.
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

// Synopses stay within this many boxes, whatever the budget: 2^22.
inline constexpr std::uint64_t most_boxes = std::uint64_t{1} << 22;

// A method: how it splits its budget, and how it spends it. run charges exactly what plan lists, in its order.
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

// Share of epsilon for the number of records, where a method sizes its cells by it.
inline constexpr double records_share = 0.01;

// Epsilon per record that differs between neighbours: what the noise on a count is scaled by.
double effective(Epsilon epsilon, const PrivacyUnit& unit);

// The smallest m with m^n >= cells, so that cutting each of n axes into m gives as many cells. At least 1, and m^n is
// kept within `most`.
std::uint64_t cells_an_axis(double cells, std::size_t dimensions, std::uint64_t most = most_boxes);

// The finest power of two, up to 2^30, that the bounds of an axis can be cut into.
std::uint64_t finest_cells(const Axis& axis);

// The same bounds, each axis cut into `cells` (fewer where the bounds are too narrow for that).
std::vector<Axis> cut(const Grid& grid, std::uint64_t cells);

Shape shape_of(const std::vector<Axis>& axes);

// Row-major cell of every point; outside_cell for those outside.
inline constexpr std::uint64_t outside_cell = UINT64_MAX;
std::vector<std::uint64_t> cells_of(const PointTable& points, const std::vector<Axis>& axes);
// How many points each cell holds, by their weights.
std::vector<std::int64_t> histogram(const PointTable& points, const std::vector<Axis>& axes);

// A charge of the plan: every value of a list plus noise.
NoisyCounts ask(Mechanisms& mechanisms, const std::vector<std::int64_t>& values, const Share& share);
// A charge of the plan: the number of records.
Noised<std::int64_t> ask_records(Mechanisms& mechanisms, const PointTable& points, const Share& share);

// Adds a box for every cell of the axes' grid, in row-major order.
void append_grid(Synopsis& synopsis, const std::vector<Axis>& axes, std::span<const double> counts);

}  // namespace shoal::publishing
