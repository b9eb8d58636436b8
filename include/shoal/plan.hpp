// Predicts what a release would show, before any data are read. It runs the code of a release on public shapes that are
// generated from a seed, and depends on public parameters only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/private_release.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

// The release to predict.
struct PlanOptions {
  // If `automatic` is set, only the bounds of this grid are used.
  Grid grid;
  PrivateOptions options;
  std::string technique = "privwave";
  bool automatic = false;
  // Maximum number of insets of an automatic release. 0 means no insets.
  std::uint64_t insets = 0;
  // The owner's estimate of the number of records inside the bounds.
  std::uint64_t records = 0;
  // The budgets to compare.
  std::vector<Epsilon> epsilons;
  // Number of simulated releases for each shape and epsilon.
  std::uint64_t runs = 4;
  std::uint64_t seed = 1;
  // The groups of a release by group. All figures are then for one group.
  std::optional<Grouping> groups = std::nullopt;
};

// Returns the public shapes: one blob, touching blobs, rings and threads, a city map, a heavy tail. Each lies in the
// unit cube of any number of axes.
std::vector<std::string> plan_shapes();
// Returns the counts of `records` records of a shape.
Counts plan_counts(std::size_t shape, const Grid& grid, std::uint64_t records, std::uint64_t seed);

// A measure over all shapes and runs: its mean, and a range that holds nine of ten values. The range is widened by the
// differences between shapes.
struct ExpectedRange {
  double mean = 0, low = 0, high = 0;
};
// Returns text such as "0.12 (0.05 to 0.21)". The ends of the range are rounded outward. A range of half the scale or
// more carries no information and is omitted.
std::string in_words(const ExpectedRange& range);

// What releases at one epsilon are expected to show.
struct PlanRow {
  Epsilon epsilon;
  // Distance DSG_C from the clusters without noise. 0 means that they are the same.
  ExpectedRange dsg_c;
  // Adjusted Rand index of the records' labels with and without noise. 1 means that they are the same.
  ExpectedRange rand;
  // Smallest cluster of the width of a cell of W that is found in 95 % of cases. Not set if above a tenth of all
  // records.
  std::optional<std::uint64_t> least_records;
  // Smallest distance at which two round clusters of that width are found as two in 95 % of cases, in cells of W and in
  // units of the first axis. Not set if no tried distance suffices.
  std::optional<double> finest_cells, finest_units;
  // The 95 % quantile of the error of the noisy size of a cluster with a tenth of the records. Not set if no release
  // showed such a cluster.
  std::optional<double> size_error;
  // How many times finer than the overview the cells of an inset are, along the axes that insets divide. If it is
  // below 2, no inset is made.
  std::optional<double> finer = std::nullopt;
  // True if the release of one blob has boxes. They have no cells, so least_records and finest_cells are not set.
  bool boxes = false;
};

// The place for the figures of an inset: this share of each axis that insets divide, with this share of the
// records.
inline constexpr double planned_inset_side = 0.125, planned_inset_records = 0.1;

struct PlanResult {
  // One row per epsilon. If there are insets, these rows are for the overview.
  std::vector<PlanRow> rows;
  // One row per epsilon for an inset. Empty if there are no insets.
  std::vector<PlanRow> insets;
  // For pictures: the clusters of a shape without noise, and one release per epsilon.
  struct Pictured {
    Clusters truth;
    ClusterOptions options;
    Counts counts;
    std::vector<Release> releases;
  };
  std::vector<Pictured> shapes;
};

// Throws if there are no records or no epsilons, or if a release with these options would throw.
PlanResult plan(const PlanOptions& options);

// A plan as a table for people: one measure per column, one row per epsilon.
struct PlanMeasure {
  std::string title;
  std::vector<std::string> values;
};
struct PlanTable {
  std::vector<PlanMeasure> measures;
  // One sentence for each measure that does not improve from the smallest epsilon to the largest. Such a measure is not
  // in the table, because it does not help to choose.
  std::vector<std::string> left_out;
};
PlanTable plan_table(const PlanOptions& options, const std::vector<PlanRow>& rows);

// Returns text such as "epsilon 1: finds clusters of 60 records or more, ...".
std::string in_words(const PlanRow& row, const PlanOptions& options);
// Returns what the rows of insets describe: "An inset, such as 1/8 of each axis with a tenth of the records".
std::string planned_inset_words(const PlanOptions& options);

// Returns what all groups cost together: "Each row is about one of 12 weeks. ...". Requires groups.
std::string planned_groups_words(const PlanOptions& options);

// Returns how the cells of an inset compare with the overview's: "4 times finer".
std::string finer_words(const PlanRow& row);

// Returns the plan as JSON (docs/formats.md).
std::string plan_json(const PlanOptions& options, const PlanResult& result);
std::string plan_svg(const PlanOptions& options, const PlanResult& result);
// Writes the plan by suffix: .json .html .svg .png. Throws for any other suffix.
std::string plan_contents(const PlanOptions& options, const PlanResult& result, const std::string& path);

}  // namespace shoal
