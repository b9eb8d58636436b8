// A picture of density and clusters: SVG or PNG, with axes, ticks, names and a scale. Clusters have colours that
// colour-blind readers can tell apart (neighbours above all) and numbers; everything else that holds points is grey.
//   1 axis: a profile of bars · 2 axes: a map · more: all pairs of axes, with the profile of each on the diagonal
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drawing/canvas.hpp"
#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

// Where a pair of axes, or in a profile one, is drawn.
struct PicturePanel {
  Box box;
  std::size_t x_axis = 0, y_axis = 0;
  bool is_profile = false;
};

struct PictureOptions {
  std::string title;
  std::string subtitle;
  std::string value_name = "points";  // what `density` counts
  // Doubtful clusters, by their numbers, are hatched (bars: pale), and the legend says so.
  std::vector<std::uint32_t> doubtful = {};
  std::uint32_t first_number = 1;  // shown on the first cluster; 0: as labels in Python are numbered
  // What stands on each cluster instead of its number, by its number less 1; empty: the numbers.
  std::vector<std::string> names = {};
};

class Picture {
 public:
  static constexpr std::size_t most_axes = 8;  // of more, the first ones are shown, and the legend says so

  // density: on the grid's cells or on those of a coarser level, raw or noisy; below zero is drawn as zero. With more
  // than two axes it is added up along the others, and of the clusters behind each other the one with most cells shows.
  // Grids too fine for the picture are drawn with several cells a pixel; the scale says how many.
  Picture(const Cells<std::int64_t>& density, const ClusterMap& map, PictureOptions options = {});
  ~Picture();
  Picture(Picture&&) noexcept;
  Picture& operator=(Picture&&) noexcept;

  [[nodiscard]] double width() const noexcept;  // in CSS pixels
  [[nodiscard]] double height() const noexcept;
  [[nodiscard]] std::string svg() const;
  [[nodiscard]] std::string png(double scale = 2) const;  // pixels per CSS pixel
  void draw(Canvas& canvas) const;                        // as a part of another picture

  [[nodiscard]] std::vector<PicturePanel> panels() const;
  // "#rrggbb" of cluster id, as in the picture.
  [[nodiscard]] std::string color(std::uint32_t id) const;

 private:
  struct Scene;
  std::unique_ptr<Scene> scene_;
};

}  // namespace shoal
