// The page that its reader can explore: the static report, the release itself and our public side as WebAssembly, in
// one file that loads nothing. Built from web/; a build without it has the static report alone.
#pragma once

#include <string>
#include <vector>

#include "shoal/release_set.hpp"

namespace shoal {

bool has_page();
// The static report (drawing/report.hpp) where there is no page, or the release is too large for one.
std::string release_page_html(const Release& release);
// The same of a set: one of its parts is explored at a time.
std::string set_page_html(const ReleaseSet& set);
// The Content-Security-Policy that such a document keeps: no request, and no script but its own.
std::string page_policy();
// The static page of a comparison with the script that links its maps and tables. facts: what the script needs, JSON.
std::string linked_page(std::string page, const std::string& facts);
// Its policy.
std::string linked_policy();

// Coasts and borders inside the bounds, each line x, y, x, y, ... in degrees; a resolution that suits the extent. Empty
// where there is no page.
std::vector<std::vector<double>> coastlines(double west, double east, double south, double north);

}  // namespace shoal
