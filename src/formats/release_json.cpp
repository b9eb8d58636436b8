// Writes a release as JSON. The reader is read_release.cpp.
#include "formats/release_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/dates.hpp"
#include "base/packed.hpp"
#include "base/parallel.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/release.hpp"

namespace shoal {

namespace {

using nlohmann::json;
using Document = nlohmann::ordered_json;

template <class Json>
void make_canonical(Json& value) {
  if (value.is_structured()) {
    for (auto& item : value) make_canonical(item);
  } else if (value.is_number_float()) {
    const auto number = value.template get<double>();
    constexpr double exact = 9007199254740992.0;  // 2^53
    if (std::floor(number) == number && std::fabs(number) < exact) value = static_cast<std::int64_t>(number);
  }
}

std::string dumped(const auto& value) {
  // Names come from files in any encoding. Bytes that are not UTF-8 are replaced.
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

Document ring_json(const Ring& ring) {
  Document points = Document::array();
  for (const auto& [x, y] : ring.points) points.push_back(Document::array({x, y}));
  return points;
}

// Returns the coordinates like those of a GeoJSON MultiPolygon, but in the order of the axes.
Document outline_json(const std::vector<Polygon>& polygons) {
  Document list = Document::array();
  for (const Polygon& polygon : polygons) {
    Document rings = Document::array({ring_json(polygon.exterior)});
    for (const Ring& hole : polygon.holes) rings.push_back(ring_json(hole));
    list.push_back(std::move(rings));
  }
  return list;
}

// Returns, per cluster, the runs of consecutive cells of W: first linear index, length, first linear index, length, ...
std::vector<Document> runs_json(const Clusters& clusters) {
  std::vector<Document> runs(clusters.count(), Document::array());
  for (std::size_t i = 0; i < clusters.cells().size();) {
    const std::uint64_t first = clusters.cells()[i];
    const std::uint32_t label = clusters.labels()[i];
    std::uint64_t length = 0;
    for (; i < clusters.cells().size() && clusters.cells()[i] == first + length && clusters.labels()[i] == label; ++i) {
      ++length;
    }
    runs[label - 1].push_back(first);
    runs[label - 1].push_back(length);
  }
  return runs;
}

Document clusters_json(const Release& release) {
  Document list = Document::array();
  std::vector<Document> runs = runs_json(release.cluster_cells());
  const std::vector<ClusterConfidence>& confidence = release.confidence();
  for (const ReleasedCluster& cluster : release.clusters()) {
    Document item{{"id", cluster.id},
                  {"cells", cluster.cells},
                  {"noisy_size", cluster.noisy_size},
                  {"centroid", cluster.centroid},
                  {"runs", std::move(runs[cluster.id - 1])}};
    if (!confidence.empty()) {
      item["confidence"] = confidence_json(confidence[cluster.id - 1]);
      add_size(item, confidence[cluster.id - 1]);
    }
    if (release.parts().grid.dimensions() == 2) item["outline"] = outline_json(cluster.outline);
    list.push_back(std::move(item));
  }
  return list;
}

Document answer_json(const NoisyAnswer& answer) {
  Document item{{"question", word(question_words, answer.question)},
                {"answer", answer.answer.value()},
                {"wavelet", answer.wavelet.name()},
                {"level", answer.level},
                {"transform", word(transform_words, answer.transform)}};
  if (answer.question == Question::threshold) {
    item["percentile"] = answer.percentile;
    item["unit"] = answer.unit;
  }
  return item;
}

Document profile_json(const NoisyProfile& profile) {
  return {{"sums", profile.sums.value()},
          {"scale", profile.scale},
          {"wavelet", profile.wavelet.name()},
          {"level", profile.level},
          {"transform", word(transform_words, profile.transform)}};
}

Document automatic_json(const AutomaticChoice& chosen) {
  Document document = {{"records", chosen.records.value()}};
  document["rounded"] = Document::array();
  for (const RoundedValues& one : chosen.rounded.value()) {
    document["rounded"].push_back({{"axis", one.axis}, {"step", one.step}, {"share", one.share}});
  }
  return document;
}

Document publication_json(const Publication& publication) {
  Document document = Document::object();
  for (const auto& [key, field] : publication_fields) {
    if (!(publication.*field).empty()) document[key] = publication.*field;
  }
  if (!publication.base_map.empty()) document["base_map"] = Document::parse(publication.base_map);
  return document;
}

Document packed_json(const Cells<std::int64_t>& cells, std::string packed) {
  return {{"shape", cells.shape()},
          {"layout", cells.is_dense() ? "dense" : "sparse"},
          {"stored", cells.stored()},
          {"encoding", packing},
          {"data", std::move(packed)}};
}

std::pair<const char*, Document> field_of(const Percentile& rule) { return {"percentile", rule.percent()}; }
std::pair<const char*, Document> field_of(const Coverage& rule) { return {"coverage", rule.percent()}; }
std::pair<const char*, Document> field_of(const Top& rule) { return {"top", rule.cells()}; }
std::pair<const char*, Document> field_of(const Density& rule) { return {"density", rule.least()}; }
std::pair<const char*, Document> field_of(const DensityModes& /*rule*/) { return {"modes", true}; }

// The confidence, the outlines and the packed values take longest, and none needs another. The release keeps the first
// two.
std::string packed_values(const Release& release) {
  const ReleaseParts& parts = release.parts();
  std::string packed;
  parallel_for(3, parts.options.threads, [&](std::uint64_t part) {
    if (part == 0) static_cast<void>(release.confidence());
    if (part == 1) static_cast<void>(release.clusters());
    if (part == 2 && parts.values() != nullptr) packed = pack(parts.values()->value());
  });
  return packed;
}

Document document_of(const Release& release, std::string packed) {
  const ReleaseParts& parts = release.parts();
  Document document;
  document["format"] = fmt::format("{}{}", release_format, format_version_of(parts.options));
  document["private"] = parts.is_private;
  document["technique"] = parts.technique;
  document["epsilon"] = parts.epsilon.value();
  document["epsilon_exact"] = parts.epsilon.text();
  document["spent"] = spent_json(parts.spent());
  if (!parts.ledger_head.empty()) document["ledger_head"] = parts.ledger_head;
  if (!parts.publication.empty()) document["publication"] = publication_json(parts.publication);
  document["neighbors"] = word(neighbors_words, parts.unit.neighbors);
  document["unit"] = unit_json(parts.unit);
  document["axes"] = json_of_axes(parts.grid);
  document["wavelet"] = parts.options.wavelet.name();
  document["level"] = parts.options.level;
  document["transform"] = word(transform_words, parts.options.transform);
  document["adjacency"] = word(adjacency_words, parts.options.adjacency);
  document["min_cells"] = parts.options.min_cells;
  const auto [rule, value] =
      std::visit([](const auto& threshold) { return field_of(threshold); }, parts.options.threshold);
  document[rule] = value;
  document["k"] = release.k();
  document["k_from"] = word(k_source_words, release.k_source());
  document["threshold"] = release.threshold();
  document["clusters"] = clusters_json(release);
  if (parts.automatic) document["automatic"] = automatic_json(*parts.automatic);
  if (parts.answer()) document["noisy_answer"] = answer_json(*parts.answer());
  if (parts.profile()) document["noisy_profile"] = profile_json(*parts.profile());
  if (parts.counts()) document["noisy_counts"] = packed_json(parts.counts()->counts.value(), std::move(packed));
  if (parts.blocks_level() > 0) {
    document["noisy_sums"] = packed_json(parts.values()->value(), std::move(packed));
    document["noisy_sums"]["level"] = parts.blocks_level();
    if (parts.has_floor()) document["noisy_sums"]["floor"] = parts.floor();
    if (parts.censored_below() > 0) document["noisy_sums"]["lowest"] = parts.censored_below();
  }
  return document;
}

// Writes one key per line, and one object per line in a list of objects, because people read these files too.
std::string laid_out(const Document& document) {
  std::string text = "{";
  const char* comma = "";
  for (const auto& [key, value] : document.items()) {
    text += fmt::format("{}\n  {}: ", comma, dumped(Document(key)));
    comma = ",";
    if (value.is_array() && !value.empty() && value.front().is_object()) {
      const char* inner = "[";
      for (const auto& item : value) {
        text += fmt::format("{}\n    {}", inner, dumped(item));
        inner = ",";
      }
      text += "\n  ]";
    } else {
      text += dumped(value);
    }
  }
  return text + "\n}\n";
}

}  // namespace

int format_version_of(const ClusterOptions& options) {
  const bool alike = options.wavelet.is_haar() && options.transform == Transform::decimated;
  return alike ? Release::format_version : placed_format_version;
}

nlohmann::ordered_json unit_json(const PrivacyUnit& unit) {
  if (unit.column.empty()) return "record";
  Document document{{"column", unit.column}};
  if (!unit.name.empty()) document["name"] = unit.name;
  if (unit.share) {
    document["contribution"] = "share";
  } else {
    document["max_contributions"] = unit.max_contributions;
  }
  if (unit.groups) {
    document["groups"] = {{"word", unit.groups->word}, {"most", unit.groups->most}, {"groups", unit.groups->groups}};
  }
  return document;
}

nlohmann::ordered_json spent_json(const std::vector<Spent>& spent) {
  Document list = Document::array();
  for (const Spent& part : spent) {
    list.push_back({{"name", part.mechanism},
                    {"sensitivity", part.sensitivity},
                    {"epsilon", part.epsilon.value()},
                    {"epsilon_exact", part.epsilon.text()}});
  }
  return list;
}

nlohmann::ordered_json confidence_json(const ClusterConfidence& confidence) {
  Document item{{"real", confidence.real}, {"connected", confidence.connected}, {"separate", confidence.separate}};
  if (confidence.joined_with != 0) item["joined_with"] = confidence.joined_with;
  item["plain"] = confidence.plain;
  return item;
}

void add_size(nlohmann::ordered_json& cluster, const ClusterConfidence& confidence) {
  if (!confidence.has_interval()) return;
  cluster["size"] = std::llround(confidence.estimated_records);
  cluster["size_95"] = Document::array({std::llround(confidence.least_records), std::llround(confidence.most_records)});
}

namespace {

bool holds_object(const Document& value) {
  if (!value.is_array()) return value.is_object();
  return std::any_of(value.begin(), value.end(), holds_object);
}

// As dumped() of a json, whose keys are sorted.
void dump_sorted(const Document& value, std::string& text) {
  if (!holds_object(value)) {
    text += dumped(value);
    return;
  }
  std::vector<std::pair<std::string, const Document*>> items;
  for (const auto& [key, item] : value.items()) items.emplace_back(value.is_object() ? key : "", &item);
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const char* before = value.is_object() ? "{" : "[";
  for (const auto& [key, item] : items) {
    text += before;
    before = ",";
    if (value.is_object()) text += dumped(Document(key)) + ":";
    dump_sorted(*item, text);
  }
  if (items.empty()) text += before;
  text += value.is_object() ? "}" : "]";
}

}  // namespace

json canonical(json value) {
  make_canonical(value);
  return value;
}

std::string checksum(json document) {
  document.erase("checksum");
  return fmt::format("{:08x}", crc32_of(dumped(canonical(std::move(document)))));
}

namespace {

WrittenRelease written(const Release& release) {
  Document document = document_of(release, packed_values(release));
  make_canonical(document);
  std::string sorted;
  dump_sorted(document, sorted);
  std::string checksum = fmt::format("{:08x}", crc32_of(sorted));
  document["checksum"] = checksum;
  return {laid_out(document), std::move(checksum)};
}

}  // namespace

namespace {

// Adds nothing for a plain axis, so files without kinds stay unchanged.
void add_kind(const AxisKind& kind, nlohmann::ordered_json& axis) {
  if (const auto* numbers = std::get_if<Numbers>(&kind.scale); numbers != nullptr && numbers->step > 0) {
    axis["step"] = numbers->step;
  }
  if (std::holds_alternative<Logarithmic>(kind.scale)) axis["scale"] = "log";
  if (std::holds_alternative<Latitude>(kind.scale)) axis["scale"] = "latitude";
  if (const auto* instants = std::get_if<Instants>(&kind.scale)) {
    axis["scale"] = "time";
    axis["least"] = word(least_words, instants->least);
    axis["zone"] = zone_text(instants->offset);
    axis["a_second"] = instants->a_second;
  }
  if (const auto* names = std::get_if<Names>(&kind.scale)) axis["names"] = names->names;
  if (kind.border != Border::open) axis["border"] = word(border_words, kind.border);
  if (!kind.unit.empty()) axis["unit"] = kind.unit;
}

}  // namespace

nlohmann::ordered_json json_of_axes(const Grid& grid) {
  auto axes = nlohmann::ordered_json::array();
  for (const Axis& axis : grid.axes()) {
    axes.push_back({{"name", axis.name()}, {"lo", axis.lo()}, {"hi", axis.hi()}, {"cells", axis.cells()}});
    add_kind(axis.kind(), axes.back());
  }
  return axes;
}

std::string axes_json(const Grid& grid) { return json_of_axes(grid).dump(); }

std::uint64_t most_json_bytes(const JsonExtent& extent) {
  constexpr std::uint64_t rest = std::uint64_t{1} << 16;  // axes, spending, profile, publication and the keys
  constexpr std::uint64_t a_value = 16;                   // packed: 10 bytes, 4/3 of that as text; sparse: an index too
  constexpr std::uint64_t a_cell = 310;                   // its run, and up to five points of an outline
  const std::uint64_t a_cluster = 430 + 25 * extent.dimensions;
  return rest + 8 * extent.names + 2 * a_value * extent.values + a_cell * extent.cells + a_cluster * extent.clusters;
}

std::uint64_t bytes_of_names(const Grid& grid) {
  std::uint64_t bytes = 0;
  for (const Axis& axis : grid.axes()) {
    bytes += axis.name().size() + axis.kind().unit.size();
    if (const auto* names = std::get_if<Names>(&axis.kind().scale)) {
      for (const std::string& name : names->names) bytes += name.size() + 4;
    }
  }
  return bytes;
}

// The bounds spare most releases to be written twice.
Release Release::trimmed_to(std::size_t limit) const {
  const NoisyCounts* values = parts_.values();
  const std::uint64_t packed = values != nullptr ? most_packed_bytes(values->value()) : 0;
  const JsonExtent extent{.values = 0,
                          .cells = clusters_.cells().size(),
                          .clusters = clusters_.count(),
                          .dimensions = parts_.grid.dimensions(),
                          .names = bytes_of_names(parts_.grid) + parts_.unit.column.size() + parts_.unit.name.size()};
  constexpr std::uint64_t checksum_bytes = 32;
  if (most_json_bytes(extent) + packed <= limit) return *this;
  if (laid_out(document_of(*this, "")).size() + packed + checksum_bytes <= limit) return *this;
  if (written(*this).text.size() <= limit) return *this;
  Release smaller = without_noisy_values();
  ClusterOptions options = parts_.options;
  while (values != nullptr && written(smaller).text.size() > limit && !smaller.clusters().empty()) {
    options.min_cells = 2 * std::max<std::uint64_t>(options.min_cells, 1);
    smaller = reshape(*this, options).without_noisy_values();
  }
  return smaller;
}

WrittenRelease written_release(const Release& release) {
  WrittenRelease result = written(release);
  if (result.text.size() > Release::largest_file) {
    throw InputError(fmt::format("the release takes {} bytes, more than the {} of a release file; use a coarser grid",
                                 result.text.size(), Release::largest_file));
  }
  return result;
}

std::string Release::json() const { return written_release(*this).text; }

}  // namespace shoal
