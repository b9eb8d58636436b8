#include "studio/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "shoal/engines.hpp"
#include "shoal/error.hpp"
#include "shoal/grid.hpp"
#include "shoal/privacy.hpp"
#include "shoal/readers.hpp"
#include "shoal/release_set.hpp"

namespace shoal::studio {

namespace {

using Json = nlohmann::json;

std::string text(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) throw InputError(fmt::format("'{}' is missing", key));
  auto value = found->get<std::string>();
  const bool odd =
      value.size() > 1000 || std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20; });
  if (odd) throw InputError(fmt::format("'{}' is not plain text", key));
  return value;
}

std::uint64_t whole(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned())
    throw InputError(fmt::format("'{}' is not a whole number", key));
  return found->get<std::uint64_t>();
}

AxisSetting column(const Json& json, bool has_names) {
  AxisSetting axis;
  axis.position = whole(json, "position");
  if (axis.position < 1) throw InputError("columns are counted starting at 1");
  if (has_names) axis.name = text(json, "name");
  return axis;
}

// Whether options can say it by its name.
bool can_be_named(const AxisSetting& axis) {
  if (axis.name.empty() || axis.name == "record" || axis.name.starts_with('-')) return false;
  const bool number = axis.name.find_first_not_of("0123456789.eE+") == std::string::npos;
  return !number && axis.name.find_first_of(",:=|\"") == std::string::npos && axis.name.front() != ' ' &&
         axis.name.back() != ' ';
}

bool by_name(const Settings& settings) {
  return settings.source.has_names && std::all_of(settings.axes.begin(), settings.axes.end(), can_be_named);
}

// Nothing where the value is not known yet.
void add(std::vector<std::string>& words, const std::string& option, const std::string& value) {
  if (value.empty()) return;
  if (value.starts_with('-')) {
    words.push_back(option + "=" + value);
  } else {
    words.push_back(option);
    words.push_back(value);
  }
}

void add_source(std::vector<std::string>& words, const Source& source) {
  words.push_back(source.file.starts_with('-') ? "./" + source.file : source.file);
  add(words, "--table", source.table);
}

void add_layout(std::vector<std::string>& words, const Source& source) {
  if (is_engine_input(source.file)) return;
  add(words, "--header", source.has_names ? "yes" : "no");
  add(words, "--delimiter", source.delimiter);
}

void add_writing(std::vector<std::string>& words, const Source& source) {
  if (is_engine_input(source.file)) return;
  add(words, "--decimal", source.decimal);
  add(words, "--thousands", source.thousands);
  add(words, "--date-format", source.date_format);
  add(words, "--na", source.missing);
}

