#include "inference/noisy_segmentation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/wide.hpp"
#include "clusters/clustered_sums.hpp"
#include "inference/box_clusters.hpp"
#include "inference/noise_share.hpp"
#include "inference/noisy_modes.hpp"
#include "inference/privwave_segment.hpp"
#include "shoal/error.hpp"
#include "wavelet/haar_blocks.hpp"

namespace shoal {

namespace {

struct Signs {
  std::uint64_t positive = 0;
  std::uint64_t negative = 0;
};

Signs signs(const Transformed& w) {
  Signs result;
  w.visit([&result](const auto& cells) {
    for (const auto value : cells.values()) {
      result.positive += value > 0 ? 1U : 0U;
      result.negative += value < 0 ? 1U : 0U;
    }
  });
  return result;
}

// The significant cells under a rule whose density, if any, is given in the units of the stored values.
NoisySegmentation threshold_and_connect(const Transformed& w, const Threshold& rule, const ClusterOptions& options) {
  NoisySegmentation result;
  w.visit([&](const auto& cells) {
    const auto significant = significant_cells(cells, rule, options.threads);
    result.k = std::holds_alternative<Density>(rule) ? significant.cells.size() : significant.k;
    result.threshold = significant.cells.empty() ? 0 : static_cast<double>(significant.threshold) * w.unit();
    result.clusters = connect(w.shape(), significant.cells, options.adjacency, options.min_cells, options.threads);
  });
  return result;
}

NoisySegmentation top(const Transformed& w, std::uint64_t k, KSource source, const ClusterOptions& options) {
  NoisySegmentation result;
  if (k == 0) {
    result.clusters = connect(w.shape(), {}, options.adjacency, options.min_cells);
  } else {
    result = threshold_and_connect(w, Top(k), options);
  }
  result.k = k;
  result.source = source;
  return result;
}

// Under Haar d' is a sum of counts and is compared as the integer it is.
NoisySegmentation at_threshold(const Transformed& w, const ReleaseParts& parts, const ClusterOptions& options) {
  const NoisyAnswer& drawn = *parts.answer();
  const Density rule(static_cast<double>(drawn.answer.value()) * (w.is_haar() ? 1.0 : drawn.unit));
  NoisySegmentation result = threshold_and_connect(w, rule, options);
  result.source = KSource::threshold;
  return result;
}

// answer: a NoisyAnswer or a NoisyProfile.
bool is_about(const auto& answer, const ClusterOptions& options) {
  return answer.wavelet == options.wavelet && answer.level == options.level && answer.transform == options.transform;
}

// |L| guessed from k at percentile q: k = (1 - q/100) |L|.
std::uint64_t positives_from(std::uint64_t k, double percentile) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(k) * 100.0 / (100.0 - percentile)));
}

// Without an answer about W: noise is symmetric, so as many positives are noise as there are negatives.
NoisySegmentation by_negatives(const Transformed& w, const ClusterOptions& options) {
  const auto [positive, negative] = signs(w);
  const std::uint64_t kept = positive - std::min(positive, negative);
  const std::uint64_t k = kept == 0 ? 0 : significant_count(std::get<Percentile>(options.threshold), kept);
  return top(w, k, KSource::negatives, options);
}

// Without a profile of W: what noise adds to some values it takes from others, so that all of them together hold the
// records, and the largest are taken until they hold their share of that.
NoisySegmentation by_sums(const Transformed& w, const ClusterOptions& options) {
  double all = 0, positive = 0;
  w.visit([&](const auto& cells) {
    for (const auto value : cells.values()) {
      all += static_cast<double>(value);
      if (value > 0) positive += static_cast<double>(value);
    }
  });
  if (!(all > 0)) return top(w, 0, KSource::negatives, options);
  Coverage rule = std::get<Coverage>(options.threshold);
  constexpr double least = std::numeric_limits<double>::denorm_min();  // a share above 0 stays one
  if (all < positive) rule = Coverage(std::max(least, rule.percent() * (all / positive)));
  NoisySegmentation result = threshold_and_connect(w, rule, options);
  if (all < positive) result.source = KSource::negatives;
  return result;
}

// Filters other than Haar's, where noise is so rare that most values of W' are exact. A profile counts records, and
// small values of such filters are fractions of one, so it never tells |L| exactly; the values do. A zero stays zero
// with chance 1 - 2 share, and of the others noise makes one half positive.
bool is_mostly_exact(const Transformed& w, double share) { return !w.is_haar() && 1 - 2 * share >= 0.5; }

NoisySegmentation by_exact_values(const Transformed& w, double share, const ClusterOptions& options) {
  const auto* percentile = std::get_if<Percentile>(&options.threshold);
  if (percentile == nullptr) return threshold_and_connect(w, options.threshold, options);
  const auto [positive, negative] = signs(w);
  const auto zeros = static_cast<double>(cell_count(w.shape()) - positive - negative) / (1 - 2 * share);
  const std::uint64_t kept = positives_left(positive, std::llround(zeros), share);
  return top(w, kept == 0 ? 0 : significant_count(*percentile, kept), KSource::rule, options);
}

