// Checks an input for the data owner before any budget is spent. The result is not private and is never part of a
// release.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/grid.hpp"
#include "shoal/points.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

// What was found in one column of coordinates.
struct ColumnCheck {
  std::string name;
  // Rows without a value, or with a name outside the list.
  std::uint64_t missing = 0;
  // Rows below the lower bound, and rows above the upper bound.
  std::uint64_t below = 0, above = 0;
  // Smallest and largest value.
  std::optional<double> least, most;
  // Step such that most values are multiples of it, and the share of values that are. Not set if no step was found.
  std::optional<double> step, step_share;
};

// How many records the units have.
struct UnitCheck {
  std::uint64_t units = 0;
  // Median and largest number of records per unit.
  std::uint64_t median = 0, most = 0;
  // 95 % of the units have at most this number of records.
  std::uint64_t nineteen_of_twenty = 0;
};

// How many records a group has.
struct GroupCheck {
  std::string name;
  std::uint64_t records = 0;
};

struct DataCheck {
  std::uint64_t rows = 0;      // Rows that could be read.
  std::uint64_t bad_rows = 0;  // Rows that could not be read.
  // Rows whose values all lie inside the bounds and, if there are groups, that lie in a listed group.
  std::uint64_t inside = 0;
  // True if almost no row lies inside the bounds, but most rows would if the bounds of the two axes were swapped.
  bool swapped = false;
  std::vector<ColumnCheck> columns;  // One entry per coordinate.
  std::optional<UnitCheck> units;    // Not set if the points have no unit column.
  std::vector<GroupCheck> groups;    // In the order of the public list.
  // Rows that lie in no group of the list.
  std::uint64_t in_no_group = 0;
};

// Checks all points in one scan with one thread. `axes` holds one axis per coordinate, or is empty if no bounds are
// known. If `grouping` is set, the first column of the points holds the group. Memory grows with the number of units.
DataCheck check_data(Points& points, const std::vector<Axis>& axes, const std::optional<Grouping>& grouping = {});

// Returns what the owner should do about the findings, one sentence each. Empty if nothing stands out.
std::vector<std::string> advice(const DataCheck& check);

}  // namespace shoal
