// Reads a release file and trusts nothing in it: every type, range, shape and sum is checked, and sizes are checked
// before memory is allocated for them. Errors name the place as a JSON pointer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/packed.hpp"
#include "drawing/base_map.hpp"
#include "formats/json_field.hpp"
#include "formats/read_axes.hpp"
#include "formats/release_document.hpp"
#include "formats/release_json.hpp"
#include "inference/box_clusters.hpp"
#include "inference/box_tree.hpp"
#include "inference/noisy_segmentation.hpp"
#include "inference/privwave_segment.hpp"
#include "privacy/profile.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/notices.hpp"
#include "shoal/release.hpp"
#include "shoal/release_set.hpp"
#include "wavelet/placement.hpp"

namespace shoal {

namespace {

Receipts receipts_of(const JsonField& list, Epsilon epsilon) {
  Receipts result;
  Epsilon sum = Epsilon::zero();
  for (const JsonField item : list.items()) {
    item.expect_keys({"name", "sensitivity", "epsilon", "epsilon_exact"});
    result.push_back(std::make_shared<const Receipt>(
        Receipt{result.size(), {item["name"].text(), item["sensitivity"].whole(1, UINT64_MAX), epsilon_of(item)}}));
    sum = item.made_by([&] { return sum + result.back()->spent.epsilon; });
  }
  if (sum != epsilon) list.refuse(fmt::format("adds up to {}, not to epsilon {}", sum.text(), epsilon.text()));
  return result;
}

// The names that the format gives to charges, and thereby to the laws of what they paid for.
constexpr const char* counts_charge = "counts";
constexpr const char* sums_charge = "sums";
constexpr const char* boxes_charge = "boxes";
constexpr const char* profile_charge = "profile";
constexpr const char* records_charge = "records";

std::optional<NoiseLaw> law_of(const Receipts& receipts, std::string_view name) {
  for (const auto& receipt : receipts) {
    if (receipt->spent.mechanism != name) continue;
    return NoiseLaw{.epsilon = receipt->spent.epsilon, .sensitivity = receipt->spent.sensitivity};
  }
  return std::nullopt;
}

PrivacyUnit unit_of(const JsonField& top) {
  PrivacyUnit result;
  result.neighbors = top["neighbors"].one_of(neighbors_words);
  const JsonField unit = top["unit"];
  if (unit.is_string()) {
    if (unit.text() != "record")
      unit.refuse("must be \"record\", or an object with column and max_contributions or contribution");
    return result;
  }
  result.share = unit.has("contribution");
  unit.expect_keys({"column", result.share ? "contribution" : "max_contributions"}, {"groups", "name"});
  result.column = unit["column"].text();
  if (result.column.empty()) unit["column"].refuse("must not be empty");
  if (unit.has("name")) {
    result.name = unit["name"].text();
    try {
      check_unit_name(result.name);
    } catch (const InputError& error) {
      unit["name"].refuse(error.what());
    }
  }
  if (unit.has("groups")) {
    const JsonField groups = unit["groups"];
    groups.expect_keys({"word", "most", "groups"});
    result.groups = {groups["word"].text(), groups["most"].whole(1, most_groups),
                     groups["groups"].whole(1, most_groups)};
    if (result.groups->most >= result.groups->groups) groups["most"].refuse("must be below the number of groups");
  }
  if (result.share) {
    if (unit["contribution"].text() != "share") unit["contribution"].refuse("must be \"share\"");
    return result;
  }
  result.max_contributions = unit["max_contributions"].whole(1, UINT32_MAX);
  return result;
}

Threshold threshold_of(const JsonField& top) {
  int rules = 0;
  for (const char* rule : {"percentile", "top", "density", "coverage", "modes"}) rules += int{top.has(rule)};
  if (rules != 1) top.refuse("must have exactly one of percentile, top, density, coverage and modes");
  if (top.has("modes")) {
    if (!top["modes"].truth()) top["modes"].refuse("must be true if it is present");
    return DensityModes{};
  }
  if (top.has("top")) return Top(top["top"].whole(1, UINT64_MAX));
  const char* name = top.has("percentile") ? "percentile" : top.has("coverage") ? "coverage" : "density";
  const double number = top[name].number();
  return top[name].made_by([&]() -> Threshold {
    if (top.has("percentile")) return Percentile(number);
    if (top.has("coverage")) return Coverage(number);
    return Density(number);
  });
}

Wavelet wavelet_of(const JsonField& field) {
  const std::string name = field.text();
  return field.made_by([&] { return Wavelet::named(name); });
}

constexpr std::uint64_t most_levels = 62;

ClusterOptions options_of(const JsonField& top) {
  ClusterOptions result{.threshold = threshold_of(top), .wavelet = wavelet_of(top["wavelet"])};
  result.level = static_cast<unsigned>(top["level"].whole(1, most_levels));
  result.transform = top["transform"].one_of(transform_words);
  result.adjacency = top["adjacency"].one_of(adjacency_words);
  result.min_cells = top["min_cells"].whole(1, UINT64_MAX);
  return result;
}

Cells<std::int64_t> cells_of(const JsonField& field, const Shape& shape) {
  const auto extents = field["shape"].items();
  if (extents.size() != shape.size()) field["shape"].refuse("must have an extent for every axis");
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (extents[i].whole(1, UINT64_MAX) != shape[i]) extents[i].refuse(fmt::format("must be {}", shape[i]));
  }
  const std::string layout = field["layout"].text();
  if (layout != "dense" && layout != "sparse") field["layout"].refuse("must be dense or sparse");
  if (field["encoding"].text() != packing) field["encoding"].refuse(fmt::format("must be {}", packing));
  const std::uint64_t stored = field["stored"].whole(0, dense_limit);
  const JsonField data = field["data"];
  const std::string_view text = data.view(Release::largest_file);
  return data.made_by([&] { return unpack(text, shape, layout == "dense", stored); });
}

struct Run {
  std::uint64_t first, length;
  std::uint32_t id;
};

void append_runs(std::vector<Run>& runs, const JsonField& field, std::uint32_t id, std::uint64_t cells,
                 std::uint64_t cells_of_w) {
  const auto numbers = field.items();
  if (numbers.size() % 2 != 0) field.refuse("must be pairs of first cell and length");
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    const std::uint64_t first = numbers[i].whole(0, cells_of_w - 1);
    const std::uint64_t length = numbers[i + 1].whole(1, cells_of_w - first);
    runs.push_back({first, length, id});
    if (length > cells - std::min(sum, cells)) field.refuse(fmt::format("must hold {} cells", cells));
    sum += length;
  }
  if (sum != cells) field.refuse(fmt::format("must hold {} cells, not {}", cells, sum));
}

