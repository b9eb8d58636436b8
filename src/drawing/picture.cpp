#include "drawing/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/geographic_axes.hpp"
#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/palette.hpp"
#include "drawing/panel.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

constexpr Color border{30, 30, 30};
constexpr Color unclustered_bar{176, 179, 184};
constexpr double margin = 16;
constexpr double tick_size = 11.5, tick_length = 5;
constexpr double headroom = 24;  // space above the highest bar of a profile
constexpr std::size_t most_border_pieces = 12000;
constexpr double legend_line = 24, legend_width = 520;
constexpr double title_size = 17, title_line = 22, subtitle_size = 12.5, subtitle_line = 17;
constexpr double credits_size = 10, credits_line = 20;
constexpr double slide_width = 960, slide_height = 540, slide_legend_width = 260;

// Minimum width of a pixel, so that a single cell is visible.
constexpr double least_pixel = 1.4, least_pixel_when_empty = 2.6;

constexpr int steps = DensityScale::steps;
constexpr int doubtful_step = steps / 3;  // the grey of doubtful clusters

std::string axis_label(const Grid& grid, std::size_t axis) {
  const std::string name = grid.axis(axis).label();
  return name.empty() ? fmt::format("axis {}", axis + 1) : name;
}

double widest(const std::vector<Tick>& all) {
  double width = 0;
  for (const Tick& tick : all) width = std::max(width, text_width(tick.text, tick_size));
  return width;
}

// One panel with its place and ticks.
struct Placed {
  Panel panel;
  bool is_profile = false;
  Box box;
  bool ticks_below = false, ticks_left = false;
  bool numbers = true;  // whether clusters are numbered
  double least = 0;     // of the values outside clusters that are drawn
};

}  // namespace

struct Picture::Scene {
  Scene(const Cells<std::int64_t>& density, const ClusterMap& map, PictureOptions picture_options)
      : grid(map.grid()),
        geographic(geographic_axes(map.grid())),
        options(std::move(picture_options)),
        values(cell_count(density.shape())) {
    if (grid.dimensions() == 1) {
      make_profile(density, map);
    } else if (grid.dimensions() == 2) {
      make_map(density, map);
    } else {
      make_matrix(density, map);
    }
    doubtful.assign(map.clusters().count() + 1, false);
    for (const std::uint32_t id : options.doubtful) doubtful.at(id) = true;
    if (!options.doubtful.empty() && !legend_is_beside) picture_height += legend_line;
    for (Placed& placed : parts) placed.least = least_drawn(placed.panel);
    options.noise = nullptr;  // it may refer to what the picture outlives
    has_base = geographic.found && options.base != nullptr && !options.base->empty();
    if (has_base && !legend_is_beside) picture_height += credits_line;
    mostly_empty = parts.size() == 1 && is_mostly_empty(parts.front().panel.density);
    std::vector<std::vector<std::uint32_t>> neighbors(map.clusters().count());
    for (const Placed& placed : parts) add_neighbors(placed.panel, neighbors);
    colors = colored(neighbors);
    for (const Placed& placed : parts) {
      if (placed.is_profile && parts.size() > 1) continue;
      scales.emplace_back(placed.panel.density);
    }
  }

  [[nodiscard]] double top() const {
    const double subtitle = static_cast<double>(subtitle_lines.size());
    return margin + static_cast<double>(title_lines.size()) * title_line + subtitle * subtitle_line +
           (subtitle > 0 ? 4 : 0);
  }

  // Breaks title and subtitle to the width of the picture, which is at least `width`. Called before anything is placed.
  void write_head(double width) {
    picture_width = std::max({width, legend_width + 2 * margin, 420.0});
    if (options.sheet == Sheet::slide) picture_width = slide_width;
    title_lines = wrapped(options.title, title_size, true, picture_width - 2 * margin);
    subtitle_lines = wrapped(options.subtitle, subtitle_size, false, picture_width - 2 * margin);
  }

  [[nodiscard]] std::vector<Tick> axis_ticks(std::size_t axis, double length, double apart_px) const {
    const bool degrees = geographic.found && (axis == geographic.longitude || axis == geographic.latitude);
    return shoal::axis_ticks(grid.axis(axis), std::max(1.0, length / apart_px), degrees ? "\u00b0" : "");
  }

