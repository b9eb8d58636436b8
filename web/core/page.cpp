// What the page asks of the public side. Text goes in through one buffer and comes back as one result (JSON, or a
// file's contents); cells and labels are read in place. A call that fails gives 1, and its result is the message.
#include <emscripten.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/geographic_axes.hpp"
#include "drawing/base_map.hpp"
#include "drawing/picture.hpp"
#include "drawing/report.hpp"
#include "inference/box_clusters.hpp"
#include "inference/laplace_law.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "release/enum_words.hpp"
#include "release/parts.hpp"
#include "shoal/error.hpp"
#include "shoal/levels.hpp"
#include "shoal/notices.hpp"
#include "shoal/release.hpp"
#include "shoal/release_set.hpp"
#include "shoal/text.hpp"
#include "shoal/tree.hpp"

namespace {

using namespace shoal;
using Json = nlohmann::ordered_json;

std::string buffer, result;
std::shared_ptr<const BaseMap> base;  // what the file holds of the world
std::unique_ptr<ReleaseSet> opened;   // the file
const Release* released = nullptr;    // the part that is explored
std::unique_ptr<const Release> shown;
std::string shown_settings;
std::vector<double> values;         // of the noisy values' own shape; row-major
std::vector<std::uint32_t> labels;  // of W's shape
std::vector<std::uint32_t> found;   // labels of points
std::vector<double> parsed;         // coordinates that texts say

template <class Work>
int guarded(const Work& work) {
  try {
    result = work();
    return 0;
  } catch (const std::exception& failure) {
    result = failure.what();
    return 1;
  }
}

std::string text_of(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

double number_of(const std::string& key, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) {
    throw InputError(fmt::format("{} is '{}'; give a number", key, text));
  }
  return value;
}

std::uint64_t whole(const std::string& key, const std::string& text) {
  const double value = number_of(key, text);
  if (value < 0 || value != std::floor(value) || value > 9e15) {
    throw InputError(fmt::format("{} is '{}'; give a whole number that is not negative", key, text));
  }
  return static_cast<std::uint64_t>(value);
}

void set(ClusterOptions& options, const std::string& key, const std::string& text) {
  if (key == "percentile") {
    options.threshold = Percentile(number_of(key, text));
  } else if (key == "coverage") {
    options.threshold = Coverage(number_of(key, text));
  } else if (key == "density") {
    options.threshold = Density(number_of(key, text));
  } else if (key == "top") {
    options.threshold = Top(whole(key, text));
  } else if (key == "level") {
    options.level = static_cast<unsigned>(whole(key, text));
  } else if (key == "min-cells") {
    options.min_cells = whole(key, text);
  } else if (key == "wavelet") {
    options.wavelet = Wavelet::named(text);
  } else if (key == "adjacency") {
    const std::optional<Adjacency> adjacency = meaning(adjacency_words, text);
    if (!adjacency) throw InputError(fmt::format("adjacency is '{}'; give full or face", text));
    options.adjacency = *adjacency;
  } else {
    throw InputError(fmt::format("'{}' is no setting of a release", key));
  }
}

// percentile=40&adjacency=face, over what the release was made with.
ClusterOptions options_of(const std::string& settings) {
  ClusterOptions options = released->parts().options;
  for (std::size_t at = 0; at < settings.size();) {
    const std::size_t end = std::min(settings.find('&', at), settings.size());
    const std::string pair = settings.substr(at, end - at);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (!pair.empty()) set(options, pair.substr(0, equals), equals < pair.size() ? pair.substr(equals + 1) : "");
    at = end + 1;
  }
  return options;
}

// Why these settings are refused; empty when they are not.
std::string refusal(const ClusterOptions& options) {
  try {
    if (released->parts().values() == nullptr) throw InputError("this release was written without its noisy values");
    check_reshape(released->parts(), options);
    return {};
  } catch (const std::exception& reason) {
    return reason.what();
  }
}

// Cells are not equally wide in the axis' units.
bool is_curved(const Axis& axis) {
  const auto& scale = axis.kind().scale;
  const auto* instants = std::get_if<Instants>(&scale);
  return std::holds_alternative<Logarithmic>(scale) || std::holds_alternative<Latitude>(scale) ||
         (instants != nullptr && instants->least == Instants::Least::month);
}

Json json_of_page_axes(const Grid& grid) {
  Json axes = Json::array();
  for (std::size_t i = 0; i < grid.dimensions(); ++i) {
    const Axis& axis = grid.axis(i);
    const std::string name = axis.name().empty() ? fmt::format("axis {}", i + 1) : axis.name();
    axes.push_back({{"name", name},
                    {"label", axis.name().empty() ? name : axis.label()},
                    {"lo", axis.lo()},
                    {"hi", axis.hi()},
                    {"cells", axis.cells()},
                    {"special", axis.kind() != AxisKind{}},
                    {"circle", axis.kind().border == Border::circle},
                    {"apart", axis.kind().border == Border::apart},
                    {"text", axis.kind().reads_text()}});
    if (is_curved(axis)) {
      Json edges = Json::array();
      for (std::uint64_t j = 0; j <= axis.cells(); ++j) edges.push_back(axis.edge(j));
      axes.back()["edges"] = std::move(edges);
    }
  }
  return axes;
}

// A cell of `count` on an axis, of the grid or of blocks of it: the edges.
std::pair<double, double> bounds_of_cell(const Axis& axis, std::uint64_t index, std::uint64_t count) {
  unsigned level = 0;
  while (level < 31 && axis.coarse_cells(level) > count) ++level;
  return {axis.edge(index << level), axis.edge((index + 1) << level)};
}

// Places for people, where numbers alone say too little.
Json places_json(const Grid& grid, const std::vector<double>& place) {
  Json result = Json::array();
  const std::vector<std::string> texts = place_texts(grid, place);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    result.push_back(grid.axis(i).kind().reads_text() ? Json(texts[i]) : Json());
  }
  return result;
}

