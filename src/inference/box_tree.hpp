// Divides a box of many axes at the valleys of its noisy histograms, until none is significant. Public side: everything
// here is computed from noised values.
//
// Each box has one histogram along each axis that can be divided, of the records in it. Clusters may overlap along
// every axis and still be apart, so boxes are divided again and again, each time by histograms of their own records:
//
//   histograms of all records      histograms of the records left of the cut
//        ..                            ..
//       :::  .::                      :::                          and so on
//     .::::: ::::.                  .::::: .
//           |                              |
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "shoal/evidence.hpp"
#include "shoal/grid.hpp"

namespace shoal {

// Boxes are not divided further if the product of all cuts would have more cells.
inline constexpr std::uint64_t most_box_cells = 1 << 16;
// Share of the records below which a box holds no cluster.
inline constexpr double share_of_a_box = 0.005;

// A box of blocks of a grid: pairs of its cells, and single cells along axes of names.
struct TreeBox {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> sides;  // per axis: first block, and the one behind the last
  std::vector<std::pair<std::uint64_t, std::uint64_t>> core;   // where its records are, within the sides
  double records = 0;                                          // estimated from histograms
  // The sums of its own noisy histograms so far, one per axis that is divided, and how many there were.
  std::vector<std::vector<double>> histograms = {};
  unsigned looks = 0;
  // The weakest cut at its sides: how far its evidence exceeds what counts as significant, its axis and its place.
  double margin = 0;
  std::size_t axis = 0;
  std::uint64_t place = 0;
  bool is_cut = false;  // else: margin is that of the highest part over a uniform area
  // By its own histograms, once they were seen: how far the evidence that it is not uniform exceeds what counts as
  // significant, and the same of the evidence that it falls from its peak to each side at which it was cut. A piece of
  // a background, or of the tail of another cluster, has neither.
  double rises = 0, falls = 0;
  bool is_judged = false;
  std::uint32_t towards = 0;  // of those with records: the one beyond that cut, counted from 1; 0: none

  friend bool operator==(const TreeBox&, const TreeBox&) = default;
};

struct BoxTree {
  std::vector<TreeBox> open, closed;
  // The strongest evidence that an axis has structure, over the least evidence that is significant: some box has a
  // valley along it, or its records lie elsewhere along it than those of the other boxes.
  std::vector<double> structure;
  bool is_compared = false;  // whether histograms of several boxes were compared
};

// Returns the number of blocks along each axis.
Shape blocks_of(const Grid& grid);
// Returns whether boxes are divided along the axis.
bool is_divided(const Axis& axis);
// Returns the box of all blocks, open.
BoxTree whole_box(const Grid& grid);
// Divides the open boxes. Boxes without a significant valley stay open: further histograms of their records may show
// one. Boxes that hold too few records for two clusters are closed. histograms: of each open box and, within it, of
// each axis that is divided, one number per block of the box; concatenated. All of all steps with the same noise.
// records: all, about.
BoxTree divided(const Noised<BoxTree>& tree, const NoisyCounts& histograms, const Noised<std::int64_t>& records,
                const Grid& grid, const PrivacyUnit& unit);
// Returns the boxes of `tree` that hold records, open ones as well, each cut down to where its records are. The places
// are blocks of `grid`. At least one box. records: all, about.
std::vector<TreeBox> boxes_with_records(const Noised<BoxTree>& tree, const Noised<std::int64_t>& records,
                                        const Grid& grid);

// Returns the number of records from which on a cluster is found: one that is apart from the others along some axis and
// reaches over a tenth of it. law: of the noise of a histogram. looks: histograms of its box. axes: that are divided.
double least_records_of_cluster(const NoiseLaw& law, unsigned looks, double together, std::uint64_t axes);

// Returns the grid whose blocks are the intervals between the sides of these boxes. Each has two cells.
Grid cut_grid(const Grid& grid, const std::vector<TreeBox>& boxes);
// Returns the same boxes on that grid.
std::vector<CountedBox> boxes_on(const Noised<std::vector<TreeBox>>& boxes, const Grid& grid);

}  // namespace shoal
