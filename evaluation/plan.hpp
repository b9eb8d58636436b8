// Predicts the quality of a release from public parameters only: runs the real code on public shapes made from a seed.
// It cannot read any data (tests/program/test_program_plan.py checks what it includes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/private_release.hpp"
#include "shoal/release_set.hpp"

namespace shoal::evaluation {

struct PlanOptions {
  Grid grid;  // with automatic, only its bounds are used
  PrivateOptions options;
  std::string technique = "privwave";
  bool automatic = false;
  std::uint64_t insets = 0;   // maximum number of insets of an automatic release; 0: none
  std::uint64_t records = 0;  // the owner's estimate, within the bounds
  std::vector<Epsilon> epsilons;
  std::uint64_t runs = 4;  // number of runs per shape and epsilon
  std::uint64_t seed = 1;
  std::optional<Grouping> groups = std::nullopt;  // only for a release by group; all figures are for one group
};

// Returns the public shapes: one blob, touching blobs, rings and threads, a city map, a heavy tail. Each lies in the
// unit cube of any number of axes.
std::vector<std::string> plan_shapes();
// Returns the counts of `records` records of a shape.
Counts plan_counts(std::size_t shape, const Grid& grid, std::uint64_t records, std::uint64_t seed);

// Nine of ten values over shapes and runs lie between low and high, widened by the differences between shapes.
struct ExpectedRange {
  double mean = 0, low = 0, high = 0;
};
// Returns text such as "0.12 (0.05 to 0.21)". The ends of the range are rounded outward. A range of half the scale or
// more carries no information and is omitted.
std::string in_words(const ExpectedRange& range);

struct PlanRow {
  Epsilon epsilon;
  ExpectedRange dsg_c;  // 0: the same as without noise
  ExpectedRange rand;   // adjusted Rand index of the records' labels; 1: the same as without noise
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
};

// The place for the figures of an inset: this share of each axis that insets divide, with this share of the
// records.
inline constexpr double planned_inset_side = 0.125, planned_inset_records = 0.1;

struct PlanResult {
  std::vector<PlanRow> rows;    // with insets: for the overview
  std::vector<PlanRow> insets;  // for an inset, at the same epsilons; empty without insets
  // For pictures: for each shape, the result without noise, then one release per epsilon.
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

}  // namespace shoal::evaluation
