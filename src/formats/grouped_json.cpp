// Releases of groups as one JSON document, written and read. The format: docs/formats.md.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "formats/json_field.hpp"
#include "formats/release_json.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/grouped_release.hpp"

namespace shoal {

namespace {

using Document = nlohmann::ordered_json;

std::string dumped(const auto& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// Everything but the groups.
Document head_of(const GroupedRelease& groups) {
  return {{"format", fmt::format("{}{}", groups_format, GroupedRelease::format_version)},
          {"private", groups.is_private()},
          {"by", groups.by()},
          {"max_groups", groups.max_groups()},
          {"epsilon", groups.epsilon().value()},
          {"epsilon_exact", groups.epsilon().text()},
          {"spent", spent_json(groups.spent())},
          {"neighbors", word(neighbors_words, groups.unit().neighbors)},
          {"unit", unit_json(groups.unit())}};
}

// Over everything but the releases; in their place stand their own checksums.
std::string checksum_of(const json& head, const std::vector<std::pair<std::string, std::string>>& groups) {
  json document = head;
  for (const auto& [name, of] : groups) document["groups"].push_back({{"name", name}, {"release", of}});
  return checksum(document);
}

// Of a text that we wrote: its last key.
std::string checksum_in(const std::string& release) {
  const std::string key = "\"checksum\":";
  const std::size_t at = release.find('"', release.rfind(key) + key.size());
  return release.substr(at + 1, 8);
}

constexpr std::size_t deepest = deepest_release + 3;  // document / groups / item

GroupedRelease groups_in(const json& document, const std::string& where) {
  const JsonField top(document, "");
  top.expect_keys({"format", "private", "by", "max_groups", "epsilon", "epsilon_exact", "spent", "neighbors", "unit",
                   "groups", "checksum"});
  const std::string expected = fmt::format("{}{}", groups_format, GroupedRelease::format_version);
  if (top["format"].text() != expected) {
    top["format"].refuse(fmt::format("is '{}', but this version reads {}", top["format"].text(), expected));
  }
  const Items items = top["groups"].items();
  if (items.size() > most_groups) top["groups"].refuse(fmt::format("must hold at most {} groups", most_groups));
  std::vector<ReleaseGroup> groups;
  std::vector<std::pair<std::string, std::string>> checksums;
  for (const JsonField item : items) {
    item.expect_keys({"name", "release"});
    const std::string& name = item["name"].text();
    const JsonField release = item["release"];
    groups.push_back({name, Release::parse(dumped(release.value()), fmt::format("group '{}' of {}", name, where))});
    checksums.emplace_back(name, release["checksum"].text());
  }
  const std::uint64_t max_groups = top["max_groups"].whole(1, most_groups);
  const GroupedRelease result =
      top.made_by([&] { return GroupedRelease(top["by"].text(), max_groups, std::move(groups)); });
  if (epsilon_of(top) != result.epsilon()) {
    top["epsilon"].refuse(fmt::format("must be {}: epsilon {} of a group, {} times", result.epsilon().text(),
                                      result.epsilon_each().text(), result.spent().front().sensitivity));
  }
  json head = document;
  head.erase("groups");
  const json stated = json::parse(dumped(head_of(result)));
  for (const auto& [key, value] : stated.items()) {
    if (canonical(value) != canonical(head[key])) top[key.c_str()].refuse("does not fit the releases of the groups");
  }
  if (top["checksum"].text() != checksum_of(head, checksums)) {
    top["checksum"].refuse("does not fit the content: the file was altered or damaged");
  }
  return result;
}

}  // namespace

std::string GroupedRelease::json() const {
  const Document head = head_of(*this);
  std::string text = "{";
  for (const auto& [key, value] : head.items())
    text += fmt::format("\n  {}: {},", dumped(Document(key)), dumped(value));
  text += "\n  \"groups\": [";
  std::vector<std::pair<std::string, std::string>> checksums;
  for (const ReleaseGroup& group : groups_) {
    std::string release = group.release.json();
    release.pop_back();
    // What is not UTF-8 in a name is replaced in the checksum too.
    const std::string name = dumped(Document(group.name));
    text += fmt::format("{}\n    {{\"name\": {}, \"release\": {}}}", checksums.empty() ? "" : ",", name, release);
    checksums.emplace_back(Document::parse(name).get<std::string>(), checksum_in(release));
    if (text.size() > Release::largest_file) {
      throw InputError(
          fmt::format("the releases take more than the {} bytes of a file; use a coarser grid or fewer "
                      "groups",
                      Release::largest_file));
    }
  }
  text +=
      fmt::format("\n  ],\n  \"checksum\": \"{}\"\n}}\n", checksum_of(nlohmann::json::parse(dumped(head)), checksums));
  return text;
}

GroupedRelease GroupedRelease::parse(const std::string& json_text, const std::string& where) {
  const nlohmann::json document = [&] {
    try {
      return parse_strictly(json_text, deepest);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{} cannot be read as a release: {}", where, error.what()));
    }
  }();
  try {
    return groups_in(document, where);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.starts_with("group '")) throw;  // it says where
    throw InputError(fmt::format("{} cannot be read as a release of groups: {}", where, what));
  }
}

bool GroupedRelease::is_meant(const std::string& json_text) {
  const std::string value = fmt::format("\"{}", groups_format);
  const std::size_t at = json_text.find(value);
  if (at == std::string::npos) return false;
  const std::size_t colon = json_text.find_last_not_of(" \t\r\n", at - 1);
  if (at == 0 || colon == std::string::npos || json_text[colon] != ':') return false;
  const std::size_t key = json_text.find_last_not_of(" \t\r\n", colon - 1);
  return key != std::string::npos && std::string_view(json_text).substr(0, key + 1).ends_with("\"format\"");
}

GroupedRelease GroupedRelease::load(const std::string& path) {
  return parse(read_file(path, Release::largest_file), fmt::format("'{}'", path));
}

}  // namespace shoal
