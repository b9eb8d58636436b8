// What a file of releases holds.
#pragma once

#include <string>
#include <variant>

#include "shoal/grouped_release.hpp"
#include "shoal/inset_release.hpp"

namespace shoal {

using AnyRelease = std::variant<Release, GroupedRelease, InsetRelease>;

// where: what the text is called in a refusal.
AnyRelease parse_any(const std::string& json_text, const std::string& where);
AnyRelease load_any(const std::string& path);

}  // namespace shoal