  void make_profile(const Cells<std::int64_t>& density, const ClusterMap& map) {
    Placed placed;
    placed.panel = profile(density, map, pixel_axis(map, density.shape(), 0, 512));
    placed.is_profile = true;
    const double most = *std::max_element(placed.panel.density.begin(), placed.panel.density.end());
    const double left = margin + 18 + widest(ticks(0, std::max(most, 1.0), 6)) + tick_length + 6;
    write_head(left + 720 + margin + 14);
    const double width = picture_width - left - margin - 14;
    const double height = options.sheet == Sheet::slide ? slide_height - top() - 8 - 108 : 280;
    placed.box = {left, top() + 8, width, height};
    placed.ticks_below = placed.ticks_left = true;
    finish(std::move(placed));
  }

  void make_map(const Cells<std::int64_t>& density, const ClusterMap& map) {
    const std::size_t x = geographic.found ? geographic.longitude : 0;
    const std::size_t y = 1 - x;
    const double ratio = aspect_of(grid, x, y);
    double width = ratio >= 1.2 ? 760 : std::min(620.0, 620 * ratio);
    double height = width / ratio;
    const double left = margin + 18 + widest(axis_ticks(y, height, 60)) + tick_length + 6;
    write_head(left + width + margin + 14);
    if (options.sheet == Sheet::slide) {
      height = slide_height - top() - 8 - 60;
      width = height * ratio;
      const double room = slide_width - left - slide_legend_width - margin;
      if (width > room) {
        width = room;
        height = width / ratio;
      }
    }
    Placed placed;
    for (const double least : {least_pixel, least_pixel_when_empty}) {
      placed.panel = project(density, map, pixel_axis(map, density.shape(), x, static_cast<std::size_t>(width / least)),
                             pixel_axis(map, density.shape(), y, static_cast<std::size_t>(height / least)));
      if (!is_mostly_empty(placed.panel.density)) break;
    }
    placed.box = {left, top() + 8, width, height};
    placed.ticks_below = placed.ticks_left = true;
    finish(std::move(placed));
  }

  // Places the legend: below, or beside a map on a slide.
  void finish(Placed placed) {
    const Box box = placed.box;
    legend_is_beside = options.sheet == Sheet::slide && !placed.is_profile;
    legend_x = legend_is_beside ? box.right() + 32 : box.x;
    legend_y = legend_is_beside ? box.y + 20 : box.bottom() + 68;
    picture_height = legend_is_beside ? std::max(slide_height, box.bottom() + 60) : legend_y + 40;
    parts.push_back(std::move(placed));
  }

  void make_matrix(const Cells<std::int64_t>& density, const ClusterMap& map) {
    shown = std::min(grid.dimensions(), most_axes);
    const auto side = std::clamp(780.0 / static_cast<double>(shown), 96.0, 250.0);
    const double gap = 8;
    const std::size_t most = shown > 4 ? 128 : 256;
    std::vector<PixelAxis> axes;
    double label_width = 0;
    for (std::size_t axis = 0; axis < shown; ++axis) {
      axes.push_back(pixel_axis(map, density.shape(), axis, most));
      label_width = std::max(label_width, widest(axis_ticks(axis, side, 55)));
    }
    const double left = margin + 18 + label_width + tick_length + 6;
    const double length = static_cast<double>(shown) * (side + gap) - gap;
    write_head(left + length + margin + 14);
    for (std::size_t row = 0; row < shown; ++row) {
      for (std::size_t column = 0; column <= row; ++column) {
        Placed placed;
        placed.is_profile = row == column;
        placed.panel =
            placed.is_profile ? profile(density, map, axes[row]) : project(density, map, axes[column], axes[row]);
        placed.box = {left + static_cast<double>(column) * (side + gap),
                      top() + 8 + static_cast<double>(row) * (side + gap), side, side};
        placed.ticks_below = row + 1 == shown;
        placed.ticks_left = column == 0 && row > 0;
        parts.push_back(std::move(placed));
      }
    }
    legend_x = left;
    legend_y = top() + 8 + length + 68;
    picture_height = legend_y + 40;
  }

