// What the data owner may look at: plain clusters of the raw counts, with their files, and a check of the input before
// any budget is spent. Nothing here is private, and none of it is ever part of a release.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"
#include "shoal/evidence.hpp"
#include "shoal/levels.hpp"
#include "shoal/points.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

// Counts on the grid that --auto would choose if there were no noise, and how the values are rounded.
struct AutomaticCounts {
  Counts counts;
  std::vector<RoundedValues> rounded;
};
// Counts the points on that grid. Only the bounds of `bounds` are used. Throws if there are more than 6 axes.
AutomaticCounts automatic_counts(Points& points, const Grid& bounds, const QuantizeOptions& options = {});

// Plain WaveCluster of raw counts. The map holds the clusters of `result`. The view refers to its arguments, which must
// outlive it.
struct OwnerView {
  std::string input;  // The name of the input, as the owner calls it.
  const Counts& counts;
  const ClusterMap& map;
  const ClusterOptions& options;
  const Segmentation& result;

  // Returns what was found as JSON, without the cells.
  [[nodiscard]] std::string json() const;
  // Returns the contents of a file. The suffix of `path` selects the format: .json, .csv, .geojson, .html, .svg or
  // .png. Every file says that it is not private.
  [[nodiscard]] std::string contents(const std::string& path) const;
};

// Plain WaveCluster of raw counts at several levels, the finest first.
struct OwnerLevels {
  std::string input;  // The name of the input, as the owner calls it.
  const Counts& counts;
  ClusterOptions options;  // Options of the finest level.
  std::vector<Segmentation> results;
  std::vector<LevelView> views;
  std::vector<std::vector<std::int64_t>> sizes{};  // For each level, the number of points in each cluster.

  [[nodiscard]] std::string json() const;
  // Returns the contents of a file. The suffix of `path` selects the format: .json, .html, .svg or .png.
  [[nodiscard]] std::string contents(const std::string& path) const;
};
// Clusters the counts at each of these levels. The level of `options` is ignored. Throws if check_levels() throws.
OwnerLevels owner_levels(std::string input, const Counts& counts, ClusterOptions options,
                         const std::vector<unsigned>& levels);

// Returns a sentence for each axis of a given grid along which the counts show stripes of rounding. It names the axis
// that fits.
std::vector<std::string> notices_of_rounding(const Counts& counts, const ClusterOptions& options);

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
