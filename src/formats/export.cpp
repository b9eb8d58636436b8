#include "formats/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/geographic_axes.hpp"
#include "base/parallel.hpp"
#include "clusters/clustered_sums.hpp"
#include "formats/json_text.hpp"
#include "formats/release_json.hpp"
#include "shoal/error.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

using nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  return ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Writes the features of some clusters.
class Features {
 public:
  Features(bool swapped, const std::string& size_name, const std::optional<PartName>& part)
      : swapped_(swapped), size_name_(quoted(size_name)) {
    if (!part) return;
    property_ = fmt::format("{}:{},", quoted(part->key), quoted(part->name));
    const std::string name = quoted(part->name);
    id_ = name.substr(0, name.size() - 1) + "/";
  }

  // confidence, color: may be missing.
  void add(const ReleasedCluster& cluster, const ClusterConfidence* confidence, const std::string* color) {
    text_ += text_.empty() ? "\n" : ",\n";
    const std::string end = id_.empty() ? "" : "\"";
    fmt::format_to(out(),
                   R"({{"type":"Feature","id":{}{}{},"properties":{{{}"cluster":{},"cells":{},{}:{},"centroid":)", id_,
                   cluster.id, end, property_, cluster.id, cluster.cells, size_name_, cluster.noisy_size);
    std::vector<double> centre = cluster.centroid;
    if (swapped_) std::swap(centre[0], centre[1]);
    numbers_.append(text_, centre);
    if (confidence != nullptr) {  // few numbers, and the file of the release has the same
      nlohmann::ordered_json more = confidence_json(*confidence);
      add_size(more, *confidence);
      const std::string members = more.dump();
      text_ += ',';
      text_.append(members, 1, members.size() - 2);
    }
    // The names of simplestyle, which QGIS and web maps read.
    if (color != nullptr) {
      fmt::format_to(out(), R"(,"fill":{},"fill-opacity":0.6,"stroke":"#1d2126","stroke-width":1)", quoted(*color));
    }
    const bool single = cluster.outline.size() == 1;
    text_ += single ? R"(},"geometry":{"type":"Polygon","coordinates":)"
                    : R"(},"geometry":{"type":"MultiPolygon","coordinates":)";
    if (single) {
      numbers_.append(text_, cluster.outline.front(), swapped_);
    } else {
      numbers_.append(text_, std::span(cluster.outline), swapped_);
    }
    text_ += "}}";
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

  bool swapped_;
  std::string size_name_, property_, id_;
  std::string text_;
  JsonNumbers numbers_{NumberForm::plain};
};

// The bounds of the cells along one axis as CSV fields. They are written in advance where more cells than these are
// clustered.
class BoundsTexts {
 public:
  BoundsTexts(const ClusterMap& map, std::size_t axis, unsigned threads) : map_(map), axis_(axis) {
    const std::uint64_t extent = map.clusters().shape()[axis];
    if (extent > map.clusters().cells().size()) return;
    texts_.resize(extent);
    constexpr std::uint64_t cells_a_part = 256;
    parallel_stretches(extent, extent / cells_a_part, threads, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t cell = begin; cell < end; ++cell) texts_[cell] = written(cell);
    });
  }
  void append(std::string& text, std::uint64_t cell) const { text += texts_.empty() ? written(cell) : texts_[cell]; }

 private:
  [[nodiscard]] std::string written(std::uint64_t cell) const {
    const auto [lo, hi] = map_.cell_bounds(axis_, cell);
    const auto [first, last] = range_texts(map_.grid().axis(axis_), lo, hi);
    return fmt::format(",{},{}", csv_field(first), csv_field(last));
  }

  const ClusterMap& map_;
  std::size_t axis_;
  std::vector<std::string> texts_;
};

// Joins the texts that are not empty.
std::string joined(std::vector<std::string> texts, const char* between) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size() + 1;
  std::string result;
  result.reserve(bytes);
  for (std::string& text : texts) {
    const std::string next = std::move(text);
    if (!result.empty() && !next.empty()) result += between;
    result += next;
  }
  return result;
}

void append_number(std::string& text, std::integral auto number) {
  text += ',';
  JsonNumbers::append(text, number);
}

std::string axis_name(const Grid& grid, std::size_t axis) {
  const std::string& name = grid.axis(axis).name();
  return name.empty() ? fmt::format("axis{}", axis + 1) : name;
}

}  // namespace

