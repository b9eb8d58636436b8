#include "drawing/levels_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/html.hpp"
#include "drawing/palette.hpp"
#include "drawing/small_map.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/describe.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

constexpr double margin = 18, side = 220, gap = 26, head = 66, below = 40, foot = 40;
constexpr double row_height = 19, node_width = 26, node_height = 15, diagram_head = 46;
constexpr std::size_t most_columns = 5;
constexpr std::size_t most_nodes = 12;  // clusters per level that the diagram shows, the largest

// The clusters of all levels as trees: a cluster stands between the clusters that it holds and the one that holds it.
//
//   level 1   level 2   level 3
//     1 ----.
//            1 ----.
//     2 ----'       1
//     3 ---- 2 ----'
struct Diagram {
  struct Node {
    bool shown = false;
    double row = 0;  // its place from the top, in rows
  };
  std::vector<std::vector<Node>> nodes;  // by level and cluster
  double rows = 0;
  std::size_t left_out = 0;  // clusters that are not shown, doubtful ones not counted

  explicit Diagram(const std::vector<LevelView>& levels) : levels_(levels) {
    for (const LevelView& view : levels) nodes.emplace_back(view.map.clusters().count());
    for (std::size_t level = 0; level < nodes.size(); ++level) {
      std::size_t sure = 0;
      for (std::size_t i = 0; i < nodes[level].size(); ++i) {
        if (!levels[level].is_doubtful(i + 1) && sure++ < most_nodes) nodes[level][i].shown = true;
      }
      // What holds a cluster that is shown is shown too.
      for (std::size_t i = 0; i < nodes[level].size(); ++i) {
        if (!nodes[level][i].shown) left_out += levels[level].is_doubtful(i + 1) ? 0 : 1;
        if (Node* above = nodes[level][i].shown ? holder_of(level, i) : nullptr) above->shown = true;
      }
    }
    for (std::size_t level = nodes.size(); level-- > 0;) {
      for (std::size_t i = 0; i < nodes[level].size(); ++i) {
        if (nodes[level][i].shown && holder_of(level, i) == nullptr) place(level, i);
      }
    }
  }

  Node* holder_of(std::size_t level, std::size_t cluster) {
    const std::vector<Holder>& held_by = levels_[level].held_by;
    if (held_by.empty() || held_by[cluster].cluster == 0) return nullptr;
    return &nodes[level + 1][held_by[cluster].cluster - 1];
  }

 private:
  // Those that it holds first; it stands in their middle.
  void place(std::size_t level, std::size_t cluster) {
    Node& node = nodes[level][cluster];
    std::vector<double> held;
    for (std::size_t i = 0; level > 0 && i < nodes[level - 1].size(); ++i) {
      if (!nodes[level - 1][i].shown || holder_of(level - 1, i) != &node) continue;
      place(level - 1, i);
      held.push_back(nodes[level - 1][i].row);
    }
    node.row = held.empty() ? rows++ : (held.front() + held.back()) / 2;
  }

  const std::vector<LevelView>& levels_;
};

class LevelsScene {
 public:
  explicit LevelsScene(const LevelsPicture& picture) : picture_(picture), diagram_(picture.levels) {
    const Publication& publication = picture.publication;
    const std::shared_ptr<const BaseMap> base = small_base_map(picture.levels.front().map.grid(), publication);
    if (base) credits_ = base->credits;
    title_ = publication.title.empty() ? picture.title : publication.title;
    for (const std::string& field :
         {publication.title.empty() ? "" : picture.title, publication.source, publication.date}) {
      if (!field.empty()) subtitle_ += field + " \u00b7 ";
    }
    subtitle_ += picture.subtitle;
    for (const LevelView& view : picture.levels) {
      const ClusterMap drawn = view.map.without(view.doubtful);
      maps_.push_back({drawn.grid(), small_panel(picture.density, drawn, side), {}, base});
      hide_noise(maps_.back());
      const std::vector<double>& density = maps_.back().panel.density;
      highest_ = std::max(highest_, *std::max_element(density.begin(), density.end()));
    }
    color();
  }