NoisySegmentation by_percentile(const Transformed& w, const ReleaseParts& parts, const ClusterOptions& options) {
  const NoisyAnswer& known = *parts.answer();
  const Percentile percentile = std::get<Percentile>(options.threshold);
  if (!is_about(known, options)) return by_negatives(w, options);
  const std::uint64_t positive = signs(w).positive;  // |L'|
  const auto k_of = [&](std::uint64_t kept) { return kept == 0 ? 0 : significant_count(percentile, kept); };
  if (known.question == Question::nonpositive) {
    const std::uint64_t kept =
        w.is_haar() ? positives_left(positive, known.answer.value(), positive_noise_share(parts, options))
                    : positives_of_filter(parts, options, positive);
    return top(w, k_of(kept), KSource::nonpositive, options);
  }
  if (percentile.percent() == known.percentile) return at_threshold(w, parts, options);
  const std::uint64_t drawn_k = at_threshold(w, parts, options).k;
  return top(w, k_of(std::min(positives_from(drawn_k, known.percentile), positive)), KSource::scaled, options);
}

}  // namespace

Transformed transformed_noisy(const ReleaseParts& parts, const ClusterOptions& options) {
  if (parts.counts()) return transform(parts.counts()->counts.value(), options);
  const unsigned coarser = options.level - parts.blocks_level();
  if (coarser == 0) return {parts.values()->shared(), options.level};
  return {haar_sums(parts.values()->value(), coarser, Transform::decimated, options.threads), options.level};
}

NoisySegmentation segment_noisy(const ReleaseParts& parts, const Transformed& w, const ClusterOptions& options) {
  if (std::holds_alternative<DensityModes>(options.threshold)) {
    Modes modes = noisy_modes(parts, w, options);
    NoisySegmentation result;
    result.k = modes.clusters.cells().size();
    result.threshold = modes.lowest * w.unit();
    result.confidence = confidence_of(parts, w, modes);
    result.clusters = std::move(modes.clusters);
    return result;
  }
  const bool known = parts.profile() && is_about(*parts.profile(), options);
  const bool needs_k =
      std::holds_alternative<Coverage>(options.threshold) || std::holds_alternative<Percentile>(options.threshold);
  if (known && needs_k) {
    const double share = positive_noise_share(parts, options);
    if (is_mostly_exact(w, share)) return by_exact_values(w, share, options);
  }
  if (std::holds_alternative<Coverage>(options.threshold)) {
    return known ? segment_by_profile(parts, w, options) : by_sums(w, options);
  }
  if (std::holds_alternative<Percentile>(options.threshold)) {
    if (parts.profile()) {
      return known ? segment_by_profile(parts, w, options) : by_negatives(w, options);
    }
    if (parts.answer()) return by_percentile(w, parts, options);
  }
  Segmentation plain = segment(w, options);
  NoisySegmentation result;
  result.k = plain.k;
  result.threshold = plain.significant == 0 ? 0 : plain.threshold;
  result.clusters = std::move(plain.clusters);
  return result;
}

void check_transform(const ReleaseParts& parts, const ClusterOptions& options) {
  refuse_boxes(parts, "reshaped");
  if (parts.values() == nullptr) {
    throw InputError(
        "this release holds its clusters but no noisy values, so it cannot be reshaped; ask the data owner for the "
        "file with noisy values");
  }
  if (parts.counts()) return;
  if (!options.wavelet.is_haar() || options.transform != Transform::decimated) {
    throw InputError(fmt::format(
        "this release holds noisy Haar sums, not counts: wavelet '{}' or another transform cannot be computed from "
        "them; "
        "keep wavelet haar and transform decimated",
        options.wavelet.name()));
  }
  if (options.level < parts.blocks_level()) {
    throw InputError(fmt::format("this release holds noisy sums of level {}, and level {} is finer; choose {} or more",
                                 parts.blocks_level(), options.level, parts.blocks_level()));
  }
}

Cells<std::int64_t> noisy_records(const ReleaseParts& parts) {
  if (parts.counts()) return parts.counts()->counts.value();
  if (parts.has_floor()) return parts.values()->value();  // its axes are multiples of a block: every cell counts once
  if (has_whole_blocks(parts.grid.shape(), parts.blocks_level())) return parts.values()->value();
  return counted_once(parts.values()->value(), haar_pieces(parts.grid.shape(), parts.blocks_level()));
}

Cells<std::int64_t> shown_values(const ReleaseParts& parts) {
  if (parts.values() == nullptr) return Cells<std::int64_t>::sparse(parts.grid.shape(), {}, {});
  Cells<std::int64_t> values = parts.values()->value();
  if (parts.censored_below() == 0) return values;
  for (std::int64_t& value : values.values()) value = value <= parts.censored_below() ? 0 : value;
  return values;
}

std::vector<std::int64_t> noisy_sizes(const ReleaseParts& parts, const Clusters& clusters) {
  if (const BoxSums* sums = parts.boxes()) return sizes_of_boxes(*sums, clusters_of_boxes(parts));
  const unsigned threads = parts.options.threads;
  const std::vector<std::int64_t> cell_sums =
      parts.counts() ? clustered_sums(clusters, parts.counts()->counts.value(), threads)  // no copy
                     : clustered_sums(clusters, noisy_records(parts), threads);
  std::vector<Int128> sums(clusters.count());
  for (std::size_t i = 0; i < cell_sums.size(); ++i) sums[clusters.labels()[i] - 1] += cell_sums[i];
  std::vector<std::int64_t> sizes;
  for (const Int128 sum : sums) sizes.push_back(within_64_bits(sum));
  return sizes;
}

}  // namespace shoal
