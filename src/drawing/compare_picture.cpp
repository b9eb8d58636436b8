// Small multiples: one map per release (the first two axes if there are more; a profile if there is one). Clusters that
// belong together have one colour. Each map marks what changed since the one before: a sign or a word beside the
// number, an arrow where a cluster moved, a cross where one is gone.
#include "drawing/compare_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "drawing/canvas.hpp"
#include "drawing/html.hpp"
#include "drawing/palette.hpp"
#include "drawing/small_map.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

constexpr Color mark{176, 32, 16};
constexpr double margin = 18, panel = 300, gap = 38, title_line = 22, subtitle_line = 17, foot = 46, credits_line = 18;
constexpr double title_size = 17, subtitle_size = 12.5;
constexpr std::size_t most_columns = 3;

class ComparedScene {
 public:
  ComparedScene(std::span<const Release> releases, const std::vector<std::string>& names,
                const std::vector<Changes>& changes)
      : releases_(releases), names_(names), changes_(changes) {
    for (const Release& release : releases) maps_.push_back(small_map_of(release, release.map()));
    lay_base_map();
    color_identities();
  }
  // With a title, the releases are only shown side by side and no changes are marked. `changes` may be empty; otherwise
  // clusters in one place have one colour. Doubtful clusters are grey.
  ComparedScene(std::span<const Release> releases, const std::vector<std::string>& names,
                const std::vector<Changes>& changes, std::string title)
      : releases_(releases), names_(names), changes_(changes), title_(std::move(title)) {
    const Publication& publication = releases.front().parts().publication;
    for (const std::string& field : {publication.title.empty() ? "" : title_, publication.source, publication.date}) {
      if (!field.empty()) said_ += field + " \u00b7 ";
    }
    if (!publication.title.empty()) title_ = publication.title;
    for (const Release& release : releases) {
      maps_.push_back(small_map_of(release, release.labelling()));
      doubtful_.push_back(release.doubtful());
    }
    lay_base_map();
    color_identities();
  }

  [[nodiscard]] double width() const {
    return 2 * margin + static_cast<double>(columns()) * (panel + gap) - gap + left();
  }
  [[nodiscard]] double height() const {
    return head() + static_cast<double>(rows()) * (tall_ + below() + gap) + foot + (has_axes() ? 0 : credits_line);
  }
  [[nodiscard]] std::string title() const { return title_.empty() ? changes_title(changes_) : title_; }

  // One of the maps by itself, with its axes; a base map has none. The box is that of the map.
  [[nodiscard]] bool has_axes() const { return maps_.front().base == nullptr; }
  [[nodiscard]] std::string credits() const { return has_axes() ? "" : maps_.front().base->credits; }
  [[nodiscard]] Box alone() const { return {has_axes() ? 58.0 : 8.0, 8, panel, tall_}; }
  void draw_alone(Canvas& canvas, std::size_t i) const { draw_panel(canvas, alone(), i, true); }
  [[nodiscard]] const Panel& panel_at(std::size_t i) const { return maps_[i].panel; }
  [[nodiscard]] std::vector<std::string> colors_of(std::size_t i) const {
    std::vector<std::string> result;
    for (const std::uint8_t color : maps_[i].colors) result.push_back(hex(cluster_colors[color]));
    return result;
  }

  void draw(Canvas& canvas) const {
    canvas.fill({0, 0, width(), height()}, paper);
    double y = margin - 8;
    for (const std::string& line : title_lines()) {
      canvas.text(margin, y += title_line, line, {.size = title_size, .color = ink, .bold = true});
    }
    y += 3;
    for (const std::string& line : subtitle_lines()) {
      canvas.text(margin, y += subtitle_line, line, {.size = subtitle_size, .color = soft_ink});
    }
    for (std::size_t i = 0; i < releases_.size(); ++i) draw_release(canvas, i);
    draw_legend(canvas);
  }

