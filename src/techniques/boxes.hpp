// The steps by which --auto looks at three axes and more. Noisy histograms divide the box of everything at significant
// valleys. After two steps they have shown which axes have structure. Where these are few, a grid on them gets the rest
// of epsilon; else the boxes are divided further, and the records of the boxes are counted. docs/quality.md says how
// well.
#pragma once

#include <vector>

#include "inference/box_tree.hpp"
#include "techniques/plans.hpp"

namespace shoal {

// Returns whether --auto asks which of these axes have structure: in three axes and more, not counting axes of names.
bool asks_for_structure(const Grid& bounds);
// Returns the axes that have structure, or that may have, as the histograms of the tree show.
std::vector<std::size_t> axes_with_structure(const Noised<BoxTree>& tree);
// What the histograms of these trees, one per group, have shown. `grid`: the axes that may have structure are so few
// that a grid on them follows. `all`: what follows is about all axes. `little`: a further step may show more.
enum class Seen { little, grid, all };
Seen seen_in(const std::vector<Noised<BoxTree>>& trees, std::size_t divided_axes, bool is_last_look);
// Returns the most steps before it is known which axes have structure.
unsigned most_looks();
// Returns a grid with the axes of `bounds` and as many blocks as boxes can have at most.
Grid largest_box_grid(const Grid& bounds);

// Returns the planned spending of `epsilon`, computed from public parameters only: of the histograms, and of the boxes.
// A grid that takes the place of the boxes spends what they would.
struct BoxPlan {
  Plan first, then;
};
BoxPlan plan_boxes(const Grid& grid, Epsilon epsilon, const PrivateOptions& options);

// The occupied blocks of a grid, with how many records each holds. Not merged where several cells lie in one.
struct OccupiedBlocks {
  std::size_t axes = 0;
  std::vector<std::uint32_t> places = {};  // of each: one per axis
  std::vector<std::int64_t> counts = {};

  [[nodiscard]] const std::uint32_t* at(std::size_t i) const { return places.data() + i * axes; }
};

// The histograms and boxes of the records of one release.
//
// Sensitivity: a record lies in one box of each step, and in one block along each of its d divided axes, so it moves
// the histograms of a step by d in all, and the numbers of disjoint boxes by 1. Which boxes a step has depends on
// noised values of earlier steps alone. Proof: docs/proofs.md, "--auto".
class BoxDivision {
 public:
  // counts: on a grid of which `grid` has whole cells; sparse or dense. records: noised number of records.
  // epsilon: of everything that follows.
  BoxDivision(const Counts& counts, Grid grid, Noised<std::int64_t> records, Epsilon epsilon);

  // The next step, at most most_looks() times. Returns what the histograms show so far.
  const Noised<BoxTree>& look(const PrivateOptions& options, Mechanisms& mechanisms);
  // Returns what is left of epsilon.
  [[nodiscard]] Epsilon left() const { return left_; }
  // The other steps, and the boxes. Spends what is left. Returns the noised values; they state all that the mechanisms
  // have spent.
  ReleaseParts finish(const PrivateOptions& options, Mechanisms& mechanisms);

 private:
  void divide(const PrivateOptions& options, Mechanisms& mechanisms);

  Grid grid_;
  Noised<std::int64_t> records_;
  Epsilon step_, left_;
  unsigned steps_ = 0;
  OccupiedBlocks cells_;
  Noised<BoxTree> tree_;
};

}  // namespace shoal
