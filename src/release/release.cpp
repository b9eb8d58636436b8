#include "shoal/release.hpp"

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <utility>

#include "inference/box_clusters.hpp"
#include "inference/cluster_confidence.hpp"
#include "inference/noisy_segmentation.hpp"
#include "inference/privwave_segment.hpp"
#include "release/describe.hpp"
#include "release/enum_words.hpp"
#include "release/parts.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

[[noreturn]] void fault(const std::string& what) {
  throw Error(ErrorKind::internal, fmt::format("a technique made no proper release: {}", what));
}

// Checks what every technique must provide. The reader of a file checks the file itself and names the place of each
// fault.
void check(const ReleaseParts& parts) {
  if (parts.values() == nullptr && parts.boxes() == nullptr) fault("no noisy values");
  if (parts.counts() != nullptr && parts.counts()->counts.value().shape() != parts.grid.shape()) {
    fault("noisy counts of another shape than the grid");
  }
  if (parts.blocks_level() > 0) {
    if (parts.values()->value().shape() !=
        transformed_shape(parts.grid.shape(), parts.blocks_level(), Transform::decimated)) {
      fault("noisy sums of another shape than W");
    }
    check_transform(parts, parts.options);
  }
  if (parts.profile() != nullptr && !can_use_profile(parts)) fault("a profile without the law of its noise");
  check_bound(parts);
  Epsilon sum = Epsilon::zero();
  for (const Spent& spent : parts.spent()) sum = sum + spent.epsilon;
  if (sum != parts.epsilon) {
    fault(fmt::format("{} was spent where epsilon is {}", sum.text(), parts.epsilon.text()));
  }
}

}  // namespace

struct Release::Described {
  std::once_flag clusters_asked, confidence_asked;
  std::optional<std::vector<std::int64_t>> sizes;  // of the clusters, if a file stated them
  std::vector<ReleasedCluster> clusters;
  std::vector<ClusterConfidence> confidence;
};

Release::Release(ReleaseParts parts) : parts_(std::move(parts)), described_(std::make_shared<Described>()) {
  check(parts_);
  if (const BoxSums* sums = parts_.boxes()) {
    BoxClusters found = clusters_of_boxes(parts_);
    std::call_once(described_->confidence_asked, [&] { described_->confidence = confidence_of_boxes(*sums, found); });
    clusters_ = std::move(found.clusters);
    k_ = clusters_.cells().size();
    return;
  }
  cluster(transformed_noisy(parts_, parts_.options));
}

Release::Release(ReleaseParts parts, const Noised<Transformed>& w)
    : parts_(std::move(parts)), described_(std::make_shared<Described>()) {
  check(parts_);
  cluster(w.value());
}

void Release::cluster(const Transformed& w) {
  NoisySegmentation segmentation = segment_noisy(parts_, w, parts_.options);
  k_ = segmentation.k;
  k_source_ = segmentation.source;
  threshold_ = segmentation.threshold;
  clusters_ = std::move(segmentation.clusters);
  if (!std::holds_alternative<DensityModes>(parts_.options.threshold)) return;
  std::call_once(described_->confidence_asked, [&] { described_->confidence = std::move(segmentation.confidence); });
}

Release::Release(ReleaseParts parts, std::uint64_t k, KSource k_source, double threshold, Clusters clusters,
                 std::vector<std::int64_t> sizes, std::vector<ClusterConfidence> stated)
    : parts_(std::move(parts)),
      k_(k),
      k_source_(k_source),
      threshold_(threshold),
      clusters_(std::move(clusters)),
      described_(std::make_shared<Described>()) {
  described_->sizes = std::move(sizes);
  if (parts_.values() != nullptr || parts_.boxes() != nullptr) return;
  std::call_once(described_->confidence_asked, [&] { described_->confidence = std::move(stated); });
}

ClusterMap Release::map() const { return {parts_.grid, parts_.options.level, parts_.options.transform, clusters_}; }

Assign Release::usual_assign() const noexcept {
  if (parts_.boxes() != nullptr || is_cut(parts_.grid)) return Assign::none;  // boxes reach as far as their clusters
  return std::holds_alternative<DensityModes>(parts_.options.threshold) ? Assign::halo : Assign::none;
}

const std::vector<ReleasedCluster>& Release::clusters() const {
  std::call_once(described_->clusters_asked, [this] {
    const std::vector<std::int64_t> sizes = described_->sizes ? *described_->sizes : noisy_sizes(parts_, clusters_);
    described_->clusters = describe(map(), sizes, parts_.options.threads);
  });
  return described_->clusters;
}

const std::vector<ClusterConfidence>& Release::confidence() const {
  std::call_once(described_->confidence_asked,
                 [this] { described_->confidence = confidence_of(parts_, clusters_, threshold_); });
  return described_->confidence;
}

std::vector<std::uint32_t> Release::doubtful() const {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < confidence().size(); ++i) {
    if (is_doubtful(confidence()[i])) result.push_back(static_cast<std::uint32_t>(i + 1));
  }
  return result;
}

ClusterMap Release::labelling(Doubtful doubtful) const {
  return doubtful == Doubtful::keep ? map() : map().without(this->doubtful());
}

void check_publication(const Publication& publication) {
  for (const auto& [name, field] : publication_fields) {
    const std::string& text = publication.*field;
    if (text.size() > Publication::longest) {
      throw InputError(
          fmt::format("the {} has {} bytes; at most {} are allowed", name, text.size(), Publication::longest));
    }
    if (text.find_first_of("\r\n") != std::string::npos) {
      throw InputError(fmt::format("the {} has several lines; write it in one", name));
    }
  }
  if (publication.base_map.size() > Publication::longest_base_map) {
    throw InputError(fmt::format("the base map takes {} bytes within the bounds; at most {} are allowed. Simplify it",
                                 publication.base_map.size(), Publication::longest_base_map));
  }
}

Release Release::published(Publication publication) const {
  check_publication(publication);
  Release result = *this;
  result.parts_.publication = std::move(publication);
  return result;
}

Release Release::without_noisy_values() const {
  static_cast<void>(clusters());  // neither can be computed afterwards
  static_cast<void>(confidence());
  Release result = *this;
  result.parts_.noisy = Withheld{parts_.paid()};
  result.parts_.hint = {};
  return result;
}

void check_reshape(const ReleaseParts& parts, const ClusterOptions& options) {
  check_transform(parts, options);
  check_above_bound(parts, options);
}

Release reshape(const Release& release, const ClusterOptions& options) {
  ClusterOptions alike = options;
  alike.threads = release.parts().options.threads;
  // Without noisy values a release cannot change, but it can be written to other files.
  if (release.parts().values() == nullptr && alike == release.parts().options) return release;
  check_reshape(release.parts(), options);
  ReleaseParts parts = release.parts();
  parts.options.threads = options.threads;
  parts.options = options;
  return Release(std::move(parts));
}

}  // namespace shoal
