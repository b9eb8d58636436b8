// shoal studio: the pages that lead an owner from a file to a release. The server never opens the data; commands of the
// program do, in processes of their own.
//
//   /              the application (web/src/studio.ts)
//   /api/...       JSON: what is in the folder, plans, budgets, releases; no raw value
//   /owner/...     JSON that may hold text of the data; shown on what is marked "for the owner only"
//   /release/NAME  the page of a release, and NAME.json, NAME.csv, ... to keep
#pragma once

#include <string>

#include "studio/http.hpp"

namespace shoal::studio {

// executable: this program, whose commands the studio runs. Throws if `folder` is not a folder.
Site studio(const std::string& folder, const std::string& executable);

}  // namespace shoal::studio
