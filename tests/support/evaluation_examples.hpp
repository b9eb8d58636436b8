// Data sets that tests of evaluations start from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluation/evaluate.hpp"
#include "shoal/points.hpp"

namespace shoal::evaluation::examples {

// Points inside a grid, with their counts.
struct Data {
  PointTable points;
  Counts counts;
  [[nodiscard]] EvaluationData view() const { return {counts, &points}; }
};

inline Data counted(Points& source, const Grid& grid) {
  PointTable points = collect(source, grid);
  Counts counts = quantize(points, grid);
  return {std::move(points), std::move(counts)};
}

struct Example {
  Data data;
  EvaluationOptions options;
};

inline Example example(const std::string& name, std::uint64_t points = 0) {
  const DatasetSettings settings = dataset_settings(name);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < settings.bounds.size(); ++i) {
    axes.emplace_back(settings.bounds[i].first, settings.bounds[i].second, settings.cells[i], settings.names[i]);
  }
  EvaluationOptions options{.technique = {.cluster = {.threshold = Percentile(settings.percentile)}}};
  options.dataset = name;
  options.techniques = {"privqt", "privthr", "privthr-em", "privthr-em-literal-not-private"};
  options.epsilons = {Epsilon::parse("0.5"), Epsilon::parse("2")};
  options.runs = 3;
  return {counted(*dataset_points(name, 1, points), Grid(axes)), options};
}

inline std::vector<Row> without_seconds(std::vector<Row> rows) {
  for (Row& row : rows) row.seconds = 0;
  return rows;
}

}  // namespace shoal::evaluation::examples
