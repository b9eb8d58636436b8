// The guarantee of a release: the neighbour relation, the privacy unit, and the spending.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shoal/epsilon.hpp"

namespace shoal {

// How two neighbouring datasets differ.
enum class Neighbors {
  add_remove,  // two datasets differ by one unit's presence
  replace,     // two datasets differ by one unit's records being others
};

// Whose presence a release hides.
struct PrivacyUnit {
  Neighbors neighbors = Neighbors::add_remove;
  std::string column;                   // empty: the unit is a record
  std::uint64_t max_contributions = 1;  // records kept per unit; 1 for records

  // Records that may differ between two neighbours: max_contributions, twice that under replace. Refuses a number that
  // is out of range, more than 1 without a column, and a blank column.
  [[nodiscard]] std::uint64_t records_changed() const;
};

// One mechanism's share of a release.
struct Spent {
  std::string mechanism;
  std::uint64_t sensitivity;
  Epsilon epsilon;
  friend bool operator==(const Spent&, const Spent&) = default;
};

}  // namespace shoal
