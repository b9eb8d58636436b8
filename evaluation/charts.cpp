#include "evaluation/charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"

namespace shoal::evaluation {

namespace {

constexpr double width = 460;
constexpr double height = 300;
constexpr double left = 58;
constexpr double right = 16;
constexpr double top = 34;
constexpr double bottom = 46;
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr const char* ink = "#1d2126";
constexpr const char* soft = "#59616b";
constexpr const char* faint = "#e3e6ea";
constexpr const char* font = "font-family=\"system-ui,-apple-system,Segoe UI,Arial,Liberation Sans,sans-serif\"";

struct Stroke {
  const char* color;
  const char* dashes;
  int marker;
};

constexpr std::array strokes{Stroke{"#0072b2", "", 0},    Stroke{"#d55e00", "", 1},    Stroke{"#009e73", "", 2},
                             Stroke{"#cc79a7", "", 3},    Stroke{"#b8860b", "", 4},    Stroke{"#56b4e9", "6 4", 0},
                             Stroke{"#885022", "6 4", 1}, Stroke{"#503ca0", "6 4", 2}, Stroke{"#444444", "2 3", 3}};

const Stroke& stroke_of(std::size_t style) { return strokes[style % strokes.size()]; }

std::string marker(const Stroke& stroke, double x, double y) {
  const auto polygon = [&](std::initializer_list<std::pair<double, double>> corners) {
    std::string points;
    for (const auto& [dx, dy] : corners) points += fmt::format("{:.1f},{:.1f} ", x + dx, y + dy);
    points.pop_back();
    return fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"#fff\"/>", points, stroke.color);
  };
  switch (stroke.marker) {
    case 1:
      return polygon({{-4, -4}, {4, -4}, {4, 4}, {-4, 4}});
    case 2:
      return polygon({{0, -5.5}, {5, 4}, {-5, 4}});
    case 3:
      return polygon({{0, -5.5}, {5.5, 0}, {0, 5.5}, {-5.5, 0}});
    case 4:
      return polygon({{0, 5.5}, {5, -4}, {-5, -4}});
    default:
      return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\" fill=\"{}\" stroke=\"#fff\"/>", x, y,
                         stroke.color);
  }
}

std::string dashed(const Stroke& stroke) {
  return *stroke.dashes == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", stroke.dashes);
}

std::string label(double x, double y, const std::string& words, const char* anchor, double size, const char* color) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"{}\">{}</text>\n", x,
                     y, anchor, size, color, escaped(words));
}

// From values to places in the picture.
class Frame {
 public:
  explicit Frame(const Chart& chart) : logarithmic_(chart.logarithmic_x) {
    for (const ChartSeries& series : chart.series) {
      for (const ChartPoint& point : series.points) {
        x_lo_ = std::min(x_lo_, at_x(point.x));
        x_hi_ = std::max(x_hi_, at_x(point.x));
        y_lo_ = std::min(y_lo_, point.y.mean);
        y_hi_ = std::max({y_hi_, point.y.mean, std::min(point.y.high, 1.5 * point.y.mean)});
      }
    }
    if (chart.reference) y_hi_ = std::max(y_hi_, *chart.reference);
    if (chart.y_most) y_hi_ = *chart.y_most;
    if (!(x_lo_ <= x_hi_)) x_lo_ = x_hi_ = 0;
    if (x_lo_ == x_hi_) {
      x_lo_ -= 1;
      x_hi_ += 1;
    }
    if (!(y_hi_ > y_lo_)) y_hi_ = y_lo_ + 1;
    if (!chart.y_most) y_hi_ += 0.05 * (y_hi_ - y_lo_);
  }
  [[nodiscard]] double x(double value) const {
    return left + 10 + (at_x(value) - x_lo_) / (x_hi_ - x_lo_) * (width - left - right - 20);
  }
  // Bands may reach past the frame; they end there.
  [[nodiscard]] double y(double value) const {
    const double inside = std::clamp(value, y_lo_, y_hi_);
    return height - bottom - (inside - y_lo_) / (y_hi_ - y_lo_) * (height - top - bottom);
  }
  [[nodiscard]] double y_lo() const { return y_lo_; }
  [[nodiscard]] double y_hi() const { return y_hi_; }

 private:
  [[nodiscard]] double at_x(double value) const { return logarithmic_ ? std::log(value) : value; }
  bool logarithmic_;
  double x_lo_ = infinite, x_hi_ = -infinite, y_lo_ = 0, y_hi_ = 0;
};

// Every x that occurs, as far as the labels leave each other room.
std::string x_axis(const Chart& chart, const Frame& frame) {
  std::vector<double> values;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.points) values.push_back(point.x);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::string text;
  double last = -infinite;
  for (const double value : values) {
    const double x = frame.x(value);
    text += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"{3}\"/>\n", x,
                        height - bottom, height - bottom + 4, soft);
    if (x - last < 26) continue;
    last = x;
    text += label(x, height - bottom + 18, fmt::format("{:g}", value), "middle", 12, ink);
  }
  return text + label(left + (width - left - right) / 2, height - 8, chart.x_name, "middle", 12.5, soft);
}

std::string y_axis(const Chart& chart, const Frame& frame) {
  std::string text;
  for (const Tick& tick : ticks(frame.y_lo(), frame.y_hi(), 6)) {
    const double y = frame.y(tick.value);
    text += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", left, width - right,
                        y, y, faint);
    text += label(left - 7, y + 4, tick.text, "end", 12, ink);
  }
  return text + fmt::format(
                    "<text transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\" "
                    "font-size=\"12.5\" fill=\"{}\">{}</text>\n",
                    top + (height - top - bottom) / 2, soft, escaped(chart.y_name));
}

