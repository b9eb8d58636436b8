#include "drawing/small_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/geographic_axes.hpp"
#include "base/scale.hpp"
#include "drawing/palette.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

constexpr Color faint{236, 237, 239}, dark{112, 115, 120};
constexpr int steps = DensityScale::steps;

Color fill_of(const SmallMap& map, std::uint32_t label, int step) {
  const double share = step / double{steps - 1};
  if (label == 0) return step == 0 ? ground : mix(faint, dark, share);
  const Color color = cluster_colors[map.colors[label - 1]];
  return mix(mix(paper, color, 0.45), color, share);
}

void draw_density(Canvas& canvas, const Box& box, const SmallMap& map) {
  const Panel& panel = map.panel;
  const DensityScale scale(panel.density);
  IndexedImage image{panel.x.pixels, panel.y.pixels, {}, std::vector<std::uint8_t>(panel.x.pixels * panel.y.pixels)};
  std::map<std::pair<std::uint32_t, int>, std::uint8_t> index{{{0, 0}, 0}};
  image.palette.push_back(ground);
  image.has_clear_ground = map.base != nullptr;
  for (std::size_t y = 0; y < panel.y.pixels; ++y) {
    for (std::size_t x = 0; x < panel.x.pixels; ++x) {
      const std::size_t at = y * panel.x.pixels + x;
      const std::uint32_t color = panel.label[at] == 0 ? 0 : map.colors[panel.label[at] - 1] + 1U;
      const int step = color == 0 && panel.density[at] < map.least ? 0 : scale.step(panel.density[at]);
      const auto [found, added] = index.try_emplace({color, step}, static_cast<std::uint8_t>(image.palette.size()));
      if (added) image.palette.push_back(fill_of(map, panel.label[at], step));
      image.pixels[(panel.y.pixels - 1 - y) * panel.x.pixels + x] = found->second;
    }
  }
  canvas.image(
      {box.x, box.bottom() - box.height * panel.y.covered, box.width * panel.x.covered, box.height * panel.y.covered},
      box, image);
}

void draw_bars(Canvas& canvas, const Box& box, const SmallMap& map, double highest) {
  const Panel& panel = map.panel;
  const double width = box.width * panel.x.covered / static_cast<double>(panel.x.pixels);
  for (std::size_t x = 0; x < panel.x.pixels; ++x) {
    const double height = (box.height - 24) * panel.density[x] / highest;
    const double from = box.x + static_cast<double>(x) * width;
    canvas.fill({from, box.bottom() - height, std::min(width, box.right() - from), height},
                panel.label[x] == 0 ? Color{176, 179, 184} : cluster_colors[map.colors[panel.label[x] - 1]]);
  }
}

void draw_axes(Canvas& canvas, const Box& box, const SmallMap& map, bool upward_axis) {
  const auto name = [&map](std::size_t axis) {
    return map.grid.axis(axis).name().empty() ? fmt::format("axis {}", axis + 1) : map.grid.axis(axis).label();
  };
  const TextStyle small{.size = 11, .color = soft_ink};
  for (const Tick& tick : axis_ticks(map.grid.axis(0), box.width / 75)) {
    const double x = box.x + tick.value * box.width;
    const Segment line{x, box.bottom(), x, box.bottom() + 4};
    canvas.lines({&line, 1}, frame, 1);
    TextStyle style = small;
    style.anchor = Anchor::middle;
    canvas.text(x, box.bottom() + 16, tick.text, style);
  }
  canvas.text(box.x + box.width / 2, box.bottom() + 31, name(0),
              {.size = 11.5, .color = ink, .anchor = Anchor::middle});
  if (map.is_profile() || !upward_axis) return;
  for (const Tick& tick : axis_ticks(map.grid.axis(1), box.height / 75)) {
    const double y = box.bottom() - tick.value * box.height;
    const Segment line{box.x - 4, y, box.x, y};
    canvas.lines({&line, 1}, frame, 1);
    TextStyle style = small;
    style.anchor = Anchor::end;
    canvas.text(box.x - 7, y + 4, tick.text, style);
  }
  canvas.text(box.x - small_map_left + 10, box.y + box.height / 2, name(1),
              {.size = 11.5, .color = ink, .anchor = Anchor::middle, .upwards = true});
}

}  // namespace

Panel small_panel(const Cells<std::int64_t>& density, const ClusterMap& map, double width) {
  const auto pixels = static_cast<std::size_t>(width / 1.5);
  const PixelAxis x = pixel_axis(map, density.shape(), 0, pixels);
  if (map.grid().dimensions() == 1) return profile(density, map, x);
  return project(density, map, x, pixel_axis(map, density.shape(), 1, pixels));
}

std::shared_ptr<const BaseMap> small_base_map(const Grid& grid, const Publication& publication) {
  const GeographicAxes axes = geographic_axes(grid);
  if (!axes.found || axes.longitude != 0) return nullptr;
  auto base = std::make_shared<const BaseMap>(base_map_of(grid, publication));
  return base->empty() ? nullptr : base;
}

void draw_small_map(Canvas& canvas, const Box& box, const SmallMap& map, double highest, bool upward_axis) {
  canvas.fill(box, ground);
  if (map.is_profile()) {
    draw_bars(canvas, box, map, highest);
  } else {
    if (map.base) draw_ground(canvas, MapFrame(map.grid, box), *map.base);
    draw_density(canvas, box, map);
    if (map.base) draw_shores(canvas, MapFrame(map.grid, box), *map.base);
  }
  const Segment sides[] = {{box.x, box.y, box.right(), box.y},
                           {box.x, box.bottom(), box.right(), box.bottom()},
                           {box.x, box.y, box.x, box.bottom()},
                           {box.right(), box.y, box.right(), box.bottom()}};
  canvas.lines(sides, frame, 1);
  if (!map.base) draw_axes(canvas, box, map, upward_axis);
}

}  // namespace shoal
