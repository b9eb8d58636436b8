#include "drawing/insets_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/html.hpp"
#include "drawing/palette.hpp"
#include "drawing/picture.hpp"
#include "drawing/shifted.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

std::string title_of(const ReleaseSet& insets) {
  const std::size_t count = insets.insets().size();
  return fmt::format("Overview with {}", counted(count, "inset", "insets"));
}

// The owner's title stands first, where there is one.
std::string picture_title(const ReleaseSet& insets) {
  const std::string& title = insets.publication().title;
  return title.empty() ? title_of(insets) : title;
}

std::string subtitle_of(const ReleaseSet& insets) {
  const Publication& publication = insets.publication();
  std::string text;
  for (const std::string& field :
       {publication.title.empty() ? "" : title_of(insets), publication.source, publication.date}) {
    if (!field.empty()) text += field + " \u00b7 ";
  }
  return text + fmt::format("epsilon {} for all of it{}", insets.epsilon().text(),
                            insets.is_private() ? "" : " \u00b7 NOT PRIVATE (a study)");
}

// publication: what the parts share.
Picture picture_of(const NamedRelease& part, const Publication& publication, std::string title, std::string subtitle,
                   std::vector<std::string> names = {}) {
  PictureOptions options;
  options.names = std::move(names);
  options.title = std::move(title);
  options.subtitle = std::move(subtitle);
  options.doubtful = part.release.doubtful();
  options.base = std::make_shared<const BaseMap>(base_map_of(part.release.parts().grid, publication));
  options.noise = [&part](double count) { return noise_of_sum(part.release.parts(), count); };
  options.value_name = fmt::format("noisy {}", counted_noun(part.release.parts().unit).many);
  return {shown_values(part.release.parts()), part.release.map(), std::move(options)};
}

Picture picture_of_inset(const NamedRelease& part, const Publication& publication) {
  return picture_of(part, publication, fmt::format("Inset {}", part.name), counted_clusters(part.release));
}

// On the overview, clusters within an inset have no number, because the inset shows it.
Picture picture_of_overview(const ReleaseSet& insets, std::string title, std::string subtitle) {
  std::vector<std::string> names;
  for (const ReleasedCluster& cluster : insets.first().clusters()) {
    const bool shown = std::any_of(insets.insets().begin(), insets.insets().end(), [&](const NamedRelease& inset) {
      const Grid& grid = inset.release.parts().grid;
      for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
        if (grid.axis(axis).cell(cluster.centroid[axis]) == outside_axis) return false;
      }
      return true;
    });
    names.push_back(shown ? "" : fmt::format("{}", cluster.id));
  }
  return picture_of(insets.parts().front(), insets.publication(), std::move(title), std::move(subtitle),
                    std::move(names));
}

// Returns the position of a coordinate between the bounds, from 0 to 1.
double place_on(const Axis& axis, double value) {
  const double first = axis.position(axis.lo()), width = axis.position(axis.hi()) - first;
  return std::clamp((axis.position(value) - first) / width, 0.0, 1.0);
}

