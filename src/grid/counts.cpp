#include "shoal/counts.hpp"

#include <utility>

namespace shoal {

Counts::Counts(Grid grid, Cells<std::int64_t> cells, std::uint64_t points, std::uint64_t outside)
    : grid_(std::move(grid)), cells_(std::move(cells)), points_(points), outside_(outside) {}

}  // namespace shoal