void require_two_axes(const Grid& grid) {
  if (grid.dimensions() == 2) return;
  throw InputError(
      fmt::format("GeoJSON needs two axes, this grid has {}; write .json or .csv instead", grid.dimensions()));
}

std::string feature_collection(const std::string& about, const std::string& features) {
  ordered_json collection{{"type", "FeatureCollection"}};
  if (!about.empty()) collection.update(ordered_json::parse(about));
  std::string text = collection.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text.pop_back();
  return text + ",\n\"features\":[" + features + "\n]}\n";
}

std::string clusters_features(const Grid& grid, std::span<const ReleasedCluster> clusters, const std::string& size_name,
                              std::span<const ClusterConfidence> confidence, std::span<const std::uint32_t> left_out,
                              const std::optional<PartName>& part, std::span<const std::string> colors,
                              unsigned threads) {
  require_two_axes(grid);
  const bool swapped = geographic_axes(grid).longitude == 1;
  std::vector<std::uint64_t> sizes;
  for (const ReleasedCluster& cluster : clusters) sizes.push_back(cluster.cells);
  const std::vector<std::size_t> ends = ends_of_parts(sizes);
  std::vector<std::string> texts(ends.size());
  parallel_for(ends.size(), threads, [&](std::uint64_t which) {
    Features features(swapped, size_name, part);
    for (std::size_t i = which == 0 ? 0 : ends[which - 1]; i < ends[which]; ++i) {
      if (std::binary_search(left_out.begin(), left_out.end(), clusters[i].id)) continue;
      features.add(clusters[i], confidence.empty() ? nullptr : &confidence[i], colors.empty() ? nullptr : &colors[i]);
    }
    texts[which] = features.take();
  });
  return joined(std::move(texts), ",");
}

std::string cells_csv(const ClusterMap& map, const Cells<std::int64_t>* values, const std::string& value_name,
                      bool is_private, const std::optional<CellIntervals>& intervals,
                      const std::optional<PartName>& part, bool header, unsigned threads) {
  const Clusters& clusters = map.clusters();
  const std::string part_field = part ? csv_field(part->name) + "," : "";
  std::string head = part ? part->key + ",cluster" : "cluster";
  for (std::size_t axis = 0; axis < map.grid().dimensions(); ++axis) {
    const std::string name = axis_name(map.grid(), axis);
    head += fmt::format(",{},{}", csv_field(name + "_lo"), csv_field(name + "_hi"));
  }
  const char* const end = is_private ? "\n" : ",false\n";
  if (values != nullptr) head += fmt::format(",{}", csv_field(value_name));
  if (intervals) head += ",lower_95,upper_95";
  head += is_private ? "\n" : ",private\n";
  const std::vector<std::int64_t> sums =
      values == nullptr ? std::vector<std::int64_t>{} : clustered_sums(clusters, *values, threads);
  std::vector<BoundsTexts> bounds;
  for (std::size_t axis = 0; axis < map.grid().dimensions(); ++axis) bounds.emplace_back(map, axis, threads);
  constexpr std::size_t cells_a_part = std::size_t{1} << 15;
  const std::size_t cells = clusters.cells().size(), parts = (cells + cells_a_part - 1) / cells_a_part;
  std::vector<std::string> texts(parts + 1);
  if (header) texts[0] = std::move(head);
  parallel_for(parts, threads, [&](std::uint64_t which) {
    std::vector<std::uint64_t> at(clusters.shape().size());
    std::string text;
    const std::size_t first = which * cells_a_part, last = std::min<std::size_t>(cells, first + cells_a_part);
    for (std::size_t i = first; i < last; ++i) {
      if (i == first + 1) text.reserve((text.size() + 8) * (last - first));  // rows are about as long as the first
      text += part_field;
      JsonNumbers::append(text, clusters.labels()[i]);
      coordinates(clusters.cells()[i], clusters.shape(), at);
      for (std::size_t axis = 0; axis < at.size(); ++axis) bounds[axis].append(text, at[axis]);
      if (values != nullptr) append_number(text, sums[i]);
      if (intervals) {
        const auto [least, most] = intervals->around(sums[i]);
        append_number(text, least);
        append_number(text, most);
      }
      text += end;
    }
    texts[which + 1] = std::move(text);
  });
  return joined(std::move(texts), "");
}

}  // namespace shoal
