// The guarantee of a release: the neighbour relation, the privacy unit and the spending.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/epsilon.hpp"

namespace shoal {

// How two neighbouring datasets differ.
enum class Neighbors {
  add_remove,  // One unit is present in only one of the two datasets.
  replace,     // One unit has other records in one dataset than in the other.
};

// Describes a release of several groups in which a unit counts in at most `most` of the groups in which it has records.
// These groups are chosen at random.
struct CountedGroups {
  // The word for a group: "week", or the name of the column.
  std::string word;
  // Maximum number of groups per unit, and number of groups of the release.
  std::uint64_t most = 1, groups = 1;
  friend bool operator==(const CountedGroups&, const CountedGroups&) = default;
};

// The unit whose presence a release hides.
struct PrivacyUnit {
  Neighbors neighbors = Neighbors::add_remove;
  // Column that identifies the unit. If empty, the unit is a record.
  std::string column;
  // Maximum number of records that are kept per unit. It is 1 if the unit is a record.
  std::uint64_t max_contributions = 1;
  // If set, each unit counts once: all of its records are kept and share one weight, in whole parts of it. A weight
  // then takes the place of a record. Raw counts are in parts; all noised values and all sensitivities are in weights.
  bool share = false;
  // Set if a unit may count in fewer groups than it has records in. The number of a group then is not the number of
  // units that were there.
  std::optional<CountedGroups> groups = std::nullopt;
  // The owner's word for the units: "patients", "patient", or "person/people" for an irregular plural. If empty,
  // noun_of() derives the word from the column.
  std::string name = {};

  // Throws if max_contributions is out of range or is above 1 without a column, if the column is blank, or if `share`
  // is set without a column or with max_contributions above 1.
  void check() const;
  // Returns the number of records (or weights) that may differ between two neighbours: max_contributions, or twice that
  // under Neighbors::replace. Throws as check() does.
  [[nodiscard]] std::uint64_t records_changed() const;
  // Returns the number of parts per weight. It is 1 if whole records are counted.
  [[nodiscard]] constexpr std::uint64_t parts() const noexcept { return share ? std::uint64_t{1} << 16 : 1; }
};

// The spending of one mechanism in a release.
struct Spent {
  std::string mechanism;
  std::uint64_t sensitivity;
  Epsilon epsilon;
  friend bool operator==(const Spent&, const Spent&) = default;
};

}  // namespace shoal
