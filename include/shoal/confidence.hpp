// How far an analyst may trust each released cluster, from the noisy values alone: post-processing, no budget.
// docs/confidence.md says how it is computed and how often it was right.
#pragma once

#include <cstdint>
#include <string>

namespace shoal {

// Chances in (0, 1), about the population that the records come from. A cell is dense in it when it is expected to hold
// as many records as the release's threshold says; its clusters are the connected dense cells.
struct ClusterConfidence {
  double real = 0;       // at least half of its cells are dense in the population
  double connected = 0;  // if so: at least nine tenths of those lie in one cluster of the population
  double separate = 0;   // if so: that one is not also the main one of another released cluster which is at least a
                         // tenth as large
  std::uint32_t joined_with = 0;  // the released cluster that it is most likely one with; 0: none that ever was
  double plain = 0;               // it is at most a ninth denser than the cells around it: uniform there, or a slope
  // Ends of a 95 % interval for how many records of the data lie in its cells. -1: not known.
  double least_records = -1, most_records = -1;

  [[nodiscard]] bool has_interval() const noexcept { return most_records >= 0; }
  friend bool operator==(const ClusterConfidence&, const ClusterConfidence&) = default;
};

// From this chance on a cluster is taken as more than noise and chance.
inline constexpr double taken_as_real = 0.8;
// From this chance on it is taken as a part of a uniform area.
inline constexpr double taken_as_plain = 0.5;

// What is counted and listed apart, drawn faint, and left out of GeoJSON and labels unless asked for.
bool is_doubtful(const ClusterConfidence& confidence);

// "almost surely real; may be part of cluster 3".
std::string in_words(const ClusterConfidence& confidence);
// Why a release by this technique has none: "baseline counts synthetic points, ...".
std::string without_confidence(const std::string& technique);

}  // namespace shoal
