#include "shoal/notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "release/noisy_records.hpp"
#include "release/noisy_segmentation.hpp"
#include "release/scale.hpp"

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

RecordsInside by_profile(const ReleaseParts& parts) {
  const ProfileNoise noise = noise_of_profile(parts);
  RecordsInside result;
  double variance = 0;
  for (std::size_t level = 0; level < profile_levels; ++level) {
    result.records += static_cast<double>(parts.profile->sums.value()[level]);
    variance += noise.of_level(level);
  }
  result.deviation = std::sqrt(variance);
  return result;
}

RecordsInside by_values(const ReleaseParts& parts, const Spent& spent) {
  const Cells<std::int64_t> values = noisy_records(parts);
  RecordsInside result;
  for (const std::int64_t value : values.values()) result.records += static_cast<double>(value);
  result.deviation = std::sqrt(static_cast<double>(values.stored()) * noise_bought(spent).variance);
  return result;
}

std::string few_inside(const RecordsInside& inside) {
  return fmt::format(
      "About {} records lie inside the bounds: are the bounds right? Where none do, noise alone shows up to {} in 99 "
      "of "
      "100 releases.",
      grouped(std::max(0.0, std::round(inside.records))), grouped(std::ceil(inside.by_noise_alone())));
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

std::optional<RecordsInside> records_inside(const Release& release) {
  const ReleaseParts& parts = release.parts();
  std::optional<RecordsInside> best;
  const auto offer = [&best](const RecordsInside& known) {
    if (!best || known.deviation < best->deviation) best = known;
  };
  const Spent* asked = spent_on(parts, "records");
  if (parts.automatic && asked != nullptr) {
    offer({static_cast<double>(parts.automatic->records.value()), std::sqrt(noise_bought(*asked).variance)});
  }
  // Decimated Haar's blocks hold every record once, and a profile pours all of them into its levels.
  if (parts.profile && Wavelet::named(parts.profile->wavelet).is_haar() &&
      parts.profile->transform == Transform::decimated) {
    offer(by_profile(parts));
  }
  const std::optional<NoisyCounts>& values = parts.noisy_sums ? parts.noisy_sums : parts.noisy_counts;
  const Spent* spent = spent_on_values(parts);
  if (values && values->value().is_dense() && spent != nullptr && parts.lowest == 0) offer(by_values(parts, *spent));
  return best;
}

std::vector<std::string> notices(const PrivacyUnit& unit, Epsilon epsilon) {
  if (!is_weak(epsilon)) return {};
  return {
      fmt::format("Epsilon {} is a weak promise: the probability of any result may change by a factor of up to {} "
                  "when {}.",
                  epsilon.text(), factor(epsilon), change_of_one(unit))};
}

std::vector<std::string> notices(const Release& release) {
  const ReleaseParts& parts = release.parts();
  std::vector<std::string> result;
  if (parts.is_private) result = notices(parts.unit, parts.epsilon);
  const std::optional<RecordsInside> inside = records_inside(release);
  if (inside && inside->records <= inside->by_noise_alone()) result.push_back(few_inside(*inside));
  return result;
}

}  // namespace shoal
