// The plan as JSON, as a picture (a row of maps for each shape: without noise, then each epsilon) and as a page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/outward.hpp"
#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/html.hpp"
#include "drawing/palette.hpp"
#include "drawing/panel.hpp"
#include "inference/noisy_segmentation.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/plan.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

using Document = nlohmann::ordered_json;

constexpr double margin = 18, side = 150, gap = 14, names_width = 120, head = 92, foot = 30;
constexpr std::size_t most_columns = 6;

double rounded(double value, double to) { return std::round(value / to) * to; }

Document expected_json(const ExpectedRange& range) {
  return {{"mean", rounded(range.mean, 1e-4)}, {"low", rounded(range.low, 1e-4)}, {"high", rounded(range.high, 1e-4)}};
}

template <class T>
Document or_null(const std::optional<T>& value) {
  return value ? Document(*value) : Document();
}

Document row_json(const PlanRow& row) {
  Document json{{"epsilon", row.epsilon.value()},
                {"most_sure", percent_at_most(most_sure(row.epsilon))},
                {"dsgc", expected_json(row.dsg_c)},
                {"rand", expected_json(row.rand)},
                {"least_records", or_null(row.least_records)},
                {"finest_cells", or_null(row.finest_cells)},
                {"finest_units", or_null(row.finest_units)},
                {"size_error", row.size_error ? Document(std::ceil(*row.size_error)) : Document()}};
  if (row.finer) json["finer"] = rounded(*row.finer, 1e-2);
  return json;
}

void draw_map(Canvas& canvas, const Box& box, const Cells<std::int64_t>& density, const ClusterMap& map) {
  const auto pixels = static_cast<std::size_t>(side / 1.5);
  canvas.fill(box, Color{250, 250, 248});
  if (map.grid().dimensions() == 1) {
    const Panel panel = profile(density, map, pixel_axis(map, density.shape(), 0, pixels));
    const double most = std::max(1.0, *std::max_element(panel.density.begin(), panel.density.end()));
    const double width = box.width * panel.x.covered / static_cast<double>(panel.x.pixels);
    for (std::size_t i = 0; i < panel.x.pixels; ++i) {
      const double height = box.height * panel.density[i] / most, left = box.x + static_cast<double>(i) * width;
      canvas.fill(
          {left, box.bottom() - height, std::min(width, box.right() - left), height},
          panel.label[i] == 0 ? Color{176, 179, 184} : cluster_colors[(panel.label[i] - 1) % cluster_colors.size()]);
    }
    return;
  }
  const Panel panel =
      project(density, map, pixel_axis(map, density.shape(), 0, pixels), pixel_axis(map, density.shape(), 1, pixels));
  const DensityScale scale(panel.density);
  constexpr std::size_t steps = DensityScale::steps;
  IndexedImage image{panel.x.pixels, panel.y.pixels, {}, std::vector<std::uint8_t>(panel.x.pixels * panel.y.pixels)};
  for (std::size_t step = 0; step < steps; ++step) {
    const double share = static_cast<double>(step) / (steps - 1);
    image.palette.push_back(step == 0 ? Color{250, 250, 248} : mix({236, 237, 239}, {112, 115, 120}, share));
  }
  for (const Color color : cluster_colors) {
    for (std::size_t step = 0; step < steps; ++step) {
      image.palette.push_back(mix(mix(paper, color, 0.45), color, static_cast<double>(step) / (steps - 1)));
    }
  }
  for (std::size_t y = 0; y < panel.y.pixels; ++y) {
    for (std::size_t x = 0; x < panel.x.pixels; ++x) {
      const std::size_t at = y * panel.x.pixels + x;
      const std::size_t row = panel.label[at] == 0 ? 0 : 1 + (panel.label[at] - 1) % cluster_colors.size();
      const auto step = static_cast<std::size_t>(scale.step(panel.density[at]));
      image.pixels[(panel.y.pixels - 1 - y) * panel.x.pixels + x] = static_cast<std::uint8_t>(row * steps + step);
    }
  }
  canvas.image(
      {box.x, box.bottom() - box.height * panel.y.covered, box.width * panel.x.covered, box.height * panel.y.covered},
      box, image);
}

