// The tree as nested bars: the threshold falls from top to bottom. A branch is a bar from its birth to its death, and
// it stands on the bar of the branch that it joins. Beside it is the map of the stable leaves, in the same colours.
//
//   |1| |2|    |3|
//   |1| |2| |g||3|      g: not stable, grey
//   |joined||  |3|
//   |    joined   |
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/html.hpp"
#include "drawing/palette.hpp"
#include "drawing/picture.hpp"
#include "drawing/shifted.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/tree_shown.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

constexpr Color joined_fill{203, 209, 217};
constexpr Color unstable_fill{225, 228, 233};
constexpr Color mark{176, 32, 16};
constexpr double margin = 16, title_height = 80, axis_width = 62, ranks_width = 62, panel_height = 540;
constexpr double stable_slot = 30, other_slot = 9, gap = 3;
constexpr std::size_t most_others = 24;

Color parsed(const std::string& text) {
  const unsigned long value = std::strtoul(text.c_str() + 1, nullptr, 16);
  return {static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 255),
          static_cast<std::uint8_t>(value & 255)};
}

std::string rounded(double value) { return value < 1000 ? fmt::format("{:.3g}", value) : grouped(value); }

class TreeScene {
 public:
  TreeScene(const Release& release, const ClusterTree& tree)
      : release_(release),
        tree_(tree),
        leaves_(tree.leaves()),
        names_(leaf_names(release, leaves_)),
        shown_(shown(tree, leaves_, most_others)),
        map_(drawn_map()) {
    place();
    low_ = tree.least_threshold();
    high_ = low_;
    for (const ShownBranch& shown : shown_.branches) high_ = std::max(high_, branch(shown).birth);
    if (release.threshold() > 0) low_ = std::min(low_, release.threshold());
    if (!(low_ > 0)) low_ = high_ > 0 ? high_ / 2 : 0.5;
    if (!(high_ > low_)) high_ = 2 * low_;
    high_ *= 1.06;
  }

  [[nodiscard]] double tree_width() const { return axis_width + panel_width_ + ranks_width + 2 * margin; }
  [[nodiscard]] double width() const { return tree_width() + map_.width(); }
  [[nodiscard]] double height() const { return std::max(title_height + panel_height + 118, map_.height()); }
  [[nodiscard]] std::string title() const {
    const std::size_t count = leaves_.branch.size();
    return count == 0 ? "No stable cluster at any threshold"
                      : fmt::format("{} stable cluster{} over all thresholds", count, count == 1 ? "" : "s");
  }

  void draw(Canvas& canvas) const {
    canvas.fill({0, 0, width(), height()}, paper);
    canvas.text(margin, margin + 14, title(), {.size = 17, .color = ink, .bold = true});
    canvas.text(margin, margin + 34,
                fmt::format("{}, epsilon {}{}", release_.parts().technique, release_.parts().epsilon.text(),
                            release_.parts().is_private ? "" : " \u00b7 NOT PRIVATE (a study)"),
                {.size = 12.5, .color = soft_ink});
    draw_bars(canvas);
    draw_axis(canvas);
    draw_levels(canvas);
    draw_legend(canvas);
    Shifted right(canvas, tree_width(), 0);
    map_.draw(right);
  }

 private:
  [[nodiscard]] const TreeBranch& branch(const ShownBranch& shown) const { return tree_.branches()[shown.branch - 1]; }

  [[nodiscard]] Picture drawn_map() const {
    const ReleaseParts& parts = release_.parts();
    PictureOptions options;
    options.subtitle = "stable clusters, each just before it merges";
    options.value_name = fmt::format("noisy {}", counted_noun(parts.unit).many);
    options.names = names_;
    const ClusterMap map(parts.grid, parts.options.level, parts.options.transform, leaves_.clusters);
    return {shown_values(parts), map, std::move(options)};
  }

