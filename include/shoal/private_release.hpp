// Makes a private release from points or from their counts. All callers run the same steps, in the order that privacy
// requires.
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

// The grid and the rounding that an earlier automatic release chose. Both were computed from noised values, so using
// them again costs nothing.
struct EarlierChoice {
  Grid grid;
  std::vector<RoundedValues> rounded;
};
// Returns the choice of an automatic release, or nothing for any other release.
std::optional<EarlierChoice> earlier_choice(const Release& release);

// A request for a private release. Grid, epsilon and threshold (options.cluster.threshold) have no default.
struct ReleaseRequest {
  // The grid of the release. If `automatic` is set, only its bounds are used.
  Grid grid;
  Epsilon epsilon;
  PrivateOptions options;
  std::string technique = "privwave";
  Outside outside = Outside::drop;
  // If set (--auto), privwave also chooses the grid. The threshold must then be DensityModes.
  bool automatic = false;
  // With `automatic`: use this grid instead of choosing one, so that the release can be compared with the earlier one.
  // The number of records and the rounding are asked for as usual. If the values turn out to be rounded to steps wider
  // than its cells, the grid is coarser: cells that cut the steps would show clusters that are not there. The bounds of
  // the earlier grid must be those of `grid`.
  std::optional<EarlierChoice> earlier{};
  // Maximum number of insets, which are finer releases of dense places. Requires `automatic`.
  std::uint64_t insets = 0;
  // Path of the ledger to charge. If not set, nothing is charged. An empty path is refused.
  std::optional<std::string> ledger{};
  // The account to charge in the ledger. Required if and only if `ledger` is set.
  std::string dataset{};
  // For studies only: a seed for the noise. The release is marked as not private and cannot be charged.
  std::optional<std::uint64_t> seed{};
};

// Returns the planned spending, which adds up to epsilon. Computed from public parameters only. Throws if the request
// cannot be met.
std::vector<Spent> planned_spending(const ReleaseRequest& request);

// Returns the grid on which the counts for a request must lie. It is the grid of the request. If `automatic` is set, it
// is the finest grid within the bounds; with insets, it is the finest grid of an inset.
Grid counted_grid(const ReleaseRequest& request);

// Returns the grid on which the counts for all groups must lie. Its first axis has one cell per group, in the order of
// the list.
Grid counted_grid(const ReleaseRequest& request, const Grouping& grouping);

// Returns the number of bytes to reserve for a file before epsilon is spent. The suffix of `path` selects the format.
// Computed from public parameters only. No release needs more, except that the number is capped at 64 MiB, which few
// releases exceed. Throws if the format cannot hold the release.
std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const std::string& path);

// A release whose records are counted but which is not yet charged. The steps are separate for callers that act between
// them. A caller that must keep the release reserves space for it before charge(), and must not be interrupted
// afterwards.
class PreparedRelease {
 public:
  // Counts the points in one scan, after limiting what each unit contributes. Throws before anything is read if the
  // plan or the ledger refuses the request.
  PreparedRelease(Points& points, const ReleaseRequest& request);
  // Releases counts that another engine computed. Throws if the counts do not lie on counted_grid(request), or if the
  // technique is baseline, which needs the points. If the request names a unit, the caller must have kept at most
  // max_contributions records per unit, or must have distributed unit.parts() over the cells of each unit.
  // `request.outside` is ignored.
  PreparedRelease(const Counts& counts, const ReleaseRequest& request);
  ~PreparedRelease();
  PreparedRelease(PreparedRelease&&) noexcept;
  PreparedRelease& operator=(PreparedRelease&&) noexcept;

  // Debits the ledger, if there is one. Epsilon is spent when the call returns. Returns the id of the ledger entry, or
  // nothing if there is no ledger.
  std::optional<std::uint64_t> charge();
  // Draw the noise and return the release. Call one of them once, after charge(): draw() if the request has no insets,
  // else draw_insets(). They refuse nothing that public parameters determine, because the constructor has checked it.
  Release draw();
  InsetRelease draw_insets();

 private:
  [[nodiscard]] Counts taken(bool insets);
  struct Counted;
  std::unique_ptr<Counted> counted_;
};

// A release of each group of a public list, counted in one scan of the points and not yet charged. The request applies
// to every group; epsilon is spent grouping.groups_changed(unit) times. With `automatic`, all groups get the same grid,
// which is chosen from the median of their noisy numbers of records.
class PreparedGroups {
 public:
  // Counts the points. Their first column holds the group; the grid covers the other columns.
  PreparedGroups(Points& points, const ReleaseRequest& request, const Grouping& grouping);
  // Releases counts that another engine computed, on counted_grid(request, grouping). The rules of PreparedRelease
  // apply. If the request names a unit, the caller must have kept at most grouping.max_groups groups per unit, and in
  // each of them what PreparedRelease requires.
  PreparedGroups(const Counts& counts, const ReleaseRequest& request, const Grouping& grouping);
  ~PreparedGroups();
  PreparedGroups(PreparedGroups&&) noexcept;
  PreparedGroups& operator=(PreparedGroups&&) noexcept;

  // Debits the cost of all groups at once.
  std::optional<std::uint64_t> charge();
  GroupedRelease draw();

 private:
  struct Counted;
  std::unique_ptr<Counted> counted_;
};

// total_epsilon() returns the cost of a release of all groups and throws if the request cannot be met.
// bytes_to_reserve() returns the number of bytes to reserve for its file, with the same cap as for one release.
Epsilon total_epsilon(const ReleaseRequest& request, const Grouping& grouping);
std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const Grouping& grouping, const std::string& path);

// Run all steps: count, charge and draw. The same points or counts with the same seed give the same release.
// private_release() throws if the request has insets, and private_inset_release() throws if it has none.
Release private_release(Points& points, const ReleaseRequest& request);
Release private_release(const Counts& counts, const ReleaseRequest& request);
InsetRelease private_inset_release(Points& points, const ReleaseRequest& request);
InsetRelease private_inset_release(const Counts& counts, const ReleaseRequest& request);
GroupedRelease private_release(Points& points, const ReleaseRequest& request, const Grouping& grouping);

}  // namespace shoal
