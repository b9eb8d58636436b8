// Writes a release as JSON. The reader is read_release.cpp.
#include "formats/release_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>

#include "base/dates.hpp"
#include "base/packed.hpp"
#include "base/parallel.hpp"
#include "formats/json_text.hpp"
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

// Consecutive cells of W that belong to one cluster.
struct Run {
  std::uint64_t first, length;
};

// The runs of every cluster, ascending.
class ClusterRuns {
 public:
  explicit ClusterRuns(const Clusters& clusters) : ends_(clusters.count() + 1, 0) {
    const std::vector<std::uint64_t>& cells = clusters.cells();
    const std::vector<std::uint32_t>& labels = clusters.labels();
    const auto begins = [&](std::size_t i) {
      return i == 0 || cells[i] != cells[i - 1] + 1 || labels[i] != labels[i - 1];
    };
    for (std::size_t i = 0; i < cells.size(); ++i) ends_[labels[i]] += begins(i) ? 1U : 0U;
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    runs_.resize(ends_.back());
    std::vector<std::size_t> next(ends_.begin(), ends_.end() - 1);
    for (std::size_t i = 0; i < cells.size();) {
      const std::size_t first = i++;
      while (i < cells.size() && !begins(i)) ++i;
      runs_[next[labels[first] - 1]++] = {cells[first], i - first};
    }
  }
  [[nodiscard]] std::span<const Run> of(std::uint32_t id) const {
    return std::span(runs_).subspan(ends_[id - 1], ends_[id] - ends_[id - 1]);
  }

 private:
  std::vector<std::size_t> ends_;
  std::vector<Run> runs_;
};

void append_confidence(std::string& text, const ClusterConfidence& confidence, bool sorted, JsonNumbers& numbers) {
  const auto add = [&](std::string_view key, double value) {
    text += key;
    numbers.append(text, value);
  };
  const auto add_joined = [&] {
    if (confidence.joined_with == 0) return;
    text += ",\"joined_with\":";
    JsonNumbers::append(text, confidence.joined_with);
  };
  if (sorted) {
    add("{\"connected\":", confidence.connected);
    add_joined();
    add(",\"plain\":", confidence.plain);
    add(",\"real\":", confidence.real);
    add(",\"separate\":", confidence.separate);
  } else {
    add("{\"real\":", confidence.real);
    add(",\"connected\":", confidence.connected);
    add(",\"separate\":", confidence.separate);
    add_joined();
    add(",\"plain\":", confidence.plain);
  }
  text += '}';
}

// The objects of consecutive clusters: as they are shown, and with sorted keys, as the checksum takes them.
class ClusterObjects {
 public:
  void add(const ReleasedCluster& cluster, std::span<const Run> runs, const ClusterConfidence* confidence, bool plane) {
    shown_ += shown_.empty() ? "\n    " : ",\n    ";
    const Field id = field("{\"id\":", [&] { JsonNumbers::append(shown_, cluster.id); });
    const Field cells = field(",\"cells\":", [&] { JsonNumbers::append(shown_, cluster.cells); });
    const Field size = field(",\"noisy_size\":", [&] { JsonNumbers::append(shown_, cluster.noisy_size); });
    const Field centroid = field(",\"centroid\":", [&] { numbers_.append(shown_, cluster.centroid); });
    const Field listed = field(",\"runs\":", [&] { add_runs(runs); });
    Field estimate, interval, outline;
    if (confidence != nullptr) {
      field(",\"confidence\":", [&] { append_confidence(shown_, *confidence, false, numbers_); });
      if (confidence->has_interval()) {
        estimate =
            field(",\"size\":", [&] { JsonNumbers::append(shown_, std::llround(confidence->estimated_records)); });
        interval = field(",\"size_95\":", [&] {
          shown_ += '[';
          JsonNumbers::append(shown_, std::llround(confidence->least_records));
          shown_ += ',';
          JsonNumbers::append(shown_, std::llround(confidence->most_records));
          shown_ += ']';
        });
      }
    }
    if (plane) {
      outline = field(",\"outline\":", [&] { numbers_.append(shown_, std::span(cluster.outline), false); });
    }
    shown_ += '}';

    sorted_ += sorted_.empty() ? "{" : ",{";
    add_sorted(cells);
    add_sorted(centroid);
    if (confidence != nullptr) {
      sorted_ += ",\"confidence\":";
      append_confidence(sorted_, *confidence, true, numbers_);
    }
    for (const Field& next : {id, size, outline, listed, estimate, interval}) add_sorted(next);
    sorted_ += '}';
  }
  [[nodiscard]] std::string take_shown() { return std::move(shown_); }
  [[nodiscard]] Crc32 sorted() const {
    Crc32 crc;
    crc.add(sorted_);
    return crc;
  }

