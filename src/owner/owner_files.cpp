#include <algorithm>
#include <utility>

#include "formats/export.hpp"
#include "formats/release_json.hpp"
#include "owner/owner_view.hpp"
#include "release/describe.hpp"
#include "shoal/owner.hpp"

namespace shoal {

namespace {

using Json = nlohmann::ordered_json;

// What was read, and the options.
Json common_json(const Counts& counts, const ClusterOptions& options) {
  Json json;
  json["private"] = false;
  json["points"] = counts.points();
  json["outside"] = counts.outside();
  json["grid"] = counts.grid().shape();
  json["axes"] = json_of_axes(counts.grid());
  json["wavelet"] = options.wavelet.name();
  json["level"] = options.level;
  json["transform"] = options.transform == Transform::decimated ? "decimated" : "stationary";
  json["adjacency"] = options.adjacency == Adjacency::full ? "full" : "face";
  const auto* percentile = std::get_if<Percentile>(&options.threshold);
  json["percentile"] = percentile != nullptr ? Json(percentile->percent()) : Json();
  if (std::holds_alternative<DensityModes>(options.threshold)) json["modes"] = true;
  if (const auto* coverage = std::get_if<Coverage>(&options.threshold)) json["coverage"] = coverage->percent();
  return json;
}

// What was found at one level, but for its clusters.
void add_result(Json& json, const Segmentation& result) {
  json["positive_cells"] = result.positive;
  json["nonpositive_cells"] = result.nonpositive;
  json["k"] = result.k;
  json["threshold"] = result.threshold;
  if (result.threshold_sum) json["threshold_sum"] = *result.threshold_sum;
  json["significant_cells"] = result.significant;
}

Json result_json(const OwnerView& view) {
  Json json = common_json(view.counts, view.options);
  const Segmentation& result = view.result;
  add_result(json, result);
  json["clusters"] = result.clusters.count();
  auto sizes = result.clusters.sizes();
  std::sort(sizes.begin(), sizes.end());
  json["cluster_cells"] = sizes;
  return json;
}

Json levels_json(const OwnerLevels& levels) {
  Json json = common_json(levels.counts, levels.options);
  json.erase("level");
  json["levels"] = Json::array();
  for (std::size_t i = 0; i < levels.views.size(); ++i) {
    const LevelView& view = levels.views[i];
    Json level{{"level", view.level}, {"shape", view.map.clusters().shape().extents()}};
    add_result(level, levels.results[i]);
    level["clusters"] = Json::array();
    const std::vector<std::vector<double>> centres = centroids(view.map);
    for (std::size_t j = 0; j < centres.size(); ++j) {
      Json cluster{{"id", j + 1},
                   {"cells", view.map.clusters().sizes()[j]},
                   {"centroid", centres[j]},
                   {"points", levels.sizes[i][j]}};
      if (!view.held_by.empty()) add_holder(cluster, view.held_by[j]);
      level["clusters"].push_back(std::move(cluster));
    }
    json["levels"].push_back(std::move(level));
  }
  return json;
}

}  // namespace

std::string OwnerView::json() const { return result_json(*this).dump(2) + "\n"; }

std::string OwnerView::contents(const std::string& path) const {
  if (path.ends_with(".json")) return json();
  if (path.ends_with(".csv")) return cells_csv(map, &counts.raw(), "points", false, {}, {}, true, options.threads);
  if (path.ends_with(".html")) return owner_report(*this);
  if (path.ends_with(".svg") || path.ends_with(".png")) return owner_picture(*this).file(path);
  const std::vector<ReleasedCluster> clusters = describe(map, sizes_in_points(*this), options.threads);
  return feature_collection(R"({"private":false})",
                            clusters_features(map.grid(), clusters, "points", {}, {}, {}, {}, options.threads));
}

std::string OwnerLevels::json() const { return levels_json(*this).dump(2) + "\n"; }

std::string OwnerLevels::contents(const std::string& path) const {
  if (path.ends_with(".json")) return json();
  if (path.ends_with(".html")) return owner_levels_report(*this);
  return levels_file(owner_levels_picture(*this), path);
}

}  // namespace shoal
