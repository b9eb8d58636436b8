// Datasets that differ in one unit.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "shoal/privacy.hpp"

namespace shoal::testing {

// Takes away, or adds, up to `records` records; false when there are not enough to take.
inline bool move_records(std::mt19937_64& random, std::vector<std::int64_t>& counts, std::uint64_t records,
                         std::int64_t by) {
  for (std::uint64_t i = 0; i < records; ++i) {
    std::int64_t& count = counts[random() % counts.size()];
    count += by;
    if (count < 0) return false;
  }
  return true;
}

// A neighbour of `counts`: one unit comes, goes, or has other records.
inline bool to_neighbor(std::mt19937_64& random, const PrivacyUnit& unit, std::vector<std::int64_t>& counts) {
  if (unit.neighbors == Neighbors::add_remove) {
    return move_records(random, counts, unit.max_contributions, random() % 2 == 0 ? 1 : -1);
  }
  return move_records(random, counts, unit.max_contributions, -1) &&
         move_records(random, counts, unit.max_contributions, 1);
}

}  // namespace shoal::testing
