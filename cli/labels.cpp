#include "labels.hpp"

#include <fmt/format.h>

namespace shoal::cli {

LabelCounts write_labels(Points& points, const ClusterMap& map, Outside outside, bool is_private, PendingFile& out,
                         const MembershipStrength* strength) {
  out.write(fmt::format("cluster{}{}\n", strength != nullptr ? ",strength" : "", is_private ? "" : ",private"));
  const char* const end = is_private ? "\n" : ",false\n";
  LabelCounts counts;
  std::string text;
  std::vector<std::uint32_t> labels;
  std::vector<double> strengths;
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
    if (strength != nullptr) {
      strengths.resize(labels.size());
      strength->of(columns, labels, strengths);
    }
    text.clear();
    for (std::size_t row = 0; row < labels.size(); ++row) {
      fmt::format_to(std::back_inserter(text), "{}", labels[row]);
      if (strength != nullptr) fmt::format_to(std::back_inserter(text), ",{:.3f}", strengths[row]);
      text += end;
      counts.clustered += labels[row] != 0 ? 1 : 0;
    }
    counts.rows += block.rows();
    out.write(text);
  });
  out.commit();
  return counts;
}

LabelCounts write_labels(Points& points, const InsetLabels& labels, bool is_private, PendingFile& out) {
  out.write(
      fmt::format("inset,cluster{}{}\n", labels.with_strength() ? ",strength" : "", is_private ? "" : ",private"));
  LabelCounts counts;
  points.scan(1, [&](unsigned, const PointBlock& block) {
    const InsetLabels::Of of = labels.of(block.columns);
    const bool strength = labels.with_strength();
    std::string text;
    for (std::size_t row = 0; row < of.labels.size(); ++row) {
      fmt::format_to(std::back_inserter(text), "{},{}", of.parts[row], of.labels[row]);
      if (strength) fmt::format_to(std::back_inserter(text), ",{:.3f}", of.strengths[row]);
      text += is_private ? "\n" : ",false\n";
      counts.clustered += of.labels[row] != 0 ? 1 : 0;
    }
    counts.rows += block.rows();
    out.write(text);
  });
  out.commit();
  return counts;
}

}  // namespace shoal::cli