// Draws the frame of every inset, with its number, on each panel of the overview.
void draw_frames(Canvas& canvas, const Picture& picture, const ReleaseSet& insets) {
  const Grid& whole = insets.first().parts().grid;
  for (const PicturePanel& panel : picture.panels()) {
    const Box& box = panel.box;
    for (const NamedRelease& inset : insets.insets()) {
      const Grid& grid = inset.release.parts().grid;
      const auto at = [&](std::size_t axis, double value) { return place_on(whole.axis(axis), value); };
      const double left = box.x + at(panel.x_axis, grid.axis(panel.x_axis).lo()) * box.width;
      const double right = box.x + at(panel.x_axis, grid.axis(panel.x_axis).hi()) * box.width;
      double top = box.y, bottom = box.bottom();
      if (!panel.is_profile) {
        bottom = box.bottom() - at(panel.y_axis, grid.axis(panel.y_axis).lo()) * box.height;
        top = box.bottom() - at(panel.y_axis, grid.axis(panel.y_axis).hi()) * box.height;
      }
      const Segment sides[] = {{left, top, right, top},
                               {left, bottom, right, bottom},
                               {left, top, left, bottom},
                               {right, top, right, bottom}};
      canvas.lines(sides, paper, 3.5);
      canvas.lines(sides, ink, 1.4);
      // The number is on a tab, above the frame if there is room, so that the framed area stays visible.
      const double width = text_width(inset.name, 11) + 6, height = 14;
      const double y = top - height > box.y ? top - height : bottom;
      const double x = std::min(left, box.right() - width);
      canvas.fill({x, y, width, height}, ink);
      canvas.text(x + width / 2, y + 11, inset.name,
                  {.size = 11, .color = paper, .anchor = Anchor::middle, .bold = true});
    }
  }
}

// The overview, with the insets below it in two columns.
class Atlas {
 public:
  explicit Atlas(const ReleaseSet& insets)
      : insets_(insets), overview_(picture_of_overview(insets, picture_title(insets), subtitle_of(insets))) {
    width_ = overview_.width();
    height_ = overview_.height();
    for (const NamedRelease& part : insets.insets()) pictures_.push_back(picture_of_inset(part, insets.publication()));
    double second = 0;  // where the second column begins
    for (std::size_t i = 0; i < pictures_.size(); i += 2) second = std::max(second, pictures_[i].width());
    for (std::size_t i = 0; i < pictures_.size(); i += 2) {
      places_.emplace_back(0, height_);
      double row = pictures_[i].height();
      if (i + 1 < pictures_.size()) {
        places_.emplace_back(second, height_);
        row = std::max(row, pictures_[i + 1].height());
        width_ = std::max(width_, second + pictures_[i + 1].width());
      }
      width_ = std::max(width_, pictures_[i].width());
      height_ += row;
    }
  }
  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }
  [[nodiscard]] std::string drawn_on(std::unique_ptr<Canvas> canvas) const {
    canvas->fill({0, 0, width_, height_}, paper);
    overview_.draw(*canvas);
    draw_frames(*canvas, overview_, insets_);
    for (std::size_t i = 0; i < pictures_.size(); ++i) {
      Shifted place(*canvas, places_[i].first, places_[i].second);
      pictures_[i].draw(place);
    }
    return canvas->finished();
  }

 private:
  const ReleaseSet& insets_;
  Picture overview_;
  std::vector<Picture> pictures_;
  std::vector<std::pair<double, double>> places_;
  double width_ = 0, height_ = 0;
};

std::string range_text(const Grid& grid) {
  std::vector<std::string> ranges;
  for (const Axis& axis : grid.axes()) {
    ranges.push_back(fmt::format("{} to {}", axis.text(axis.lo()), axis.text(axis.hi())));
  }
  return fmt::format("{}", fmt::join(ranges, "; "));
}

std::string insets_table(const ReleaseSet& insets) {
  const bool places = !cell_kilometres(insets.first().parts().grid).empty();
  std::vector<std::string> head{"Part",     "Place",    escaped(counted_title(insets.unit())) + " (95 %)",
                                "Clusters", "Doubtful", "Grid"};
  std::vector<bool> numeric{false, false, false, true, true, false};
  if (places) {
    head.emplace_back("A cell in the middle");
    numeric.push_back(false);
  }
  std::vector<std::vector<std::string>> rows;
  for (const NamedRelease& part : insets.parts()) {
    const ReleaseParts& contents = part.release.parts();
    const std::size_t doubtful = part.release.doubtful().size();
    rows.push_back(
        {part.name, escaped(range_text(contents.grid)),
         contents.automatic ? escaped(counted_records(contents.automatic->records, contents.unit)) : std::string(),
         grouped(static_cast<double>(part.release.cluster_cells().count() - doubtful)),
         grouped(static_cast<double>(doubtful)), grid_size(contents.grid)});
    if (places) rows.back().push_back(cell_kilometres(contents.grid));
  }
  return table(head, rows, numeric);
}