Json noise_of_values(const ReleaseParts& parts, double count) {
  const std::optional<double> half = noise_of_sum(parts, count);
  return half ? Json(*half) : Json();
}

Json levels_json() {
  Json levels = Json::array();
  for (unsigned level = 1; level <= 8; ++level) {
    ClusterOptions options = released->parts().options;
    options.level = level;
    levels.push_back({{"level", level}, {"refused", refusal(options)}});
  }
  return levels;
}

Json release_json() {
  const ReleaseParts& parts = released->parts();
  const GeographicAxes geographic = geographic_axes(parts.grid);
  Json document{{"private", parts.is_private},
                {"counted", counted_noun(parts.unit).one},
                {"counted_many", counted_noun(parts.unit).many},
                {"axes", json_of_page_axes(parts.grid)},
                {"levels", levels_json()},
                {"reshapes", parts.values() != nullptr},
                {"noise", noise_of_values(parts, 1)},
                {"values", parts.values() == nullptr ? Json() : Json(parts.values()->value().shape().extents())}};
  if (geographic.found) document["geographic"] = {geographic.longitude, geographic.latitude};
  return document;
}

Json rings_json(const std::vector<Polygon>& polygons) {
  Json rings = Json::array();
  const auto add = [&rings](const Ring& ring) {
    Json points = Json::array();
    for (const auto& [x, y] : ring.points) {
      points.push_back(x);
      points.push_back(y);
    }
    rings.push_back(std::move(points));
  };
  for (const Polygon& polygon : polygons) {
    add(polygon.exterior);
    for (const Ring& hole : polygon.holes) add(hole);
  }
  return rings;
}

Json threshold_json(const Threshold& threshold) {
  if (const auto* rule = std::get_if<Percentile>(&threshold))
    return {{"rule", "percentile"}, {"value", rule->percent()}};
  if (const auto* rule = std::get_if<Coverage>(&threshold)) return {{"rule", "coverage"}, {"value", rule->percent()}};
  if (const auto* rule = std::get_if<Density>(&threshold)) return {{"rule", "density"}, {"value", rule->least()}};
  if (const auto* rule = std::get_if<Top>(&threshold)) return {{"rule", "top"}, {"value", rule->cells()}};
  return {{"rule", "modes"}, {"value", nullptr}};
}

// As program and report show them.
std::vector<std::string> all_notices(const Release& release) {
  std::vector<std::string> all = notices(release);
  if (const std::optional<std::string> uniform = notice_of_uniform_area(release)) all.push_back(*uniform);
  return all;
}