  // Each branch gets the slots of those that join in it, and a slot of its own if none of them is stable.
  void place() {
    std::vector<std::vector<std::size_t>> children(shown_.branches.size() + 1);
    for (std::size_t i = 0; i < shown_.branches.size(); ++i) children[shown_.branches[i].parent].push_back(i);
    from_.assign(shown_.branches.size(), 0);
    to_.assign(shown_.branches.size(), 0);
    double x = 0;
    for (const std::size_t root : children[0]) place(root, children, x);
    panel_width_ = std::clamp(x, 260.0, 860.0);
    // If there are few branches, they do not fill the whole width; if there are many, they are drawn narrower.
    const double stretch = x > 0 ? std::min(3.0, panel_width_ / x) : 1;
    const double start = (panel_width_ - stretch * x) / 2;
    for (std::size_t i = 0; i < from_.size(); ++i) {
      from_[i] = start + stretch * from_[i];
      to_[i] = start + stretch * to_[i];
    }
  }

  void place(std::size_t i, const std::vector<std::vector<std::size_t>>& children, double& x) {
    from_[i] = x;
    const TreeBranch& node = branch(shown_.branches[i]);
    if (node.leaf) x += (node.stable ? stable_slot : other_slot) + gap;
    for (const std::size_t child : children[i + 1]) place(child, children, x);
    // The bar of a leaf does not extend under the grey branches that it absorbs.
    to_[i] = node.leaf ? from_[i] + (node.stable ? stable_slot : other_slot) : x - gap;
  }

  [[nodiscard]] double y_of(double value) const {
    const double share = std::log(std::max(value, low_) / low_) / std::log(high_ / low_);
    return title_height + panel_height * (1 - std::min(share, 1.0));
  }
  [[nodiscard]] static double left() { return margin + axis_width; }

  [[nodiscard]] Color color(std::size_t i) const {
    const TreeBranch& node = branch(shown_.branches[i]);
    if (node.leaf && node.stable) return parsed(map_.color(static_cast<std::uint32_t>(i + 1)));
    return node.stable ? joined_fill : unstable_fill;
  }

  void draw_bars(Canvas& canvas) const {
    std::vector<Segment> rims;
    for (std::size_t i = shown_.branches.size(); i-- > 0;) {
      const TreeBranch& node = branch(shown_.branches[i]);
      const double top = y_of(node.birth), bottom = y_of(node.death);
      const Box bar{left() + from_[i], top, to_[i] - from_[i], std::max(bottom - top, 1.0)};
      canvas.fill(bar, color(i));
      if (node.leaf && !node.stable) {
        draw_foot(canvas, i, bar.bottom());
        continue;
      }
      rims.insert(rims.end(), {{bar.x, bar.y, bar.right(), bar.y},
                               {bar.x, bar.y, bar.x, bar.bottom()},
                               {bar.right(), bar.y, bar.right(), bar.bottom()},
                               {bar.x, bar.bottom(), bar.right(), bar.bottom()}});
    }
    canvas.lines(rims, {70, 76, 84}, 0.8);
    for (std::size_t i = 0; i < leaves_.branch.size(); ++i) {
      constexpr double least_width = 9;  // narrower bars have no number
      if (to_[i] - from_[i] < least_width) continue;
      const double x = left() + (from_[i] + to_[i]) / 2;
      canvas.text(x, y_of(branch(shown_.branches[i]).birth) - 5, names_[i],
                  {.size = to_[i] - from_[i] < 18 ? 9.5 : 12.0,
                   .color = ink,
                   .anchor = Anchor::middle,
                   .bold = true,
                   .halo = true});
    }
  }

  // Draws a thin line from the end of a grey branch to the bar that absorbs it.
  void draw_foot(Canvas& canvas, std::size_t i, double y) const {
    const std::uint32_t parent = shown_.branches[i].parent;
    if (parent == 0) return;
    const double end = to_[parent - 1];
    if (end >= from_[i]) return;
    const Segment line{left() + end, y, left() + to_[i], y};
    canvas.lines({&line, 1}, {200, 204, 210}, 0.8);
  }

