#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

// Returns the confidence of each cluster, at index id - 1, from an estimate of the density (density.hpp). threshold:
// the threshold of the release. Empty if the release holds no noisy values, their noise is not known, or their box has
// too many axes.
std::vector<ClusterConfidence> confidence_of(const ReleaseParts& parts, const Clusters& clusters, double threshold);

// What makes a released cluster real, connected and separate (confidence.hpp), given a truth.
class Comparison {
 public:
  explicit Comparison(const Clusters& released);

  struct Verdict {
    bool real = false, connected = false;  // connected and joined_with: of real ones only
    std::uint32_t joined_with = 0;         // the largest that has the same main true cluster and counts; 0: separate
  };
  // One a released cluster; valid until the next call.
  const std::vector<Verdict>& with(const Clusters& truth);

 private:
  void overlay(const Clusters& truth);
  void find_joined();

  const Clusters& released_;
  struct Share {
    std::uint32_t released, truth;
    std::uint32_t cells;  // number of cells that are in both
  };
  static constexpr std::size_t none = SIZE_MAX;
  std::vector<Share> shares_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_main_;  // true, released: of each real one
  std::vector<Verdict> verdicts_;
  std::vector<std::size_t> latest_;  // index of the last share of each released cluster, or none
};

}  // namespace shoal
