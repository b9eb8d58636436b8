#pragma once

#include "formats/json_field.hpp"
#include "shoal/grid.hpp"

namespace shoal {

// Reads the axes of a release file: bounds, cells and kinds.
Grid grid_of(const JsonField& list);

}  // namespace shoal
