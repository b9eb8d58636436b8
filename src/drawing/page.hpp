// The page that its reader can explore: the static report, the release itself and our public side as WebAssembly, in
// one file that loads nothing. Built from web/; a build without it has the static report alone.
#pragma once

#include <string>
#include <vector>

#include "shoal/grouped_release.hpp"
#include "shoal/inset_release.hpp"

namespace shoal {

bool has_page();
// The static report (drawing/report.hpp) where there is no page, or the release is too large for one.
std::string release_page_html(const Release& release);
// The same of a file of groups: all of them side by side, and one of them explored.
std::string groups_page_html(const GroupedRelease& groups);
// The same of a release with insets.
std::string insets_page_html(const InsetRelease& insets);
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