  [[nodiscard]] double width() const {
    const double maps = 2 * margin + small_map_left + static_cast<double>(columns()) * (side + gap) - gap;
    return std::max({maps, 620.0, text_width(title_, 17) + 2 * margin, text_width(subtitle_, 12.5) + 2 * margin});
  }
  [[nodiscard]] double height() const {
    return diagram_top() + diagram_head + diagram_.rows * row_height + foot + credits_line();
  }

  void draw(Canvas& canvas) const {
    canvas.fill({0, 0, width(), height()}, paper);
    canvas.text(margin, margin + 14, title_, {.size = 17, .color = ink, .bold = true});
    canvas.text(margin, margin + 34, subtitle_, {.size = 12.5, .color = soft_ink});
    for (std::size_t i = 0; i < maps_.size(); ++i) draw_level(canvas, i);
    draw_diagram(canvas);
    if (!credits_.empty()) canvas.text(margin, height() - 14, credits_, {.size = 10, .color = soft_ink});
    canvas.text(margin, height() - 18 - credits_line(),
                "darker is denser \u00b7 grey: no cluster, or a doubtful one \u00b7 a coarse cluster has the colour of "
                "the largest that it holds",
                {.size = 11, .color = soft_ink});
  }

 private:
  [[nodiscard]] double credits_line() const { return credits_.empty() ? 0 : 18; }

  void hide_noise(SmallMap& map) const {
    if (!picture_.noise || map.is_profile()) return;
    const std::size_t pixels = map.panel.density.size();
    const auto values = static_cast<double>(cell_count(picture_.density.shape()));
    const std::optional<double> half = picture_.noise(values / static_cast<double>(pixels));
    if (half) map.least = least_beyond_noise(*half, pixels);
  }

  [[nodiscard]] std::size_t columns() const { return std::min(most_columns, maps_.size()); }
  [[nodiscard]] std::size_t map_rows() const { return (maps_.size() + columns() - 1) / columns(); }
  [[nodiscard]] double diagram_top() const { return head + static_cast<double>(map_rows()) * (side + below + gap); }

  // The finest level is coloured such that neighbours differ. A coarse cluster takes the colour of the largest cluster
  // that it holds.
  void color() {
    std::size_t fresh = 0;
    for (std::size_t level = 0; level < maps_.size(); ++level) {
      const std::size_t count = picture_.levels[level].map.clusters().count();
      std::vector<std::vector<std::uint32_t>> neighbors(count);
      add_neighbors(maps_[level].panel, neighbors);
      maps_[level].colors = colored(neighbors);
      if (level == 0) continue;
      std::vector<bool> inherits(count, false);
      const std::vector<Holder>& held_by = picture_.levels[level - 1].held_by;
      for (std::size_t i = 0; i < held_by.size(); ++i) {  // the largest first
        if (picture_.levels[level - 1].is_doubtful(i + 1) || held_by[i].cluster == 0) continue;
        if (inherits[held_by[i].cluster - 1]) continue;
        inherits[held_by[i].cluster - 1] = true;
        maps_[level].colors[held_by[i].cluster - 1] = maps_[level - 1].colors[i];
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (!inherits[i]) maps_[level].colors[i] = static_cast<std::uint8_t>((3 + 2 * fresh++) % cluster_colors.size());
      }
    }
  }

  [[nodiscard]] Color color_of(std::size_t level, std::size_t cluster) const {
    return picture_.levels[level].is_doubtful(cluster + 1) ? frame : cluster_colors[maps_[level].colors[cluster]];
  }

  [[nodiscard]] Box box_of(std::size_t i) const {
    return {margin + small_map_left + static_cast<double>(i % columns()) * (side + gap),
            head + 22 + static_cast<double>(i / columns()) * (side + below + gap), side, side};
  }

  void draw_level(Canvas& canvas, std::size_t i) const {
    const Box box = box_of(i);
    const LevelView& view = picture_.levels[i];
    canvas.text(box.x, box.y - 7, fmt::format("level {}", view.level), {.size = 13, .color = ink, .bold = true});
    canvas.text(box.right(), box.y - 7,
                counted(view.map.clusters().count() - view.doubtful.size(), "cluster", "clusters"),
                {.size = 11.5, .color = soft_ink, .anchor = Anchor::end});
    draw_small_map(canvas, box, maps_[i], highest_, i % columns() == 0);
    draw_numbers(canvas, box, i);
  }

