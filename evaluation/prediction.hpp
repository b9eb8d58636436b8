// Clustering first, then classification (section 6.2): a tree trained on the cells of clusters predicts the classes of
// points that the clustering has not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/c45.hpp"
#include "grid/point_table.hpp"
#include "shoal/clusters.hpp"

namespace shoal::evaluation {

struct Split {
  PointTable train, test;
};
// A share of the rows, drawn by the seed, for training; the others for the test. Both keep the order of the rows, and
// the units where there are any.
// The test has round((1 - train_share) rows) rows.
Split split_points(const PointTable& points, double train_share, std::uint64_t seed);

enum class UnclusteredClass {
  left_out,  // the text's way: significant cells only
  kept,      // the authors' code: cells in no cluster are a class, 0
};

// One case a cell of the transformed box: its centre and its cluster. Without any cluster the tree predicts 0.
// Keeping the unclustered as a class needs a box of at most 2^24 cells.
C45 train_on_cells(const ClusterMap& map, UnclusteredClass unclustered, const C45Options& options = {});

std::vector<std::uint32_t> predict(const C45& tree, const PointTable& points);

}  // namespace shoal::evaluation
