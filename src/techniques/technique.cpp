#include "techniques/technique.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/nearest.hpp"
#include "inference/floor.hpp"
#include "privacy/largest.hpp"
#include "privacy/noise_tail.hpp"
#include "privacy/sensitivity.hpp"
#include "publishing/publishing.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

struct Technique {
  const char* name;
  Release (*run)(RawData, Epsilon, const PrivateOptions&, Noise&);
  Plan (*plan)(const Grid&, Epsilon, const PrivateOptions&);
  bool any_rule = true;    // else: percentiles only
  bool any_weight = true;  // else: no shares of units
};

Plan plan_baseline(const Grid& grid, Epsilon epsilon, const PrivateOptions& options) {
  return planned_publication(options.publisher, grid, epsilon, options.unit);
}

constexpr std::array techniques = {
    Technique{"privwave", &privwave, &plan_privwave},
    Technique{"privthr-em", &privthr_em, &plan_privthr_em, false, false},
    Technique{"privthr", &privthr, &plan_privthr, false},
    Technique{"privqt", &privqt, &plan_privqt},
    Technique{"baseline", &baseline, &plan_baseline},
};

const Technique& technique_named(const std::string& name) {
  for (const Technique& technique : techniques) {
    if (technique.name == name) return technique;
  }
  throw InputError(fmt::format("there is no technique '{}'{}; choose one of {}", name,
                               did_you_mean(name, technique_names()), fmt::join(technique_names(), ", ")));
}

}  // namespace

std::vector<std::string> technique_names() {
  std::vector<std::string> names;
  for (const Technique& technique : techniques) names.emplace_back(technique.name);
  return names;
}

std::vector<std::string> technique_names(const Threshold& threshold, const PrivacyUnit& unit) {
  std::vector<std::string> names;
  for (const Technique& technique : techniques) {
    const bool takes_rule = technique.any_rule || std::holds_alternative<Percentile>(threshold);
    if (takes_rule && (technique.any_weight || !unit.share)) names.emplace_back(technique.name);
  }
  return names;
}

Release run_technique(const std::string& name, RawData data, Epsilon epsilon, const PrivateOptions& options,
                      Noise& noise) {
  const Technique& technique = technique_named(name);
  check_options(data.counts.grid(), options);
  return technique.run(std::move(data), epsilon, options, noise);
}

std::vector<Spent> planned_spending(const std::string& name, const Grid& grid, Epsilon epsilon,
                                    const PrivateOptions& options) {
  const Technique& technique = technique_named(name);
  check_options(grid, options);
  Plan plan = technique.plan(grid, epsilon, options);
  require_rates(plan, options.unit);
  return plan;
}

void check_options(const Grid& grid, const PrivateOptions& options) {
  static_cast<void>(transformed_shape(grid.shape(), options.cluster.level, options.cluster.transform));
  static_cast<void>(options.unit.records_changed());
}

void refuse_shares(const std::string& technique, const PrivacyUnit& unit) {
  if (!unit.share) return;
  throw InputError(fmt::format(
      "{} counts whole records and cannot share a unit's weight; use privwave, or give max-contributions instead",
      technique));
}

void require_percentile(const std::string& technique, const PrivateOptions& options) {
  if (std::holds_alternative<Percentile>(options.cluster.threshold)) return;
  throw InputError(fmt::format(
      "{} spends budget to find the threshold of a percentile; give a percentile, or use privwave for other thresholds",
      technique));
}

void require_blocks(const std::string& technique, const Grid& grid, const PrivateOptions& options) {
  const ClusterOptions& cluster = options.cluster;
  if (!cluster.wavelet.is_haar() || cluster.transform != Transform::decimated) {
    throw InputError(
        fmt::format("a grid of {} cells is too large for noise on every cell, and {} then supports only wavelet haar "
                    "and transform decimated; use those, or fewer cells per axis",
                    grid.cell_count(), technique));
  }
  for (const Axis& axis : grid.axes()) {
    const std::uint64_t block = std::uint64_t{1} << std::min(cluster.level, 62U);
    if (!axis.kind().is_pooled() || axis.cells() % block == 0) continue;
    throw InputError(fmt::format(
        "a grid of {} cells is too large for noise on every cell, and {} then needs multiples of {} cells per axis; "
        "use {} instead of {}",
        grid.cell_count(), technique, block, (axis.cells() / block + 1) * block, axis.cells()));
  }
}

std::uint64_t block_cells(const Grid& grid, const ClusterOptions& options) {
  return std::uint64_t{1} << std::min<std::uint64_t>(grid.shape().pooled_axes() * options.level, 62);
}

void require_small_blocks(const std::string& technique, const Grid& grid, const PrivateOptions& options) {
  constexpr std::uint64_t most_block_cells = 4096;
  if (grid.cell_count() <= options.dense_limit) return;
  require_blocks(technique, grid, options);
  if (block_cells(grid, options.cluster) <= most_block_cells) return;
  throw InputError(fmt::format(
      "on a grid of {} cells {} supports blocks of at most {} cells, but level {} needs blocks of {}; choose a "
      "lower level, or use privwave",
      grid.cell_count(), technique, most_block_cells, options.cluster.level, block_cells(grid, options.cluster)));
}

double block_tail(const Epsilon& for_counts, const PrivacyUnit& unit, std::uint64_t cells, std::int64_t floor) {
  const Rate rate = Rate::of(for_counts, unit.records_changed() * unit.parts());
  return tail_chance(rate, cells, least_near(floor, unit.parts()));
}

std::int64_t least_block_floor(std::int64_t from, const Grid& grid, const ClusterOptions& options,
                               const PrivacyUnit& unit, const Epsilon& for_counts) {
  const auto cells = static_cast<double>(cell_count(transformed_shape(grid.shape(), options.level, options.transform)));
  const auto fits = [&](std::int64_t floor) {
    return cells * block_tail(for_counts, unit, block_cells(grid, options), floor) <= most_noise_cells;
  };
  if (fits(from)) return from;
  std::int64_t low = from, high = 2 * low;  // low does not fit
  while (!fits(high)) high *= 2;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(middle) ? high : low) = middle;
  }
  return high;
}

ReleaseParts release_parts(std::string technique, const Grid& grid, Epsilon epsilon, const PrivateOptions& options,
                           const Mechanisms& mechanisms, NoisyValues noisy, NoisyHint hint) {
  return {.technique = std::move(technique),
          .grid = grid,
          .options = options.cluster,
          .unit = options.unit,
          .epsilon = epsilon,
          .is_private = mechanisms.is_private(),
          .noisy = std::move(noisy),
          .hint = std::move(hint),
          .automatic = {},
          .ledger_head = options.ledger_head};
}

Release release_of(std::string technique, const Grid& grid, Epsilon epsilon, const PrivateOptions& options,
                   const Mechanisms& mechanisms, NoisyTransform noisy, NoisyHint hint) {
  ReleaseParts parts = release_parts(std::move(technique), grid, epsilon, options, mechanisms,
                                     GridCounts{std::move(noisy.counts)}, std::move(hint));
  return noisy.w ? Release(std::move(parts), *noisy.w) : Release(std::move(parts));
}

NoisyAnswer answer_about(const ClusterOptions& options, Question question, const Noised<std::int64_t>& answer,
                         double unit) {
  return {.question = question,
          .answer = answer,
          .wavelet = options.wavelet,
          .level = options.level,
          .transform = options.transform,
          .percentile = std::get<Percentile>(options.threshold).percent(),
          .unit = unit};
}

}  // namespace shoal
