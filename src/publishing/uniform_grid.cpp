// Uniform grid (Qardaji, Yang, Li: Differentially private grids for geospatial data, ICDE 2013): N eps / 10 equal
// cells.
//
// One record lies in one cell, so the counts have L1 sensitivity 1. The number of cells depends on the data only
// through the noisy N, which was charged before.
#include "publishing/publisher.hpp"

namespace shoal::publishing {

namespace {
constexpr double c = 10;

Plan plan(const Grid&, Epsilon epsilon) {
  const auto [records, counts] = epsilon.split(records_share);
  return {{"uniform-grid: number of records", 1, records}, {"uniform-grid: counts", 1, counts}};
}

// epsilon: the budget of the counts.
std::vector<Axis> axes(const Grid& grid, Epsilon epsilon, const PrivacyUnit& unit,
                       const Noised<std::int64_t>& records) {
  const double cells = static_cast<double>(records.value()) * effective(epsilon, unit) / c;
  return cut(grid, cells_an_axis(cells, grid.dimensions()));
}

Synopsis synopsis(const Grid& grid, const Epsilon& epsilon, const PrivacyUnit& unit,
                  const Noised<std::int64_t>& records, const NoisyCounts& counts) {
  const std::span<const std::int64_t> values = counts.value().values();
  Synopsis result(grid.dimensions());
  append_grid(result, axes(grid, epsilon, unit, records), std::vector<double>(values.begin(), values.end()));
  return result;
}

Noised<Synopsis> run(const PointTable& points, const Grid& grid, const Plan& plan, Mechanisms& mechanisms) {
  const Epsilon epsilon = plan[1].epsilon;
  const auto records = ask_records(mechanisms, points, plan[0]);
  const auto counts = ask(mechanisms, histogram(points, axes(grid, epsilon, mechanisms.unit(), records)), plan[1]);
  return PostProcessing::of(&synopsis, grid, epsilon, mechanisms.unit(), records, counts);
}
}  // namespace

Publisher uniform_grid() { return {"uniform-grid", &plan, &run}; }

}  // namespace shoal::publishing
