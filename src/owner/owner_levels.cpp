#include <fmt/format.h>

#include <utility>

#include "drawing/html.hpp"
#include "owner/owner_view.hpp"
#include "shoal/owner.hpp"
#include "shoal/text.hpp"
#include "shoal/wavecluster.hpp"

namespace shoal {

OwnerLevels owner_levels(std::string input, const Counts& counts, ClusterOptions options,
                         const std::vector<unsigned>& levels) {
  check_levels(counts.grid(), levels);
  options.level = levels.front();
  OwnerLevels result{std::move(input), counts, options, {}, {}};
  for (const unsigned level : levels) {
    options.level = level;
    result.results.push_back(wavecluster(counts, options));
    const Segmentation& found = result.results.back();
    result.views.push_back({level, ClusterMap(counts.grid(), level, options.transform, found.clusters), {}, {}});
    result.sizes.push_back(sizes_in_points({result.input, counts, result.views.back().map, options, found}));
  }
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const unsigned halvings = options.transform == Transform::decimated ? levels[i + 1] - levels[i] : 0;
    result.views[i].held_by = holders(result.results[i].clusters, result.results[i + 1].clusters, halvings);
  }
  return result;
}

LevelsPicture owner_levels_picture(const OwnerLevels& levels) {
  return {fmt::format("Clusters in {} at {}", file_name(levels.input), counted(levels.views.size(), "level", "levels")),
          "NOT PRIVATE: drawn from the raw data", levels.counts.raw(), levels.views};
}

std::string owner_levels_report(const OwnerLevels& levels) {
  const LevelsPicture picture = owner_levels_picture(levels);
  std::string body =
      fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", levels_svg(picture), levels_caption);
  body += section("Clusters of each level", levels_table(picture, levels.sizes, "Points"));
  body += section("How the clusters were found",
                  table({"Parameter", "Value", "Meaning"}, parameter_rows(levels.counts.grid(), levels.options),
                        {false, false, false}) +
                      paragraph("The other levels have the same parameters but for the level."));
  return html_page(picture.title, Banner::not_private, owner_only, body);
}

}  // namespace shoal
