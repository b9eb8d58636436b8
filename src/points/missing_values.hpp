// Numbers that stand for missing values, such as 999. Raw side.
#pragma once

#include <memory>
#include <vector>

#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

// The points, with NaN for every coordinate that equals one of these numbers. kinds: of the columns; dates and names
// are left as they are. A row decides by itself alone.
std::unique_ptr<Points> without_missing(std::unique_ptr<Points> points, std::vector<double> missing,
                                        std::vector<AxisKind> kinds);

}  // namespace shoal
