// W in whole steps, for queries about the magnitude of W. Raw side.
#pragma once

#include <cstdint>
#include <vector>

#include "privacy/sensitivity.hpp"
#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

// How negative values of W count.
enum class Negative {
  as_zero,
  by_size,  // their absolute values
};

// Returns W of counts under a floating-point filter, in whole steps. One record moves it by at most Steps::per_record.
std::vector<std::int64_t> whole_steps(const Cells<std::int64_t>& counts, const Steps& steps,
                                      const ClusterOptions& options, Negative negative = Negative::as_zero);

}  // namespace shoal
