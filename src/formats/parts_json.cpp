#include "formats/parts_json.hpp"

#include <fmt/format.h>

#include "formats/release_json.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

using Document = nlohmann::ordered_json;

constexpr std::size_t deepest = deepest_release + 3;  // document / parts / item

std::string dumped(const auto& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// Returns the checksum of everything except the releases; their own checksums take their place.
std::string checksum_of(const json& head, const std::string& key,
                        const std::vector<std::pair<std::string, std::string>>& parts) {
  json document = head;
  for (const auto& [name, of] : parts) document[key].push_back({{"name", name}, {"release", of}});
  return checksum(document);
}

// Returns the checksum in the JSON text of a release that Shoal wrote. It is the last key of the text.
std::string checksum_in(const std::string& release) {
  const std::string key = "\"checksum\":";
  const std::size_t at = release.find('"', release.rfind(key) + key.size());
  return release.substr(at + 1, 8);
}

}  // namespace

std::string parts_json(const Document& head, const std::string& key, const std::vector<NamedRelease>& parts) {
  std::string text = "{";
  for (const auto& [name, value] : head.items())
    text += fmt::format("\n  {}: {},", dumped(Document(name)), dumped(value));
  text += fmt::format("\n  \"{}\": [", key);
  std::vector<std::pair<std::string, std::string>> checksums;
  for (const NamedRelease& part : parts) {
    std::string release = part.release.json();
    release.pop_back();
    // Bytes in a name that are not UTF-8 are replaced in the checksum too.
    const std::string name = dumped(Document(part.name));
    text += fmt::format("{}\n    {{\"name\": {}, \"release\": {}}}", checksums.empty() ? "" : ",", name, release);
    checksums.emplace_back(Document::parse(name).get<std::string>(), checksum_in(release));
    if (text.size() > Release::largest_file) {
      throw InputError(fmt::format("the releases take more than the {} bytes of a file; use a coarser grid or fewer {}",
                                   Release::largest_file, key));
    }
  }
  text += fmt::format("\n  ],\n  \"checksum\": \"{}\"\n}}\n",
                      checksum_of(nlohmann::json::parse(dumped(head)), key, checksums));
  return text;
}

json parts_document(const std::string& json_text, const std::string& where) {
  try {
    return parse_strictly(json_text, deepest);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} cannot be read as a release: {}", where, error.what()));
  }
}

ReadParts read_parts(const JsonField& list, std::size_t most, const std::string& word, const std::string& where) {
  const Items items = list.items();
  if (items.size() > most) list.refuse(fmt::format("must hold at most {} {}s", most, word));
  ReadParts result;
  for (const JsonField item : items) {
    item.expect_keys({"name", "release"});
    const std::string& name = item["name"].text();
    const JsonField release = item["release"];
    result.parts.push_back(
        {name, Release::parse(dumped(release.value()), fmt::format("{} '{}' of {}", word, name, where))});
    result.checksums.emplace_back(name, release["checksum"].text());
  }
  return result;
}

void check_head(const json& document, const std::string& key, const Document& stated, const ReadParts& read) {
  const JsonField top(document, "");
  json head = document;
  head.erase(key);
  const json expected = json::parse(dumped(stated));
  for (const auto& [name, value] : expected.items()) {
    if (canonical(value) != canonical(head[name])) {
      top[name.c_str()].refuse(fmt::format("does not fit the releases of the {}", key));
    }
  }
  if (top["checksum"].text() != checksum_of(head, key, read.checksums)) {
    top["checksum"].refuse("does not fit the content: the file was altered or damaged");
  }
}

bool has_format(const std::string& json_text, const std::string& format) {
  const std::string value = fmt::format("\"{}", format);
  const std::size_t at = json_text.find(value);
  if (at == std::string::npos) return false;
  const std::size_t colon = json_text.find_last_not_of(" \t\r\n", at - 1);
  if (at == 0 || colon == std::string::npos || json_text[colon] != ':') return false;
  const std::size_t key = json_text.find_last_not_of(" \t\r\n", colon - 1);
  return key != std::string::npos && std::string_view(json_text).substr(0, key + 1).ends_with("\"format\"");
}

}  // namespace shoal