 private:
  // The place of `"key":value` in what is shown.
  struct Field {
    std::size_t begin = 0, end = 0;
  };
  // opened: the key with what goes before it, a single letter.
  Field field(std::string_view opened, const auto& write_value) {
    const std::size_t begin = shown_.size() + 1;
    shown_ += opened;
    write_value();
    return {begin, shown_.size()};
  }
  void add_runs(std::span<const Run> runs) {
    char before = '[';
    for (const Run& run : runs) {
      shown_ += before;
      JsonNumbers::append(shown_, run.first);
      shown_ += ',';
      JsonNumbers::append(shown_, run.length);
      before = ',';
    }
    shown_ += runs.empty() ? "[]" : "]";
  }
  void add_sorted(const Field& next) {
    if (next.begin == next.end) return;
    if (sorted_.back() != '{') sorted_ += ',';
    sorted_.append(shown_, next.begin, next.end - next.begin);
  }

  std::string shown_, sorted_;
  JsonNumbers numbers_{NumberForm::canonical};
};

// A value of the document as it is shown, in parts, and the checksum of its canonical form.
struct WrittenValue {
  std::vector<std::string> shown;
  Crc32 sorted;

  void add(std::string_view text) {
    shown.emplace_back(text);
    sorted.add(text);
  }
};

WrittenValue written_clusters(const Release& release) {
  WrittenValue result;
  const std::vector<ReleasedCluster>& clusters = release.clusters();
  if (clusters.empty()) {
    result.add("[]");
    return result;
  }
  const ClusterRuns runs(release.cluster_cells());
  const std::vector<ClusterConfidence>& confidence = release.confidence();
  const bool plane = release.parts().grid.dimensions() == 2;
  const std::vector<std::size_t> ends = ends_of_parts(release.cluster_cells().sizes());
  std::vector<Crc32> sums(ends.size());
  result.shown.resize(ends.size());
  parallel_for(ends.size(), release.parts().options.threads, [&](std::uint64_t part) {
    ClusterObjects objects;
    for (std::size_t i = part == 0 ? 0 : ends[part - 1]; i < ends[part]; ++i) {
      objects.add(clusters[i], runs.of(clusters[i].id), confidence.empty() ? nullptr : &confidence[i], plane);
    }
    sums[part] = objects.sorted();
    result.shown[part] = objects.take_shown();
  });
  for (std::size_t part = 0; part < ends.size(); ++part) {
    result.shown[part].insert(0, 1, part == 0 ? '[' : ',');
    result.sorted.add(part == 0 ? "[" : ",");
    result.sorted.add(sums[part]);
  }
  result.shown.emplace_back("\n  ]");
  result.sorted.add("]");
  return result;
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
  if (chosen.structure) document["structure"] = chosen.structure->value();
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

Document boxes_json(const BoxSums& sums) {
  Document list = Document::array();
  for (std::size_t i = 0; i < sums.boxes.value().size(); ++i) {
    const CountedBox& box = sums.boxes.value()[i];
    Document item{
        {"first", box.first}, {"end", box.end}, {"records", sums.records.value().values()[i]}, {"doubt", box.doubt}};
    if (box.towards != 0) item["towards"] = box.towards;
    list.push_back(std::move(item));
  }
  return list;
}

// The packed values take the place of the empty text.
constexpr std::string_view no_data = "\"data\":\"\"";

Document packed_json(const Cells<std::int64_t>& cells) {
  return {{"shape", cells.shape()},
          {"layout", cells.is_dense() ? "dense" : "sparse"},
          {"stored", cells.stored()},
          {"encoding", packing},
          {"data", ""}};
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
    if (part == 2 && parts.values() != nullptr) packed = pack(parts.values()->value(), parts.options.threads);
  });
  return packed;
}

