#include "techniques/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shoal/error.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {

namespace {

constexpr std::uint64_t filtered_scale = 256;
constexpr double least_largest_count = 1024;  // records, or weights

// Filters in floating point. Let x be W * scale / record of a cell by exact arithmetic on the filter's weights as they
// are stored, and X what is computed. Cutting the counts at `largest_count` (which moves neighbours no further apart)
// keeps |X - x| <= 1/4: each of the n * level passes rounds a sum of F products, relative to the sum of their
// magnitudes, by less than (F + 1) 2^-52, and no value exceeds largest_count * (sum of |weights|)^passes. A record
// moves the touched cells alone, all others are computed from the same numbers in the same order; so the whole steps
// floor(X) move by at most |dx| + 1/2 + 1 each, and all of them by
//   sum |dx| + 3/2 touched <= l1 * scale / record + 2 touched.
// The same holds for a part of a weight, and so for many: they come one after the other.
Steps filtered_steps(const std::string& technique, const Shape& shape, const ClusterOptions& options,
                     const PrivacyUnit& unit) {
  const Wavelet& wavelet = options.wavelet;
  const double passes = static_cast<double>(shape.pooled_axes()) * options.level;
  double weights = 0;
  for (const double weight : wavelet.low_pass()) weights += std::fabs(weight);
  const double steps_a_unit = static_cast<double>(filtered_scale) * std::exp2(passes / 2);
  const double rounding = (passes + 1) * (static_cast<double>(wavelet.low_pass().size()) + 1) * 0x1p-52 *
                          std::pow(weights, passes) * steps_a_unit;
  double l1 = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    l1 *= wavelet.reach(shape, axis, options.level, options.transform).l1;
  }
  const double moved = std::ceil(l1 * steps_a_unit * (1 + 1e-9));
  Steps result;
  result.scale = filtered_scale;
  result.largest_count = std::min(0x1p53, std::exp2(std::floor(std::log2(0.25 / rounding))));
  const double least = least_largest_count * static_cast<double>(unit.parts());
  if (!(result.largest_count >= least) || !(moved < 0x1p50)) {
    throw InputError(
        fmt::format("{} cannot bound the effect of a {} on {} at level {} in {} dimensions; use wavelet haar, a lower "
                    "level, or privqt",
                    technique, unit.share ? "unit" : "record", wavelet.name(), options.level, shape.size()));
  }
  result.per_record =
      static_cast<std::uint64_t>(moved) + 2 * touched_outputs(wavelet, shape, options.level, options.transform);
  return result;
}

}  // namespace

// Decimated Haar: a record lies in one block. Stationary Haar: every window of 2^level cells an axis that holds a cell
// counts it once for each time it does, 2^level times in all.
Steps steps_of(const std::string& technique, const Shape& shape, const ClusterOptions& options,
               const PrivacyUnit& unit) {
  if (!options.wavelet.is_haar()) return filtered_steps(technique, shape, options, unit);
  Steps result;
  if (options.transform == Transform::decimated) return result;
  const std::uint64_t halvings = shape.pooled_axes() * options.level;
  if (halvings > 40) {
    throw InputError(fmt::format(
        "{} cannot count records in stationary windows this large; use transform decimated or a lower level",
        technique));
  }
  result.per_record = std::uint64_t{1} << halvings;
  return result;
}

std::vector<std::int64_t> whole_steps(const Cells<std::int64_t>& counts, const Steps& steps,
                                      const ClusterOptions& options) {
  std::vector<double> values(counts.values().begin(), counts.values().end());
  for (double& value : values) value = std::clamp(value, -steps.largest_count, steps.largest_count);
  const Cells<double> w =
      average_subband(counts.shape(), values, options.wavelet, options.level, options.transform, options.threads);
  const double factor = static_cast<double>(steps.scale) *
                        std::exp2(static_cast<double>(counts.shape().pooled_axes()) * options.level / 2);
  std::vector<std::int64_t> result;
  result.reserve(w.stored());
  for (const double value : w.values()) {
    result.push_back(static_cast<std::int64_t>(std::floor(std::clamp(value * factor, 0.0, 0x1p60))));
  }
  return result;
}

}  // namespace shoal
