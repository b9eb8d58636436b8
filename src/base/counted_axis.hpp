#pragma once

#include "shoal/axis_kind.hpp"

namespace shoal {

// Whether cells hold whole numbers of values: such axes are made coarser by putting cells together, and cannot be cut
// anywhere.
inline bool is_counted(const AxisKind& kind) {
  const auto* numbers = std::get_if<Numbers>(&kind.scale);
  return numbers != nullptr ? numbers->step > 0
                            : std::holds_alternative<Instants>(kind.scale) || std::holds_alternative<Names>(kind.scale);
}

}  // namespace shoal
