#include "inference/automatic_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "inference/privwave_noise.hpp"

namespace shoal {

namespace {

constexpr std::array<double, 16> coverages = {30, 40, 50, 55, 60, 65, 70, 75, 80, 84, 88, 91, 94, 96, 98, 99.5};
constexpr double most_of_one = 98;
constexpr double clear_of_noise = 1.5;  // deviations of the noise from which on a threshold may be chosen
constexpr double least_share = 0.005;   // of the records: smaller clusters do not count

struct Look {
  std::size_t clusters = 0;
  bool clear = false;  // the threshold is out of the noise
  double merit = 0;
};

// How much the clusters tell about a record that lies in one (entropy), times the share of all records that lies above
// the threshold (excess mass). The first falls when clusters run into one another, the second when too little is left
// of them: a structure that breaks into pieces does so just below its own density.
Look look_at(const ReleaseParts& parts, const Transformed& w, double coverage) {
  ClusterOptions options = parts.options;
  options.threshold = {.rule = ThresholdRule::coverage, .coverage = coverage};
  const NoisySegmentation found = segment_noisy(parts, w, options);
  const double threshold = found.threshold / value_scale(parts.grid.shape(), options, NoisePlace::sums).threshold;
  const double records = std::max(1.0, static_cast<double>(parts.automatic->records.value()));
  const std::vector<std::int64_t> sizes = noisy_sizes(parts, found.clusters);
  std::vector<double> shares;
  Look look;
  look.clear = threshold >= clear_of_noise * std::sqrt(noise_of(*law_of_values(parts)).variance);
  double clustered = 0, above = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double share = static_cast<double>(sizes[i]) / records;
    if (share < least_share) continue;
    ++look.clusters;
    shares.push_back(share);
    clustered += share;
    above += share - static_cast<double>(found.clusters.sizes()[i]) * threshold / records;
  }
  double entropy = 0;
  for (const double share : shares) entropy -= share * std::log(share / clustered);
  look.merit = entropy * std::max(0.0, above);
  return look;
}

}  // namespace

void choose_coverage(ReleaseParts& parts) {
  const Transformed w = transformed_noisy(parts, parts.options);
  std::array<Look, coverages.size()> looks;
  for (std::size_t i = 0; i < coverages.size(); ++i) looks[i] = look_at(parts, w, coverages[i]);
  std::size_t best = 0;
  for (std::size_t i = 1; i < coverages.size(); ++i) {
    // Where nothing is told apart: one cluster of nearly all records.
    const bool more_of_one = looks[i].merit == 0 && looks[best].merit == 0 && coverages[i] <= most_of_one;
    if (looks[i].clear && (looks[i].merit > looks[best].merit || more_of_one)) best = i;
  }
  std::size_t first = best, last = best;
  while (first > 0 && looks[first - 1].clusters == looks[best].clusters) --first;
  while (last + 1 < looks.size() && looks[last + 1].clusters == looks[best].clusters) ++last;
  parts.options.threshold = {.rule = ThresholdRule::coverage, .coverage = coverages[best]};
  parts.automatic->stable = {coverages[first], coverages[last]};
}

}  // namespace shoal