  void draw(Canvas& canvas) const {
    canvas.fill({0, 0, picture_width, picture_height}, paper);
    double y = margin - 8;
    for (const std::string& line : title_lines) {
      canvas.text(margin, y += title_line, line, {.size = title_size, .color = ink, .bold = true});
    }
    y += 2;
    for (const std::string& line : subtitle_lines) {
      canvas.text(margin, y += subtitle_line, line, {.size = subtitle_size, .color = soft_ink});
    }
    for (std::size_t i = 0, map = 0; i < parts.size(); ++i) {
      const Placed& placed = parts[i];
      if (placed.is_profile) {
        draw_profile(canvas, placed);
      } else {
        draw_map(canvas, placed, scales[map++]);
      }
      draw_axes(canvas, placed);
    }
    draw_legend(canvas);
  }

  [[nodiscard]] std::uint8_t pixel_color(std::uint32_t label, int step) const {
    return static_cast<std::uint8_t>(label == 0 ? step : steps + steps * colors[label - 1] + step);
  }

  // Returns the box of the panel, extended if its last pixel reaches past the upper bound.
  [[nodiscard]] static Box covered(const Placed& placed) {
    const double width = placed.box.width * placed.panel.x.covered;
    const double height = placed.is_profile ? placed.box.height : placed.box.height * placed.panel.y.covered;
    return {placed.box.x, placed.box.bottom() - height, width, height};
  }

  void draw_map(Canvas& canvas, const Placed& placed, const DensityScale& scale) const {
    const Panel& panel = placed.panel;
    const std::size_t width = panel.x.pixels, height = panel.y.pixels;
    IndexedImage image{width, height, image_palette(mostly_empty), std::vector<std::uint8_t>(width * height)};
    for (std::size_t j = 0; j < height; ++j) {
      for (std::size_t i = 0; i < width; ++i) {
        const std::size_t at = j * width + i;
        const std::uint32_t label = panel.label[at];
        const int step = label == 0 && panel.density[at] < placed.least ? 0 : scale.step(panel.density[at]);
        image.pixels[(height - 1 - j) * width + i] =
            doubtful[label] ? pixel_color(0, doubtful_step) : pixel_color(label, step);
      }
    }
    std::vector<Box> taken;
    if (has_base) {
      const MapFrame on(grid, placed.box);
      image.has_clear_ground = true;
      draw_ground(canvas, on, *options.base);
      canvas.image(covered(placed), placed.box, image);
      draw_shores(canvas, on, *options.base);
    } else {
      canvas.image(covered(placed), placed.box, image);
    }
    if (!options.doubtful.empty()) draw_hatching(canvas, placed);
    draw_borders(canvas, placed);
    if (placed.numbers) draw_numbers(canvas, placed, taken);
    if (has_base) draw_places(canvas, MapFrame(grid, placed.box), *options.base, taken);
  }

  // Returns the least value of a pixel outside clusters that is drawn.
  [[nodiscard]] double least_drawn(const Panel& panel) const {
    if (!options.noise) return 0;
    const std::size_t pixels = panel.x.pixels * panel.y.pixels;
    const std::optional<double> half = options.noise(static_cast<double>(values) / static_cast<double>(pixels));
    return half ? least_beyond_noise(*half, pixels) : 0;
  }

  // Draws lines over the clusters that may be noise, row by row of pixels. The page draws them alike: grey and hatched.
  void draw_hatching(Canvas& canvas, const Placed& placed) const {
    const Panel& panel = placed.panel;
    const Box box = covered(placed);
    const double sx = box.width / static_cast<double>(panel.x.pixels);
    const double sy = box.height / static_cast<double>(panel.y.pixels);
    std::vector<Segment> lines;
    for (std::size_t j = 0; j < panel.y.pixels; ++j) {
      const std::uint32_t* row = panel.label.data() + j * panel.x.pixels;
      for (std::size_t i = 0; i < panel.x.pixels; ++i) {
        const std::size_t start = i;
        while (i < panel.x.pixels && doubtful[row[i]]) ++i;
        if (i == start) continue;
        const double left = box.x + static_cast<double>(start) * sx;
        const double top = std::max(placed.box.y, box.bottom() - static_cast<double>(j + 1) * sy);
        hatch({left, top, std::min(box.x + static_cast<double>(i) * sx, placed.box.right()) - left,
               box.bottom() - static_cast<double>(j) * sy - top},
              lines);
      }
    }
    if (lines.size() <= most_border_pieces) canvas.lines(lines, border, 1);
  }

