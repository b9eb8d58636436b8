// What a release would give, from public parameters alone: the real code path on public shapes made from a seed. It
// touches no data: nothing here can read a point (tests/program/test_program_plan.py looks at what it includes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/groups.hpp"
#include "shoal/private_release.hpp"

namespace shoal::evaluation {

struct PlanOptions {
  Grid grid;  // automatic: of it the bounds alone count
  PrivateOptions options;
  std::string technique = "privwave";
  bool automatic = false;
  std::uint64_t insets = 0;   // of an automatic release; 0: none
  std::uint64_t records = 0;  // as the owner guesses them; within the bounds
  std::vector<Epsilon> epsilons;
  std::uint64_t runs = 4;  // of each shape at each epsilon
  std::uint64_t seed = 1;
  std::optional<Grouping> groups = std::nullopt;  // of a release by group; all figures are about one group
};

// The public shapes: one blob, touching blobs, rings and threads, a city map, a heavy tail. Each in the unit cube of
// any number of axes.
std::vector<std::string> plan_shapes();
// Counts of so many records of a shape.
Counts plan_counts(std::size_t shape, const Grid& grid, std::uint64_t records, std::uint64_t seed);

// Nine of ten values lie between low and high: over shapes and runs, widened by what shapes differ.
struct ExpectedRange {
  double mean = 0, low = 0, high = 0;
};
// "0.12 (0.05 to 0.21)": the ends of the range are rounded outward. A range of half the scale or more says nothing and
// is left out.
std::string in_words(const ExpectedRange& of);

struct PlanRow {
  Epsilon epsilon;
  ExpectedRange dsg_c;  // 0: as without noise
  ExpectedRange rand;   // adjusted Rand index of the records' labels; 1: as without noise
  // Records in a cluster as wide as a cell of W that is found in 19 of 20 cases; none: more than a tenth of all.
  std::optional<std::uint64_t> least_records;
  // Distance of two round clusters of that width that are found as two in 19 of 20 cases, in cells of W and in units of
  // the first axis; none: none of those tried.
  std::optional<double> finest_cells, finest_units;
  // Of a cluster of a tenth of the records: how far its noisy size is from the records in its cells in 19 of 20 cases;
  // none: no release showed such a cluster.
  std::optional<double> size_error;
  // Of an inset: how many times finer than the overview's its cells are, along the axes that insets divide. Below 2
  // such a place does not become one.
  std::optional<double> finer = std::nullopt;
};

// The place that the figures of an inset are about: this part of each axis that insets divide, with this share of the
// records.
inline constexpr double planned_inset_side = 0.125, planned_inset_records = 0.1;

struct PlanResult {
  std::vector<PlanRow> rows;    // with insets: of the overview
  std::vector<PlanRow> insets;  // of an inset, at the same epsilons; none without insets
  // For pictures: the result without noise, then one release for each epsilon; of each shape.
  struct Pictured {
    Clusters truth;
    ClusterOptions options;
    Counts counts;
    std::vector<Release> releases;
  };
  std::vector<Pictured> shapes;
};

// Refuses no records, no epsilon, and what a release refuses.
PlanResult plan(const PlanOptions& options);

// The rows of a plan as a table for people: one measure per column, one value per epsilon.
struct PlanMeasure {
  std::string title;
  std::vector<std::string> values;
};
struct PlanTable {
  std::vector<PlanMeasure> measures;
  // One sentence for each measure that does not get better from the smallest epsilon to the largest. It is not in the
  // table, because it does not help to choose.
  std::vector<std::string> left_out;
};
PlanTable plan_table(const PlanOptions& options, const std::vector<PlanRow>& rows);

// "epsilon 1: finds clusters of 60 records or more, ...".
std::string in_words(const PlanRow& row, const PlanOptions& options);
// "An inset, such as 1/8 of each axis with a tenth of the records": what the rows of insets are about.
std::string planned_inset_words(const PlanOptions& options);

// "Each row is about one of 12 weeks. ...": what all groups cost together. Requires groups.
std::string planned_groups_words(const PlanOptions& options);

// "4 times finer": the cells of an inset, beside the overview's.
std::string finer_words(const PlanRow& row);

// Documented in docs/formats.md.
std::string plan_json(const PlanOptions& options, const PlanResult& result);
std::string plan_svg(const PlanOptions& options, const PlanResult& result);
// By suffix: .json .html .svg .png. Any other is refused.
std::string plan_contents(const PlanOptions& options, const PlanResult& result, const std::string& path);

}  // namespace shoal::evaluation