std::string cost_statement(const ReleaseSet& insets) {
  const std::vector<Spent> spent = insets.spent();
  return paragraph(fmt::format(
             "The overview is a release of epsilon {}, and so is each inset of epsilon {}. All of it together has "
             "<b>epsilon {}</b>, whatever the number of insets: they do not overlap, so a record lies in at most one. "
             "Their places were chosen from the noisy overview alone.",
             spent.front().epsilon.text(), spent.back().epsilon.text(), insets.epsilon().text())) +
         paragraph(escaped(promise(insets.unit(), insets.epsilon()))) +
         paragraph(escaped(for_a_person(insets.unit(), insets.epsilon())));
}

std::string clusters_of(const Release& release, const Picture& picture) {
  if (release.clusters().empty()) return paragraph("No cluster stands out from chance and noise.");
  std::vector<std::uint32_t> all;
  std::vector<std::vector<double>> centres;
  const std::vector<std::int64_t> sizes = stated_sizes(release);
  for (const ReleasedCluster& cluster : release.clusters()) {
    all.push_back(cluster.id);
    centres.push_back(cluster.centroid);
  }
  return clusters_table(picture, release.map(), centres, sizes,
                        escaped(counted_title(release.parts().unit)) + " (noisy)", all, release.confidence());
}

std::string svg_of_overview(const ReleaseSet& insets) {
  const Picture picture = picture_of_overview(insets, {}, {});
  const std::unique_ptr<Canvas> canvas = svg_canvas(picture.width(), picture.height(), title_of(insets));
  picture.draw(*canvas);
  draw_frames(*canvas, picture, insets);
  return canvas->finished();
}

}  // namespace

std::string insets_file(const ReleaseSet& insets, const std::string& path) {
  const Atlas atlas(insets);
  return atlas.drawn_on(canvas_for(path, atlas.width(), atlas.height(), title_of(insets)));
}

std::string insets_html(const ReleaseSet& insets) {
  const ReleaseParts& parts = insets.first().parts();
  std::string body = "<ul class=\"facts\">\n";
  body += fact(grouped(static_cast<double>(insets.insets().size())), insets.insets().size() == 1 ? "inset" : "insets");
  body += fact(insets.epsilon().text(), "epsilon spent in all");
  body += fact(with_article(noun_of(parts.unit).one), "is protected");
  body += fact(grid_size(parts.grid), "cells in the overview");
  body += "</ul>\n";
  body +=
      section("Where the insets lie",
              fmt::format("<figure>\n{}<figcaption>The overview. {} Frames show the insets.</figcaption>\n</figure>\n",
                          svg_of_overview(insets), picture_caption(parts.grid, true)));
  body += section("Parts", insets_table(insets) + rounding_note(insets));
  for (const NamedRelease& part : insets.insets()) {
    const Picture picture = picture_of(part, insets.publication(), {}, {});
    body +=
        section(fmt::format("Inset {}", part.name),
                figure(picture, picture_caption(part.release.parts().grid, true)) + clusters_of(part.release, picture));
  }
  body += section("Clusters of the overview",
                  clusters_of(insets.first(), picture_of(insets.parts().front(), insets.publication(), {}, {})));
  if (insets.is_private()) body += section("Privacy guarantee", cost_statement(insets));
  body +=
      section("Next steps", paragraph("These commands need only the JSON file, not the data. They spend no budget:") +
                                "<pre tabindex=\"0\">shoal predict insets.json points.csv -o labels.csv\n"
                                "shoal reshape insets.json --group 1 -o inset.html\n"
                                "shoal tree insets.json --group 1 -o tree.html</pre>\n");
  return set_page(title_of(insets), insets, "parts", "", body);
}

}  // namespace shoal
