// A picture of density and clusters: SVG or PNG, with axes, ticks, names and a scale. Clusters have numbers, and
// colours that colour-blind readers can tell apart, above all between neighbours. Everything else that holds points is
// grey.
//   1 axis: a profile of bars · 2 axes: a map · more: all pairs of axes, with the profile of each on the diagonal
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drawing/base_map.hpp"
#include "drawing/canvas.hpp"
#include "shoal/cells.hpp"
#include "shoal/clusters.hpp"

namespace shoal {

// Where a pair of axes is drawn, or a single axis in a profile.
struct PicturePanel {
  Box box;
  std::size_t x_axis = 0, y_axis = 0;
  bool is_profile = false;
};

struct PictureOptions {
  std::string title;
  std::string subtitle;
  std::string value_name = "points";  // what `density` counts
  // Numbers of the doubtful clusters. They are grey and hatched, and the legend says so.
  std::vector<std::uint32_t> doubtful = {};
  std::uint32_t first_number = 1;  // number shown on the first cluster; 0: as for labels in Python
  // Texts shown on the clusters instead of their numbers; entry i is for cluster i + 1. Empty: the numbers.
  std::vector<std::string> names = {};
  Sheet sheet = Sheet::paper;  // slide: the legend stands beside the map
  // What is drawn under a map of longitude and latitude, or null.
  std::shared_ptr<const BaseMap> base = {};
  // Returns how much noise the sum of that many values may have: half the width of its 95 % interval. Cells that noise
  // may explain are then drawn only in clusters. Empty: all are drawn.
  std::function<std::optional<double>(double count)> noise = {};
};

class Picture {
 public:
  // If there are more, only the first ones are shown, and the legend says so.
  static constexpr std::size_t most_axes = 8;

  // density: on the cells of the grid or of a coarser level, raw or noisy; negative values are drawn as zero. With more
  // than two axes, it is summed along the others, and of several clusters in one place the one with the most cells is
  // shown. If the grid is too fine for the picture, a pixel shows several cells; the scale says how many.
  Picture(const Cells<std::int64_t>& density, const ClusterMap& map, PictureOptions options = {});
  ~Picture();
  Picture(Picture&&) noexcept;
  Picture& operator=(Picture&&) noexcept;

  [[nodiscard]] double width() const noexcept;  // in CSS pixels
  [[nodiscard]] double height() const noexcept;
  [[nodiscard]] std::string svg() const;
  [[nodiscard]] std::string png(double scale) const;  // pixels per CSS pixel
  // Returns a picture by the suffix of `path`, as canvas_for chooses it.
  [[nodiscard]] std::string file(const std::string& path) const;
  void draw(Canvas& canvas) const;  // as part of another picture

  [[nodiscard]] std::vector<PicturePanel> panels() const;
  // Returns what is drawn under the map, or null if there is nothing.
  [[nodiscard]] const BaseMap* base() const noexcept;
  // Returns "#rrggbb", the colour of cluster id in the picture.
  [[nodiscard]] std::string color(std::uint32_t id) const;

 private:
  struct Scene;
  std::unique_ptr<Scene> scene_;
};

}  // namespace shoal
