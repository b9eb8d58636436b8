// A release for owners who do not know their data (--auto): grid and threshold are chosen from noised values alone,
// within the same epsilon. docs/privwave.md says how and how well.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "techniques/techniques.hpp"

namespace shoal {

// Returns the grid to count points on. Every grid that may be chosen consists of whole cells of it. It depends only on
// the number of axes; the cells of `bounds` are ignored. Throws if there are more than 8 axes.
Grid finest_grid(const Grid& bounds);

// Returns the finest grid that may be chosen for counts on `finest`.
Grid largest_automatic_grid(const Grid& finest);
// Which of them along each axis, for this many records (noisy), this budget (none: no noise), and this many records
// that a neighbour may change. structure: the axes to divide; the others get a single block. Empty: all axes.
// Cells are about square where the axes share a unit, as their bounds tell.
Shape automatic_shape(const Grid& bounds, std::int64_t records, std::optional<Epsilon> epsilon,
                      std::uint64_t sensitivity = 1, const std::vector<std::size_t>& structure = {});
// The same with cells so wide that no block of two is narrower than a step to which values are rounded.
Shape wide_enough(const Grid& finest, Shape cells, const std::vector<RoundedValues>& rounded);

// Not private: how the values are rounded, without noise. finest: counts on finest_grid.
std::vector<RoundedValues> exact_rounding(const Counts& finest);
// Not private: the counts on the grid that is chosen where there is no noise. finest: counts on finest_grid.
Counts automatic_counts(const Counts& finest);

// Whether a release asks which axes have structure. Insets do not: their places are those of the whole plane.
enum class AskedAxes { none, all };

// finest: counts on finest_grid. By privwave; the options' threshold, wavelet, level and transform are not looked at.
// known: rounding of the values that noised values have shown before. chosen: the grid to use, if an earlier release
// chose it; it must be one that can_be_chosen(). Values that are rounded to wider steps still get wider cells.
Release automatic_release(const Counts& finest, Epsilon epsilon, const PrivateOptions& options, Noise& noise,
                          const std::vector<RoundedValues>& known = {}, const std::optional<Grid>& chosen = {},
                          AskedAxes asked = AskedAxes::all);
// Returns one release per group, for groups that have no record in common. All are on the grid for the median of their
// noisy numbers of records, so that they can be compared. Proof: docs/proofs.md.
// finest: the counts of a group, called twice for each, so that those of one group at a time are in memory.
std::vector<Release> automatic_releases(std::size_t groups, const std::function<Counts(std::size_t)>& finest,
                                        Epsilon epsilon, const PrivateOptions& options, Noise& noise,
                                        const std::vector<RoundedValues>& known = {},
                                        const std::optional<Grid>& chosen = {}, AskedAxes asked = AskedAxes::all);
// Returns whether automatic_release() may choose the grid for counts on `finest`.
bool can_be_chosen(const Grid& finest, const Grid& grid);
// Returns the planned spending, computed from public parameters only.
std::vector<Spent> planned_automatic(const Grid& finest, Epsilon epsilon, const PrivateOptions& options,
                                     AskedAxes asked = AskedAxes::all);

}  // namespace shoal