// Rebuilds the clusters from their cells. When they are connected again, the result must equal the list.
Clusters clusters_of(const JsonField& list, const Shape& shape, const ClusterOptions& options) {
  const std::uint64_t cells_of_w = cell_count(shape);
  std::vector<Run> runs;
  std::vector<std::uint64_t> sizes;
  std::uint64_t all = 0;
  for (const JsonField item : list.items()) {
    if (shape.size() == 2) {
      item.expect_keys({"id", "cells", "noisy_size", "centroid", "runs", "outline"}, {"confidence", "size", "size_95"});
    } else {
      item.expect_keys({"id", "cells", "noisy_size", "centroid", "runs"}, {"confidence", "size", "size_95"});
    }
    const auto id = static_cast<std::uint32_t>(sizes.size() + 1);
    if (item["id"].whole(1, UINT32_MAX) != id) item["id"].refuse(fmt::format("must be {}", id));
    sizes.push_back(item["cells"].whole(options.min_cells, cells_of_w));
    all += sizes.back();
    if (all > dense_limit) item["cells"].refuse("makes more clustered cells than a release can hold");
    append_runs(runs, item["runs"], id, sizes.back(), cells_of_w);
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  std::vector<std::uint64_t> cells;
  std::vector<std::uint32_t> labels;
  for (const Run& run : runs) {
    if (!cells.empty() && run.first <= cells.back()) list.refuse(fmt::format("cell {} is listed twice", run.first));
    for (std::uint64_t i = 0; i < run.length; ++i) {
      cells.push_back(run.first + i);
      labels.push_back(run.id);
    }
  }
  // Modes may touch each other.
  if (std::holds_alternative<DensityModes>(options.threshold)) {
    return list.made_by([&] { return Clusters(shape, std::move(cells), std::move(labels)); });
  }
  Clusters result = connect(shape, cells, options.adjacency);
  if (result.sizes() != sizes || result.labels() != labels) {
    list.refuse("does not list the connected components of its cells, the largest first");
  }
  return result;
}

// Centroids and outlines are computed again, so the file only needs to have the right form.
void check_description(const JsonField& item, std::size_t dimensions) {
  const auto centroid = item["centroid"].items();
  if (centroid.size() != dimensions) item["centroid"].refuse("must have a coordinate for every axis");
  for (const JsonField coordinate : centroid) (void)coordinate.number();
  if (dimensions != 2) return;
  for (const JsonField polygon : item["outline"].items()) {
    for (const JsonField ring : polygon.items()) {
      for (const JsonField point : ring.items()) {
        const auto xy = point.items();
        if (xy.size() != 2) point.refuse("must be two coordinates");
        for (const JsonField coordinate : xy) (void)coordinate.number();
      }
    }
  }
}

std::vector<std::int64_t> sizes_of(const JsonField& list, std::size_t dimensions) {
  std::vector<std::int64_t> result;
  for (const JsonField item : list.items()) {
    check_description(item, dimensions);
    result.push_back(item["noisy_size"].integer());
  }
  return result;
}

// Either all clusters have a confidence or none has. With noisy values it is computed again on request, so only its
// form is checked.
std::vector<ClusterConfidence> confidence_in(const JsonField& list) {
  std::vector<ClusterConfidence> result;
  const auto items = list.items();
  for (const JsonField item : items) {
    if (!item.has("confidence")) continue;
    const JsonField field = item["confidence"];
    field.expect_keys({"real", "connected", "separate"}, {"joined_with", "plain"});
    const auto chance = [&field](const char* key) {
      const double value = field[key].number();
      if (!(value >= 0 && value <= 1)) field[key].refuse("must be from 0 to 1");
      return value;
    };
    ClusterConfidence one{chance("real"), chance("connected"), chance("separate"), 0};
    if (field.has("joined_with")) {
      one.joined_with = static_cast<std::uint32_t>(field["joined_with"].whole(1, items.size()));
    }
    if (field.has("plain")) one.plain = chance("plain");
    if (item.has("size_95")) {
      const auto ends = item["size_95"].items();
      if (ends.size() != 2) item["size_95"].refuse("must be the two ends of an interval");
      one.least_records = static_cast<double>(ends[0].integer());
      one.most_records = static_cast<double>(ends[1].integer());
      if (!(one.least_records >= 0 && one.least_records <= one.most_records)) {
        item["size_95"].refuse("must be the two ends of an interval, at least 0, the lower first");
      }
      // Files of earlier versions state no estimate.
      one.estimated_records = static_cast<double>(item[item.has("size") ? "size" : "noisy_size"].integer());
      if (!item.has("size"))
        one.estimated_records = std::clamp(one.estimated_records, one.least_records, one.most_records);
      if (one.estimated_records < one.least_records || one.estimated_records > one.most_records) {
        item["size"].refuse("must lie in size_95");
      }
    }
    result.push_back(one);
  }
  if (!result.empty() && result.size() != items.size()) list.refuse("must have confidence in all clusters or in none");
  return result;
}

int version_of(const JsonField& top) {
  const std::string format = top["format"].text();
  for (const int version : {Release::format_version, placed_format_version}) {
    if (format == fmt::format("{}{}", release_format, version)) return version;
  }
  top["format"].refuse(
      fmt::format("is '{}', but this version of shoal reads '{}{}' and '{}{}'; use the version that wrote it", format,
                  release_format, Release::format_version, release_format, placed_format_version));
}

// Returns what a file is instead of a release, judged by its first bytes, or an empty text if it may be a release.
std::string other_than_json(std::string_view text) {
  if (text.starts_with("\x1f\x8b")) return "a gzip file";
  if (text.starts_with("\x89PNG")) return "a PNG picture";
  if (text.starts_with("SQLite format 3")) return "a ledger or another SQLite file";
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "an empty file";
  if (text[first] == '{')
    return text.substr(first, 200).find("\"FeatureCollection\"") == std::string_view::npos ? "" : "GeoJSON";
  if (text[first] == '<') return "an HTML page or a picture";
  return text.find('\0') == std::string_view::npos ? "a text or CSV file" : "a binary file";
}

// The same for a JSON document.
std::string other_json(const JsonField& document) {
  if (has_format(document, release_format)) return {};
  if (has_format(document, "shoal-tree/")) return "a cluster tree";
  return "another kind of JSON";
}

void refuse_other(const std::string& where, const std::string& kind) {
  if (kind.empty()) return;
  throw InputError(
      fmt::format("{} is not a release but {}; give the .json file that shoal release or reshape wrote", where, kind));
}

// noised: converts a value of the file to a noised value; only the reader can do this.
template <class Noise>
AutomaticChoice automatic_of(const JsonField& field, std::size_t axes, const Receipts& paid, const Noise& noised) {
  // stable_from and stable_to occur in releases by a coverage, written until 2026. Releases without `rounded` were
  // written until 2026, when rounding was not yet asked for.
  field.expect_keys({"records"}, {"rounded", "structure", "stable_from", "stable_to"});
  std::vector<RoundedValues> rounded;
  if (field.has("rounded")) {
    for (const JsonField& item : field["rounded"].items()) {
      item.expect_keys({"axis", "step", "share"});
      rounded.push_back(
          {static_cast<std::size_t>(item["axis"].whole(0, axes - 1)), item["step"].number(), item["share"].number()});
      if (!(rounded.back().step > 0)) item["step"].refuse("must be above 0");
      if (!(rounded.back().share > 0 && rounded.back().share <= 1)) {
        item["share"].refuse("must be above 0 and at most 1");
      }
    }
  }
  AutomaticChoice choice{.records = noised(field["records"].integer(), paid, law_of(paid, records_charge)),
                         .rounded = noised(std::move(rounded), paid, std::nullopt)};
  if (field.has("structure")) {
    std::vector<std::size_t> structure;
    for (const JsonField& item : field["structure"].items()) {
      const auto axis = static_cast<std::size_t>(item.whole(0, axes - 1));
      if (!structure.empty() && axis <= structure.back()) item.refuse("must be above the axis before it");
      structure.push_back(axis);
    }
    choice.structure = noised(std::move(structure), paid, std::nullopt);
  }
  return choice;
}

// If values were raised, the first levels of the profile have the noise of all ten tenths of both charges.
template <class Noise>
NoisyProfile profile_of(const JsonField& field, const NoisyCounts* values, const Receipts& paid, const Noise& noised) {
  field.expect_keys({"sums", "scale", "wavelet", "level", "transform"});
  const auto items = field["sums"].items();
  if (items.size() != profile_levels) field["sums"].refuse(fmt::format("must hold {} numbers", profile_levels));
  ProfileSums sums;
  for (std::size_t j = 0; j < profile_levels; ++j) sums[j] = items[j].integer();
  std::optional<NoiseLaw> law = law_of(paid, profile_charge);
  const std::int64_t censored_below = values != nullptr && values->law() ? values->law()->censored_below : 0;
  if (law && censored_below > 0) {
    law->refined_levels = censored_levels_of(censored_below);
    law->refined_epsilon = Epsilon::from_units((law->epsilon + values->law()->epsilon).units() / 10 * 10);
  }
  return {noised(sums, paid, law), field["scale"].whole(1, most_profile_scale), wavelet_of(field["wavelet"]),
          static_cast<unsigned>(field["level"].whole(1, most_levels)), field["transform"].one_of(transform_words)};
}

template <class Noise>
NoisyAnswer answer_of(const JsonField& field, const Receipts& paid, const Noise& noised) {
  field.expect_keys({"question", "answer", "wavelet", "level", "transform"}, {"percentile", "unit"});
  const Question question = field["question"].one_of(question_words);
  const std::string_view charge = word(question_words, question);
  const std::optional<NoiseLaw> law = law_of(paid, charge);
  if (!law) field["question"].refuse(fmt::format("needs its charge in 'spent', as '{}'", charge));
  NoisyAnswer result{question, noised(field["answer"].integer(), paid, law), wavelet_of(field["wavelet"]),
                     static_cast<unsigned>(field["level"].whole(1, most_levels)),
                     field["transform"].one_of(transform_words)};
  const bool is_threshold = result.question == Question::threshold;
  if (field.has("percentile") != is_threshold || field.has("unit") != is_threshold) {
    field.refuse("must have percentile and unit when the question is threshold, and only then");
  }
  if (is_threshold) {
    result.percentile = field["percentile"].number();
    if (!(result.percentile >= 0 && result.percentile < 100)) field["percentile"].refuse("must be from 0 to below 100");
    result.unit = field["unit"].number();
    if (!(result.unit > 0)) field["unit"].refuse("must be above 0");
  }
  return result;
}

template <class Noise>
NoisyValues blocks_of(const JsonField& field, const Grid& grid, unsigned most_level, const Receipts& paid,
                      const Noise& noised) {
  field.expect_keys({"shape", "layout", "stored", "encoding", "data", "level"}, {"floor", "lowest"});
  const auto level = static_cast<unsigned>(field["level"].whole(1, most_level));
  const Shape shape = transformed_shape(grid.shape(), level, Transform::decimated);
  std::optional<NoiseLaw> law = law_of(paid, sums_charge);
  if (!law && field.has("floor")) {
    field["floor"].refuse(fmt::format("needs the charge of its values in 'spent', as '{}'", sums_charge));
  }
  if (field.has("lowest")) {
    if (!law) field["lowest"].refuse("needs the charge of its values in 'spent'");
    law->censored_below = static_cast<std::int64_t>(field["lowest"].whole(1, censoring_point(most_censored_levels)));
  }
  if (field.has("floor")) law->floor = field["floor"].integer();
  NoisyCounts sums = noised(cells_of(field, shape), paid, law);
  if (field.has("floor")) return BlocksAboveFloor{std::move(sums), level};
  return BlockSums{std::move(sums), level};
}

template <class Noise>
NoisyValues boxes_of(const JsonField& list, const Receipts& paid, const Noise& noised) {
  std::vector<CountedBox> boxes;
  Values<std::int64_t> records;
  const auto items = list.items();
  for (const JsonField item : items) {
    item.expect_keys({"first", "end", "records", "doubt"}, {"towards"});
    CountedBox& box = boxes.emplace_back();
    for (const JsonField place : item["first"].items()) box.first.push_back(place.whole(0, most_box_cells));
    for (const JsonField place : item["end"].items()) box.end.push_back(place.whole(1, most_box_cells));
    box.doubt = item["doubt"].number();
    if (!(box.doubt >= 0 && box.doubt <= 1)) item["doubt"].refuse("must be from 0 to 1");
    if (item.has("towards")) box.towards = static_cast<std::uint32_t>(item["towards"].whole(1, items.size()));
    records.push_back(item["records"].integer());
  }
  if (boxes.empty()) list.refuse("must hold at least one box");
  const Shape shape{boxes.size()};
  return BoxSums{noised(std::move(boxes), paid, std::nullopt),
                 noised(Cells<std::int64_t>::dense(shape, std::move(records)), paid, law_of(paid, boxes_charge))};
}

Publication publication_of(const JsonField& top) {
  const JsonField item = top["publication"];
  item.expect_keys({}, {"title", "source", "date", "contact", "base_map"});
  Publication publication;
  for (const auto& [key, field] : publication_fields) {
    if (item.has(key)) publication.*field = item[key].text(Publication::longest);
  }
  if (item.has("base_map")) {
    const JsonField map = item["base_map"];
    map.expect_keys({}, {"land", "lakes", "rivers", "borders", "states", "places", "credits"});
    publication.base_map = map.made_by([&] { return base_map_json(read_base_map(written_text(map))); });
  }
  item.made_by([&] { check_publication(publication); });
  return publication;
}

std::string ledger_head_of(const JsonField& field) {
  const std::string text = field.text();
  if (text.size() != 64 || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    field.refuse("must be 64 hexadecimal digits");
  }
  return text;
}

// A file states what was spent on what, but not which value each charge paid for. So every value gets all receipts.
template <class Noise>
ReleaseParts parts_of(const JsonField& top, const Noise& made) {
  const Epsilon epsilon = epsilon_of(top);
  const Receipts paid = receipts_of(top["spent"], epsilon);
  ReleaseParts parts{.technique = top["technique"].text(),
                     .grid = grid_of(top["axes"]),
                     .options = options_of(top),
                     .unit = unit_of(top),
                     .epsilon = epsilon,
                     .is_private = top["private"].truth(),
                     .noisy = Withheld{paid}};
  if (top.has("ledger_head")) parts.ledger_head = ledger_head_of(top["ledger_head"]);
  if (top.has("publication")) parts.publication = publication_of(top);
  const auto noised = [&](auto value, const Receipts& by, std::optional<NoiseLaw> law) {
    if (law) law->parts_per_unit = parts.unit.parts_per_weight();
    return made(std::move(value), by, law);
  };
  if (top.has("automatic")) parts.automatic = automatic_of(top["automatic"], parts.grid.dimensions(), paid, noised);
  if (top.has("noisy_counts") && top.has("noisy_sums")) top.refuse("must not have both noisy_counts and noisy_sums");
  if (top.has("noisy_counts")) {
    const JsonField field = top["noisy_counts"];
    field.expect_keys({"shape", "layout", "stored", "encoding", "data"});
    parts.noisy = GridCounts{noised(cells_of(field, parts.grid.shape()), paid, law_of(paid, counts_charge))};
  }
  if (top.has("noisy_sums")) {
    const JsonField field = top["noisy_sums"];
    parts.noisy = blocks_of(field, parts.grid, parts.options.level, paid, noised);
    field.made_by([&] { check_transform(parts, parts.options); });
  }
  if (top.has("noisy_boxes")) {
    if (parts.values() != nullptr || top.has("noisy_answer") || top.has("noisy_profile") || !top.has("modes")) {
      top.refuse("must not have other noisy values, or a rule other than modes, beside noisy_boxes");
    }
    parts.noisy = boxes_of(top["noisy_boxes"], paid, noised);
    top["noisy_boxes"].made_by([&] { return clusters_of_boxes(parts); });
  }
  if (top.has("noisy_answer") && top.has("noisy_profile")) {
    top.refuse("must not have both noisy_answer and noisy_profile");
  }
  if (top.has("noisy_answer")) parts.hint = answer_of(top["noisy_answer"], paid, noised);
  if (top.has("noisy_profile")) {
    parts.hint = profile_of(top["noisy_profile"], parts.values(), paid, noised);
    if (!can_use_profile(parts)) {
      top["noisy_profile"].refuse("needs dense noisy values or a floor, and both must be listed in 'spent'");
    }
  }
  if (parts.has_floor() || parts.censored_below() > 0) {
    top["noisy_sums"][parts.has_floor() ? "floor" : "lowest"].made_by([&] { check_bound(parts); });
  }
  return parts;
}

// Everything that a release file states.
struct Stated {
  ReleaseParts parts;
  std::uint64_t k;
  KSource k_source;
  double threshold;
  Clusters clusters;
  std::vector<std::int64_t> sizes;
  std::vector<ClusterConfidence> confidence;
  bool displaced;  // the clusters lie where an older version put them, beside the points
};

// Clusters of version 1 lie beside their points, unless the filter of the wavelet is centred where PyWavelets puts its
// values. They can be computed again from noisy values. Without these, nothing can be shown at the right place.
bool is_displaced(const JsonField& top, int version, const ReleaseParts& parts) {
  const ClusterOptions& options = parts.options;
  const bool displaced =
      version == Release::format_version && placement_shift(options.wavelet, options.level, options.transform) != 0;
  if (displaced && parts.values() == nullptr) {
    top["format"].refuse(fmt::format(
        "is '{}': that version showed clusters of wavelet {} beside their points, and the file has no noisy values to "
        "compute them anew; ask the data owner for the file with noisy values",
        top["format"].text(), options.wavelet.name()));
  }
  return displaced;
}

template <class Noise>
Stated stated_in(const JsonField& top, const Noise& noised) {
  const int version = version_of(top);
  top.expect_keys(
      {"format", "private", "technique", "epsilon", "epsilon_exact", "spent", "neighbors", "unit", "axes", "wavelet",
       "level", "transform", "adjacency", "min_cells", "k", "k_from", "threshold", "clusters", "checksum"},
      {"percentile", "top", "density", "coverage", "modes", "automatic", "noisy_answer", "noisy_profile",
       "noisy_counts", "noisy_sums", "noisy_boxes", "ledger_head", "publication"});
  if (top["checksum"].text() != checksum(top)) {
    top["checksum"].refuse("does not fit the content: the file was altered or damaged");
  }
  ReleaseParts parts = parts_of(top, noised);
  const bool displaced = is_displaced(top, version, parts);
  const Shape shape = transformed_shape(parts.grid.shape(), parts.options.level, parts.options.transform);
  Clusters clusters = clusters_of(top["clusters"], shape, parts.options);
  std::vector<std::int64_t> sizes = sizes_of(top["clusters"], shape.size());
  if (parts.boxes() != nullptr && clusters_of_boxes(parts).clusters != clusters) {
    top["clusters"].refuse("are not the boxes of the release");
  }
  if ((parts.values() != nullptr || parts.boxes() != nullptr) && noisy_sizes(parts, clusters) != sizes) {
    top["clusters"].refuse("has a noisy_size that is not the sum of its noisy values");
  }
  const std::uint64_t k = top["k"].whole(0, UINT64_MAX);
  const KSource k_source = top["k_from"].one_of(k_source_words);
  const double threshold = top["threshold"].number();
  return {
      std::move(parts), k, k_source, threshold, std::move(clusters), std::move(sizes), confidence_in(top["clusters"]),
      displaced};
}

}  // namespace

