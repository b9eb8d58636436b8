#include "labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/export.hpp"

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

namespace {

// Lines of `first`, the label, the strength where there is one, and the mark of what is not private.
template <class Of, class First>
void write_block(const Of& of, const First& first, bool is_private, LabelCounts& counts, PendingFile& out) {
  std::string text;
  for (std::size_t row = 0; row < of.labels.size(); ++row) {
    fmt::format_to(std::back_inserter(text), "{},{}", first(row), of.labels[row]);
    if (!of.strengths.empty()) fmt::format_to(std::back_inserter(text), ",{:.3f}", of.strengths[row]);
    text += is_private ? "\n" : ",false\n";
    counts.clustered += of.labels[row] != 0 ? 1 : 0;
  }
  counts.rows += of.labels.size();
  out.write(text);
}

std::string header(const std::string& first, bool strength, bool is_private) {
  return fmt::format("{},cluster{}{}\n", first, strength ? ",strength" : "", is_private ? "" : ",private");
}

}  // namespace

LabelCounts write_labels(Points& points, const InsetLabels& labels, bool is_private, PendingFile& out) {
  out.write(header("inset", labels.with_strength(), is_private));
  LabelCounts counts;
  points.scan(1, [&](unsigned, const PointBlock& block) {
    const InsetLabels::Of of = labels.of(block.columns);
    write_block(
        of, [&of](std::size_t row) { return of.parts[row]; }, is_private, counts, out);
  });
  out.commit();
  return counts;
}

LabelCounts write_labels(Points& points, const GroupLabels& labels, const std::vector<std::string>& names,
                         bool is_private, PendingFile& out) {
  out.write(header("group", labels.with_strength(), is_private));
  std::vector<std::string> fields{""};
  for (const std::string& name : names) fields.push_back(csv_field(name));
  LabelCounts counts;
  points.scan(1, [&](unsigned, const PointBlock& block) {
    const GroupLabels::Of of = labels.of(block.columns);
    write_block(
        of, [&](std::size_t row) -> const std::string& { return fields[of.groups[row]]; }, is_private, counts, out);
    counts.in_no_group += static_cast<std::uint64_t>(std::count(of.groups.begin(), of.groups.end(), 0));
  });
  out.commit();
  return counts;
}

}  // namespace shoal::cli
