#include "privacy/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/wide.hpp"
#include "shoal/error.hpp"
#include "shoal/wavelet.hpp"

namespace shoal {

namespace {

// Cells of W that `records` of them can touch: c each, and never more than there are. The bound holds for the values
// as computed, too: a cell that no differing record reaches is the same sum of the same numbers in the same order.
std::uint64_t touched_by(std::uint64_t records, const Shape& shape, const ClusterOptions& options) {
  const std::uint64_t cells = cell_count(transformed_shape(shape, options.level, options.transform));
  const std::uint64_t each = touched_outputs(options.wavelet, shape, options.level, options.transform);
  return each > cells / records ? cells : std::min(cells, records * each);
}

}  // namespace

std::uint64_t counts_sensitivity(const PrivacyUnit& unit) { return unit.records_changed(); }

// Only touched cells can change sides, each by one. When no weight is negative, W falls where records go and rises
// where records come (sums of products by such weights are monotone, also as rounded): taking m records away can only
// raise |Z|, by at most c m, and adding m others can only lower it, by at most c m. Replacing does both, and the net
// change stays within c m. With weights of both signs the two may add up.
std::uint64_t nonpositive_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  const std::uint64_t differing = unit.records_changed();
  const bool one_way = options.wavelet.is_nonnegative();
  return touched_by(one_way ? unit.max_contributions : differing, shape, options);
}

// Change the touched cells one after the other. A cell is not positive, positive and below x, or at least x; it adds
// (0, 0), (0, 1) or (1, 1) to (rank, |L|). k grows by 0 or 1 when |L| grows by 1 (it is ceil((1 - p) |L|), at least 1
// when |L| is). So rank - k moves by at most 1 a cell:
//   not positive -> below x    rank + 0, k + 0 or 1       below x -> at least x    rank + 1, k + 0
//   not positive -> at least x rank + 1, k + 0 or 1
// Under replace the two sides do add up: one cell falls below x (-1), another becomes positive and k grows (-1).
std::uint64_t rank_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  return touched_by(unit.records_changed(), shape, options);
}

void require_rate(Epsilon epsilon, std::uint64_t sensitivity, const PrivacyUnit& unit) {
  if (sensitivity > UINT64_MAX / 2 / unit.parts()) {
    throw InputError(fmt::format("a sensitivity of {} is too large; lower max-contributions", sensitivity));
  }
  sensitivity *= unit.parts();
  static_cast<void>(Rate::of(epsilon, 2 * sensitivity));
  const Rate rate = Rate::of(epsilon, sensitivity);
  if (static_cast<Uint128>(rate.numerator) << 40 >= rate.denominator) return;
  throw InputError(fmt::format(
      "epsilon {} over a sensitivity of {}{} is below 2^-40: the noise would exceed any data; give more epsilon{}",
      epsilon.text(), sensitivity, unit.share ? " parts of a weight" : "",
      unit.share ? "" : ", or lower max-contributions"));
}

void require_rates(const std::vector<Spent>& plan, const PrivacyUnit& unit) {
  for (const Spent& share : plan) require_rate(share.epsilon, share.sensitivity, unit);
}

}  // namespace shoal
