#include "labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <span>
#include <thread>

#include "shoal/points.hpp"
#include "shoal/text.hpp"

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
  constexpr unsigned most_threads = 1024;
  std::vector<Written> workers(threads != 0 ? std::min(threads, most_threads)
                                            : std::max(1U, std::thread::hardware_concurrency()));
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

std::string_view end_of_line(bool is_private) { return is_private ? "\n" : ",false\n"; }

void add_number(std::string& text, std::uint32_t number) {
  std::array<char, 10> digits;
  text.append(digits.data(), std::to_chars(digits.begin(), digits.end(), number).ptr);
}

// The lines of the labels that most rows have, written once.
class Lines {
 public:
  Lines(std::size_t clusters, bool is_private) : lines_(std::min(clusters + 1, most)), end_(end_of_line(is_private)) {
    for (std::size_t label = 0; label < lines_.size(); ++label) {
      std::string text;
      add_number(text, static_cast<std::uint32_t>(label));
      text += end_;
      lines_[label].size = text.copy(lines_[label].text.data(), longest);
    }
  }

  // Adds a line per label to `text`.
  void add(std::span<const std::uint32_t> labels, std::string& text) const {
    std::size_t at = text.size();
    text.resize(at + longest * labels.size());
    for (const std::uint32_t label : labels) {
      if (label < lines_.size()) {
        std::copy_n(lines_[label].text.data(), longest, text.data() + at);  // a constant number of bytes is quickest
        at += lines_[label].size;
      } else {
        char* const first = text.data() + at;
        char* const last = std::to_chars(first, first + longest, label).ptr;
        at += static_cast<std::size_t>(std::copy(end_.begin(), end_.end(), last) - first);
      }
    }
    text.resize(at);
  }

 private:
  static constexpr std::size_t longest = 17;                 // ten digits and ",false\n"
  static constexpr std::size_t most = std::size_t{1} << 12;  // the largest clusters come first
  struct Line {
    std::array<char, longest> text{};
    std::size_t size = 0;
  };
  std::vector<Line> lines_;
  std::string_view end_;
};

// Returns what stands before the label in the rows of each part, by the numbers of PointLabels::parts.
std::vector<std::string> fields_of(const Layout& layout) {
  if (std::holds_alternative<Whole>(layout)) return {};
  std::vector<std::string> fields{std::holds_alternative<Insets>(layout) ? "0," : ","};
  if (const auto* groups = std::get_if<Grouping>(&layout)) {
    for (const std::string& name : groups->names) fields.push_back(csv_field(name) + ",");
  } else {
    while (fields.size() <= most_insets) fields.push_back(fmt::format("{},", fields.size()));
  }
  return fields;
}

// Adds a line per row. lines: those of labels alone.
void add_lines(const PointLabels& rows, const std::vector<std::string>& fields, const Lines& lines, bool is_private,
               Written& written) {
  const std::vector<std::uint32_t>& labels = rows.labels;
  std::string& text = written.text;
  if (fields.empty() && rows.strengths.empty()) {
    lines.add(labels, text);
  } else {
    for (std::size_t row = 0; row < labels.size(); ++row) {
      if (!fields.empty()) text += fields[rows.parts[row]];
      add_number(text, labels[row]);
      if (!rows.strengths.empty()) fmt::format_to(std::back_inserter(text), ",{:.3f}", rows.strengths[row]);
      text += end_of_line(is_private);
    }
  }
  const auto zeros = [](const std::vector<std::uint32_t>& numbers) {
    return static_cast<std::uint64_t>(std::count(numbers.begin(), numbers.end(), std::uint32_t{0}));
  };
  written.counts.rows += labels.size();
  written.counts.clustered += labels.size() - zeros(labels);
  written.counts.in_no_group += zeros(rows.parts);
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

LabelCounts write_labels(Points& points, const Labeller& labeller, Outside outside, bool is_private, unsigned threads,
                         PendingFile& out) {
  const Layout& layout = labeller.layout();
  const char* first = std::holds_alternative<Whole>(layout)      ? ""
                      : std::holds_alternative<Grouping>(layout) ? "group,"
                                                                 : "inset,";
  out.write(
      fmt::format("{}cluster{}{}\n", first, labeller.has_strength() ? ",strength" : "", is_private ? "" : ",private"));
  const std::vector<std::string> fields = fields_of(layout);
  const Lines lines(labeller.clusters(), is_private);
  return write_in_order(points, threads, out, [&](const PointBlock& block, Written& written) {
    std::vector<std::vector<double>> copies;
    add_lines(labeller.label(outside == Outside::clamp ? clamped(block, labeller.grid(), copies) : block.columns),
              fields, lines, is_private, written);
  });
}

}  // namespace shoal::cli