  void draw_borders(Canvas& canvas, const Placed& placed) const {
    std::vector<Segment> pieces = borders(placed.panel);
    const Box box = covered(placed);
    const double sx = box.width / static_cast<double>(placed.panel.x.pixels);
    const double sy = box.height / static_cast<double>(placed.panel.y.pixels);
    if (pieces.size() > most_border_pieces || std::min(sx, sy) < (mostly_empty ? 5 : 2))
      return;  // borders would hide what they enclose
    for (Segment& piece : pieces) {
      piece = {
          std::min(box.x + piece.x1 * sx, placed.box.right()), std::max(box.bottom() - piece.y1 * sy, placed.box.y),
          std::min(box.x + piece.x2 * sx, placed.box.right()), std::max(box.bottom() - piece.y2 * sy, placed.box.y)};
    }
    canvas.lines(pieces, border, std::min(sx, sy) < 4 ? 0.6 : 1);
  }

  [[nodiscard]] std::string name_of(std::size_t cluster) const {
    return options.names.empty() ? fmt::format("{}", cluster + options.first_number) : options.names.at(cluster);
  }

  // Starts with the largest clusters. A number is inside its cluster if there is room, otherwise beside it. A number
  // that would cover another is omitted, and so are the numbers of specks after the first few.
  void draw_numbers(Canvas& canvas, const Placed& placed, std::vector<Box>& taken) const {
    constexpr std::size_t most_specks = 40;
    const double size = parts.size() > 1 ? 10 : (colors.size() > 60 ? 10.5 : 13);
    const Box box = covered(placed);
    const double sx = box.width / static_cast<double>(placed.panel.x.pixels);
    const double sy = box.height / static_cast<double>(placed.panel.y.pixels);
    const std::vector<Inside> inside = deepest_pixels(placed.panel, colors.size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (inside[i].depth == 0) continue;
      const std::string text = name_of(i);
      const double width = text_width(text, size) + 2;
      double x = box.x + (static_cast<double>(inside[i].x) + 0.5) * sx;
      double y = box.bottom() - (static_cast<double>(inside[i].y) + 0.5) * sy;
      if (inside[i].depth * std::min(sx, sy) < size * 0.35) {
        if (i >= most_specks) continue;
        const double aside = inside[i].depth * sx + width / 2 + 2;
        x += x + aside + width / 2 < placed.box.right() ? aside : -aside;
        y = std::max(y - size * 0.4, placed.box.y + size * 0.6);
      }
      const Box room{x - width / 2, y - size * 0.55, width, size * 1.1};
      const bool crowded = std::any_of(taken.begin(), taken.end(), [&room](const Box& other) {
        return room.x < other.right() && other.x < room.right() && room.y < other.bottom() && other.y < room.bottom();
      });
      if (crowded) continue;
      taken.push_back(room);
      canvas.text(x, y + size * 0.36, text,
                  {.size = size, .color = ink, .anchor = Anchor::middle, .bold = true, .halo = true});
    }
  }