std::string band(const ChartSeries& series, const Frame& frame) {
  if (series.points.size() < 2) return {};
  std::string corners;
  const auto add = [&](double x, double y) {
    corners += fmt::format("{}{:.1f},{:.1f}", corners.empty() ? "" : " ", frame.x(x), frame.y(y));
  };
  for (const ChartPoint& point : series.points) add(point.x, point.y.high);
  for (std::size_t i = series.points.size(); i-- > 0;) add(series.points[i].x, series.points[i].y.low);
  return fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"0.16\"/>\n", corners,
                     stroke_of(series.style).color);
}

std::string line(const ChartSeries& series, const Frame& frame) {
  const Stroke& stroke = stroke_of(series.style);
  std::string points;
  std::string markers;
  for (const ChartPoint& point : series.points) {
    const double x = frame.x(point.x);
    const double y = frame.y(point.y.mean);
    points += fmt::format("{:.1f},{:.1f} ", x, y);
    markers += marker(stroke, x, y);
  }
  if (!points.empty()) points.pop_back();
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>{}\n", points,
                     stroke.color, dashed(stroke), markers);
}

// The dashed level; its name stands above the frame, where no line crosses it.
std::string reference(const Chart& chart, const Frame& frame) {
  if (!chart.reference) return {};
  const double y = frame.y(*chart.reference);
  const std::string dashes = fmt::format("stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"3 3\"", ink);
  const double end = width - right - text_width(chart.reference_name, 12) - 6;
  return fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", left, width - right, y, y,
                     dashes) +
         fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"16\" y2=\"16\" {}/>\n", end - 24, end, dashes) +
         label(width - right, 20, chart.reference_name, "end", 12, ink);
}

}  // namespace

std::string line_chart(const Chart& chart) {
  const Frame frame(chart);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-label=\"{2}\" {3}>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      width, height, escaped(chart.title), font);
  text += fmt::format("<text x=\"{}\" y=\"20\" font-size=\"14.5\" font-weight=\"600\" fill=\"{}\">{}</text>\n", left,
                      ink, escaped(chart.title));
  text += y_axis(chart, frame) + x_axis(chart, frame);
  for (const ChartSeries& series : chart.series) text += band(series, frame);
  text += reference(chart, frame);
  for (const ChartSeries& series : chart.series) text += line(series, frame);
  return text + "</svg>\n";
}

namespace {

Panel legend_panel(const std::vector<ChartSeries>& series) {
  constexpr double step = 24;
  constexpr double character = 7.6;
  constexpr double most = 2 * width;
  std::string entries;
  double x = 8;
  double y = 16;
  for (const ChartSeries& one : series) {
    const Stroke& stroke = stroke_of(one.style);
    const double needed = 54 + character * static_cast<double>(one.name.size());
    if (x > 8 && x + needed > most) {
      x = 8;
      y += step;
    }
    entries +=
        fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"2\"{}/>{}", x,
                    x + 28, y, y, stroke.color, dashed(stroke), marker(stroke, x + 14, y));
    entries += label(x + 35, y + 4.5, one.name, "start", 13.5, ink);
    x += needed;
  }
  const std::string svg =
      fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
          "role=\"img\" aria-label=\"Legend\" {2}>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
          most, y + 16, font) +
      entries + "</svg>\n";
  return {svg, most, y + 16};
}

// An SVG at a place inside another one.
std::string nested(const Panel& panel, double x, double y) {
  const std::size_t at = panel.svg.find("<svg ");
  return fmt::format("<svg x=\"{:.1f}\" y=\"{:.1f}\" {}", x, y, panel.svg.substr(at + 5));
}

}  // namespace

std::string chart_legend(const std::vector<ChartSeries>& series) { return legend_panel(series).svg; }

Panel chart_panel(const Chart& chart) { return {line_chart(chart), width, height}; }

std::string picture_sheet(const std::string& title, const std::vector<ChartSeries>& legend,
                          const std::vector<Panel>& panels, std::size_t columns) {
  constexpr double margin = 12;
  constexpr double heading = 44;
  std::vector<double> column_widths(columns, 0);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    column_widths[i % columns] = std::max(column_widths[i % columns], panels[i].width);
  }
  double sheet_width = 2 * margin;
  for (const double column : column_widths) sheet_width += column;
  std::string body;
  double y = heading;
  if (!legend.empty()) {
    const Panel panel = legend_panel(legend);
    sheet_width = std::max(sheet_width, panel.width + 2 * margin);
    body += nested(panel, margin, y);
    y += panel.height + 6;
  }
  for (std::size_t begin = 0; begin < panels.size(); begin += columns) {
    double x = margin;
    double row_height = 0;
    for (std::size_t i = begin; i < std::min(begin + columns, panels.size()); ++i) {
      body += nested(panels[i], x, y);
      x += column_widths[i - begin];
      row_height = std::max(row_height, panels[i].height);
    }
    y += row_height;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
             "role=\"img\" aria-label=\"{2}\" {3}>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n"
             "<text x=\"20\" y=\"29\" font-size=\"18\" font-weight=\"600\" fill=\"{4}\">{2}</text>\n",
             sheet_width, y + margin, escaped(title), font, ink) +
         body + "</svg>\n";
}

}  // namespace shoal::evaluation
