// Several releases, each under a name, in the formats of others.
#pragma once

#include <string>
#include <vector>

#include "shoal/grouped_release.hpp"

namespace shoal {

// GeoJSON features of all of them, one a line. key: the property that holds the name.
std::string parts_features(const std::vector<ReleaseGroup>& parts, const std::string& key, Doubtful doubtful);
// key: the first column, which holds the name.
std::string parts_csv(const std::vector<ReleaseGroup>& parts, const std::string& key);

}  // namespace shoal
