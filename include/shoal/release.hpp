// A release may be shared. It holds noised and public values only: a technique passes on the noised values of its
// mechanisms, and everything else in a release (W', k', d', clusters, sizes) is computed from these here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"
#include "shoal/existing.hpp"

namespace shoal {

// A cluster as a release describes it.
struct ReleasedCluster {
  std::uint32_t id;
  std::uint64_t cells;
  std::vector<double> centroid;  // of its cells, in the axes' units
  std::int64_t noisy_size;       // records, from the noisy values; may be negative
  std::vector<Polygon> outline;  // 2-D only
};

// Clusters that may be noise, chance or a part of a uniform area (confidence.hpp).
enum class Doubtful { leave_out, keep };

class Release {
 public:
  static constexpr int format_version = 1;
  static constexpr std::size_t largest_file = std::size_t{1} << 29;  // a larger one is neither written nor read

  // Transforms, thresholds and connects: the public half of every technique.
  explicit Release(ReleaseParts parts);
  // The same where W' was made together with the noise: it is what the options make of the parts' noisy values.
  Release(ReleaseParts parts, const Noised<Transformed>& w);
  // Checked against every rule of docs/release.schema.json and against itself; refuses with the place in the file.
  static Release load(const std::string& path);
  static Release parse(const std::string& json_text, const std::string& where);

  [[nodiscard]] const ReleaseParts& parts() const noexcept { return parts_; }
  [[nodiscard]] std::uint64_t k() const noexcept { return k_; }
  [[nodiscard]] KSource k_source() const noexcept { return k_source_; }
  // In the units of W; nothing is significant below it. 0 when there is no cluster at all.
  [[nodiscard]] double threshold() const noexcept { return threshold_; }
  // Computed on first use; their number is that of cluster_cells().
  [[nodiscard]] const std::vector<ReleasedCluster>& clusters() const;
  [[nodiscard]] const Clusters& cluster_cells() const noexcept { return clusters_; }
  [[nodiscard]] ClusterMap map() const;
  // How points are labelled unless told otherwise: the modes of --auto reach one cell further than they are drawn.
  [[nodiscard]] Assign usual_assign() const noexcept;
  // Of each cluster (index id - 1). Computed when first asked for, from the noisy values; a release without them has
  // what it was written with. Empty when nothing can be said: the noise of the noisy values is not known (baseline), or
  // they reach a floor in a box of too many axes.
  [[nodiscard]] const std::vector<ClusterConfidence>& confidence() const;
  // Numbers of the doubtful clusters, ascending; none where nothing can be said.
  [[nodiscard]] std::vector<std::uint32_t> doubtful() const;
  // The map by which points are labelled: clusters keep their numbers, points of doubtful ones get none of them.
  [[nodiscard]] ClusterMap labelling(Doubtful doubtful = Doubtful::leave_out) const;

  // Without the noisy values: a small file that predicts, but cannot be reshaped.
  [[nodiscard]] Release without_noisy_values() const;
  // The release itself, or where its file would take more than `limit` bytes, without its noisy values, and where that
  // is not enough, without its smallest clusters: a charged release can always be kept.
  [[nodiscard]] Release trimmed_to(std::size_t limit = largest_file) const;

  [[nodiscard]] std::string json() const;
  // 2-D; longitude and latitude axes or any other plane.
  [[nodiscard]] std::string geojson(Doubtful doubtful = Doubtful::leave_out) const;
  [[nodiscard]] std::string csv() const;   // a row per clustered cell
  [[nodiscard]] std::string html() const;  // self-contained report
  // No file of that name takes more bytes for a release of this grid, whatever it holds; public parameters tell.
  // Refuses a suffix that is none, and a format that cannot hold such a release.
  static std::uint64_t most_bytes(const std::string& path, const Grid& grid, const ClusterOptions& options);
  // What a file of that name holds, by suffix: .json .geojson .csv .html .svg .png. Any other is refused.
  // doubtful: of GeoJSON alone; all others show them as such.
  [[nodiscard]] std::string contents(const std::string& path, Doubtful doubtful = Doubtful::leave_out) const;
  // Written aside, then put in place.
  void save(const std::string& path, Existing existing = Existing::refuse,
            Doubtful doubtful = Doubtful::leave_out) const;

 private:
  friend class ReleaseReader;
  friend class GroupedRelease;  // says in which groups a unit counts
  Release(ReleaseParts parts, std::uint64_t k, KSource k_source, double threshold, Clusters clusters,
          std::vector<ReleasedCluster> described, std::vector<ClusterConfidence> stated);

  void cluster(const Transformed& w);

  struct Described;  // what is computed when first asked for; shared by copies
  ReleaseParts parts_;
  std::uint64_t k_ = 0;
  KSource k_source_ = KSource::rule;
  double threshold_ = 0;
  Clusters clusters_;
  std::shared_ptr<Described> described_;
};

// Other threshold, wavelet, level, transform, adjacency, min_cells from the stored noisy values: free. Refuses what
// they cannot give: noisy sums allow no other wavelet or transform, and only levels that are coarser; with a floor or a
// censoring bound no other level either, and no threshold below it.
Release reshape(const Release& release, const ClusterOptions& options);

}  // namespace shoal
