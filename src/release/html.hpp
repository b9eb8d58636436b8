// Pieces that our HTML reports share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "shoal/options.hpp"
#include "shoal/picture.hpp"
#include "shoal/release.hpp"

namespace shoal {

enum class Banner { is_private, weak, not_private };  // weak: private, with a large epsilon

// A whole document. `body` is HTML; title and banner are text.
std::string html_page(const std::string& title, Banner banner, const std::string& banner_text, const std::string& body);
// The same of a release: its banner, what it promises, and its notices.
std::string release_page(const std::string& title, const Release& release, const std::string& body);

std::string section(const std::string& heading, const std::string& content);
std::string figure(const Picture& picture, const std::string& caption);

// Cells are HTML. `numeric`: which columns are set flush right.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                  const std::vector<bool>& numeric);

// Name, value and meaning of each parameter of the clustering, as rows for table().
std::vector<std::vector<std::string>> parameter_rows(const Grid& grid, const ClusterOptions& options);

// A small square in the cluster's colour, and its number.
std::string swatch(const Picture& picture, std::uint32_t id);

// Six significant digits at most.
std::string number(double value);

}  // namespace shoal
