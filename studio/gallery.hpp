// shoal serve: the pages of releases that were made earlier, in a browser. Reads those files and nothing else.
#pragma once

#include <string>
#include <vector>

#include "formats/any_release.hpp"
#include "studio/http.hpp"

namespace shoal::studio {

// Loads every file once; refuses one that is no release.
Site gallery(const std::vector<std::string>& files);

// The page of a release, alone in its tab or in a frame of our own pages. It can reach nothing here.
Response released_page(const AnyRelease& release);

// What browsers ask for beside every page.
Response icon();

// Text in the suffix's format, as a file to keep.
Response download(const AnyRelease& release, const std::string& name, const std::string& suffix);

}  // namespace shoal::studio