// Empty until every axis has a range.
std::string bounds(const Settings& settings) {
  std::vector<std::string> parts;
  for (const AxisSetting& axis : settings.axes) {
    if (axis.range.empty()) return {};
    parts.push_back(by_name(settings) ? axis.name + "=" + axis.range : axis.range);
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string word_of(const AxisSetting& axis) { return can_be_named(axis) ? axis.name : std::to_string(axis.position); }

// The data, their columns, and the bounds once they are known.
void add_input(std::vector<std::string>& words, const Settings& settings) {
  add_source(words, settings.source);
  std::vector<std::string> columns;
  for (const AxisSetting& axis : settings.axes) {
    columns.push_back(by_name(settings) ? axis.name : std::to_string(axis.position));
  }
  add(words, "--columns", fmt::format("{}", fmt::join(columns, ",")));
  if (!by_name(settings)) {
    add_layout(words, settings.source);
  } else if (!is_engine_input(settings.source.file)) {
    add(words, "--delimiter", settings.source.delimiter);
  }
  add_writing(words, settings.source);
  add(words, "--bounds", bounds(settings));
}

// Cells and groups, which the plan takes too.
void add_cells(std::vector<std::string>& words, const Settings& settings) {
  if (settings.geo && !bounds(settings).empty()) words.emplace_back("--geo");
  if (!settings.by || settings.by->range.empty()) return;
  add(words, "--by", word_of(*settings.by) + "=" + settings.by->range);
  if (settings.unit && settings.max_groups > 1) add(words, "--max-groups", std::to_string(settings.max_groups));
}

// Whom a release protects: the plan depends on it as the release does.
void add_unit(std::vector<std::string>& words, const Settings& settings) {
  if (!settings.unit) return;
  add(words, "--unit", word_of(*settings.unit));
  if (settings.share) {
    add(words, "--contribution", "share");
  } else {
    add(words, "--max-contributions", std::to_string(settings.most_rows));
  }
  add(words, "--unit-name", settings.unit_name);
}

void add_automatic(std::vector<std::string>& words, const Settings& settings) {
  words.emplace_back("--auto");
  if (settings.insets > 0) add(words, "--insets", std::to_string(settings.insets));
}

bool is_release_name(const std::string& name) {
  return !name.empty() && name.size() <= 60 && name.front() != '.' && name.front() != '-' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             std::string::npos;
}

}  // namespace

Source parse_source(const std::string& json_text) {
  const Json json = Json::parse(json_text, nullptr, false);
  if (!json.is_object()) throw InputError("this is not the JSON of a step");
  Source source;
  source.file = text(json, "file");
  if (is_json_lines(source.file)) {
    throw InputError("JSON lines declare no columns to choose from; release them on the command line");
  }
  if (is_engine_input(source.file) && !is_server(source.file) &&
      source.file.find_first_of("*?[") != std::string::npos) {
    throw InputError("the studio takes one file, and no pattern");
  }
  if (json.contains("table")) source.table = text(json, "table");
  const auto given = [&json](const char* key) { return json.contains(key) ? text(json, key) : std::string(); };
  source.decimal = given("decimal");
  source.thousands = given("thousands");
  source.date_format = given("date_format");
  source.missing = given("missing");
  source.skips_bad_rows = json.value("skips_bad_rows", Json(false)) == Json(true);
  source.has_names = is_engine_input(source.file) || json.value("has_names", Json(true)) == Json(true);
  source.delimiter = given("delimiter");
  return source;
}

Settings parse_settings(const std::string& json_text, Step step) {
  Settings settings;
  settings.source = parse_source(json_text);
  const Json json = Json::parse(json_text);
  const Json axes = json.value("axes", Json::array());
  if (!axes.is_array() || axes.empty() || axes.size() > 8) throw InputError("choose one to eight columns");
  for (const Json& each : axes) {
    AxisSetting axis = column(each, settings.source.has_names);
    axis.range = text(each, "range");
    if (axis.range.find_first_of(",=") != std::string::npos) {
      throw InputError("a range has no comma and no equals sign; write numbers with a point");
    }
    if (step != Step::draft || !axis.range.empty()) static_cast<void>(declared_axis(axis.range).fitted(2, axis.name));
    settings.axes.push_back(std::move(axis));
  }
  if (json.contains("unit") && !json["unit"].is_null()) {
    settings.unit = column(json["unit"], settings.source.has_names);
    settings.share = json.value("share", Json(false)) == Json(true);
    if (!settings.share) settings.most_rows = whole(json, "most_rows");
    if (json.contains("unit_name")) settings.unit_name = text(json, "unit_name");
  }
  settings.geo = json.value("geo", Json(false)) == Json(true);
  if (json.contains("by") && !json["by"].is_null()) {
    settings.by = column(json["by"], settings.source.has_names);
    settings.by->range = text(json["by"], "range");
    if (json.contains("max_groups")) settings.max_groups = whole(json, "max_groups");
    if (!settings.by->range.empty())
      static_cast<void>(declared_groups(word_of(*settings.by) + "=" + settings.by->range));
  }
  if (json.contains("insets")) settings.insets = whole(json, "insets");
  if (settings.insets > most_insets) throw InputError(fmt::format("there are at most {} insets", most_insets));
  if (step == Step::plan) {
    settings.records = whole(json, "records");
    if (settings.records == 0) throw InputError("guess how many records there are");
    const Json epsilons = json.value("epsilons", Json::array());
    if (!epsilons.is_array() || epsilons.empty() || epsilons.size() > 5) throw InputError("give one to five epsilons");
    for (const Json& each : epsilons) {
      if (!each.is_string()) throw InputError("an epsilon is a text such as 0.5");
      settings.epsilons.push_back(Epsilon::parse(each.get<std::string>()).text());
    }
  }
  if (step == Step::draft) {
    settings.epsilon = text(json, "epsilon");
    settings.dataset = text(json, "dataset");
    settings.name = text(json, "name");
  }
  if (step == Step::release) {
    settings.epsilon = Epsilon::parse(text(json, "epsilon")).text();
    settings.dataset = text(json, "dataset");
    settings.name = text(json, "name");
    if (settings.dataset.empty()) throw InputError("choose the budget that is charged");
    if (!is_release_name(settings.name)) {
      throw InputError("the name of a release has letters, digits, points, hyphens and underscores alone");
    }
  }
  return settings;
}

std::vector<std::string> plan_words(const Settings& settings) {
  std::vector<std::string> words{"plan"};
  add(words, "--bounds", bounds(settings));
  add_cells(words, settings);
  add_automatic(words, settings);
  add_unit(words, settings);
  add(words, "--records", std::to_string(settings.records));
  add(words, "--epsilons", fmt::format("{}", fmt::join(settings.epsilons, ",")));
  return words;
}

std::vector<std::string> check_words(const Settings& settings) {
  std::vector<std::string> words{"check"};
  add_input(words, settings);
  if (settings.unit) add(words, "--unit", word_of(*settings.unit));
  if (settings.by && !settings.by->range.empty()) add(words, "--by", word_of(*settings.by) + "=" + settings.by->range);
  return words;
}

std::vector<std::string> release_words(const Settings& settings) {
  std::vector<std::string> words{"release"};
  add_input(words, settings);
  if (settings.source.skips_bad_rows) add(words, "--on-bad-row", "skip");
  add_cells(words, settings);
  if (!bounds(settings).empty()) add_automatic(words, settings);
  add_unit(words, settings);
  add(words, "--epsilon", settings.epsilon);
  if (!settings.dataset.empty()) add(words, "--ledger", ledger_name);
  add(words, "--dataset", settings.dataset);
  for (const char* suffix : {".json", ".html"}) {
    if (!settings.name.empty()) add(words, "-o", fmt::format("{}/{}{}", releases_name, settings.name, suffix));
  }
  return words;
}

std::vector<std::string> account_words(const std::string& dataset, const std::string& cap) {
  std::vector<std::string> words{"ledger", "create", ledger_name};
  add(words, "--dataset", dataset);
  add(words, "--cap", cap);
  return words;
}

std::vector<std::string> column_words(const Source& source) {
  std::vector<std::string> words{"columns"};
  add_source(words, source);
  add_layout(words, source);
  if (!is_engine_input(source.file)) add(words, "--rows", "5");
  return words;
}

bool is_server(const std::string& file) { return file.starts_with("postgresql://") || file.starts_with("postgres://"); }

}  // namespace shoal::studio
