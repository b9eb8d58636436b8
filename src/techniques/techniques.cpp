#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "privacy/sensitivity.hpp"
#include "publishing/publishing.hpp"
#include "shoal/error.hpp"
#include "shoal/private_release.hpp"
#include "shoal/text.hpp"
#include "techniques/plans.hpp"

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
  check_options(options);
  return technique.run(std::move(data), epsilon, options, noise);
}

std::vector<Spent> planned_spending(const std::string& name, const Grid& grid, Epsilon epsilon,
                                    const PrivateOptions& options) {
  const Technique& technique = technique_named(name);
  check_options(options);
  Plan plan = technique.plan(grid, epsilon, options);
  require_rates(plan, options.unit);
  return plan;
}

void check_options(const PrivateOptions& options) {
  check_level(options.cluster.level);
  options.unit.check();
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

void require_noise_on_every_cell(const std::string& technique, const Grid& grid, const PrivateOptions& options) {
  if (grid.cell_count() <= options.dense_limit) return;
  throw InputError(fmt::format(
      "{} adds noise to every cell, and a grid of {} cells has too many; use privwave, or fewer cells per axis",
      technique, grid.cell_count()));
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
