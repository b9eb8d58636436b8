#include "inference/noisy_modes.hpp"

#include <algorithm>
#include <cmath>

#include "inference/noisy_records.hpp"
#include "shoal/error.hpp"

namespace shoal {

bool has_modes(const ReleaseParts& parts, const Transformed& w) {
  return w.is_haar() && w.is_dense() && !parts.has_floor() && law_of_values(parts) != nullptr;
}

Modes noisy_modes(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options) {
  const std::optional<NoiseOfW> noise = noise_of_w(parts, options);
  if (!has_modes(parts, w)) {
    throw InputError("modes need noisy Haar sums of all cells, which this release does not hold; give a threshold");
  }
  CellNoise of_cell;
  of_cell.variance = noise->noise.variance;
  of_cell.scale = std::sqrt(of_cell.variance / 2);
  of_cell.together = static_cast<double>(parts.unit.max_contributions);
  if (parts.censored_below() == 0) return find_modes(*w.sums(), of_cell, options.min_cells);
  Cells<std::int64_t> above = *w.sums();
  for (std::int64_t& value : above.values()) value -= parts.censored_below();
  return find_modes(above, of_cell, options.min_cells);
}

std::vector<ClusterConfidence> confidence_of(const Modes& modes) {
  constexpr double smallest_doubt = 0.001;
  std::vector<ClusterConfidence> result;
  for (const Rise& rise : modes.rises) {
    const double sure = std::round((1 - std::clamp(rise.doubt, smallest_doubt, 1.0)) * 1000) / 1000;
    result.push_back({.real = sure, .connected = sure, .separate = sure, .joined_with = rise.towards});
  }
  return result;
}

}  // namespace shoal