// thorough: with confidence, which takes longer than all else, and what follows from it.
Json view_json(bool thorough) {
  const ReleaseParts& parts = shown->parts();
  const Picture picture(shown_values(parts), shown->map());  // for its colours
  Json clusters = Json::array();
  const std::vector<ClusterConfidence> confidence = thorough ? shown->confidence() : std::vector<ClusterConfidence>{};
  const std::vector<std::int64_t> sizes = thorough ? stated_sizes(*shown) : std::vector<std::int64_t>{};
  for (const ReleasedCluster& cluster : shown->clusters()) {
    Json item{{"id", cluster.id},
              {"cells", cluster.cells},
              {"size", thorough ? sizes[cluster.id - 1] : std::max<std::int64_t>(0, cluster.noisy_size)},
              {"centroid", cluster.centroid},
              {"places", places_json(parts.grid, cluster.centroid)},
              {"color", picture.color(cluster.id)},
              {"outline", rings_json(cluster.outline)}};
    if (base) item["near"] = near_place(*base, parts.grid, cluster.centroid);
    if (!confidence.empty()) {
      const ClusterConfidence& stated = confidence[cluster.id - 1];
      item["real"] = stated.real;
      item["words"] = in_words(stated);
      item["doubtful"] = is_doubtful(stated);
      if (stated.has_interval()) item["interval"] = {stated.least_records, stated.most_records};
    }
    clusters.push_back(std::move(item));
  }
  return {{"k", shown->k()},
          {"threshold", shown->threshold()},
          {"rule", threshold_json(parts.options.threshold)},
          {"adjacency", word(adjacency_words, parts.options.adjacency)},
          {"min_cells", parts.options.min_cells},
          {"level", parts.options.level},
          {"wavelet", parts.options.wavelet.name()},
          {"transform", word(transform_words, parts.options.transform)},
          {"shape", shown->cluster_cells().shape().extents()},
          {"clusters", clusters},
          {"without_confidence",
           thorough && confidence.empty() && !shown->clusters().empty() ? without_confidence(parts.technique) : ""},
          {"notices", thorough ? Json(all_notices(*shown)) : Json()},
          {"headline", thorough ? Json(headline(*shown)) : Json()},
          {"rounding", rounding_in_words(parts)}};
}

// The levels that the settings of the current view allow, the finest first, at most five.
std::vector<unsigned> levels_of_view() {
  constexpr std::size_t most = 5;
  ClusterOptions options = shown->parts().options;
  std::vector<unsigned> levels;
  for (unsigned level = 1; level <= 60 && levels.size() < most; ++level) {
    options.level = level;
    if (!refusal(options).empty()) continue;
    try {
      check_levels(released->parts().grid, {level});
    } catch (const InputError&) {
      break;
    }
    levels.push_back(level);
  }
  return levels;
}

