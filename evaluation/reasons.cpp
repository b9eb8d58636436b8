#include "evaluation/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inference/laplace_law.hpp"

namespace shoal::evaluation {

namespace {

// The runs behind a figure.
std::vector<const Row*> runs_of(const Evidence& evidence, const Figure& figure) {
  std::vector<const Row*> runs;
  for (const Epsilon epsilon : figure.epsilons) {
    const std::vector<const Row*> more = evidence.runs(figure.dataset, figure.technique, epsilon);
    runs.insert(runs.end(), more.begin(), more.end());
  }
  return runs;
}

std::string budget_words(const std::vector<Epsilon>& epsilons) {
  std::vector<std::string> texts;
  for (const Epsilon epsilon : epsilons) texts.push_back(epsilon.text());
  return fmt::format("epsilon {}", fmt::join(texts, ", "));
}

// "Missed by PrivTHR_EM at epsilon 0.1; by Baseline at epsilon 0.5, 1." Each technique and budget once.
std::string where(const std::vector<Figure>& misses) {
  std::vector<std::pair<std::string, std::vector<Epsilon>>> places;
  for (const Figure& miss : misses) {
    auto found =
        std::find_if(places.begin(), places.end(), [&](const auto& one) { return one.first == miss.technique; });
    if (found == places.end()) found = places.insert(places.end(), {miss.technique, {}});
    for (const Epsilon epsilon : miss.epsilons) {
      if (std::find(found->second.begin(), found->second.end(), epsilon) == found->second.end()) {
        found->second.push_back(epsilon);
      }
    }
  }
  std::vector<std::string> words;
  for (auto& [technique, epsilons] : places) {
    std::sort(epsilons.begin(), epsilons.end());
    words.push_back(fmt::format("by {} at {}", display_name(technique), budget_words(epsilons)));
  }
  return fmt::format("Missed {}.", fmt::join(words, "; "));
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

std::vector<double> values_of(const std::vector<const Row*>& runs, const std::string& quantity) {
  std::vector<double> values;
  for (const Measure& measure : measures()) {
    if (quantity != measure.column) continue;
    for (const Row* run : runs) {
      if (const auto value = measure.read(*run)) values.push_back(*value);
    }
  }
  return values;
}

// OCM and 2CE: whether a few runs make the mean.
std::string spread_words(const Figure& miss, const std::vector<const Row*>& runs) {
  const std::vector<double> values = values_of(runs, miss.quantity);
  const double mean = mean_of(values);
  std::vector<double> above, below;
  for (const double value : values) (value > mean ? above : below).push_back(value);
  if (above.empty()) return fmt::format("All {} runs have {:.3f}.", values.size(), mean);
  return fmt::format("{} of {} runs lie above the mean and average {:.3f}, the others {:.3f}.", above.size(),
                     values.size(), mean_of(above), mean_of(below));
}

// DSG_C and the F-measure: the cells taken, and the runs with the true number of clusters beside the others.
std::string shape_words(const Figure& miss, const std::vector<const Row*>& runs) {
  std::vector<const Row*> right, wrong;
  std::vector<double> share, clusters;
  for (const Row* run : runs) {
    (run->clusters == run->clusters_true ? right : wrong).push_back(run);
    share.push_back(static_cast<double>(run->k) / static_cast<double>(run->k_true));
    clusters.push_back(static_cast<double>(run->clusters));
  }
  const std::uint64_t truth = runs.front()->clusters_true;
  const std::string taken = fmt::format("k' is {:.2f} times k there", mean_of(share));
  if (right.empty()) {
    return fmt::format("{}, and no run finds {} clusters; the mean is {:.1f}.", taken, truth, mean_of(clusters));
  }
  if (wrong.empty()) return fmt::format("{}, and all runs find {} clusters.", taken, truth);
  return fmt::format("{}, and {} of {} runs find {} clusters: these average {:.3f}, the others {:.3f}.", taken,
                     right.size(), runs.size(), truth, mean_of(values_of(right, miss.quantity)),
                     mean_of(values_of(wrong, miss.quantity)));
}

// k': what the technique makes of the set's empty cells and of its threshold.
std::string count_words(const Figure& miss, const std::vector<const Row*>& runs, const SetFacts& facts) {
  const auto [least, most] =
      std::minmax_element(runs.begin(), runs.end(), [](const Row* a, const Row* b) { return a->k < b->k; });
  const auto positive = static_cast<double>(facts.positive);
  const auto empty = static_cast<double>(facts.nonpositive);
  if (miss.technique.starts_with("baseline")) {
    std::vector<double> k;
    for (const Row* run : runs) k.push_back(static_cast<double>(run->k));
    return fmt::format("Synthetic points lie in about {:.0f} of {} cells of W, records in {}.",
                       mean_of(k) / facts.kept_share, facts.positive + facts.nonpositive, facts.positive);
  }
  if (miss.technique == "privqt") {
    const double epsilon = miss.epsilons.front().value();
    const double zero = zero_sum_probability(epsilon);
    return fmt::format(
        "At epsilon {}, integer noise leaves {:.0f} % of the empty cells of W at exactly zero: a k' of {:.0f} is "
        "expected, not (1 - p)(|L| + |Z|/2) = {:.0f}.",
        miss.epsilons.front().text(), 100 * zero, facts.kept_share * (positive + empty * (1 - zero) / 2),
        facts.kept_share * (positive + empty / 2));
  }
  if (miss.technique.starts_with("privqt")) {
    return fmt::format("The expected error is |Z| / (2 |L|) = {:.1f} %.", 100 * empty / (2 * positive));
  }
  std::vector<double> errors;
  for (const Row* run : runs) {
    errors.push_back(std::fabs(static_cast<double>(run->k) - static_cast<double>(run->k_true)) /
                     static_cast<double>(run->k_true));
  }
  std::string words = fmt::format("k' of single runs is {} to {} (k = {}), {:.1f} % off on average.", (*least)->k,
                                  (*most)->k, runs.front()->k_true, 100 * mean_of(errors));
  if (miss.technique.starts_with("privthr-em") && facts.largest > 0) {
    words += fmt::format(" {:.1f} % of (0, Max] lies above W_k.", 100 * (1 - facts.threshold / facts.largest));
  }
  return words;
}

std::string common_words(const Evidence& evidence, const Figure& miss) {
  const std::vector<const Row*> runs = runs_of(evidence, miss);
  const SetFacts* facts = evidence.facts(miss.dataset);
  if (runs.empty() || facts == nullptr) return {};
  if (miss.quantity == "ocm" || miss.quantity == "two_ce") return spread_words(miss, runs);
  if (miss.quantity == "dsgc" || miss.quantity == "f_measure") return shape_words(miss, runs);
  if (miss.quantity == "clusters") return {};
  return count_words(miss, runs, *facts);
}

}  // namespace

double zero_sum_probability(double epsilon) { return LaplaceLaw{epsilon}.chance_of_zero(4); }

std::string reason_of(const Evidence& evidence, const Finding& finding, bool met_by_all, const Finding* published) {
  if (met_by_all) {
    return fmt::format("The runs of all {} seeds together meet the criterion; those of one seed scatter around it.",
                       finding.seeds);
  }
  std::vector<std::string> sentences;
  if (!finding.misses.empty() && !finding.misses.front().epsilons.empty()) {
    sentences.push_back(where(finding.misses));
    const Figure& worst = finding.misses.front();
    const std::string common = common_words(evidence, worst);
    if (!common.empty()) {
      sentences.push_back(finding.misses.size() == 1 ? common
                                                     : fmt::format("{}, {}: {}", display_name(worst.technique),
                                                                   budget_words(worst.epsilons), common));
    }
  }
  if (finding.within_scatter) sentences.emplace_back("The misses lie within the scatter of these runs.");
  if (published != nullptr && published->verdict == Verdict::reproduced) {
    sentences.emplace_back("As published it is reproduced.");
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

}  // namespace shoal::evaluation