 private:
  [[nodiscard]] bool is_marked() const { return title_.empty(); }
  [[nodiscard]] std::vector<std::string> title_lines() const {
    return wrapped(title(), title_size, true, width() - 2 * margin);
  }
  [[nodiscard]] std::vector<std::string> subtitle_lines() const {
    const bool is_private = std::all_of(releases_.begin(), releases_.end(),
                                        [](const Release& release) { return release.parts().is_private; });
    const std::string text =
        is_marked() ? fmt::format("{} releases; changes that chance and noise do not explain", releases_.size())
                    : fmt::format("{}epsilon {} for each", said_, releases_.front().parts().epsilon.text());
    return wrapped(text + (is_private ? "" : " \u00b7 NOT PRIVATE (a study)"), subtitle_size, false,
                   width() - 2 * margin);
  }
  // Room for title and subtitle.
  [[nodiscard]] double head() const {
    return 27 + title_line * static_cast<double>(title_lines().size()) +
           subtitle_line * static_cast<double>(subtitle_lines().size());
  }
  // Room for the axes of a map; a base map has none.
  [[nodiscard]] double left() const { return has_axes() ? small_map_left : 0; }
  [[nodiscard]] double below() const { return has_axes() ? 44 : 4; }
  [[nodiscard]] bool is_doubtful(std::size_t i, std::size_t cluster) const {
    return !is_marked() &&
           std::binary_search(doubtful_[i].begin(), doubtful_[i].end(), static_cast<std::uint32_t>(cluster + 1));
  }
  [[nodiscard]] std::size_t columns() const { return std::min(most_columns, releases_.size()); }
  [[nodiscard]] std::size_t rows() const { return (releases_.size() + columns() - 1) / columns(); }
  [[nodiscard]] static SmallMap small_map_of(const Release& release, const ClusterMap& map) {
    return {map.grid(), small_panel(shown_values(release.parts()), map, panel), {}};
  }
  // Puts the base map under all maps, gives them its shape, and hides cells that noise may explain.
  void lay_base_map() {
    const Grid& grid = releases_.front().parts().grid;
    const std::shared_ptr<const BaseMap> base = small_base_map(grid, releases_.front().parts().publication);
    if (base) tall_ = std::clamp(panel / aspect_of(grid, 0, 1), 150.0, 1.2 * panel);
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      maps_[i].base = base;
      const ReleaseParts& parts = releases_[i].parts();
      if (is_profile() || parts.values() == nullptr) continue;
      const std::size_t pixels = maps_[i].panel.density.size();
      const auto values = static_cast<double>(cell_count(parts.values()->value().shape()));
      const std::optional<double> half = noise_of_sum(parts, values / static_cast<double>(pixels));
      if (half) maps_[i].least = least_beyond_noise(*half, pixels);
    }
  }
  [[nodiscard]] bool is_profile() const { return releases_.front().parts().grid.dimensions() == 1; }

  // A cluster keeps the colour of the largest cluster to which it corresponds.
  void color_identities() {
    std::vector<std::vector<std::uint32_t>> neighbors(releases_.front().cluster_cells().count());
    add_neighbors(maps_.front().panel, neighbors);
    maps_.front().colors = colored(neighbors);
    if (changes_.empty()) return color_apart();
    std::size_t fresh = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      std::vector<std::uint8_t> next(releases_[i + 1].cluster_cells().count(), 0);
      for (const ClusterChange& change : changes_[i].clusters) {
        for (std::size_t j = 0; j < change.after.size(); ++j) {
          const bool inherits = j < change.before.size();
          next[change.after[j] - 1] = inherits ? maps_[i].colors[change.before[j] - 1]
                                               : static_cast<std::uint8_t>((3 + 2 * fresh++) % cluster_colors.size());
        }
      }
      maps_[i + 1].colors = std::move(next);
    }
  }

  void color_apart() {
    for (std::size_t i = 1; i < releases_.size(); ++i) {
      std::vector<std::vector<std::uint32_t>> neighbors(releases_[i].cluster_cells().count());
      add_neighbors(maps_[i].panel, neighbors);
      maps_[i].colors = colored(neighbors);
    }
  }

  [[nodiscard]] Box box_of(std::size_t i) const {
    const std::size_t column = i % columns(), row = i / columns();
    return {margin + left() + static_cast<double>(column) * (panel + gap),
            head() + 22 + static_cast<double>(row) * (tall_ + below() + gap), panel, tall_};
  }

  void draw_release(Canvas& canvas, std::size_t i) const {
    const Box box = box_of(i);
    const std::size_t clusters = releases_[i].cluster_cells().count() - (is_marked() ? 0 : doubtful_[i].size());
    canvas.text(box.x, box.y - 7, names_[i], {.size = 13, .color = ink, .bold = true});
    canvas.text(box.right(), box.y - 7, fmt::format("{} cluster{}", clusters, clusters == 1 ? "" : "s"),
                {.size = 11.5, .color = soft_ink, .anchor = Anchor::end});
    draw_panel(canvas, box, i, i % columns() == 0);
  }

  void draw_panel(Canvas& canvas, const Box& box, std::size_t i, bool upward_axis) const {
    draw_small_map(canvas, box, maps_[i], highest(), upward_axis);
    if (i > 0 && is_marked()) draw_changes(canvas, box, i);
    draw_numbers(canvas, box, i);
  }

  // The density of the highest bar of all profiles.
  [[nodiscard]] double highest() const {
    double most = 1;
    for (const SmallMap& map : maps_) {
      most = std::max(most, *std::max_element(map.panel.density.begin(), map.panel.density.end()));
    }
    return most;
  }

  // Returns the place of a coordinate in a panel.
  [[nodiscard]] double across(std::size_t axis, double value, const Box& box) const {
    const Axis& grid_axis = releases_.front().parts().grid.axis(axis);
    const double first = grid_axis.position(grid_axis.lo()), width = grid_axis.position(grid_axis.hi()) - first;
    const double share = (grid_axis.position(std::clamp(value, grid_axis.lo(), grid_axis.hi())) - first) / width;
    return axis == 0 ? box.x + share * box.width : box.bottom() - share * box.height;
  }
  struct Place {
    double x, y;
  };
  [[nodiscard]] Place place(const std::vector<double>& at, const Box& box) const {
    return {across(0, at[0], box), is_profile() ? box.y + 40 : across(1, at[1], box)};
  }

  static void draw_arrow(Canvas& canvas, Place from, Place to) {
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (length < 1) return;
    // A short move is drawn longer, in its direction, so that it is visible.
    const double drawn = std::max(length, 24.0), ux = (to.x - from.x) / length, uy = (to.y - from.y) / length;
    from = {to.x - ux * drawn, to.y - uy * drawn};
    const double back = 8, aside = 4;
    const Segment lines[] = {
        {from.x, from.y, to.x, to.y},
        {to.x, to.y, to.x - ux * back - uy * aside, to.y - uy * back + ux * aside},
        {to.x, to.y, to.x - ux * back + uy * aside, to.y - uy * back - ux * aside},
    };
    canvas.lines(lines, paper, 4.5);
    canvas.lines(lines, mark, 2);
  }

  void draw_changes(Canvas& canvas, const Box& box, std::size_t i) const {
    const std::vector<ReleasedCluster>& before = releases_[i - 1].clusters();
    for (const ClusterChange& change : changes_[i - 1].clusters) {
      for (const FoundChange& found : change.found) {
        if (found.change == Change::gone) {
          const Place at = place(before[change.before.front() - 1].centroid, box);
          const Segment cross[] = {{at.x - 6, at.y - 6, at.x + 6, at.y + 6}, {at.x - 6, at.y + 6, at.x + 6, at.y - 6}};
          canvas.lines(cross, paper, 4.5);
          canvas.lines(cross, mark, 2);
          canvas.text(at.x, at.y + 20, fmt::format("{} gone", change.before.front()),
                      {.size = 11, .color = mark, .anchor = Anchor::middle, .bold = true, .halo = true});
        }
        if (found.change != Change::moved) continue;
        std::vector<double> to = releases_[i].clusters()[change.after.front() - 1].centroid, from = to;
        for (std::size_t axis = 0; axis < to.size(); ++axis) from[axis] -= change.move[axis];
        draw_arrow(canvas, place(from, box), place(to, box));
      }
    }
  }

  // Returns the mark of a change, such as "+12 %", "new" or "split".
  [[nodiscard]] std::string sign_of(std::uint32_t id, std::size_t i) const {
    if (i == 0 || !is_marked()) return {};
    for (const ClusterChange& change : changes_[i - 1].clusters) {
      if (!change.changed() || std::find(change.after.begin(), change.after.end(), id) == change.after.end()) continue;
      std::string text;
      for (const FoundChange& found : change.found) {
        if (found.change == Change::grew || found.change == Change::shrank) {
          const double times = change.records_after / std::max(change.records_before, 1.0);
          text += times < 10 ? fmt::format(" {}{:.0f} %", times < 1 ? "\u2212" : "+", std::fabs(100 * (times - 1)))
                             : fmt::format(" \u00d7 {:.0f}", times);
        } else if (found.change != Change::moved) {
          text += fmt::format(" {}", change_word(found.change));
        }
      }
      return text;
    }
    return {};
  }

  [[nodiscard]] bool has_moved(std::uint32_t id, std::size_t i) const {
    if (i == 0 || !is_marked()) return false;
    const std::vector<ClusterChange>& all = changes_[i - 1].clusters;
    return std::any_of(all.begin(), all.end(), [id](const ClusterChange& change) {
      return std::find(change.after.begin(), change.after.end(), id) != change.after.end() &&
             std::any_of(change.found.begin(), change.found.end(),
                         [](const FoundChange& one) { return one.change == Change::moved; });
    });
  }

  void draw_numbers(Canvas& canvas, const Box& box, std::size_t i) const {
    constexpr std::size_t most = 40;
    const std::vector<ReleasedCluster>& clusters = releases_[i].clusters();
    std::vector<Box> taken;
    for (std::size_t j = 0; j < std::min(most, clusters.size()); ++j) {
      if (is_doubtful(i, j)) continue;
      const std::string sign = sign_of(static_cast<std::uint32_t>(j + 1), i);
      const std::string text = fmt::format("{}{}", j + 1, sign);
      const Place at = place(clusters[j].centroid, box);
      const double width = text_width(text, 11.5);
      const double x = std::clamp(at.x, box.x + width / 2 + 2, box.right() - width / 2 - 2);
      const double y = is_profile() ? box.y + 14 : at.y + (has_moved(static_cast<std::uint32_t>(j + 1), i) ? -8 : 4);
      const Box room{x - width / 2, y - 11, width, 13};
      const bool crowded = std::any_of(taken.begin(), taken.end(), [&room](const Box& other) {
        return room.x < other.right() && other.x < room.right() && room.y < other.bottom() && other.y < room.bottom();
      });
      if (crowded && sign.empty()) continue;
      taken.push_back(room);
      canvas.text(
          x, y, text,
          {.size = 11.5, .color = sign.empty() ? ink : mark, .anchor = Anchor::middle, .bold = true, .halo = true});
    }
  }

  void draw_legend(Canvas& canvas) const {
    const double y = height() - 22 - (has_axes() ? 0 : credits_line);
    if (!has_axes()) canvas.text(margin, height() - 14, credits(), {.size = 10, .color = soft_ink});
    if (!is_marked()) {
      canvas.text(margin, y,
                  "darker is denser \u00b7 grey: no cluster, or a doubtful one \u00b7 numbers are each map's own",
                  {.size = 11, .color = soft_ink});
      return;
    }
    draw_arrow(canvas, {margin + 30, y - 4}, {margin + 56, y - 4});
    std::string text =
        "moved (short ones are drawn longer) \u00b7 red: changed since the map before \u00b7 colours follow clusters, "
        "numbers "
        "are "
        "each release's own";
    if (columns() < 3) {
      canvas.text(margin + 64, y - 8, "moved (short ones drawn longer) \u00b7 red: changed since the map before",
                  {.size = 11, .color = soft_ink});
      canvas.text(margin + 64, y + 8, "colours follow clusters, numbers are each release's own",
                  {.size = 11, .color = soft_ink});
      return;
    }
    canvas.text(margin + 64, y, text, {.size = 11, .color = soft_ink});
  }

  std::span<const Release> releases_;
  const std::vector<std::string>& names_;
  const std::vector<Changes>& changes_;
  std::vector<SmallMap> maps_;
  double tall_ = panel;                               // height of a map
  std::string title_;                                 // empty if changes are marked
  std::string said_;                                  // source and date, only if changes are not marked
  std::vector<std::vector<std::uint32_t>> doubtful_;  // only if they are not marked
};