  void draw_numbers(Canvas& canvas, const Box& box, std::size_t i) const {
    constexpr std::size_t most = 30;
    const Panel& panel = maps_[i].panel;
    const std::size_t count = picture_.levels[i].map.clusters().count();
    const std::vector<Inside> inside = deepest_pixels(panel, count);
    std::vector<Box> taken;
    for (std::size_t j = 0; j < count && taken.size() < most; ++j) {
      if (inside[j].depth == 0) continue;
      const auto share = [](std::size_t pixel, const PixelAxis& axis) {
        return (static_cast<double>(pixel) + 0.5) / static_cast<double>(axis.pixels) * axis.covered;
      };
      const std::string text = fmt::format("{}", j + 1);
      const double half = text_width(text, 11.5) / 2;
      const double x =
          std::clamp(box.x + share(inside[j].x, panel.x) * box.width, box.x + half + 2, box.right() - half - 2);
      const double y = maps_[i].is_profile() ? box.y + 14 : box.bottom() - share(inside[j].y, panel.y) * box.height + 4;
      const Box room{x - half, y - 11, 2 * half, 13};
      const bool crowded = std::any_of(taken.begin(), taken.end(), [&room](const Box& other) {
        return room.x < other.right() && other.x < room.right() && room.y < other.bottom() && other.y < room.bottom();
      });
      if (crowded) continue;
      taken.push_back(room);
      canvas.text(x, y, text, {.size = 11.5, .color = ink, .anchor = Anchor::middle, .bold = true, .halo = true});
    }
  }

  // Middle of the column of a level: below its map, where all maps stand in one row.
  [[nodiscard]] double column_of(std::size_t level) const {
    const double first = margin + small_map_left + side / 2, last = width() - margin - side / 2;
    if (map_rows() == 1) return first + static_cast<double>(level) * (side + gap);
    return first + static_cast<double>(level) * (last - first) / static_cast<double>(maps_.size() - 1);
  }
  [[nodiscard]] double line_of(const Diagram::Node& node) const {
    return diagram_top() + diagram_head + (node.row + 0.5) * row_height;
  }

  void draw_diagram(Canvas& canvas) const {
    const double top = diagram_top();
    canvas.text(margin, top + 8,
                diagram_.left_out == 0
                    ? std::string("Which cluster holds which")
                    : fmt::format("Which cluster holds which (the {} largest clusters of a level)", most_nodes),
                {.size = 13, .color = ink, .bold = true});
    for (std::size_t level = 0; level < maps_.size(); ++level) {
      canvas.text(column_of(level), top + 32, fmt::format("level {}", picture_.levels[level].level),
                  {.size = 11.5, .color = soft_ink, .anchor = Anchor::middle});
    }
    for (std::size_t level = 0; level + 1 < maps_.size(); ++level) draw_links(canvas, level);
    for (std::size_t level = 0; level < maps_.size(); ++level) draw_nodes(canvas, level);
  }

  void draw_links(Canvas& canvas, std::size_t level) const {
    for (std::size_t i = 0; i < diagram_.nodes[level].size(); ++i) {
      const Holder& holder = picture_.levels[level].held_by[i];
      if (!diagram_.nodes[level][i].shown || holder.cluster == 0) continue;
      const double from = column_of(level) + node_width / 2, to = column_of(level + 1) - node_width / 2;
      const double turn = from + (to - from) * 0.3;
      const double y = line_of(diagram_.nodes[level][i]), y_to = line_of(diagram_.nodes[level + 1][holder.cluster - 1]);
      const Segment lines[] = {{from, y, turn, y}, {turn, y, to, y_to}};
      canvas.lines(lines, color_of(level, i), 2);
    }
  }

  void draw_nodes(Canvas& canvas, std::size_t level) const {
    for (std::size_t i = 0; i < diagram_.nodes[level].size(); ++i) {
      if (!diagram_.nodes[level][i].shown) continue;
      const double x = column_of(level), y = line_of(diagram_.nodes[level][i]);
      canvas.fill({x - node_width / 2, y - node_height / 2, node_width, node_height}, color_of(level, i));
      canvas.text(x, y + 4, fmt::format("{}", i + 1),
                  {.size = 11.5, .color = ink, .anchor = Anchor::middle, .bold = true, .halo = true});
    }
  }

