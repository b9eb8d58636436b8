// A C4.5 decision tree (Quinlan 1993; Release 8: Quinlan, JAIR 4, 1996) for continuous attributes: what OCM and 2CE
// train on significant cells.
//
// Grow: a node of fewer than 2 least_cases cases, or of one class, is a leaf. A test is x <= t; both sides hold at
// least clamp(0.1 cases / classes, least_cases, 25) cases. The best cut of an attribute has the most information
// gain; log2(cuts tried) / cases is then taken off it, and what is left must be positive. Among attributes
// whose gain is at least the average, the best gain ratio wins. t is the largest value of the whole training set that
// is not above the middle of the gap. Then subtrees that do not reduce the training errors collapse. Prune: bottom up,
// a subtree becomes a leaf or its largest branch (raised) when the pessimistic errors, the upper confidence limit of a
// binomial, are not larger by more than 0.1.
//
// Ties go to the first attribute, the lowest cut and the lowest class. Weka's J48 decides in the same way, but treats
// values closer than 1e-5 as equal. This tree has no tolerances, so scaling an attribute changes nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shoal::evaluation {

struct C45Options {
  bool prune = true;         // false: grown and collapsed only, as the paper's authors ran it
  bool raise = true;         // subtree raising while pruning
  double confidence = 0.25;  // CF, (0, 0.5]: smaller prunes more
  std::uint32_t least_cases = 2;
};

class C45 {
 public:
  // columns: one array an attribute, finite values; classes: any labels, one a case. Without cases the tree predicts 0.
  C45(const std::vector<std::span<const double>>& columns, std::span<const std::uint32_t> classes,
      const C45Options& options = {});

  [[nodiscard]] std::uint32_t predict(std::span<const double> sample) const;
  void predict(const std::vector<std::span<const double>>& columns, std::span<std::uint32_t> classes) const;

  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }
  [[nodiscard]] std::size_t leaves() const { return (nodes_.size() + 1) / 2; }

 private:
  // The left child follows its parent.
  struct Node {
    double threshold;
    std::uint32_t attribute;
    std::uint32_t right;  // 0: a leaf
    std::uint32_t label;
  };
  std::vector<Node> nodes_;
};

}  // namespace shoal::evaluation
