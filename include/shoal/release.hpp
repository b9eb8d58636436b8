// The artefact: what an analyst gets. Holds noised and public values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/grid.hpp"
#include "shoal/noised.hpp"
#include "shoal/options.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

struct ReleasedCluster {
  std::uint32_t id;
  std::uint64_t cells;
  std::vector<double> centroid;  // of its cells, in the axes' units
  double noisy_size;             // records, from the noisy values
  std::vector<Polygon> outline;  // 2-D only
};

// What a technique hands over. noisy_counts: on the grid's cells; noisy_sums: already on the transformed cells
// (privwave).
struct ReleaseParts {
  std::string technique;
  Grid grid;
  ClusterOptions options;
  PrivacyUnit unit;
  Epsilon epsilon;
  std::vector<Spent> spent;
  bool is_private = false;
  std::optional<NoisyCounts> noisy_counts;
  std::optional<NoisyCounts> noisy_sums;
  std::optional<Noised<std::int64_t>> noisy_number;  // |Z|' or |L|': what a reshape needs again
  std::uint64_t k = 0;
  double threshold = 0;  // in the units of W
  Clusters clusters;
};

class Release {
 public:
  static constexpr int format_version = 1;

  explicit Release(ReleaseParts parts);          // computes the clusters' descriptions from the noisy values
  static Release load(const std::string& path);  // checked against every rule of the schema; refuses clearly
  static Release parse(const std::string& json_text, const std::string& where);

  [[nodiscard]] const ReleaseParts& parts() const noexcept { return parts_; }
  [[nodiscard]] const std::vector<ReleasedCluster>& clusters() const noexcept { return clusters_; }
  [[nodiscard]] ClusterMap map() const;

  [[nodiscard]] std::string json() const;
  [[nodiscard]] std::string geojson() const;  // 2-D; longitude and latitude axes or any other plane
  [[nodiscard]] std::string csv() const;      // a row per clustered cell
  [[nodiscard]] std::string html() const;     // self-contained report
  // By suffix: .json .geojson .csv .html; written aside, then renamed.
  void save(const std::string& path) const;

 private:
  ReleaseParts parts_;
  std::vector<ReleasedCluster> clusters_;
};

// Other percentile, wavelet, level, adjacency from the stored noisy values: free. Refuses what the stored values cannot
// give.
Release reshape(const Release& release, const ClusterOptions& options);

}  // namespace shoal
