// Pieces that the HTML reports share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "drawing/picture.hpp"
#include "shoal/clusters.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

// weak: private, but with a large epsilon. no_data: made without data.
enum class Banner { is_private, weak, not_private, no_data };

// Returns a whole document. `body` is HTML; title and banner are text.
std::string html_page(const std::string& title, Banner banner, const std::string& banner_text, const std::string& body);
// Returns the document of a release: its title and headline, notices, the figure, what it promises in one line, the
// credits, and then `body`. found: what the release shows, in one sentence.
std::string release_page(const std::string& found, const Release& release, const std::string& figure,
                         const std::string& body);
// Returns the document of a set of releases. found: what it shows. what: the word for its parts, in the plural.
std::string set_page(const std::string& found, const ReleaseSet& set, const std::string& what,
                     const std::string& figure, const std::string& body);
// A paragraph that says how the values are rounded. Empty if --auto found no rounding.
std::string rounding_note(const ReleaseSet& set);

std::string section(const std::string& heading, const std::string& content);
std::string figure(const Picture& picture, const std::string& caption);

// Returns a table. Cells are HTML. `numeric`: which columns are aligned right.
std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows,
                  const std::vector<bool>& numeric);

// Returns name, value and meaning of each parameter of the clustering, as rows for table().
std::vector<std::vector<std::string>> parameter_rows(const Grid& grid, const ClusterOptions& options);

// Returns a number with its noun, such as "3 clusters".
std::string counted(std::uint64_t count, const char* one, const char* many);
// Returns an item of a list of class "facts": a number that stands out, and what it means.
std::string fact(const std::string& value, const std::string& name);
std::string paragraph(const std::string& text);
// Returns what a mechanism asked, in plain words, or nothing if its name tells it. counted: what is counted, in the
// plural.
std::string meaning_of_mechanism(const std::string& mechanism, const std::string& counted);
// Returns the size of the grid, such as "64 x 48".
std::string grid_size(const Grid& grid);
std::string picture_caption(const Grid& grid, bool noisy);
// Returns a table with number, cells, size and centre of each cluster and, if known, its confidence and the interval of
// its size. shown: numbers of the clusters, ascending. If there are too many, only the largest are listed.
std::string clusters_table(const Picture& picture, const ClusterMap& map,
                           const std::vector<std::vector<double>>& centres, const std::vector<std::int64_t>& sizes,
                           const std::string& size_name, const std::vector<std::uint32_t>& shown,
                           const std::vector<ClusterConfidence>& confidence = {});

// Returns a small square in the colour of the cluster, and its number.
std::string swatch(const Picture& picture, std::uint32_t id);

// Formats a number with at most six significant digits.
std::string number(double value);

}  // namespace shoal