std::string drawn_on(const ComparedScene& scene, std::unique_ptr<Canvas> canvas) {
  scene.draw(*canvas);
  return canvas->finished();
}

}  // namespace

std::string changes_title(std::span<const Changes> changes) {
  std::size_t count = 0;
  for (const Changes& each : changes) count += each.changed_count();
  if (count == 0) return "No cluster changed";
  return fmt::format("{} cluster{} changed", count, count == 1 ? "" : "s");
}

std::vector<ComparedMap> compared_maps(std::span<const Release> releases, const std::vector<std::string>& names,
                                       const std::vector<Changes>& changes) {
  const ComparedScene scene(releases, names, changes);
  const Box box = scene.alone();
  std::vector<ComparedMap> result;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    const std::unique_ptr<Canvas> canvas =
        svg_canvas(box.right() + (scene.has_axes() ? 14 : 8), box.bottom() + (scene.has_axes() ? 40 : 8), names[i]);
    scene.draw_alone(*canvas, i);
    result.push_back({canvas->finished(), box, scene.panel_at(i), scene.colors_of(i)});
  }
  return result;
}

std::string compare_file(std::span<const Release> releases, const std::vector<std::string>& names,
                         const std::string& path) {
  const std::vector<Changes> changes = compare(releases);
  const ComparedScene scene(releases, names, changes);
  return drawn_on(scene, canvas_for(path, scene.width(), scene.height(), scene.title()));
}

namespace {

// Returns the changes, by which clusters in one place get one colour, or nothing if the releases cannot be compared.
std::vector<Changes> changes_or_none(std::span<const Release> releases) {
  if (releases.size() < 2) return {};
  try {
    return compare(releases);
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

std::string multiples_file(std::span<const Release> releases, const std::vector<std::string>& names,
                           const std::string& title, const std::string& path) {
  const std::vector<Changes> changes = changes_or_none(releases);
  const ComparedScene scene(releases, names, changes, title);
  return drawn_on(scene, canvas_for(path, scene.width(), scene.height(), scene.title()));
}

}  // namespace shoal
