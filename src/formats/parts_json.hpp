// A JSON document of several releases, each under a name: groups, and an overview with its insets.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "formats/json_field.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

// head: everything but the releases. key: of their list. Refuses what a file cannot hold.
std::string parts_json(const nlohmann::ordered_json& head, const std::string& key,
                       const std::vector<NamedRelease>& parts);

// Parses what is to be read. Refuses what is no JSON.
nlohmann::json parts_document(const std::string& json_text, const std::string& where);

struct ReadParts {
  std::vector<NamedRelease> parts;
  std::vector<std::pair<std::string, std::string>> checksums;  // of each release, with its name
};
// word: of a part, in a refusal.
ReadParts read_parts(const JsonField& list, std::size_t most, const std::string& word, const std::string& where);
// Refuses a document whose head is not the stated one, or whose checksum does not fit.
void check_head(const nlohmann::json& document, const std::string& key, const nlohmann::ordered_json& stated,
                const ReadParts& read);

// Whether the value of the key `format` begins so.
bool has_format(const std::string& json_text, const std::string& format);

}  // namespace shoal
