// Reads a file that holds a release or a set of releases.
#pragma once

#include <string>
#include <variant>

#include "shoal/grouped_release.hpp"
#include "shoal/inset_release.hpp"

namespace shoal {

using AnyRelease = std::variant<Release, GroupedRelease, InsetRelease>;

// where: the name of the text in error messages.
AnyRelease parse_any(const std::string& json_text, const std::string& where);
AnyRelease load_any(const std::string& path);

}  // namespace shoal
