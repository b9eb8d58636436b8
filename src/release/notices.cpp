#include "shoal/notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/scale.hpp"
#include "inference/intervals.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "shoal/tree.hpp"

namespace shoal {

namespace {

// Three significant digits, or a power of ten where even those would be many.
std::string times(Epsilon epsilon) {
  const double factor = std::exp(epsilon.value());
  if (factor < 1000) return fmt::format("{:.3g}", factor);
  if (factor >= 1e9) return fmt::format("10^{:.0f}", epsilon.value() / std::numbers::ln10);
  const double unit = std::pow(10, std::floor(std::log10(factor)) - 2);
  return grouped(std::round(factor / unit) * unit);
}

std::string factor(Epsilon epsilon) { return fmt::format("e^{}, about {},", epsilon.text(), times(epsilon)); }

std::string change_of_one(const PrivacyUnit& unit) {
  const char* change = unit.neighbors == Neighbors::replace ? "replaced by another" : "added or removed";
  return fmt::format("{} is {}", in_words(unit), change);
}

Estimate by_profile(const ReleaseParts& parts) {
  const ProfileNoise noise = noise_of_profile(*parts.profile());
  Estimate result;
  double variance = 0;
  for (std::size_t level = 0; level < profile_levels; ++level) {
    result.mean += static_cast<double>(parts.profile()->sums.value()[level]);
    variance += noise.of_level(level);
  }
  result.deviation = std::sqrt(variance);
  return result;
}

Estimate by_values(const ReleaseParts& parts, const NoiseLaw& law) {
  const Cells<std::int64_t> values = noisy_records(parts);
  Estimate result;
  for (const std::int64_t value : values.values()) result.mean += static_cast<double>(value);
  result.deviation = std::sqrt(static_cast<double>(values.stored()) * noise_of(law).variance);
  return result;
}

std::string few_inside(const Estimate& inside, const PrivacyUnit& unit) {
  const double about = std::max(0.0, std::round(inside.mean));
  return fmt::format(
      "About {} {}{} inside the bounds; check the bounds. If there were none, noise alone would show up to {} "
      "in 99 of 100 releases.",
      grouped(about), counted_word(unit), about == 1 ? " lies" : "s lie", grouped(std::ceil(by_noise_alone(inside))));
}

// most: below 0 where no interval is known.
std::string records_within(double noisy, double least, double most, const char* word) {
  if (most < 0) return fmt::format("{:.0f} {}{}", noisy, word, noisy == 1 ? "" : "s");
  const double records = std::clamp(noisy, least, most);
  return fmt::format("{:.0f} {}{} (95 %: {:.0f} to {:.0f})", records, word, records == 1 ? "" : "s", least, most);
}

}  // namespace

bool is_weak(Epsilon epsilon) { return epsilon.units() >= weak_epsilon * Epsilon::units_per_one; }

std::string in_words(const PrivacyUnit& unit) {
  if (unit.column.empty()) return "one record";
  if (unit.share) return fmt::format("one {} (counted once with all records)", unit.column);
  return fmt::format("one {} with at most {} record{}", unit.column, unit.max_contributions,
                     unit.max_contributions == 1 ? "" : "s");
}

const char* counted_word(const PrivacyUnit& unit) { return unit.share ? "unit" : "record"; }

std::string counted_title(const PrivacyUnit& unit) { return unit.share ? "Units" : "Records"; }

std::string promise(const PrivacyUnit& unit, Epsilon epsilon) {
  return fmt::format("The probability of any result changes by a factor of at most {} when {}.", factor(epsilon),
                     change_of_one(unit));
}

std::string for_a_person(const PrivacyUnit& unit, Epsilon epsilon) {
  // Bayes: odds of 1 become at most e^epsilon.
  const double most = 100 / (1 + std::exp(-epsilon.value()));
  const char* whether = unit.neighbors == Neighbors::replace ? "has one of two values that seemed equally likely"
                                                             : "is in the data, which seemed as likely as not";
  return fmt::format(
      "Even someone who knows all other records and sees this release cannot become more than {} % sure that {} {}.{}",
      most < 99 ? fmt::format("{:.0f}", std::ceil(most)) : fmt::format("{:.6g}", std::ceil(most * 1e4) / 1e4),
      unit.column.empty() ? "a person's record" : fmt::format("a {}", unit.column), whether,
      unit.column.empty() ? " A person with several records is protected for each record, not for all of them together."
                          : "");
}

std::optional<Estimate> records_inside(const Release& release) {
  const ReleaseParts& parts = release.parts();
  std::optional<Estimate> best;
  const auto offer = [&best](const Estimate& known) {
    if (!best || known.deviation < best->deviation) best = known;
  };
  if (parts.automatic && parts.automatic->records.law()) {
    const Noised<std::int64_t>& records = parts.automatic->records;
    offer({static_cast<double>(records.value()), std::sqrt(noise_of(*records.law()).variance)});
  }
  // Decimated Haar's blocks hold every record once, and a profile pours all of them into its levels.
  if (parts.profile() && parts.profile()->wavelet.is_haar() && parts.profile()->transform == Transform::decimated) {
    offer(by_profile(parts));
  }
  const NoisyCounts* values = parts.values();
  const NoiseLaw* law = law_of_values(parts);
  if (law != nullptr && law->terms == 1 && values->value().is_dense() && parts.censored_below() == 0)
    offer(by_values(parts, *law));
  return best;
}

std::string counted_clusters(const Release& release) {
  const std::size_t doubtful = release.doubtful().size(), sure = release.cluster_cells().count() - doubtful;
  std::string counted = fmt::format("{} cluster{}", sure == 0 ? "no" : fmt::format("{}", sure), sure == 1 ? "" : "s");
  if (doubtful == 0) return counted;
  return fmt::format("{}, {} {}doubtful", counted, doubtful, sure == 0 ? "" : "more ");
}

std::string counted_records(const Release& release, std::size_t cluster) {
  const auto size = static_cast<double>(release.clusters()[cluster].noisy_size);
  const ClusterConfidence of = release.confidence().empty() ? ClusterConfidence{} : release.confidence()[cluster];
  return records_within(size, of.least_records, of.most_records, counted_word(release.parts().unit));
}

std::string counted_records(const Release& release, const TreeBranch& branch) {
  return records_within(std::round(branch.records), branch.least_records, branch.most_records,
                        counted_word(release.parts().unit));
}

std::string counted_records(const Noised<std::int64_t>& records) {
  const auto value = static_cast<double>(records.value());
  if (!records.law()) return records_within(value, 0, -1, "record");
  const char* word = records.law()->parts > 1 ? "unit" : "record";
  const double reach = std::ceil(reach_of_noise(noise_of(*records.law()).variance, 1));
  return records_within(value, std::max(0.0, value - reach), std::max(0.0, value + reach), word);
}

std::optional<std::string> notice_of_uniform_area(const Release& release) {
  std::uint64_t uniform = 0;
  const std::vector<ClusterConfidence>& confidence = release.confidence();
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    if (confidence[i].plain >= taken_as_plain) uniform += release.cluster_cells().sizes()[i];
  }
  if (2 * uniform <= release.cluster_cells().cells().size()) return std::nullopt;
  if (std::holds_alternative<DensityModes>(release.parts().options.threshold)) {
    return "No structure beyond one uniform area: chance and noise explain all that is denser than the rest.";
  }
  return "The threshold runs through a uniform area: most of what it shows is no denser than what surrounds it, and "
         "falls apart by chance. Try --auto or another threshold.";
}

std::vector<std::string> notices(const PrivacyUnit& unit, Epsilon epsilon) {
  if (!is_weak(epsilon)) return {};
  return {
      fmt::format("Epsilon {} is a weak guarantee: the probability of any result may change by a factor of up to {} "
                  "when {}.",
                  epsilon.text(), factor(epsilon), change_of_one(unit))};
}

std::vector<std::string> notices(const Release& release) {
  const ReleaseParts& parts = release.parts();
  std::vector<std::string> result;
  if (parts.is_private) result = notices(parts.unit, parts.epsilon);
  const std::optional<Estimate> inside = records_inside(release);
  if (inside && inside->mean <= by_noise_alone(*inside)) result.push_back(few_inside(*inside, parts.unit));
  return result;
}

}  // namespace shoal
