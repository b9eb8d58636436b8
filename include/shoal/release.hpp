// The artefact: what an analyst gets. Holds noised and public values only: a technique hands over what its mechanisms
// let through the wall, and everything else in a release (W', k', d', clusters, sizes) is computed from that here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/clusters.hpp"
#include "shoal/confidence.hpp"
#include "shoal/files.hpp"
#include "shoal/grid.hpp"
#include "shoal/noised.hpp"
#include "shoal/options.hpp"
#include "shoal/privacy.hpp"
#include "shoal/profile.hpp"

namespace shoal {

// What a technique asked about the transformed values W besides the counts themselves.
enum class Question {
  nonpositive,  // |Z|: how many values of W are not above 0 (privthr)
  positive,     // |L|: how many are
  threshold,    // d: from where on values of W are significant (privthr-em)
};

// The noised answer, and the W it is about: with another wavelet, level or transform it says nothing.
struct NoisyAnswer {
  Question question;
  Noised<std::int64_t> answer;
  std::string wavelet = "haar";
  unsigned level = 1;
  Transform transform = Transform::decimated;
  double percentile = 0;  // threshold only: the one it was drawn for
  double unit = 1;        // threshold only: d = answer * unit; under Haar d is a sum of counts and unit stays 1
};

// privwave's noisy profile, and the W it is about. What it cost stands in `spent` as "profile", and what the noisy
// values cost as "sums" or "counts": both tell the noise that reading the profile reckons with.
struct NoisyProfile {
  Noised<ProfileSums> sums;
  std::uint64_t scale = 1;  // steps to a record: the sums are in whole steps; 1 under Haar
  std::string wavelet = "haar";
  unsigned level = 1;
  Transform transform = Transform::decimated;
};

// What --auto chose for an owner who does not know the data, and by what. The grid stands in the axes, the threshold in
// the options.
struct AutomaticChoice {
  Noised<std::int64_t> records;  // the grid was chosen by them
  // Over this range of coverage the noisy values show the same number of clusters; the threshold was chosen in it. None
  // once the clusters were reshaped: it was about the ones that --auto chose.
  struct Range {
    double from = 0, to = 0;  // in percent
  };
  std::optional<Range> stable = {};
};

// What a technique hands over: exactly one of noisy_counts (on the grid's cells) and noisy_sums (already Haar sums on
// the cells of W).
struct ReleaseParts {
  std::string technique;
  Grid grid;
  ClusterOptions options;
  PrivacyUnit unit;
  Epsilon epsilon;
  std::vector<Spent> spent;  // adds up to epsilon
  bool is_private = false;
  std::optional<NoisyCounts> noisy_counts;
  std::optional<NoisyCounts> noisy_sums;
  unsigned sums_level = 1;  // of noisy_sums
  // Sums below were raised to this before their noise (privwave): what lies below is not known. 2^n - 1; then the first
  // n levels of the profile have the noise of all of epsilon.
  std::int64_t lowest = 0;
  std::optional<NoisyAnswer> answer;
  std::optional<NoisyProfile> profile;
  std::optional<AutomaticChoice> automatic = {};
  // Boxes too large to noise every value: noisy_sums are sparse and hold just the values that reach this floor. What
  // lies below is not known.
  std::optional<Noised<std::int64_t>> floor = {};
};

// Where k' came from. Under the rules top and density it is the rule's own.
enum class KSource {
  rule,         // options.threshold alone, on W' as it is (privqt, baseline)
  nonpositive,  // |Z|': as many of the smallest positives as noise made of it, about half, went first (privthr)
  positive,     // |L|'
  profile,      // |L| as the noisy profile has it, made smooth over its levels (privwave)
  threshold,    // d': k' is the number of values at or above it (privthr-em)
  scaled,       // d' was drawn for percentile q, not p: its k' times (100 - p) / (100 - q)
  negatives,    // no answer fits W: noise is symmetric, so as many positives are noise as there are negatives
};

struct ReleasedCluster {
  std::uint32_t id;
  std::uint64_t cells;
  std::vector<double> centroid;  // of its cells, in the axes' units
  std::int64_t noisy_size;       // records, from the noisy values; may be negative
  std::vector<Polygon> outline;  // 2-D only
};

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
  // Computed when first asked for; their number is that of cluster_cells().
  [[nodiscard]] const std::vector<ReleasedCluster>& clusters() const;
  [[nodiscard]] const Clusters& cluster_cells() const noexcept { return clusters_; }
  [[nodiscard]] ClusterMap map() const;
  // Of each cluster (index id - 1). Computed when first asked for, from the noisy values; a release without them has
  // what it was written with. Empty when nothing can be said: the noise of the noisy values is not known (baseline), or
  // they reach a floor in a box of too many axes.
  [[nodiscard]] const std::vector<ClusterConfidence>& confidence() const;

  // Without the noisy values: a small file that predicts, but cannot be reshaped.
  [[nodiscard]] Release without_noisy_values() const;
  // The release itself, or without its noisy values where its file would take more than `limit` bytes: what was paid
  // for can be kept even so.
  [[nodiscard]] Release fitting(std::size_t limit = largest_file) const;

  [[nodiscard]] std::string json() const;
  [[nodiscard]] std::string geojson() const;  // 2-D; longitude and latitude axes or any other plane
  [[nodiscard]] std::string csv() const;      // a row per clustered cell
  [[nodiscard]] std::string html() const;     // self-contained report
  // What a file of that name holds, by suffix: .json .geojson .csv .html .svg .png. Any other is refused.
  [[nodiscard]] std::string contents(const std::string& path) const;
  // Written aside, then put in place.
  void save(const std::string& path, Existing existing = Existing::refuse) const;

 private:
  friend class ReleaseReader;
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
// lowest value no other level either, and no threshold below it.
Release reshape(const Release& release, const ClusterOptions& options);

}  // namespace shoal
