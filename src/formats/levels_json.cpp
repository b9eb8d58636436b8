#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/release_json.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/levels.hpp"

namespace shoal {

namespace {

using Document = nlohmann::ordered_json;

Document clusters_json(const Release& release, const std::vector<Holder>& held_by) {
  const std::vector<std::uint32_t> doubtful = release.doubtful();
  const std::vector<ClusterConfidence>& confidence = release.confidence();
  Document clusters = Document::array();
  for (const ReleasedCluster& cluster : release.clusters()) {
    Document item{{"id", cluster.id},
                  {"cells", cluster.cells},
                  {"centroid", cluster.centroid},
                  {"noisy_size", cluster.noisy_size}};
    if (!confidence.empty()) add_size(item, confidence[cluster.id - 1]);
    item["doubtful"] = std::binary_search(doubtful.begin(), doubtful.end(), cluster.id);
    if (!held_by.empty()) add_holder(item, held_by[cluster.id - 1]);
    clusters.push_back(std::move(item));
  }
  return clusters;
}

}  // namespace

void add_holder(nlohmann::ordered_json& cluster, const Holder& holder) {
  cluster["held_by"] = holder.cluster == 0 ? Document() : Document(holder.cluster);
  cluster["held_share"] = holder.share;
}

std::string ReleaseLevels::json() const {
  const ReleaseParts& parts = releases_.front().parts();
  Document document{{"format", "shoal-levels/1"},
                    {"private", parts.is_private},
                    {"technique", parts.technique},
                    {"epsilon", parts.epsilon.value()},
                    {"axes", json_of_axes(parts.grid)},
                    {"wavelet", parts.options.wavelet.name()},
                    {"transform", word(transform_words, parts.options.transform)},
                    {"adjacency", word(adjacency_words, parts.options.adjacency)},
                    {"levels", Document::array()}};
  for (std::size_t i = 0; i < releases_.size(); ++i) {
    const Release& release = releases_[i];
    document["levels"].push_back({{"level", release.parts().options.level},
                                  {"shape", release.cluster_cells().shape().extents()},
                                  {"k", release.k()},
                                  {"threshold", release.threshold()},
                                  {"clusters", clusters_json(release, held_by_[i])}});
  }
  return document.dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

std::string ReleaseLevels::contents(const std::string& path) const {
  if (path.ends_with(".json")) return json();
  if (path.ends_with(".html")) return html();
  if (path.ends_with(".svg") || path.ends_with(".png")) return picture(path);
  throw InputError(
      fmt::format("several levels cannot be written to '{}'; use the suffix .html, .svg, .png or .json", path));
}

}  // namespace shoal