  void draw_profile(Canvas& canvas, const Placed& placed) const {
    const Panel& panel = placed.panel;
    canvas.fill(placed.box, ground);
    const double most = std::max(1.0, *std::max_element(panel.density.begin(), panel.density.end()));
    const double width = covered(placed).width / static_cast<double>(panel.x.pixels);
    std::vector<Segment> lines;
    for (std::size_t i = 0; i < panel.x.pixels; ++i) {
      const double height = (placed.box.height - headroom) * panel.density[i] / most;
      if (height <= 0) continue;
      const double x = placed.box.x + static_cast<double>(i) * width;
      const std::uint32_t label = panel.label[i];
      const Box bar{x, placed.box.bottom() - height, std::min(width, placed.box.right() - x), height};
      canvas.fill(bar, label == 0 || doubtful[label] ? unclustered_bar : cluster_colors[colors[label - 1]]);
      if (doubtful[label]) hatch(bar, lines);
    }
    if (lines.size() <= most_border_pieces) canvas.lines(lines, border, 1);
    if (parts.size() == 1) {
      draw_numbers_above(canvas, placed, most);
    } else {
      canvas.text(placed.box.x + 6, placed.box.y + 14, axis_label(grid, panel.x.axis),
                  {.size = 12, .color = ink, .bold = true, .halo = true});
    }
  }

  // In a profile, the number of a cluster is above its highest bar.
  void draw_numbers_above(Canvas& canvas, const Placed& placed, double most) const {
    const Panel& panel = placed.panel;
    const double width = covered(placed).width / static_cast<double>(panel.x.pixels);
    std::vector<std::size_t> highest(colors.size(), panel.x.pixels);
    for (std::size_t i = 0; i < panel.x.pixels; ++i) {
      if (panel.label[i] == 0) continue;
      std::size_t& best = highest[panel.label[i] - 1];
      if (best == panel.x.pixels || panel.density[i] > panel.density[best]) best = i;
    }
    std::vector<Box> taken;
    for (std::size_t cluster = 0; cluster < highest.size(); ++cluster) {
      if (highest[cluster] == panel.x.pixels) continue;
      const double x = placed.box.x + (static_cast<double>(highest[cluster]) + 0.5) * width;
      const double height = (placed.box.height - headroom) * panel.density[highest[cluster]] / most;
      const double y = std::max(placed.box.bottom() - height - 4, placed.box.y + 13);
      const std::string text = name_of(cluster);
      const double half = text_width(text, 12) / 2 + 1;
      const bool crowded = std::any_of(taken.begin(), taken.end(), [&](const Box& other) {
        return x - half < other.right() && other.x < x + half && std::fabs(y - other.y) < 13;
      });
      if (crowded) continue;
      taken.push_back({x - half, y, 2 * half, 13});
      canvas.text(x, y, text, {.size = 12, .color = ink, .anchor = Anchor::middle, .bold = true, .halo = true});
    }
  }

  void draw_axes(Canvas& canvas, const Placed& placed) const {
    const Box& box = placed.box;
    std::vector<Segment> lines{{box.x, box.y, box.right(), box.y},
                               {box.x, box.bottom(), box.right(), box.bottom()},
                               {box.x, box.y, box.x, box.bottom()},
                               {box.right(), box.y, box.right(), box.bottom()}};
    if (placed.ticks_below) draw_ticks_below(canvas, placed, lines);
    if (placed.ticks_left) draw_ticks_left(canvas, placed, lines);
    canvas.lines(lines, frame, 1);
  }

  void draw_ticks_below(Canvas& canvas, const Placed& placed, std::vector<Segment>& lines) const {
    const Box& box = placed.box;
    const double room = 12 + widest(axis_ticks(placed.panel.x.axis, box.width, 70));
    for (const Tick& tick : axis_ticks(placed.panel.x.axis, box.width, std::max(room, 45.0))) {
      const double x = box.x + tick.value * box.width;
      lines.push_back({x, box.bottom(), x, box.bottom() + tick_length});
      const double half = text_width(tick.text, tick_size) / 2;
      if (parts.size() > 1 && (x + half > box.right() || x - half < box.x)) continue;  // the next panel is close
      canvas.text(x, box.bottom() + tick_length + 13, tick.text,
                  {.size = tick_size, .color = soft_ink, .anchor = Anchor::middle});
    }
    canvas.text(box.x + box.width / 2, box.bottom() + tick_length + 32,
                fitted(axis_label(grid, placed.panel.x.axis), 12.5, box.width),
                {.size = 12.5, .color = ink, .anchor = Anchor::middle});
  }

