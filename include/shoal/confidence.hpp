// How far an analyst may trust each released cluster, from the noisy values alone: post-processing, no budget.
// docs/confidence.md says how it is computed and how often it was right.
#pragma once

#include <cstdint>
#include <string>

namespace shoal {

// Chances in (0, 1), beside what plain WaveCluster with the same options would show on the data themselves ("in
// truth"):
struct ClusterConfidence {
  double real = 0;       // at least half of its cells are dense in truth
  double connected = 0;  // if so: at least nine tenths of those lie in one true cluster
  double separate = 0;   // if so: that one is not also the main one of another released cluster which is at least a
                         // tenth as large
  std::uint32_t joined_with = 0;  // the released cluster that it is most likely one with; 0: none that ever was

  friend bool operator==(const ClusterConfidence&, const ClusterConfidence&) = default;
};

// From this chance on a cluster is taken as more than noise; below it pictures are hatched.
inline constexpr double taken_as_real = 0.8;

// "almost surely real; may be part of cluster 3".
std::string in_words(const ClusterConfidence& confidence);
// Why a release by this technique has none: "baseline counts synthetic points, ...".
std::string without_confidence(const std::string& technique);

}  // namespace shoal
