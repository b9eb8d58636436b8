// One private release, from points or their counts: all steps, in the order that privacy needs, for
// every caller.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/counts.hpp"
#include "shoal/grouped_release.hpp"
#include "shoal/groups.hpp"
#include "shoal/inset_release.hpp"
#include "shoal/points.hpp"
#include "shoal/private_options.hpp"
#include "shoal/release.hpp"

namespace shoal {

// Grid, epsilon and threshold (options.cluster.threshold) have no default.
struct ReleaseRequest {
  Grid grid;  // automatic: of it the bounds alone count
  Epsilon epsilon;
  PrivateOptions options;
  std::string technique = "privwave";
  Outside outside = Outside::drop;
  bool automatic = false;               // --auto: the grid is chosen too, by privwave; the threshold is DensityModes
  std::uint64_t insets = 0;             // automatic: at most so many finer releases of places where records crowd
  std::optional<std::string> ledger{};  // the file that is charged; none: nothing is. Given and empty: refused
  std::string dataset{};                // the account in it: given just when a ledger is
  // Studies only: the release is marked as not private, and cannot be charged.
  std::optional<std::uint64_t> seed{};
};

// The planned spending, from public parameters alone; adds up to epsilon. Refuses requests that cannot be met.
std::vector<Spent> planned_spending(const ReleaseRequest& request);

// The grid that counts for the request lie on: its own, or where the grid is chosen the finest one over its bounds, and
// with insets the finest one of an inset.
Grid counted_grid(const ReleaseRequest& request);

// The same for all groups: the first axis has a cell for each, in the order of the list.
Grid counted_grid(const ReleaseRequest& request, const Grouping& grouping);

// How many bytes to reserve for a file of that name (by suffix) before epsilon is spent, from public parameters
// alone: no release takes more, or where that would be a lot, few do. Refuses a format that cannot hold the release.
std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const std::string& path);

// A release that is counted and not yet charged. The steps are separate for callers that act between them: a caller
// that must keep the release reserves space for it before charge(), and is not interrupted from there on.
class PreparedRelease {
 public:
  // Refuses what the plan or the ledger refuses, before anything is read; then bounds what each unit contributes, and
  // counts. Scans the points once.
  PreparedRelease(Points& points, const ReleaseRequest& request);
  // Of counts that were made elsewhere. Refuses counts that do not lie on counted_grid(request), and baseline, which
  // needs the points. Where the request names a unit, whoever counted has kept at most max_contributions records of
  // each, or spread unit.parts() over the cells of each. request.outside says nothing here.
  PreparedRelease(const Counts& counts, const ReleaseRequest& request);
  ~PreparedRelease();
  PreparedRelease(PreparedRelease&&) noexcept;
  PreparedRelease& operator=(PreparedRelease&&) noexcept;

  // Debits the ledger, where there is one: once it returns, epsilon is spent. Returns the entry's id; none: no ledger.
  std::optional<std::uint64_t> charge();
  // Draws noise. After charge(), once. Nothing that public parameters decide is refused here any more. The request has
  // no insets, or has them.
  Release draw();
  InsetRelease draw_insets();

 private:
  [[nodiscard]] Counts taken(bool insets);
  struct Counted;
  std::unique_ptr<Counted> counted_;
};

// The same for a release of each group of a public list, from one scan of the points. The request is that of every
// group; epsilon is spent grouping.groups_changed(unit) times. With --auto all groups get the same grid, by the median
// of their noisy numbers of records.
class PreparedGroups {
 public:
  // The first column of the points says their group; the grid is of the others.
  PreparedGroups(Points& points, const ReleaseRequest& request, const Grouping& grouping);
  // Of counts that were made elsewhere, as PreparedRelease takes them: on counted_grid(request, grouping). Where the
  // request names a unit, whoever counted has kept at most grouping.max_groups groups of each, and in each of these
  // what PreparedRelease says.
  PreparedGroups(const Counts& counts, const ReleaseRequest& request, const Grouping& grouping);
  ~PreparedGroups();
  PreparedGroups(PreparedGroups&&) noexcept;
  PreparedGroups& operator=(PreparedGroups&&) noexcept;

  // One debit of all that the groups cost.
  std::optional<std::uint64_t> charge();
  GroupedRelease draw();

 private:
  struct Counted;
  std::unique_ptr<Counted> counted_;
};

// All that a release of the groups costs. Refuses requests that cannot be met.
Epsilon total_epsilon(const ReleaseRequest& request, const Grouping& grouping);
std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const Grouping& grouping, const std::string& path);

// All steps. The same points or counts and the same seed give the same release. The request has no insets, or has them.
Release private_release(Points& points, const ReleaseRequest& request);
Release private_release(const Counts& counts, const ReleaseRequest& request);
InsetRelease private_inset_release(Points& points, const ReleaseRequest& request);
InsetRelease private_inset_release(const Counts& counts, const ReleaseRequest& request);
GroupedRelease private_release(Points& points, const ReleaseRequest& request, const Grouping& grouping);

}  // namespace shoal
