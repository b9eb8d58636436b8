// W in whole steps, for questions about W: what a record moves in all of its values together is then a whole number.
// Raw side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shoal/cells.hpp"
#include "shoal/options.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// Where units share their weight, a part of it is what a record is elsewhere: scale is then of steps to a part, and
// per_record is what one part moves. A weight moves W by so many parts, each on its own.
struct Steps {
  std::uint64_t scale = 1;       // steps to a record
  std::uint64_t per_record = 1;  // L1
  double largest_count = 0;      // floating-point filters only: counts are cut here first
};

// Refuses, in the name of the technique, what has no such bound.
Steps steps_of(const std::string& technique, const Shape& shape, const ClusterOptions& options,
               const PrivacyUnit& unit);

// W of counts by a floating-point filter, negative values as 0.
std::vector<std::int64_t> whole_steps(const Cells<std::int64_t>& counts, const Steps& steps,
                                      const ClusterOptions& options);

}  // namespace shoal
