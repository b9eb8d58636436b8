// What reading an altered file of a release says.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "shoal/error.hpp"
#include "shoal/release_set.hpp"

namespace shoal::testing {

// Returns the message that refuses the file after `alter` changed it; empty if it is read. The file is called "it".
inline std::string refusal(const ReleaseSet& set, const std::function<void(nlohmann::json&)>& alter) {
  nlohmann::json document = nlohmann::json::parse(set.json());
  alter(document);
  try {
    static_cast<void>(ReleaseSet::parse(document.dump(), "it"));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

inline bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace shoal::testing
