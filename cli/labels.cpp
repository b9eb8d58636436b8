#include "labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <span>

#include "base/parallel.hpp"
#include "formats/export.hpp"
#include "points/ordered_scan.hpp"

namespace shoal::cli {

namespace {

// What one worker has made of its rows.
struct Written {
  std::string text;  // lines that are not in the file yet
  LabelCounts counts;
};

// Calls write(block, written) on all threads; the lines come to the file in the order of the rows.
template <class Write>
LabelCounts write_in_order(Points& points, unsigned threads, PendingFile& out, const Write& write) {
  std::vector<Written> workers(thread_count(threads));
  scan_in_order(
      points, static_cast<unsigned>(workers.size()),
      [&](unsigned worker, const PointBlock& block) { write(block, workers[worker]); },
      [&](unsigned worker) {
        out.write(workers[worker].text);
        workers[worker].text.clear();
      });
  out.commit();
  LabelCounts counts;
  for (const Written& written : workers) {
    counts.rows += written.counts.rows;
    counts.clustered += written.counts.clustered;
    counts.in_no_group += written.counts.in_no_group;
  }
  return counts;
}

void add_number(std::string& text, std::uint32_t number) {
  std::array<char, 10> digits;
  text.append(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
}

// Adds a line per row: `first` writes what stands before the label. strengths: empty if they were not asked for.
template <class First>
void add_lines(std::span<const std::uint32_t> labels, std::span<const double> strengths, const First& first,
               bool is_private, Written& written) {
  const std::string_view end = is_private ? "\n" : ",false\n";
  std::string& text = written.text;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    first(text, row);
    add_number(text, labels[row]);
    if (!strengths.empty()) fmt::format_to(std::back_inserter(text), ",{:.3f}", strengths[row]);
    text += end;
  }
  written.counts.rows += labels.size();
  written.counts.clustered +=
      labels.size() - static_cast<std::uint64_t>(std::count(labels.begin(), labels.end(), std::uint32_t{0}));
}

std::string header(const std::string& first, bool strength, bool is_private) {
  return fmt::format("{}cluster{}{}\n", first, strength ? ",strength" : "", is_private ? "" : ",private");
}

// The columns of a block, moved into the bounds; `copies` holds them.
std::vector<std::span<const double>> clamped(const PointBlock& block, const Grid& grid,
                                             std::vector<std::vector<double>>& copies) {
  copies.resize(block.columns.size());
  for (std::size_t axis = 0; axis < copies.size(); ++axis) {
    copies[axis].assign(block.columns[axis].begin(), block.columns[axis].end());
    for (double& x : copies[axis]) x = grid.axis(axis).clamp(x);
  }
  return {copies.begin(), copies.end()};
}

}  // namespace

LabelCounts write_labels(Points& points, const ClusterMap& map, Outside outside, bool is_private, unsigned threads,
                         PendingFile& out, const MembershipStrength* strength) {
  out.write(header("", strength != nullptr, is_private));
  const auto nothing = [](std::string&, std::size_t) {};
  return write_in_order(points, threads, out, [&](const PointBlock& block, Written& written) {
    std::vector<std::vector<double>> copies;
    const std::vector<std::span<const double>> columns =
        outside == Outside::clamp ? clamped(block, map.grid(), copies) : block.columns;
    std::vector<std::uint32_t> labels(block.rows());
    map.label(columns, labels);
    std::vector<double> strengths(strength != nullptr ? labels.size() : 0);
    if (strength != nullptr) strength->of(columns, labels, strengths);
    add_lines(labels, strengths, nothing, is_private, written);
  });
}

LabelCounts write_labels(Points& points, const InsetLabels& labels, bool is_private, unsigned threads,
                         PendingFile& out) {
  out.write(header("inset,", labels.with_strength(), is_private));
  return write_in_order(points, threads, out, [&](const PointBlock& block, Written& written) {
    const InsetLabels::Of of = labels.of(block.columns);
    const auto inset = [&of](std::string& text, std::size_t row) {
      add_number(text, of.parts[row]);
      text += ',';
    };
    add_lines(of.labels, of.strengths, inset, is_private, written);
  });
}

LabelCounts write_labels(Points& points, const GroupLabels& labels, const std::vector<std::string>& names,
                         bool is_private, unsigned threads, PendingFile& out) {
  out.write(header("group,", labels.with_strength(), is_private));
  std::vector<std::string> fields{""};
  for (const std::string& name : names) fields.push_back(csv_field(name));
  return write_in_order(points, threads, out, [&](const PointBlock& block, Written& written) {
    const GroupLabels::Of of = labels.of(block.columns);
    const auto group = [&](std::string& text, std::size_t row) {
      text += fields[of.groups[row]];
      text += ',';
    };
    add_lines(of.labels, of.strengths, group, is_private, written);
    written.counts.in_no_group +=
        static_cast<std::uint64_t>(std::count(of.groups.begin(), of.groups.end(), std::uint32_t{0}));
  });
}

}  // namespace shoal::cli