bool has_format(const JsonField& document, std::string_view format) {
  return document.has("format") && document["format"].is_string() &&
         document["format"].view(Release::largest_file).starts_with(format);
}

namespace {
template <class Read>
auto reading(const std::string& where, const Read& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} cannot be read as a release: {}", where, error.what()));
  }
}
}  // namespace

JsonTree release_document(std::string json_text, const std::string& where) {
  constexpr std::size_t deepest = deepest_release + 3;  // document / parts / item
  refuse_other(where, other_than_json(json_text));
  return reading(where, [&] {
    if (json_text.size() > Release::largest_file) throw InputError("it is larger than a release file can be");
    return JsonTree(std::move(json_text), deepest);
  });
}

// Besides the mechanisms, only this function creates noised values: those in a file were noised when it was written.
Release ReleaseReader::read(const ReleaseDocument& from) {
  refuse_other(from.where, other_json(from.document));
  const auto noised = [](auto value, Receipts paid, std::optional<NoiseLaw> law) {
    return Noised<decltype(value)>(NoisedKey(), std::move(value), std::move(paid), law);
  };
  Stated stated = reading(from.where, [&] { return stated_in(from.document, noised); });
  if (stated.displaced || stated.parts.boxes() != nullptr) return Release(std::move(stated.parts));
  return {std::move(stated.parts),
          stated.k,
          stated.k_source,
          stated.threshold,
          std::move(stated.clusters),
          std::move(stated.sizes),
          std::move(stated.confidence)};
}

Release Release::parse(std::string json_text, const std::string& where) {
  const JsonTree tree = release_document(std::move(json_text), where);
  const JsonField document(tree);
  if (has_format(document, groups_format) || has_format(document, insets_format)) {
    throw InputError(
        fmt::format("{} holds several releases; choose one with --group NAME, or read it as a ReleaseSet", where));
  }
  return ReleaseReader::read({document, where});
}

Release Release::load(const std::string& path) {
  return parse(read_file(path, largest_file), fmt::format("'{}'", path));
}

}  // namespace shoal