// Without the clusters and the packed values.
Document document_of(const Release& release) {
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
  document["clusters"] = Document::array();
  if (parts.automatic) document["automatic"] = automatic_json(*parts.automatic);
  if (parts.answer()) document["noisy_answer"] = answer_json(*parts.answer());
  if (parts.profile()) document["noisy_profile"] = profile_json(*parts.profile());
  if (parts.counts()) document["noisy_counts"] = packed_json(parts.counts()->counts.value());
  if (parts.boxes()) document["noisy_boxes"] = boxes_json(*parts.boxes());
  if (parts.blocks_level() > 0) {
    document["noisy_sums"] = packed_json(parts.values()->value());
    document["noisy_sums"]["level"] = parts.blocks_level();
    if (parts.has_floor()) document["noisy_sums"]["floor"] = parts.floor();
    if (parts.censored_below() > 0) document["noisy_sums"]["lowest"] = parts.censored_below();
  }
  return document;
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

namespace {

void append_text(std::string& out, std::string_view letters) {
  const bool plain = std::all_of(letters.begin(), letters.end(), [](char letter) {
    return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\';
  });
  if (!plain) {
    out += dumped(json(letters));
    return;
  }
  out += '"';
  out += letters;
  out += '"';
}

// Appends the value as JSON without spaces, keys sorted. left_out: a key that is omitted from an object.
void append_json(std::string& out, const JsonTree& tree, const JsonTree::Node& value, JsonNumbers& numbers,
                 std::string_view left_out = {}) {
  using Kind = JsonTree::Kind;
  switch (value.kind) {
    case Kind::object: {
      char before = '{';
      const std::span<const JsonTree::Node> members = tree.items(value);
      for (std::size_t i = 0; i < members.size(); i += 2) {
        const std::string_view key = tree.text(members[i]);
        if (key == left_out) continue;
        out += std::exchange(before, ',');
        append_text(out, key);
        out += ':';
        append_json(out, tree, members[i + 1], numbers);
      }
      out += before == '{' ? "{}" : "}";
      break;
    }
    case Kind::list: {
      char before = '[';
      for (const JsonTree::Node& item : tree.items(value)) {
        out += std::exchange(before, ',');
        append_json(out, tree, item, numbers);
      }
      out += before == '[' ? "[]" : "]";
      break;
    }
    case Kind::text:
      append_text(out, tree.text(value));
      break;
    case Kind::real:
      numbers.append(out, __builtin_bit_cast(double, value.bits));
      break;
    case Kind::negative_integer:
      JsonNumbers::append(out, static_cast<std::int64_t>(value.bits));
      break;
    case Kind::unsigned_integer:
      JsonNumbers::append(out, value.bits);
      break;
    case Kind::truth:
      out += value.bits != 0 ? "true" : "false";
      break;
    case Kind::null:
      out += "null";
      break;
  }
}

std::string text_of(const JsonField& value, NumberForm form, std::string_view left_out = {}) {
  std::string text;
  JsonNumbers numbers(form);
  append_json(text, value.tree(), value.node(), numbers, left_out);
  return text;
}

}  // namespace

std::string written_text(const JsonField& value) { return text_of(value, NumberForm::plain); }
std::string canonical_text(const JsonField& value) { return text_of(value, NumberForm::canonical); }

std::string checksum(const JsonField& document) {
  return fmt::format("{:08x}", crc32_of(text_of(document, NumberForm::canonical, "checksum")));
}

std::string checksum_of_text(std::string json_text) {
  const JsonTree tree(std::move(json_text), deepest_release);
  return checksum(JsonField(tree));
}

namespace {

// One object per line in a list of objects, because people read these files too.
std::string laid_out(const Document& value) {
  if (!value.is_array() || value.empty() || !value.front().is_object()) return dumped(value);
  std::string text;
  for (const auto& item : value) text += fmt::format("{}\n    {}", text.empty() ? "[" : ",", dumped(item));
  return text + "\n  ]";
}

WrittenValue written_value(const Document& value, std::string packed) {
  std::string shown = laid_out(value), sorted;
  dump_sorted(value, sorted);
  WrittenValue result;
  const std::size_t at = value.is_object() ? shown.find(no_data) : std::string::npos;
  if (at == std::string::npos) {
    result.shown.push_back(std::move(shown));
    result.sorted.add(sorted);
    return result;
  }
  const std::size_t place = at + no_data.size() - 1, sorted_place = sorted.find(no_data) + no_data.size() - 1;
  result.sorted.add(std::string_view(sorted).substr(0, sorted_place));
  result.sorted.add(packed);
  result.sorted.add(std::string_view(sorted).substr(sorted_place));
  result.shown = {shown.substr(0, place), std::move(packed), shown.substr(place)};
  return result;
}

struct WrittenField {
  std::string key;  // quoted
  WrittenValue value;
};

std::string checksum_of(std::vector<const WrittenField*> fields) {
  std::sort(fields.begin(), fields.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
  Crc32 crc;
  for (const WrittenField* field : fields) {
    crc.add(field == fields.front() ? "{" : ",");
    crc.add(field->key);
    crc.add(":");
    crc.add(field->value.sorted);
  }
  crc.add("}");
  return fmt::format("{:08x}", crc.value());
}

// One key per line.
WrittenRelease written(const Release& release, std::string packed) {
  Document document = document_of(release);
  make_canonical(document);
  std::vector<WrittenField> fields;
  for (const auto& [key, value] : document.items()) {
    const bool holds_values = key == "noisy_counts" || key == "noisy_sums";
    fields.push_back({dumped(Document(key)), key == "clusters" ? written_clusters(release)
                                             : holds_values    ? written_value(value, std::move(packed))
                                                               : written_value(value, "")});
  }
  std::vector<const WrittenField*> all;
  std::size_t bytes = 0;
  for (const WrittenField& field : fields) {
    all.push_back(&field);
    bytes += field.key.size() + 8;
    for (const std::string& part : field.value.shown) bytes += part.size();
  }
  WrittenRelease result{"{", checksum_of(all)};
  result.text.reserve(bytes + 64);
  for (WrittenField& field : fields) {
    result.text += fmt::format("\n  {}: ", field.key);
    for (std::string& part : field.value.shown) result.text += std::exchange(part, {});
    result.text += ',';
  }
  result.text += fmt::format("\n  \"checksum\": \"{}\"\n}}\n", result.checksum);
  return result;
}

WrittenRelease written(const Release& release) { return written(release, packed_values(release)); }

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
    if (!axis.cuts().empty()) axes.back()["cuts"] = axis.cuts();
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

namespace {

// Returns the length of the longest edge of a cell along the axis, as text.
std::size_t longest_edge(const Grid& grid, std::size_t axis) {
  constexpr std::uint64_t most_tried = std::uint64_t{1} << 17;
  if (grid.axis(axis).cells() > most_tried) return 25;  // of any double
  JsonNumbers numbers(NumberForm::canonical);
  std::size_t longest = 0;
  for (std::uint64_t i = 0; i <= grid.axis(axis).cells(); ++i) {
    std::string text;
    numbers.append(text, grid.axis(axis).edge(i));
    longest = std::max(longest, text.size());
  }
  return longest;
}

// An upper bound of the text of the clusters, from the corners of their outlines and the lengths of the numbers.
std::uint64_t most_bytes_of_clusters(const Release& release) {
  const Grid& grid = release.parts().grid;
  const Clusters& clusters = release.cluster_cells();
  std::uint64_t corners = 0, edges = 0;
  if (grid.dimensions() == 2) {
    for (const ReleasedCluster& cluster : release.clusters()) {
      for (const Polygon& polygon : cluster.outline) {
        corners += polygon.exterior.points.size() + 4;
        for (const Ring& hole : polygon.holes) corners += hole.points.size() + 2;
      }
    }
    edges = longest_edge(grid, 0) + longest_edge(grid, 1);
  }
  const std::uint64_t digits = std::to_string(cell_count(clusters.shape())).size();
  const std::uint64_t a_cluster = 430 + 25 * grid.dimensions();
  return clusters.count() * a_cluster + corners * (edges + 4) + clusters.cells().size() * (digits + 3);
}

}  // namespace

// The bounds spare most releases to be written twice.
Release Release::trimmed_to(std::size_t limit) const {
  const NoisyCounts* values = parts_.values();
  const std::uint64_t packed = values != nullptr ? most_packed_bytes(values->value()) : 0;
  const JsonExtent extent{.values = 0,
                          .cells = clusters_.cells().size(),
                          .clusters = clusters_.count(),
                          .dimensions = parts_.grid.dimensions(),
                          .names = bytes_of_names(parts_.grid) + parts_.unit.column.size() + parts_.unit.name.size()};
  if (most_json_bytes(extent) + packed <= limit) return *this;
  constexpr std::uint64_t rest = std::uint64_t{1} << 17;
  if (most_bytes_of_clusters(*this) + rest + 8 * extent.names + packed <= limit) return *this;
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
