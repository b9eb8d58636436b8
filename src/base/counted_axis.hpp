#pragma once

#include "shoal/grid.hpp"

namespace shoal {

// Returns whether each cell holds a whole number of discrete values (steps, instants, names). Such an axis is made
// coarser only by joining cells; it cannot be cut at an arbitrary coordinate.
inline bool is_counted(const AxisKind& kind) {
  const auto* numbers = std::get_if<Numbers>(&kind.scale);
  return numbers != nullptr ? numbers->step > 0
                            : std::holds_alternative<Instants>(kind.scale) || std::holds_alternative<Names>(kind.scale);
}

}  // namespace shoal
