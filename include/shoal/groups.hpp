// A public list of groups, of which each gets a release of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shoal/axis.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// The groups and how records come to lie in them. A record lies in one group, or in none: it is dropped then.
struct Grouping {
  Axis axis;                       // named as the column; a cell for every group
  std::vector<std::string> names;  // of the groups, in this order
  std::uint64_t max_groups = 1;    // in which a unit lies; records of other groups are dropped, by chance
  std::string range = {};          // as declared_groups takes it, behind the column; empty: a list

  // In how many groups two neighbours differ at most: max_groups, and where a unit is replaced, which may leave as many
  // groups as it enters, twice that, but no more than there are. A release of all groups costs epsilon so many times
  // (docs/proofs.md). Refuses what check() refuses.
  [[nodiscard]] std::uint64_t groups_changed(const PrivacyUnit& unit) const;
  // Of a release of all groups, each by `each`. Refuses more than an Epsilon can be.
  [[nodiscard]] Epsilon cost(Epsilon each, const PrivacyUnit& unit) const;
  // What a group is called: "week", "month", "day", or the name of the column.
  [[nodiscard]] std::string word() const;
  // Set where a unit may have records in more groups than it counts in (PrivacyUnit::groups).
  [[nodiscard]] std::optional<CountedGroups> counted_of(const PrivacyUnit& unit) const;
  // Refuses max_groups of 0, more than there are groups, and more than 1 for single records.
  void check(const PrivacyUnit& unit) const;
};

// COLUMN=A|B|C                                        the column's texts
// COLUMN=2026-W01..2026-W12[:zone=+02:00]             weeks, from Monday; the column holds dates, times or such texts
// COLUMN=2026-01..2026-12, 2026-01-01..2026-01-31     months, days; alike
// Refuses all else, a group twice, and more than most_groups.
Grouping declared_groups(std::string_view text, std::uint64_t max_groups = 1);
// The same of a list of names; the column may have no name.
Grouping listed_groups(std::string column, std::vector<std::string> names, std::uint64_t max_groups = 1);

inline constexpr std::uint64_t most_groups = 1000;  // of one release

}  // namespace shoal
