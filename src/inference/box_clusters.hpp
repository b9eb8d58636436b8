// The clusters of a release of boxes (evidence.hpp): the boxes that hold enough records. Public side.
#pragma once

#include <vector>

#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

struct BoxClusters {
  Clusters clusters;
  std::vector<std::size_t> boxes;  // of cluster i + 1
};

// Throws InputError if the boxes do not lie within W, overlap, or have too many cells; they may come from a file.
BoxClusters clusters_of_boxes(const ReleaseParts& parts);
// Return the noisy number of records, and the confidence, of each cluster.
std::vector<std::int64_t> sizes_of_boxes(const BoxSums& sums, const BoxClusters& found);
std::vector<ClusterConfidence> confidence_of_boxes(const BoxSums& sums, const BoxClusters& found);

// Returns true if the axes were cut where the records are (--auto in more than four axes): then the cells are those
// of boxes.
bool is_cut(const Grid& grid);
// Throws InputError if the release holds boxes, or was one of boxes before its noisy values were left out. what: such
// as "reshaped".
void refuse_boxes(const ReleaseParts& parts, const char* what);

}  // namespace shoal
