// The parsed JSON of a release file.
#pragma once

#include <string>

#include "formats/json_field.hpp"

namespace shoal {

// The JSON of one release, which may be a part of a set. Its tree must outlive it.
struct ReleaseDocument {
  JsonField document;
  std::string where;  // names the release in messages
};

// Parses the text of a file. Throws if the text is too large for a file of releases, or is not JSON; the message says
// what it is instead.
JsonTree release_document(std::string json_text, const std::string& where);

// Returns whether the value of the key `format` starts with this text.
bool has_format(const JsonField& document, std::string_view format);

}  // namespace shoal
