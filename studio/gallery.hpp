// shoal serve: the pages of existing releases, in a browser. Reads only these files.
#pragma once

#include <string>
#include <vector>

#include "shoal/release_set.hpp"
#include "studio/http.hpp"

namespace shoal::studio {

// Loads every file once. Throws if one is not a release.
Site gallery(const std::vector<std::string>& files);

// Returns the page of a release, for its own tab or for a frame of our pages. It cannot access the server.
Response released_page(const ReleaseSet& release);

// Answers the requests that browsers send for every page.
Response icon();

// Returns text in the format of the suffix, as a download.
Response download(const ReleaseSet& release, const std::string& name, const std::string& suffix);

}  // namespace shoal::studio