class PlanScene {
 public:
  PlanScene(const PlanOptions& options, const PlanResult& result) : options_(options), result_(result) {}

  [[nodiscard]] std::size_t columns() const { return std::min(most_columns, result_.rows.size() + 1); }
  [[nodiscard]] double width() const {
    return 2 * margin + names_width + static_cast<double>(columns()) * (side + gap) - gap;
  }
  [[nodiscard]] double height() const {
    return head + static_cast<double>(result_.shapes.size()) * (side + gap) + foot;
  }
  [[nodiscard]] static std::string title() { return "What a release would show"; }

  void draw(Canvas& canvas) const {
    canvas.fill({0, 0, width(), height()}, paper);
    canvas.text(margin, margin + 14, title(), {.size = 17, .color = ink, .bold = true});
    canvas.text(margin, margin + 34,
                fmt::format("{} made-up {} of each shape, by {}; no data were read",
                            grouped(static_cast<double>(options_.records)), counted_noun(options_.options.unit).many,
                            options_.insets > 0  ? "privwave, --auto, the overview"
                            : options_.automatic ? "privwave, --auto"
                                                 : options_.technique),
                {.size = 12.5, .color = soft_ink});
    for (std::size_t column = 0; column < columns(); ++column) {
      canvas.text(box(0, column).x, head - 8,
                  column == 0 ? "without noise" : "epsilon " + result_.rows[column - 1].epsilon.text(),
                  {.size = 12.5, .color = ink, .bold = true});
    }
    const std::vector<std::string> names = plan_shapes();
    for (std::size_t row = 0; row < result_.shapes.size(); ++row) draw_row(canvas, row, names[row]);
    canvas.text(margin, height() - 12, "Coloured: clusters, each map with colours of its own. Grey: unclustered.",
                {.size = 11, .color = soft_ink});
  }

 private:
  [[nodiscard]] static Box box(std::size_t row, std::size_t column) {
    return {margin + names_width + static_cast<double>(column) * (side + gap),
            head + static_cast<double>(row) * (side + gap), side, side};
  }

  void draw_row(Canvas& canvas, std::size_t row, const std::string& name) const {
    const PlanResult::Pictured& pictured = result_.shapes[row];
    canvas.text(margin, box(row, 0).y + side / 2, name, {.size = 12.5, .color = ink});
    const Grid& grid = pictured.counts.grid();
    draw_map(canvas, box(row, 0), pictured.counts.raw(),
             ClusterMap(grid, pictured.options.level, pictured.options.transform, pictured.truth));
    framed(canvas, box(row, 0));
    for (std::size_t column = 1; column < columns(); ++column) {
      const Release& release = pictured.releases[column - 1];
      draw_map(canvas, box(row, column), shown_values(release.parts()), release.map());
      framed(canvas, box(row, column));
    }
  }

  static void framed(Canvas& canvas, const Box& box) {
    const Segment lines[] = {{box.x, box.y, box.right(), box.y},
                             {box.x, box.bottom(), box.right(), box.bottom()},
                             {box.x, box.y, box.x, box.bottom()},
                             {box.right(), box.y, box.right(), box.bottom()}};
    canvas.lines(lines, frame, 1);
  }

  const PlanOptions& options_;
  const PlanResult& result_;
};

std::string drawn_on(const PlanScene& scene, std::unique_ptr<Canvas> canvas) {
  scene.draw(*canvas);
  return canvas->finished();
}