  const LevelsPicture& picture_;
  Diagram diagram_;
  std::vector<SmallMap> maps_;
  std::string title_, subtitle_, credits_;
  double highest_ = 1;
};

std::string drawn_on(const LevelsScene& scene, std::unique_ptr<Canvas> canvas) {
  scene.draw(*canvas);
  return canvas->finished();
}

}  // namespace

std::string levels_svg(const LevelsPicture& picture) {
  const LevelsScene scene(picture);
  return drawn_on(scene, svg_canvas(scene.width(), scene.height(), picture.title));
}

std::string levels_file(const LevelsPicture& picture, const std::string& path) {
  const LevelsScene scene(picture);
  return drawn_on(scene, canvas_for(path, scene.width(), scene.height(), picture.title));
}

std::string levels_table(const LevelsPicture& picture, const std::vector<std::vector<std::int64_t>>& sizes,
                         const std::string& size_name) {
  constexpr std::size_t most_rows = 50;  // per level
  std::vector<std::vector<std::string>> rows;
  for (std::size_t level = 0; level < picture.levels.size(); ++level) {
    const LevelView& view = picture.levels[level];
    const std::vector<std::vector<double>> centres = centroids(view.map);
    std::size_t listed = 0;
    for (std::size_t i = 0; i < centres.size() && listed < most_rows; ++i) {
      if (view.is_doubtful(i + 1)) continue;
      ++listed;
      std::string held;
      if (!view.held_by.empty()) {
        const Holder& holder = view.held_by[i];
        held = holder.cluster == 0
                   ? "none"
                   : fmt::format("{} of level {}{}", holder.cluster, picture.levels[level + 1].level,
                                 holder.share == 1 ? std::string() : fmt::format(" ({:.0f} %)", 100 * holder.share));
      }
      rows.push_back({fmt::format("{}", view.level), fmt::format("{}", i + 1),
                      grouped(static_cast<double>(view.map.clusters().sizes()[i])),
                      grouped(static_cast<double>(sizes[level][i])), escaped(place_text(view.map.grid(), centres[i])),
                      held});
    }
  }
  return table({"Level", "Cluster", "Cells", size_name, "Centre", "Held by"}, rows,
               {true, true, true, true, false, false});
}

LevelsPicture levels_picture(const ReleaseLevels& levels) {
  const ReleaseParts& parts = levels.releases().front().parts();
  return {fmt::format("Clusters at {}", counted(levels.releases().size(), "level", "levels")),
          fmt::format("{} \u00b7 epsilon {}{}", parts.technique, parts.epsilon.text(),
                      parts.is_private ? "" : " \u00b7 NOT PRIVATE (a study)"),
          shown_values(parts),
          level_views(levels),
          parts.publication,
          [&parts](double count) { return noise_of_sum(parts, count); }};
}

std::string ReleaseLevels::svg() const { return levels_svg(levels_picture(*this)); }
std::string ReleaseLevels::picture(const std::string& path) const { return levels_file(levels_picture(*this), path); }

std::string ReleaseLevels::html() const {
  const LevelsPicture picture = levels_picture(*this);
  const ReleaseParts& parts = releases_.front().parts();
  std::vector<std::vector<std::int64_t>> sizes;
  for (const Release& release : releases_) sizes.push_back(stated_sizes(release));
  const std::string figure =
      fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", levels_svg(picture), levels_caption);
  std::string body =
      section("Clusters of each level",
              levels_table(picture, sizes, escaped(counted_title(parts.unit)) + " (noisy)") +
                  paragraph("Doubtful clusters are left out: they may be noise, chance in the sample or parts of a "
                            "uniform area."));
  body += section(
      "How the clusters were found",
      table({"Parameter", "Value", "Meaning"}, parameter_rows(parts.grid, parts.options), {false, false, false}) +
          paragraph("The other levels have the same parameters but for the level."));
  return release_page(picture.title, releases_.front(), figure, body);
}

}  // namespace shoal
