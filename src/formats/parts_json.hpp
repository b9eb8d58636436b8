// A JSON document of several named releases: groups, or an overview with its insets.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "formats/json_field.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

// Writes the document. head: everything except the releases. key: the key of their list. Throws if a file cannot hold
// it.
std::string parts_json(const nlohmann::ordered_json& head, const std::string& key,
                       const std::vector<NamedRelease>& parts);

// Parses a document that is to be read. Throws if the text is not JSON.
nlohmann::json parts_document(const std::string& json_text, const std::string& where);

struct ReadParts {
  std::vector<NamedRelease> parts;
  std::vector<std::pair<std::string, std::string>> checksums;  // name and checksum of each release
};
// word: the word for a part in error messages.
ReadParts read_parts(const JsonField& list, std::size_t most, const std::string& word, const std::string& where);
// Throws if the head of the document differs from the stated one, or if its checksum does not match.
void check_head(const nlohmann::json& document, const std::string& key, const nlohmann::ordered_json& stated,
                const ReadParts& read);

// Returns whether the value of the key `format` starts with this text.
bool has_format(const std::string& json_text, const std::string& format);

}  // namespace shoal
