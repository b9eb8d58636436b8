// The page that its reader can explore: the static report, the release itself and the public side as WebAssembly, in
// one file that loads nothing else. It is built from web/. A build without it has only the static report.
#pragma once

#include <string>

#include "shoal/release_set.hpp"

namespace shoal {

bool has_page();
// Returns the page, or the static report (drawing/report.hpp) if there is no page or the release is too large for one.
std::string release_page_html(const Release& release);
// The same for a set: one of its parts is explored at a time.
std::string set_page_html(const ReleaseSet& set);
// Adds the script that links maps and tables to the static page of a comparison. facts: what the script needs, as JSON.
std::string linked_page(std::string page, const std::string& facts);

}  // namespace shoal
