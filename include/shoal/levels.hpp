// Several resolutions at once: the clusters of one release at several levels of the wavelet transform, and which
// cluster of a level holds which of the finer level before it. Post-processing: it costs no budget. docs/techniques.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shoal/release.hpp"

namespace shoal {

// The cluster of the next coarser level that holds a cluster.
struct Holder {
  // The cluster with most of the cells, and of several such clusters the largest. 0 means that no cluster has any.
  std::uint32_t cluster = 0;
  // The share of the cells that this cluster has, in [0, 1].
  double share = 0;

  friend bool operator==(const Holder&, const Holder&) = default;
};

// Returns the holder of each cluster of `fine` (index: number - 1) among those of `coarse`. Both describe one grid. A
// cell of `coarse` covers 2^halvings cells of `fine` along every pooled axis; 0 for the stationary transform, whose
// levels all have the cells of the grid.
std::vector<Holder> holders(const Clusters& fine, const Clusters& coarse, unsigned halvings);

// One level of a release, or of the raw data (owner.hpp).
struct LevelView {
  unsigned level = 1;
  ClusterMap map;
  // Numbers of doubtful clusters, ascending. They are drawn as unclustered.
  std::vector<std::uint32_t> doubtful;
  // The holder of each cluster, as in ReleaseLevels::held_by().
  std::vector<Holder> held_by;

  // Returns true if the cluster with this number is doubtful.
  [[nodiscard]] bool is_doubtful(std::size_t number) const;
};

// Parses a list of levels, such as "1-5", "2" or "1,3-5", and returns them in ascending order. Throws if the text is
// not such a list.
std::vector<unsigned> parse_levels(const std::string& text);

// Throws unless the levels are ascending and each of them leaves more than one cell of the grid.
void check_levels(const Grid& grid, const std::vector<unsigned>& levels);

// One release at several levels, the finest first.
class ReleaseLevels {
 public:
  // Reshapes the release to each level. The level of `options` is ignored. Throws if check_levels() or reshape()
  // throws.
  ReleaseLevels(const Release& release, ClusterOptions options, const std::vector<unsigned>& levels);

  [[nodiscard]] const std::vector<Release>& releases() const noexcept { return releases_; }
  // One list per level, as holders() returns it; empty for the last and coarsest level.
  [[nodiscard]] const std::vector<std::vector<Holder>>& held_by() const noexcept { return held_by_; }

  [[nodiscard]] std::string json() const;  // documented in docs/formats.md
  [[nodiscard]] std::string svg() const;   // a map per level, and below them which cluster holds which
  // Returns a picture by the suffix of `path`: .svg or .png, or .slide.svg or .slide.png in the shape of a slide.
  [[nodiscard]] std::string picture(const std::string& path) const;
  [[nodiscard]] std::string html() const;  // a report without scripts
  // Returns what a file of that name holds, by suffix: .json .html .svg .png. Throws InputError for any other.
  [[nodiscard]] std::string contents(const std::string& path) const;

 private:
  std::vector<Release> releases_;
  std::vector<std::vector<Holder>> held_by_;
};

// Returns the levels of a release as views, the finest first.
std::vector<LevelView> level_views(const ReleaseLevels& levels);
// Says which clusters of level `index` the next coarser one holds: "1, 2 in cluster 1 of level 2; 3 in 2; 4 in none".
// Doubtful clusters are left out. Empty for the coarsest level and where there is no cluster.
std::string held_in_words(const std::vector<LevelView>& levels, std::size_t index);

}  // namespace shoal
