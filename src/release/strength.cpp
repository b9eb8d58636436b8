#include "release/strength.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/cell_index.hpp"
#include "clusters/smoothing.hpp"
#include "inference/box_clusters.hpp"
#include "inference/noisy_modes.hpp"
#include "inference/noisy_segmentation.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// Returns the density by cell of W', as it was when the clusters were found. Cells that are not stored are 0.
std::vector<double> densities(const ReleaseParts& parts, std::uint64_t cells) {
  const Transformed w = transformed_noisy(parts, parts.options);
  if (std::holds_alternative<DensityModes>(parts.options.threshold)) {
    return smoothed(*w.sums(), noisy_modes(parts, w, parts.options).smoothing).values;
  }
  std::vector<double> result(cells, 0);
  w.visit([&result](const auto& values) {
    for (std::size_t i = 0; i < values.stored(); ++i) {
      result[values.index_of(i)] = static_cast<double>(values.values()[i]);
    }
  });
  return result;
}

}  // namespace

MembershipStrength::MembershipStrength(const Release& release)
    : grid_(release.parts().grid),
      shift_(release.parts().options.transform == Transform::decimated ? std::min(release.parts().options.level, 31U)
                                                                       : 0),
      largest_(release.cluster_cells().count() + 1, 0) {
  const Clusters& clusters = release.cluster_cells();
  const std::uint64_t cells = cell_count(clusters.shape());
  refuse_boxes(release.parts(), "asked how strongly points belong to its clusters");
  if (release.parts().values() == nullptr) {
    throw InputError("the release holds no noisy values, which tell how strongly a point belongs to its cluster");
  }
  if (cells > dense_limit) {
    throw InputError(fmt::format("{} cells are too many to tell how strongly points belong to their clusters", cells));
  }
  density_ = densities(release.parts(), cells);
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) {
    double& most = largest_[clusters.labels()[i]];
    most = std::max(most, density_[clusters.cells()[i]]);
  }
  density_.push_back(0);
}

void MembershipStrength::compute(const std::vector<std::span<const double>>& columns,
                                 std::span<const std::uint32_t> labels, std::span<double> strengths) const {
  const CellIndexer indexer(grid_, false, shift_);
  std::array<std::uint64_t, CellIndexer::block> cells;
  for (std::size_t first = 0; first < strengths.size(); first += CellIndexer::block) {
    const std::size_t rows = std::min(CellIndexer::block, strengths.size() - first);
    indexer(columns, first, std::span(cells.data(), rows));
    for (std::size_t i = 0; i < rows; ++i) {
      const double most = largest_[labels[first + i]];
      strengths[first + i] = most > 0 ? std::clamp(density_[cells[i]] / most, 0.0, 1.0) : 0.0;
    }
  }
}

}  // namespace shoal
