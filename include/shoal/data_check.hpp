// What is wrong with an input, for the data owner: before anything is spent. Not private; never part of a release.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/axis.hpp"
#include "shoal/groups.hpp"
#include "shoal/points.hpp"

namespace shoal {

struct ColumnCheck {
  std::string name;
  std::uint64_t missing = 0;               // no value, or a name outside of the list
  std::uint64_t below = 0, above = 0;      // of the bounds
  std::optional<double> least, most;       // of the values
  std::optional<double> step, step_share;  // most values are multiples of `step`; the share of those that are
};

struct UnitCheck {
  std::uint64_t units = 0;
  std::uint64_t median = 0, most = 0;    // records per unit
  std::uint64_t nineteen_of_twenty = 0;  // 95 % of the units have at most this number of records
};

struct GroupCheck {
  std::string name;
  std::uint64_t records = 0;
};

struct DataCheck {
  std::uint64_t rows = 0;            // that could be read
  std::uint64_t bad_rows = 0;        // that could not
  std::uint64_t inside = 0;          // rows with a value inside all bounds
  bool swapped = false;              // the bounds of two axes fit the other axis each, and not their own
  std::vector<ColumnCheck> columns;  // of the coordinates
  std::optional<UnitCheck> units;    // none: the points have no unit column
  std::vector<GroupCheck> groups;    // in the order of the list
  std::uint64_t in_no_group = 0;
};

// Scans all points once, with one thread. axes: one for each coordinate, or empty where no bounds are known. grouping:
// the first column states the group. Memory grows with the number of units.
DataCheck check_data(Points& points, const std::vector<Axis>& axes, const std::optional<Grouping>& grouping = {});

// What to do about it, one sentence each; empty: nothing stands out.
std::vector<std::string> advice(const DataCheck& check);

}  // namespace shoal
