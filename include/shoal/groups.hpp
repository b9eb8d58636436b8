// A public list of groups, each of which gets its own release.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shoal/axis.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// The groups, and how a record is assigned to them. A record lies in at most one group; a record in no group is
// dropped.
struct Grouping {
  Axis axis;                       // Has the name of the column and one cell per group.
  std::vector<std::string> names;  // Names of the groups, in the order of the cells.
  // Maximum number of groups per unit. If a unit has records in more groups, a random subset of its groups is kept.
  std::uint64_t max_groups = 1;
  // The range of periods as declared_groups() accepts it after the column. Empty if the groups are a list.
  std::string range = {};

  // Returns the maximum number of groups in which two neighbouring datasets differ. It is max_groups under add_remove.
  // Under replace, a unit may leave as many groups as it enters, so it is twice max_groups, but at most the number of
  // groups. A release of all groups costs epsilon this many times (docs/proofs.md). Throws if check() throws.
  [[nodiscard]] std::uint64_t groups_changed(const PrivacyUnit& unit) const;
  // Returns the cost of a release of all groups in which each group uses epsilon `each`. Throws if the cost exceeds the
  // largest valid Epsilon.
  [[nodiscard]] Epsilon cost(Epsilon each, const PrivacyUnit& unit) const;
  // Returns the word for a group: "week", "month", "day", or the name of the column.
  [[nodiscard]] std::string word() const;
  // Returns the value of PrivacyUnit::groups. It is set if a unit may have records in more groups than it counts in.
  [[nodiscard]] std::optional<CountedGroups> counted_of(const PrivacyUnit& unit) const;
  // Throws if max_groups is 0, exceeds the number of groups, or exceeds 1 while the unit is a record.
  void check(const PrivacyUnit& unit) const;
};

// Parses a declaration of groups. Throws if the text has none of these forms, lists a group twice, or has more than
// most_groups groups.
//   COLUMN=A|B|C                                      the texts in the column
//   COLUMN=2026-W01..2026-W12[:zone=+02:00]           weeks from Monday; the column holds dates, times or such texts
//   COLUMN=2026-01..2026-12, 2026-01-01..2026-01-31   months, or days, in the same way
Grouping declared_groups(std::string_view text, std::uint64_t max_groups = 1);
// Returns the grouping for a list of names. The column may have no name.
Grouping listed_groups(std::string column, std::vector<std::string> names, std::uint64_t max_groups = 1);

// Maximum number of groups of one release.
inline constexpr std::uint64_t most_groups = 1000;

}  // namespace shoal
