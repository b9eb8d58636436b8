// The guarantee of a release: the neighbour relation, the privacy unit, and the spending.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/epsilon.hpp"

namespace shoal {

// How two neighbouring datasets differ.
enum class Neighbors {
  add_remove,  // two datasets differ by one unit's presence
  replace,     // two datasets differ by one unit's records being others
};

// Of a release for each of several groups: a unit counts in at most `most` of the groups in which it has records,
// chosen at random.
struct CountedGroups {
  std::string word;  // what a group is: "week", or the name of the column
  std::uint64_t most = 1, groups = 1;
  friend bool operator==(const CountedGroups&, const CountedGroups&) = default;
};

// Whose presence a release hides.
struct PrivacyUnit {
  Neighbors neighbors = Neighbors::add_remove;
  std::string column;                   // empty: the unit is a record
  std::uint64_t max_contributions = 1;  // records kept per unit; 1 for records
  // Each unit counts once: all its records are kept and share one weight, in whole parts of it. A weight then takes the
  // place of a record: raw counts are in parts, everything noised and every sensitivity is in weights.
  bool share = false;
  // Set where a unit may count in fewer groups than it has records in. Then a group's number is not how many units
  // were there.
  std::optional<CountedGroups> groups = std::nullopt;

  // Records (or weights) that may differ between two neighbours: max_contributions, twice that under replace. Refuses a
  // number that is out of range, more than 1 without a column, a blank column, and shares without a column.
  [[nodiscard]] std::uint64_t records_changed() const;
  // Parts to a weight; 1: counts are of whole records.
  [[nodiscard]] constexpr std::uint64_t parts() const noexcept { return share ? std::uint64_t{1} << 16 : 1; }
};

// One mechanism's share of a release.
struct Spent {
  std::string mechanism;
  std::uint64_t sensitivity;
  Epsilon epsilon;
  friend bool operator==(const Spent&, const Spent&) = default;
};

}  // namespace shoal