void fill_labels() {
  const Clusters& clusters = shown->cluster_cells();
  labels.assign(cell_count(clusters.shape()), 0);
  for (std::size_t i = 0; i < clusters.cells().size(); ++i) labels[clusters.cells()[i]] = clusters.labels()[i];
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE char* shoal_buffer(std::size_t size) {
  buffer.resize(size);
  return buffer.data();
}
EMSCRIPTEN_KEEPALIVE const char* shoal_result() { return result.data(); }
EMSCRIPTEN_KEEPALIVE std::size_t shoal_result_size() { return result.size(); }

// buffer: a file of one release or of several. Result: what it holds, and the names and titles of its parts.
EMSCRIPTEN_KEEPALIVE int shoal_open() {
  return guarded([] {
    released = nullptr;
    shown.reset();
    opened = std::make_unique<ReleaseSet>(ReleaseSet::parse(buffer, "the file"));
    const ReleaseSet& set = *opened;
    const bool groups = set.grouping() != nullptr, insets = !set.insets().empty();
    Json texts = Json::object();
    for (const auto& [name, field] : publication_fields) texts[name] = set.publication().*field;
    Json parts = Json::array();
    for (const NamedRelease& part : set.parts()) {
      const bool inset = insets && part.name != ReleaseSet::overview_name;
      parts.push_back({{"name", part.name}, {"title", inset ? "inset " + part.name : part.name}});
    }
    return text_of({{"holds", insets   ? "insets"
                              : groups ? "groups"
                                       : "release"},
                    {"texts", std::move(texts)},
                    {"ordered", groups && !set.grouping()->range.empty()},
                    {"parts", std::move(parts)}});
  });
}

// From now on the part of that number is explored. Result: what it is, for the page.
EMSCRIPTEN_KEEPALIVE int shoal_part(std::size_t number) {
  return guarded([number] {
    refuse_boxes(opened->parts().at(number).release.parts(), "explored in the page");
    released = &opened->parts().at(number).release;
    shown.reset();
    values.clear();
    if (released->parts().values() != nullptr) {
      const Cells<std::int64_t> cells = shown_values(released->parts());
      values.assign(cell_count(cells.shape()), 0);
      std::size_t i = 0;
      for (const std::int64_t value : cells.values()) {
        values[cells.is_dense() ? i : cells.index()[i]] = static_cast<double>(value);
        ++i;
      }
    }
    return text_of(release_json());
  });
}

// buffer: settings. Result: the clusters they give.
EMSCRIPTEN_KEEPALIVE int shoal_view(int thorough) {
  return guarded([thorough] {
    if (shown == nullptr || shown_settings != buffer) {
      shown = std::make_unique<const Release>(buffer.empty() ? *released : reshape(*released, options_of(buffer)));
      shown_settings = buffer;
      fill_labels();
    }
    return text_of(view_json(thorough != 0));
  });
}

EMSCRIPTEN_KEEPALIVE const double* shoal_values() { return values.data(); }
EMSCRIPTEN_KEEPALIVE std::size_t shoal_values_size() { return values.size(); }
EMSCRIPTEN_KEEPALIVE const std::uint32_t* shoal_labels() { return labels.data(); }
EMSCRIPTEN_KEEPALIVE std::size_t shoal_labels_size() { return labels.size(); }

// Result: the tree of the release as it was made.
EMSCRIPTEN_KEEPALIVE int shoal_tree() {
  return guarded([] { return tree_json(*released, ClusterTree(*released)); });
}

// Result: half the width of the 95 % interval of a sum of `count` noisy values; null: it has none.
EMSCRIPTEN_KEEPALIVE int shoal_noise(double count) {
  return guarded([count] { return text_of(noise_of_values(released->parts(), count)); });
}

// Result: ticks of the part of an axis between two shares, at most about `wanted`: [[share, text], ...].
EMSCRIPTEN_KEEPALIVE int shoal_ticks(std::size_t axis, double from, double to, double wanted) {
  return guarded([&] {
    Json result = Json::array();
    for (const Tick& tick : axis_ticks(released->parts().grid.axis(axis), wanted, {}, from, to)) {
      result.push_back({tick.value, tick.text});
    }
    return text_of(result);
  });
}

// Result: the first and the last value of a cell, of `count` along the axis.
EMSCRIPTEN_KEEPALIVE int shoal_range(std::size_t axis, std::size_t index, std::size_t count) {
  return guarded([&] {
    const Axis& grid_axis = released->parts().grid.axis(axis);
    const auto [lower, upper] = bounds_of_cell(grid_axis, index, count);
    const auto* numbers = std::get_if<Numbers>(&grid_axis.kind().scale);
    const auto* instants = std::get_if<Instants>(&grid_axis.kind().scale);
    const bool edges = instants != nullptr  ? instants->least == Instants::Least::second
                       : numbers != nullptr ? numbers->step == 0
                                            : !grid_axis.kind().reads_text();
    if (edges)
      return text_of(Json::array({grid_axis.text(lower, upper - lower), grid_axis.text(upper, upper - lower)}));
    const auto [first, last] = range_texts(grid_axis, lower, upper);
    return text_of(Json::array({first, last}));
  });
}

// buffer: texts of n fields of an axis, a line each. Their coordinates; NaN: they say none.
EMSCRIPTEN_KEEPALIVE const double* shoal_parse(std::size_t axis, std::size_t rows) {
  const AxisKind& kind = released->parts().grid.axis(axis).kind();
  parsed.assign(rows, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t row = 0, at = 0; row < rows; ++row) {
    const std::size_t end = std::min(buffer.find('\n', at), buffer.size());
    if (const auto value = kind.parse(std::string_view(buffer).substr(at, end - at))) parsed[row] = *value;
    at = std::min(end + 1, buffer.size());
  }
  return parsed.data();
}

// buffer: title, source, date and contact as JSON, in the place of those that the file has. They hold for all files
// that are made from now on.
EMSCRIPTEN_KEEPALIVE int shoal_publish() {
  return guarded([] {
    const Json texts = Json::parse(buffer);
    Publication publication = opened->publication();
    for (const auto& [name, field] : publication_fields) publication.*field = texts.value(name, "");
    opened->publish(publication);
    shown.reset();
    return std::string();
  });
}

// buffer: the base map of the page, as its file holds it.
EMSCRIPTEN_KEEPALIVE int shoal_base_map() {
  return guarded([] {
    base = std::make_shared<const BaseMap>(read_base_map(buffer));
    return std::string();
  });
}

// buffer: a suffix. Result: what such a file of the current view holds: .json .geojson .csv .svg .png .slide.svg
// .slide.png. .levels.svg: the picture of all levels that its settings allow. .whole.json: the file that was opened.
EMSCRIPTEN_KEEPALIVE int shoal_file() {
  return guarded([] {
    if (buffer == ".whole.json") return opened->json();
    if (buffer == ".json") return shown->json();
    if (buffer == ".geojson") return shown->geojson();
    if (buffer == ".csv") return shown->csv();
    if (buffer == ".levels.svg") return ReleaseLevels(*released, shown->parts().options, levels_of_view()).svg();
    return release_picture(*shown, 1, sheet_of(buffer), base).file(buffer);
  });
}

// buffer: the points of n rows, one column of doubles after the other. Labels of the current view, as `predict` has
// them.
EMSCRIPTEN_KEEPALIVE const std::uint32_t* shoal_predict(std::size_t rows) {
  const std::size_t axes = shown->parts().grid.dimensions();
  const auto* numbers = reinterpret_cast<const double*>(buffer.data());
  std::vector<std::span<const double>> columns;
  for (std::size_t axis = 0; axis < axes; ++axis) columns.emplace_back(numbers + axis * rows, rows);
  found.assign(rows, 0);
  shown->labelling().assigned(shown->usual_assign()).label(columns, found);
  return found.data();
}
}