std::string capitalized(std::string text) {
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string rows_table(const PlanOptions& options, const std::vector<PlanRow>& planned) {
  const PlanTable planned_table = plan_table(options, planned);
  std::vector<std::string> titles{"Epsilon"};
  std::vector<std::vector<std::string>> rows;
  for (const PlanRow& row : planned) rows.push_back({row.epsilon.text()});
  for (const PlanMeasure& measure : planned_table.measures) {
    titles.push_back(escaped(capitalized(measure.title)));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(escaped(measure.values[i]));
  }
  std::string text = table(titles, rows, std::vector<bool>(titles.size(), true));
  for (const std::string& left_out : planned_table.left_out) text += paragraph(escaped(capitalized(left_out)) + ".");
  return text;
}

std::string plan_html(const PlanOptions& options, const PlanResult& result) {
  const std::string insets =
      result.insets.empty()
          ? ""
          : paragraph(planned_inset_words(options) + ", gets 0.8 of epsilon:") + rows_table(options, result.insets);
  std::string body = section(
      "In numbers",
      (options.groups ? paragraph(escaped(planned_groups_words(options))) : "") +
          (result.insets.empty() ? "" : paragraph("The overview gets 0.2 of epsilon:")) +
          rows_table(options, result.rows) + insets +
          fmt::format("<p>Likeness is the adjusted Rand index, 1 where noise changes nothing; its range is over the "
                      "shapes and runs. The least {} and the finest distance hold in 19 of 20 cases, for clusters one "
                      "smoothed cell "
                      "wide.</p>\n",
                      escaped(counted_noun(options.options.unit).many)));
  const PlanScene scene(options, result);
  body += fmt::format(
      "<figure>\n{}<figcaption>Each row is a public shape, made from a seed. Each column is one "
      "simulated release.</figcaption>\n</figure>\n",
      drawn_on(scene, svg_canvas(scene.width(), scene.height(), PlanScene::title())));
  return html_page(PlanScene::title(), Banner::no_data,
                   "Made from public parameters alone: no data were read and nothing was spent.", body);
}

}  // namespace

std::string planned_groups_words(const PlanOptions& options) {
  const Grouping& groups = *options.groups;
  std::vector<std::string> costs;
  for (const Epsilon each : options.epsilons) {
    costs.push_back(fmt::format("{} at {}", groups.cost(each, options.options.unit).text(), each.text()));
  }
  return fmt::format("Each row is about one of {} {}s, with {} {} in it. All of them together cost epsilon {}.",
                     groups.names.size(), groups.word(), grouped(static_cast<double>(options.records)),
                     counted_noun(options.options.unit).many, fmt::join(costs, ", "));
}

std::string finer_words(const PlanRow& row) {
  if (row.finer.value_or(0) < 2) return "too few records";
  return fmt::format("{:.2g} times finer", *row.finer);
}

std::string plan_json(const PlanOptions& options, const PlanResult& result) {
  Document document{{"format", "shoal-plan/1"},       {"records", options.records}, {"technique", options.technique},
                    {"automatic", options.automatic}, {"shapes", plan_shapes()},    {"runs", options.runs},
                    {"epsilons", Document::array()}};
  for (const PlanRow& row : result.rows) document["epsilons"].push_back(row_json(row));
  if (options.groups) {
    const Grouping& groups = *options.groups;
    document["groups"] = groups.names;
    document["max_groups"] = groups.max_groups;
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      document["epsilons"][i]["total_epsilon"] = groups.cost(result.rows[i].epsilon, options.options.unit).value();
    }
  }
  if (!result.insets.empty()) {
    Document rows = Document::array();
    for (const PlanRow& row : result.insets) rows.push_back(row_json(row));
    document["insets"] = {{"most", options.insets},
                          {"of_axes", planned_inset_side},
                          {"of_records", planned_inset_records},
                          {"epsilons", std::move(rows)}};
  }
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

std::string plan_svg(const PlanOptions& options, const PlanResult& result) {
  const PlanScene scene(options, result);
  return drawn_on(scene, svg_canvas(scene.width(), scene.height(), PlanScene::title()));
}

std::string plan_contents(const PlanOptions& options, const PlanResult& result, const std::string& path) {
  if (path.ends_with(".json")) return plan_json(options, result);
  if (path.ends_with(".html")) return plan_html(options, result);
  if (path.ends_with(".svg") || path.ends_with(".png")) {
    const PlanScene scene(options, result);
    return drawn_on(scene, canvas_for(path, scene.width(), scene.height(), PlanScene::title()));
  }
  throw InputError(fmt::format("a plan cannot be written to '{}'; end it in .html, .svg, .png or .json", path));
}

}  // namespace shoal
