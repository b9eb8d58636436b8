// W in whole steps, for questions about the size of W. Raw side.
#pragma once

#include <cstdint>
#include <vector>

#include "privacy/sensitivity.hpp"
#include "shoal/cells.hpp"
#include "shoal/options.hpp"

namespace shoal {

// What negative values of W count as.
enum class Negative {
  as_zero,
  by_size,  // their absolute values
};

// W of counts by a floating-point filter. What a record moves: Steps::per_record.
std::vector<std::int64_t> whole_steps(const Cells<std::int64_t>& counts, const Steps& steps,
                                      const ClusterOptions& options, Negative negative = Negative::as_zero);

}  // namespace shoal
