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
  std::uint32_t cluster = 0;  // the one with most of the cells, of several the largest; 0: no cluster has any of them
  double share = 0;           // share of the cells that it has, in [0, 1]

  friend bool operator==(const Holder&, const Holder&) = default;
};

// Returns the holder of each cluster of `fine` (index: number - 1) among those of `coarse`. Both describe one grid. A
// cell of `coarse` covers 2^halvings cells of `fine` along every pooled axis; 0 for the stationary transform, whose
// levels all have the cells of the grid.
std::vector<Holder> holders(const Clusters& fine, const Clusters& coarse, unsigned halvings);

// Reads "1-5", "2" or "1,3-5" as levels, ascending. Throws Error if the text is not a list of levels.
std::vector<unsigned> parse_levels(const std::string& text);

// Throws InputError unless levels are ascending and each leaves more than one cell of the grid.
void check_levels(const Grid& grid, const std::vector<unsigned>& levels);

// One release at several levels, the finest first.
class ReleaseLevels {
 public:
  // options: all but the level, as `reshape` takes them. Throws InputError for a level that the grid or the noisy
  // values cannot give, as check_levels and reshape do.
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

}  // namespace shoal