  void draw_ticks_left(Canvas& canvas, const Placed& placed, std::vector<Segment>& lines) const {
    const Box& box = placed.box;
    double lo = 0, hi = 1;
    std::vector<Tick> all;
    if (placed.is_profile) {
      hi = std::max(1.0, *std::max_element(placed.panel.density.begin(), placed.panel.density.end()));
      hi *= box.height / (box.height - headroom);
      all = ticks(lo, hi, 6);
    } else {
      all = axis_ticks(placed.panel.y.axis, box.height, 55);
    }
    for (const Tick& tick : all) {
      const double y = box.bottom() - (tick.value - lo) / (hi - lo) * box.height;
      lines.push_back({box.x - tick_length, y, box.x, y});
      canvas.text(box.x - tick_length - 4, y + 4, tick.text,
                  {.size = tick_size, .color = soft_ink, .anchor = Anchor::end});
    }
    const std::string name =
        placed.is_profile ? options.value_name + " per bar" : axis_label(grid, placed.panel.y.axis);
    canvas.text(margin + 10, box.y + box.height / 2, fitted(name, 12.5, box.height + 40),
                {.size = 12.5, .color = ink, .anchor = Anchor::middle, .upwards = true});
  }

  // Draws noise and clusters as two strips of the same scale. If there are several maps, each has its own scale, and
  // only the ends are named.
  void draw_legend(Canvas& canvas) const {
    draw_scales(canvas);
    if (has_base) {
      const double y = legend_is_beside ? picture_height - margin : picture_height - 12;
      const double room = legend_is_beside ? slide_legend_width - margin : picture_width - legend_x - margin;
      const std::vector<std::string> lines = wrapped(options.base->credits, credits_size, false, room);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        canvas.text(legend_x, y - static_cast<double>(lines.size() - 1 - i) * 13, lines[i],
                    {.size = credits_size, .color = soft_ink});
      }
    }
    if (options.doubtful.empty()) return;
    const double x = legend_x, y = legend_y + (legend_is_beside ? 104 : 40);
    canvas.fill({x, y, 24, 12}, unclustered_bar);
    std::vector<Segment> lines;
    hatch({x, y, 24, 12}, lines);
    canvas.lines(lines, border, 1);
    canvas.text(x + 32, y + 10.5,
                legend_is_beside ? "hatched: doubtful" : "hatched: doubtful, chance or noise may explain it",
                {.size = tick_size, .color = soft_ink});
  }

  void draw_scales(Canvas& canvas) const {
    const std::vector<Color> palette = image_palette(mostly_empty);
    const double x = legend_x;
    const double strip = 190;
    const double aside = legend_is_beside ? 0 : strip + 24, below = legend_is_beside ? 34 : 0;
    if (parts.size() == 1 && parts.front().is_profile) {
      canvas.fill({x, legend_y, 12, 12}, Color{176, 179, 184});
      canvas.text(x + 18, legend_y + 10.5, "unclustered", {.size = tick_size, .color = soft_ink});
      canvas.fill({x + 170, legend_y, 12, 12}, cluster_colors[0]);
      canvas.fill({x + 182, legend_y, 12, 12}, cluster_colors[1]);
      canvas.fill({x + 194, legend_y, 12, 12}, cluster_colors[2]);
      canvas.text(x + 212, legend_y + 10.5, "clusters, by number", {.size = tick_size, .color = soft_ink});
      return;
    }
    const DensityScale& scale = scales.front();
    const auto draw_strip = [&](double left, double y, std::size_t first, const char* name) {
      for (int step = 1; step < steps; ++step) {
        const double width = strip / (steps - 1);
        canvas.fill({left + (step - 1) * width, y, width + 0.3, 11}, palette[first + static_cast<std::size_t>(step)]);
      }
      canvas.text(left, y - 5, name, {.size = tick_size, .color = ink});
    };
    draw_strip(x, legend_y, 0, "unclustered");
    draw_strip(x + aside, legend_y + below, steps, "in a cluster (colours by number)");
    if (parts.size() > 1) {
      canvas.text(x, legend_y + 25, "few", {.size = tick_size, .color = soft_ink});
      canvas.text(x + strip, legend_y + 25, "many", {.size = tick_size, .color = soft_ink, .anchor = Anchor::end});
      std::string note = options.value_name + "; shades are of each panel's own";
      if (shown < grid.dimensions()) note += fmt::format("; the first {} of {} axes", shown, grid.dimensions());
      canvas.text(x + strip + 24, legend_y + 25, note, {.size = tick_size, .color = soft_ink});
      return;
    }
    draw_scale(canvas, scale, x, strip);
  }

  void draw_scale(Canvas& canvas, const DensityScale& scale, double x, double strip) const {
    for (const double share : {0.0, 0.5, 1.0}) {
      const double value = share == 0.0 ? std::min(1.0, scale.largest()) : scale.value(share * (steps - 1));
      const Anchor anchor = share == 0.0 ? Anchor::start : (share == 1.0 ? Anchor::end : Anchor::middle);
      const std::string text = value < 10 ? fmt::format("{:.2g}", value) : grouped(value);
      canvas.text(x + share * strip, legend_y + 25 + (legend_is_beside ? 34 : 0), text,
                  {.size = tick_size, .color = soft_ink, .anchor = anchor});
    }
    const Panel& panel = parts.front().panel;
    const std::uint64_t cells = panel.x.cells_per_pixel * panel.y.cells_per_pixel;
    const std::string each =
        cells == 1 ? "cell" : fmt::format("{} x {} cells", panel.x.cells_per_pixel, panel.y.cells_per_pixel);
    canvas.text(legend_is_beside ? x : x + strip + 24, legend_y + (legend_is_beside ? 78 : 25),
                fmt::format("{} per {}", options.value_name, each), {.size = tick_size, .color = soft_ink});
  }

  Grid grid;
  GeographicAxes geographic;
  PictureOptions options;
  std::vector<Placed> parts;
  std::vector<DensityScale> scales;  // of the maps, in order
  std::vector<std::uint8_t> colors;  // of the clusters: indices into cluster_colors
  std::vector<bool> doubtful;        // by label; index 0: unclustered
  bool mostly_empty = false;
  std::size_t shown = 2;  // number of axes
  std::vector<std::string> title_lines, subtitle_lines;
  double picture_width = 0, picture_height = 0, legend_x = 0, legend_y = 0;
  bool legend_is_beside = false;
  bool has_base = false;
  std::uint64_t values = 0;  // number of values of the density
};

