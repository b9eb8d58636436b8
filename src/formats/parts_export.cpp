#include "formats/parts_export.hpp"

#include "formats/export.hpp"
#include "inference/noisy_segmentation.hpp"

namespace shoal {

std::string parts_features(const std::vector<ReleaseGroup>& parts, const std::string& key, Doubtful doubtful) {
  std::string features;
  for (const ReleaseGroup& part : parts) {
    const Release& release = part.release;
    std::vector<std::int64_t> sizes;
    for (const ReleasedCluster& cluster : release.clusters()) sizes.push_back(cluster.noisy_size);
    const std::vector<std::uint32_t> left_out =
        doubtful == Doubtful::keep ? std::vector<std::uint32_t>{} : release.doubtful();
    const std::string of =
        clusters_features(release.map(), sizes, "noisy_size", release.confidence(), left_out, PartName{key, part.name});
    if (!features.empty() && !of.empty()) features += ",";
    features += of;
  }
  return features;
}

std::string parts_csv(const std::vector<ReleaseGroup>& parts, const std::string& key) {
  std::string text;
  for (const ReleaseGroup& part : parts) {
    const ReleaseParts& of = part.release.parts();
    const bool whole = of.values() != nullptr;
    const Cells<std::int64_t> records = whole ? noisy_records(of) : Cells<std::int64_t>();
    text += cells_csv(part.release.map(), whole ? &records : nullptr, "noisy_count", of.is_private,
                      CellIntervals::of(of, part.release.cluster_cells()), PartName{key, part.name}, text.empty());
  }
  return text;
}

}  // namespace shoal
