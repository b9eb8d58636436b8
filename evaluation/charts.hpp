// Line charts with confidence bands, as self-contained SVG. Series differ by colour (Okabe and Ito's, for
// colour-blind readers), by marker and by dashes, so that they can be told apart in grey as well.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/statistics.hpp"

namespace shoal::evaluation {

struct ChartPoint {
  double x = 0;
  Interval y{};
};

struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;  // ascending in x
  std::size_t style = 0;           // colour, marker and dashes; the same number looks the same in every chart
};

struct Chart {
  std::string title;
  std::string x_name, y_name;
  std::vector<ChartSeries> series;
  bool logarithmic_x = false;       // all x above 0
  std::optional<double> y_most;     // end of the axis; not set: the data determine it
  std::optional<double> reference;  // a level for comparison, drawn dashed
  std::string reference_name;
};

// The y axis starts at 0 unless a value is negative.
std::string line_chart(const Chart& chart);

// Returns a legend of series, for several charts.
std::string chart_legend(const std::vector<ChartSeries>& series);

// One picture of a sheet.
struct Panel {
  std::string svg;
  double width = 0, height = 0;
};
Panel chart_panel(const Chart& chart);

// Returns one SVG with the pictures side by side under a title and, unless it is empty, a legend.
std::string picture_sheet(const std::string& title, const std::vector<ChartSeries>& legend,
                          const std::vector<Panel>& panels, std::size_t columns);

}  // namespace shoal::evaluation
