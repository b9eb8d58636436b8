// Makes a private release from points or from their counts. All callers run the same steps, in the order that privacy
// requires.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shoal/counts.hpp"
#include "shoal/points.hpp"
#include "shoal/privacy.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

// Returns the names of the techniques: privqt, privthr, privthr-em, baseline and privwave.
std::vector<std::string> technique_names();
// Returns the techniques that support this threshold and this unit. privthr and privthr-em support only percentiles, on
// which they spend budget. privthr-em does not support shares.
std::vector<std::string> technique_names(const Threshold& threshold, const PrivacyUnit& unit = {});

// Returns the numbers of cells per axis of the grids that --auto may choose for this number of axes, ascending. Throws
// if there are more than 8 axes.
std::vector<std::uint64_t> automatic_grids(std::size_t dimensions);
// Returns the number of cells per axis for which bounds are declared (DeclaredAxis::fitted) if --auto is to choose the
// cells, for this number of pooled axes (AxisKind::is_pooled). Throws if --auto cannot choose the cells of so many.
std::uint64_t cells_of_automatic_bounds(std::size_t pooled_axes);
// Returns whether --auto makes boxes for these axes, and not a grid of equal cells: in five axes and more, not counting
// axes of names. Throws if it makes boxes and there are more than eight axes in all, an axis is a circle, or the axes
// of names have more combinations than boxes can have cells.
bool makes_boxes(const Grid& bounds);

// The grid and the rounding that an earlier automatic release chose. Both were computed from noised values, so using
// them again costs nothing.
struct EarlierChoice {
  Grid grid;
  std::vector<RoundedValues> rounded;
};
// Returns the choice of an automatic release, or nothing for any other release.
std::optional<EarlierChoice> earlier_choice(const Release& release);

// A grid that privwave chooses (--auto). The threshold of the request must then be DensityModes.
struct AutomaticGrid {
  // Only the bounds of this grid are used.
  Grid bounds;
  // If set, this grid is used instead of choosing one, so that the release can be compared with the earlier one. The
  // number of records and the rounding are asked for as usual. If the values turn out to be rounded to steps wider than
  // its cells, the grid is coarser: cells that cut the steps would show clusters that are not there. The bounds of the
  // earlier grid must be `bounds`. Not allowed with insets.
  std::optional<EarlierChoice> earlier{};
};

// A request for a private release. Grid, epsilon and threshold (options.cluster.threshold) have no default.
struct ReleaseRequest {
  std::variant<Grid, AutomaticGrid> grid;
  // The epsilon of a plain release, of each group, or of the overview and the insets together.
  Epsilon epsilon;
  PrivateOptions options;
  std::string technique = "privwave";
  Outside outside = Outside::drop;
  // Groups: epsilon is spent grouping.groups_changed(unit) times. With an AutomaticGrid, all groups get the same grid,
  // which is chosen from the median of their noisy numbers of records. Insets require an AutomaticGrid.
  Layout layout = Whole{};
  // Path of the ledger to charge. If not set, nothing is charged. An empty path is refused.
  std::optional<std::string> ledger{};
  // The account to charge in the ledger. Required if and only if `ledger` is set.
  std::string dataset{};
  // For studies only: a seed for the noise. The release is marked as not private and cannot be charged.
  std::optional<std::uint64_t> seed{};

  [[nodiscard]] bool is_automatic() const noexcept { return std::holds_alternative<AutomaticGrid>(grid); }
  // Returns the grid, or the grid that holds the bounds of an AutomaticGrid.
  [[nodiscard]] const Grid& bounds() const;
  // Returns the groups, or nothing if the layout is another one.
  [[nodiscard]] const Grouping* grouping() const noexcept { return std::get_if<Grouping>(&layout); }
  // Returns the maximum number of insets. 0 if the layout is another one.
  [[nodiscard]] std::uint64_t insets() const noexcept;
};

// Throws if the request cannot be met. Decided from public parameters only.
void check(const ReleaseRequest& request);
// Returns the planned spending of one part, or of the overview and the insets. It adds up to `request.epsilon`. Throws
// if check() throws.
std::vector<Spent> planned_spending(const ReleaseRequest& request);
// Returns the cost of the whole release. Throws if check() throws.
Epsilon total_epsilon(const ReleaseRequest& request);

// Returns the grid on which the counts for a request must lie. For a given grid, it is that grid. For an AutomaticGrid,
// it is the finest grid within the bounds; with insets, it is the finest grid of an inset. If there are groups, another
// axis comes first, with one cell per group in the order of the list.
Grid counted_grid(const ReleaseRequest& request);

// Returns the number of bytes to reserve for a file before epsilon is spent. The suffix of `path` selects the format.
// Computed from public parameters only. No release needs more, except that the number is capped at 64 MiB, which few
// releases exceed. Throws if the format cannot hold the release.
std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const std::string& path);

// A bound of the memory of a release.
struct PeakMemory {
  std::uint64_t bytes = 0;
  // How it is made up.
  std::string words;
};
// Returns an upper bound of the memory in which the program counts records, draws a release and writes its JSON, CSV
// and GeoJSON. It is at most four times what is taken. Rows take nothing, except that bounding what units contribute
// keeps one entry per row, and baseline keeps the points: `words` says so. Nothing past the dense limit, where the
// occupied cells decide.
std::optional<PeakMemory> peak_memory(const ReleaseRequest& request);

// A release whose records are counted but which is not yet charged. The steps are separate for callers that act between
// them. A caller that must keep the release reserves space for it before charge(), and must not be interrupted
// afterwards.
class PreparedRelease {
 public:
  // Counts the points in one scan, after limiting what each unit contributes. If there are groups, the first column of
  // the points holds the group, and the grid covers the other columns. Throws before anything is read if the plan or
  // the ledger refuses the request.
  PreparedRelease(Points& points, const ReleaseRequest& request);
  // Releases counts that another engine computed. Throws if the counts do not lie on counted_grid(request), or if the
  // technique is baseline, which needs the points. If the request names a unit, the caller must have kept at most
  // max_contributions records per unit, or must have distributed unit.parts_per_weight() over the cells of each unit.
  // If there are groups, the caller must have done so in each group, and must have kept at most grouping.max_groups
  // groups per unit. `request.outside` is ignored.
  PreparedRelease(const Counts& counts, const ReleaseRequest& request);
  ~PreparedRelease();
  PreparedRelease(PreparedRelease&&) noexcept;
  PreparedRelease& operator=(PreparedRelease&&) noexcept;

  // Returns the cost of the whole release, as total_epsilon() does.
  [[nodiscard]] Epsilon epsilon() const noexcept;
  // Debits the ledger, if there is one. Epsilon is spent when the call returns. Returns the id of the ledger entry, or
  // nothing if there is no ledger.
  std::optional<std::uint64_t> charge();
  // Draws the noise and returns the release. Call it once, after charge(). It refuses nothing that public parameters
  // determine, because the constructor has checked it.
  ReleaseSet draw();

 private:
  struct Counted;
  std::unique_ptr<Counted> counted_;
};

// Run all steps: count, charge and draw. The same points or counts with the same seed give the same release.
ReleaseSet private_release(Points& points, const ReleaseRequest& request);
ReleaseSet private_release(const Counts& counts, const ReleaseRequest& request);

}  // namespace shoal
