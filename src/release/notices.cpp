#include "shoal/notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/scale.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"

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

std::string few_inside(const Estimate& inside) {
  return fmt::format(
      "About {} records lie inside the bounds; check the bounds. If there were none, noise alone would show up to {} "
      "in 99 of 100 releases.",
      grouped(std::max(0.0, std::round(inside.mean))), grouped(std::ceil(by_noise_alone(inside))));
}

}  // namespace

bool is_weak(Epsilon epsilon) { return epsilon.units() >= weak_epsilon * Epsilon::units_per_one; }

std::string in_words(const PrivacyUnit& unit) {
  if (unit.column.empty()) return "one record";
  return fmt::format("one {} with at most {} record{}", unit.column, unit.max_contributions,
                     unit.max_contributions == 1 ? "" : "s");
}

std::string promise(const PrivacyUnit& unit, Epsilon epsilon) {
  return fmt::format("The probability of any result changes by a factor of at most {} when {}.", factor(epsilon),
                     change_of_one(unit));
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
  if (inside && inside->mean <= by_noise_alone(*inside)) result.push_back(few_inside(*inside));
  return result;
}

}  // namespace shoal
