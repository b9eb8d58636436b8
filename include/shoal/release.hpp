// A release, which may be shared. It holds only noised and public values. A technique passes on the noised values of
// its mechanisms, and everything else in a release (W', k', d', clusters, sizes) is computed from these values here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/confidence.hpp"
#include "shoal/evidence.hpp"

namespace shoal {

enum class Existing : std::uint8_t;

// A cluster as a release describes it.
struct ReleasedCluster {
  std::uint32_t id;
  std::uint64_t cells;
  // Centroid of the cells of the cluster, in the units of the axes.
  std::vector<double> centroid;
  // Number of records, computed from the noisy values. It may be negative.
  std::int64_t noisy_size;
  // Outline of the cluster. Only for two dimensions.
  std::vector<Polygon> outline;
};

// What happens to doubtful clusters, which may be noise, chance or part of a uniform area (confidence.hpp).
enum class Doubtful { leave_out, keep };

// How a picture of a release is drawn.
struct PictureStyle {
  // The number shown on the first cluster. 0 matches labels that start at 0, as in Python.
  std::uint32_t first_number = 1;
  // Pixels per unit of length in a .png. If not set, the picture suits a page or a slide in print.
  std::optional<double> scale = std::nullopt;
};

class Release {
 public:
  static constexpr int format_version = 1;
  // Maximum size of a release file in bytes. A larger file is neither written nor read.
  static constexpr std::size_t largest_file = std::size_t{1} << 29;

  // Transforms, thresholds and connects the noisy values. This is the public half of every technique.
  explicit Release(ReleaseParts parts);
  // Does the same if W' was computed together with the noise. `w` must be the transform of the noisy values of `parts`
  // under their options.
  Release(ReleaseParts parts, const Noised<Transformed>& w);
  // Read a file or a text. Throw if it violates a rule of docs/release.schema.json or is inconsistent; the message
  // names the place in the file. `where` names the source in messages.
  static Release load(const std::string& path);
  static Release parse(std::string json_text, const std::string& where);

  [[nodiscard]] const ReleaseParts& parts() const noexcept { return parts_; }
  [[nodiscard]] std::uint64_t k() const noexcept { return k_; }
  [[nodiscard]] KSource k_source() const noexcept { return k_source_; }
  // Returns the threshold in the units of W. Nothing below it is significant. It is 0 if there is no cluster.
  [[nodiscard]] double threshold() const noexcept { return threshold_; }
  // Returns the clusters, one for each cluster of cluster_cells(). Computed on first use.
  [[nodiscard]] const std::vector<ReleasedCluster>& clusters() const;
  [[nodiscard]] const Clusters& cluster_cells() const noexcept { return clusters_; }
  [[nodiscard]] ClusterMap map() const;
  // Returns how points are labelled by default. With --auto, labels reach one cell beyond the modes that are drawn.
  [[nodiscard]] Assign usual_assign() const noexcept;
  // Returns the confidence of each cluster, at index id - 1. On first use, it is computed from the noisy values; a
  // release without noisy values has the confidence that its file states. Empty if it cannot be computed, because the
  // noise of the values is unknown (baseline), or because the values have a floor and the box has too many axes.
  [[nodiscard]] const std::vector<ClusterConfidence>& confidence() const;
  // Returns the numbers of the doubtful clusters, ascending. Empty if the confidence is unknown.
  [[nodiscard]] std::vector<std::uint32_t> doubtful() const;
  // Returns the map that labels points. Clusters keep their numbers. Unless `doubtful` is keep, points of doubtful
  // clusters get no label.
  [[nodiscard]] ClusterMap labelling(Doubtful doubtful = Doubtful::leave_out) const;

  // Returns the release with this text for its readers. Throws if a field has more than Publication::longest bytes or
  // more than one line.
  [[nodiscard]] Release published(Publication publication) const;
  // Returns the release without its noisy values. Its file is small and can label points, but cannot be reshaped.
  [[nodiscard]] Release without_noisy_values() const;
  // Returns the release itself if its file takes at most `limit` bytes. Otherwise returns it without its noisy values
  // and, if that is not enough, also without its smallest clusters. A charged release,
  // which holds its noisy values, can thus be kept.
  [[nodiscard]] Release trimmed_to(std::size_t limit = largest_file) const;

  // Returns the release as JSON (docs/formats.md). Throws if the text exceeds largest_file bytes.
  [[nodiscard]] std::string json() const;
  // Returns the outlines of the clusters as GeoJSON. Requires two axes, which may be longitude and latitude or any
  // others.
  [[nodiscard]] std::string geojson(Doubtful doubtful = Doubtful::leave_out) const;
  // Returns one row per clustered cell as CSV.
  [[nodiscard]] std::string csv() const;
  // Returns a picture of the density and the clusters. The suffix of `path` selects the format: .svg or .png, or
  // .slide.svg or .slide.png in the shape of a slide.
  [[nodiscard]] std::string picture(const std::string& path, const PictureStyle& style = {}) const;
  // Returns a self-contained report as HTML.
  [[nodiscard]] std::string html() const;
  // Returns the maximum number of bytes of such a file for a release of this grid. Computed from public parameters
  // only. The suffix of `path` selects the format. Throws if the suffix is unknown or the format cannot hold such a
  // release.
  static std::uint64_t most_bytes(const std::string& path, const Grid& grid, const ClusterOptions& options);
  // Returns the contents of a file. The suffix of `path` selects the format: .json, .geojson, .gpkg, .tif, .csv, .html,
  // .svg or .png. Throws if the suffix is any other. `doubtful` affects only GeoJSON and GeoPackage; the other
  // formats show doubtful clusters as such.
  [[nodiscard]] std::string contents(const std::string& path, Doubtful doubtful = Doubtful::leave_out) const;
  // Writes the contents to a temporary file and then moves it into place.
  // An existing file is refused, unless Existing::replace (files.hpp) is given.
  void save(const std::string& path) const;
  void save(const std::string& path, Existing existing, Doubtful doubtful = Doubtful::leave_out) const;

 private:
  friend class ReleaseReader;
  friend class ReleaseSet;  // States in which groups a unit counts.
  Release(ReleaseParts parts, std::uint64_t k, KSource k_source, double threshold, Clusters clusters,
          std::vector<std::int64_t> sizes, std::vector<ClusterConfidence> stated);

  void cluster(const Transformed& w);

  struct Described;  // What is computed on first use. Copies share it.
  ReleaseParts parts_;
  std::uint64_t k_ = 0;
  KSource k_source_ = KSource::rule;
  double threshold_ = 0;
  Clusters clusters_;
  std::shared_ptr<Described> described_;
};

// Returns the release with another threshold, wavelet, level, transform, adjacency or min_cells, computed from the
// stored noisy values. It costs no budget. Throws if the noisy values do not allow the options. Noisy sums allow only
// Haar, the decimated transform, and levels that are not finer. With a floor or a censoring bound, they allow no other
// level and no threshold below it. Options that are those of the release are allowed in any case.
Release reshape(const Release& release, const ClusterOptions& options);

// Returns the value of Publication::base_map for the owner's own map: GeoJSON in degrees, cut at the bounds of the
// grid, whose axes must be longitude and latitude (docs/page.md). Throws if the text is not such a map, or if nothing
// of it lies inside the bounds.
std::string published_base_map(const std::string& geojson, const Grid& grid);
// Returns the colour of each cluster as "#rrggbb", as pictures show it.
std::vector<std::string> cluster_colors_of(const Release& release);
// Returns the axes of a grid as a JSON array, in the form that files of releases have (docs/formats.md).
std::string axes_json(const Grid& grid);

}  // namespace shoal