Picture::Picture(const Cells<std::int64_t>& density, const ClusterMap& map, PictureOptions options)
    : scene_(std::make_unique<Scene>(density, map, std::move(options))) {}
Picture::~Picture() = default;
Picture::Picture(Picture&&) noexcept = default;
Picture& Picture::operator=(Picture&&) noexcept = default;

double Picture::width() const noexcept { return scene_->picture_width; }
double Picture::height() const noexcept { return scene_->picture_height; }

void Picture::draw(Canvas& canvas) const { scene_->draw(canvas); }

std::string Picture::svg() const {
  const std::unique_ptr<Canvas> canvas = svg_canvas(width(), height(), scene_->options.title);
  scene_->draw(*canvas);
  return canvas->finished();
}

std::string Picture::png(double scale) const {
  const std::unique_ptr<Canvas> canvas = png_canvas(width(), height(), scale);
  scene_->draw(*canvas);
  return canvas->finished();
}

std::string Picture::file(const std::string& path) const {
  const std::unique_ptr<Canvas> canvas = canvas_for(path, width(), height(), scene_->options.title);
  scene_->draw(*canvas);
  return canvas->finished();
}

std::vector<PicturePanel> Picture::panels() const {
  std::vector<PicturePanel> all;
  for (const Placed& placed : scene_->parts)
    all.push_back({placed.box, placed.panel.x.axis, placed.panel.y.axis, placed.is_profile});
  return all;
}

const BaseMap* Picture::base() const noexcept { return scene_->has_base ? scene_->options.base.get() : nullptr; }

std::string Picture::color(std::uint32_t id) const { return hex(cluster_colors[scene_->colors.at(id - 1)]); }

}  // namespace shoal