  void draw_axis(Canvas& canvas) const {
    std::vector<Segment> lines{{left(), title_height, left(), title_height + panel_height}};
    const double right = left() + panel_width_;
    const auto first = static_cast<int>(std::floor(std::log10(low_)));
    for (int power = first; power <= static_cast<int>(std::floor(std::log10(high_))); ++power) {
      for (const double step : {1.0, 2.0, 5.0}) {
        const double value = std::pow(10, power) * step;
        if (value < low_ * 0.999 || value > high_) continue;
        const double y = y_of(value);
        lines.push_back({left() - 5, y, left(), y});
        canvas.text(left() - 9, y + 4, rounded(value), {.size = 11.5, .color = soft_ink, .anchor = Anchor::end});
        canvas.text(right + 10, y + 4, grouped(static_cast<double>(cells_at(value))),
                    {.size = 11.5, .color = soft_ink});
      }
    }
    canvas.lines(lines, frame, 1);
    canvas.text(margin + 10, title_height + panel_height / 2, "threshold, in the units of W",
                {.size = 12.5, .color = ink, .anchor = Anchor::middle, .upwards = true});
    canvas.text(right + 10, title_height - 8, "cells", {.size = 11.5, .color = ink});
  }

  [[nodiscard]] std::uint64_t cells_at(double value) const { return tree_.cut(value).cells.size(); }

  void draw_levels(Canvas& canvas) const {
    if (release_.threshold() > 0) draw_release_line(canvas, left(), left() + panel_width_, y_of(release_.threshold()));
    const ClusterTree::Level level = tree_.level();
    if (level.stable > 0) draw_level_line(canvas, left(), left() + panel_width_, y_of(level.density));
  }

  static void draw_release_line(Canvas& canvas, double from, double to, double y) {
    const Segment line{from, y, to, y};
    canvas.lines({&line, 1}, mark, 1.6);
  }

  static void draw_level_line(Canvas& canvas, double from, double to, double y) {
    std::vector<Segment> dashes;
    constexpr double dash = 5, apart = 9;
    for (int i = 0; from + i * apart < to; ++i) {
      dashes.push_back({from + i * apart, y, std::min(from + i * apart + dash, to), y});
    }
    canvas.lines(dashes, ink, 1.4);
  }

  void draw_legend(Canvas& canvas) const {
    const TextStyle style{.size = 11.5, .color = soft_ink};
    double y = title_height + panel_height + 22;
    const auto item = [&](double x, Color color, const char* text) {
      canvas.fill({x, y, 14, 11}, color);
      canvas.text(x + 22, y + 10, text, style);
    };
    item(left(), cluster_colors[0], "stable cluster (numbers of the release; 2a, 2b: parts of 2)");
    y += 20;
    item(left(), joined_fill, "several merged");
    item(left() + 130, unstable_fill, shown_.left_out == 0 ? "may be noise" : "may be noise (some not shown)");
    y += 20;
    if (release_.threshold() > 0) {
      draw_release_line(canvas, left(), left() + 14, y + 6);
      canvas.text(left() + 22, y + 10, fmt::format("this release: threshold {}", rounded(release_.threshold())), style);
      y += 20;
    }
    const ClusterTree::Level level = tree_.level();
    if (level.stable == 0) return;
    draw_level_line(canvas, left(), left() + 14, y + 6);
    canvas.text(
        left() + 22, y + 10,
        fmt::format("largest number of stable clusters: {}, at threshold {}", level.stable, rounded(level.density)),
        style);
  }

  const Release& release_;
  const ClusterTree& tree_;
  ClusterTree::Leaves leaves_;
  std::vector<std::string> names_;
  ShownTree shown_;
  Picture map_;
  std::vector<double> from_, to_;  // of each bar, from the left of the panel
  double panel_width_ = 0, low_ = 0, high_ = 0;
};

