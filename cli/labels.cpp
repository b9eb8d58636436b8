#include "labels.hpp"

#include <fmt/format.h>

namespace shoal::cli {

LabelCounts write_labels(Points& points, const ClusterMap& map, Outside outside, bool is_private, PendingFile& out) {
  out.write(is_private ? "cluster\n" : "cluster,private\n");
  const char* const end = is_private ? "\n" : ",false\n";
  LabelCounts counts;
  std::string text;
  std::vector<std::uint32_t> labels;
  std::vector<std::vector<double>> clamped(points.dimensions());
  points.scan(1, [&](unsigned, const PointBlock& block) {
    std::vector<std::span<const double>> columns = block.columns;
    if (outside == Outside::clamp) {
      for (std::size_t axis = 0; axis < columns.size(); ++axis) {
        clamped[axis].assign(columns[axis].begin(), columns[axis].end());
        for (double& x : clamped[axis]) x = map.grid().axis(axis).clamp(x);
        columns[axis] = clamped[axis];
      }
    }
    labels.resize(block.rows());
    map.label(columns, labels);
    text.clear();
    for (const std::uint32_t label : labels) {
      fmt::format_to(std::back_inserter(text), "{}{}", label, end);
      counts.clustered += label != 0 ? 1 : 0;
    }
    counts.rows += block.rows();
    out.write(text);
  });
  out.commit();
  return counts;
}

}  // namespace shoal::cli
