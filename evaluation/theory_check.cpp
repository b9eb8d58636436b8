#include "evaluation/theory_check.hpp"

#include <optional>

namespace shoal::evaluation {

namespace {

std::optional<TheoryBounds> bounds_of(const Profile& profile, const std::string& technique, double epsilon,
                                      const PrivateOptions& options, double omega) {
  const auto* threshold = std::get_if<Percentile>(&options.cluster.threshold);
  if (threshold == nullptr) return std::nullopt;  // the theorems are about one
  const double percentile = threshold->percent();
  if (technique == "privqt" || technique == "privqt-literal-not-private") {
    return theorem4(profile, percentile, epsilon, omega);
  }
  if (technique == "privthr" || technique == "privthr-literal-not-private") {
    return theorem5(profile, percentile, epsilon, options.alpha.value_or(0.9), omega);
  }
  if (technique == "privthr-em" || technique == "privthr-em-literal-not-private") {
    return theorem6(profile, percentile, epsilon, options.alpha.value_or(0.7), omega);
  }
  return std::nullopt;
}

}  // namespace

std::vector<TheoryCheck> compare_with_theory(const Profile& profile, const std::vector<Row>& rows,
                                             const PrivateOptions& options, double omega) {
  std::vector<TheoryCheck> checks;
  for (const Summary& summary : summarize(rows)) {
    const auto bounds = bounds_of(profile, summary.technique, summary.epsilon.value(), options, omega);
    if (!bounds) continue;
    double within = 0;
    for (const Row& row : rows) {
      if (row.dataset != summary.dataset || row.technique != summary.technique || row.epsilon != summary.epsilon) {
        continue;
      }
      const auto k = static_cast<double>(row.k);
      within += k >= bounds->k_min && k <= bounds->k_max ? 1 : 0;
    }
    checks.push_back(
        {summary.technique, summary.epsilon, *bounds, summary.k, within / static_cast<double>(summary.runs)});
  }
  return checks;
}

}  // namespace shoal::evaluation