std::string drawn_on(const TreeScene& scene, std::unique_ptr<Canvas> canvas) {
  scene.draw(*canvas);
  return canvas->finished();
}

std::string branches_table(const Release& release, const ClusterTree& tree) {
  const ClusterTree::Leaves leaves = tree.leaves();
  const std::vector<std::string> names = leaf_names(release, leaves);
  std::vector<std::string> head{"Cluster",
                                "From threshold",
                                "Down to",
                                "Cells there",
                                escaped(counted_title(release.parts().unit)) + " (noisy)",
                                "95 % interval",
                                "Then"};
  std::vector<bool> numeric{false, true, true, true, true, true, false};
  for (std::size_t axis = 0; axis < release.parts().grid.dimensions(); ++axis) {
    const std::string name = release.parts().grid.axis(axis).label();
    head.push_back("Centre, " + (name.empty() ? fmt::format("axis {}", axis + 1) : escaped(name)));
    numeric.push_back(true);
  }
  std::vector<std::vector<std::string>> rows;
  constexpr std::size_t most_rows = 200;
  for (const std::size_t i : in_order(names)) {
    if (rows.size() == most_rows) break;
    const TreeBranch& node = tree.branches()[leaves.branch[i] - 1];
    const std::string interval =
        node.has_interval() ? fmt::format("{} to {}", grouped(node.least_records), grouped(node.most_records)) : "";
    rows.push_back({names[i], number(node.birth), number(node.death), grouped(static_cast<double>(node.cells)),
                    grouped(node.has_interval() ? node.estimated_records : node.records), interval,
                    node.parent == 0 ? "separate" : "merges"});
    for (const std::string& coordinate : place_texts(release.parts().grid, node.centroid)) {
      rows.back().push_back(escaped(coordinate));
    }
  }
  return table(head, rows, numeric);
}

}  // namespace

std::string tree_svg(const Release& release, const ClusterTree& tree) {
  const TreeScene scene(release, tree);
  return drawn_on(scene, svg_canvas(scene.width(), scene.height(), scene.title()));
}

std::string tree_picture(const Release& release, const ClusterTree& tree, const std::string& path) {
  const TreeScene scene(release, tree);
  return drawn_on(scene, canvas_for(path, scene.width(), scene.height(), scene.title()));
}

std::string tree_html(const Release& release, const ClusterTree& tree) {
  const TreeScene scene(release, tree);
  const std::string figure = fmt::format(
      "<figure>\n{}<figcaption>The threshold falls from top to bottom. Each bar is a cluster, from the threshold at "
      "which it appears to the threshold at which it merges. Numbers are the cluster numbers of the release; 2a and 2b "
      "are parts of cluster 2. Stable: {} not explain the cluster. {}</figcaption>\n</figure>\n",
      drawn_on(scene, svg_canvas(scene.width(), scene.height(), scene.title())),
      tree.accounts_for_sample() ? "chance in the sample and the added noise do" : "the added noise does",
      family_wise_error(tree));
  const ClusterTree::Level level = tree.level();
  std::string body;
  if (level.stable > 0) {
    body += section("Stable clusters", branches_table(release, tree));
    body += section("Next steps", fmt::format("<p>The number of stable clusters is largest at threshold {}. This "
                                              "command shows them and spends no budget:</p>\n"
                                              "<pre>shoal reshape release.json --density {} -o clusters.html</pre>\n",
                                              number(level.density), number(level.density)));
  } else {
    body += section("Stable clusters", tree.deviation() > 0
                                           ? "<p>No cluster stands out from the noise at any threshold.</p>\n"
                                           : "<p>The noise of this release is unknown, so no cluster can be called "
                                             "stable.</p>\n");
  }
  return release_page(scene.title(), release, figure, body);
}

}  // namespace shoal
