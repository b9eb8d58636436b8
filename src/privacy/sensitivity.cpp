#include "privacy/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/capped.hpp"
#include "base/wide.hpp"
#include "shoal/error.hpp"
#include "shoal/wavelet.hpp"
#include "wavelet/columns.hpp"

namespace shoal {

namespace {

// ---- Numbers of cells ----------------------------------------------------------------------------------------------

std::uint64_t cells_of_w(const Shape& shape, const ClusterOptions& options) {
  return cell_count(transformed_shape(shape, options.level, options.transform));
}

// How much one record, or one part, can raise and lower W: in numbers of cells, or in steps of their values.
struct Moves {
  std::uint64_t raised = 0, lowered = 0;
};

// Returns the largest change of a sum over the cells of W in which each term is monotone and decreases where W rises,
// such as |Z|. An added record lowers the sum by at most `raised` and raises it by at most `lowered`; a removed record
// does the opposite. Under replace, at most as many records are removed as are added, and the two changes may add up.
std::uint64_t largest_net_change(const Moves& each, const PrivacyUnit& unit) {
  unit.check();
  return capped_product(unit.max_contributions, unit.neighbors == Neighbors::add_remove
                                                    ? std::max(each.raised, each.lowered)
                                                    : capped_sum(each.raised, each.lowered));
}

// A weight of W is a product of weights of the axes: positive if an even number of them is negative. Larger numbers on
// one axis give larger products, so pairs that another pair exceeds can be dropped early.
Moves moved_cells(const Shape& shape, const ClusterOptions& options) {
  std::vector<MovedOutputs> all = {{1, 0}};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape.side(axis).pooled) continue;
    const AxisColumns columns = columns_of(options.wavelet, shape[axis], options.level, options.transform);
    std::vector<MovedOutputs> products;
    for (const MovedOutputs& a : all) {
      for (const MovedOutputs& b : columns.outputs) {
        products.push_back({capped_sum(capped_product(a.raised, b.raised), capped_product(a.lowered, b.lowered)),
                            capped_sum(capped_product(a.raised, b.lowered), capped_product(a.lowered, b.raised))});
      }
    }
    all = undominated(std::move(products));
  }
  Moves most;
  for (const MovedOutputs& each : all) {
    most.raised = std::max(most.raised, each.raised);
    most.lowered = std::max(most.lowered, each.lowered);
  }
  return most;
}

// Returns the number of cells of W that the differing records can touch. The bound also holds for the computed values:
// a cell that no differing record reaches is the same sum of the same numbers in the same order.
std::uint64_t touched_cells(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  const std::uint64_t each = touched_outputs(options.wavelet, shape, options.level, options.transform);
  return std::min(cells_of_w(shape, options), capped_product(unit.records_changed(), each));
}

// ---- Steps of W ----------------------------------------------------------------------------------------------------

constexpr std::uint64_t filtered_scale = 256;
constexpr double least_largest_count = 1024;  // records, or weights

// Returns the number of steps of W per unit of W.
double filtered_factor(const Shape& shape, const ClusterOptions& options) {
  return static_cast<double>(filtered_scale) * std::exp2(static_cast<double>(shape.pooled_axes()) * options.level / 2);
}

// Upper bounds of the L1 norms of the positive and of the negative weights of a column of W, from the worst column of
// each axis.
struct SignedNorms {
  double raised = 1, lowered = 0;
};

SignedNorms signed_norms(const Shape& shape, const ClusterOptions& options) {
  SignedNorms norms;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape.side(axis).pooled) continue;
    const AxisColumns columns = columns_of(options.wavelet, shape[axis], options.level, options.transform);
    norms = {norms.raised * columns.l1_raised + norms.lowered * columns.l1_lowered,
             norms.raised * columns.l1_lowered + norms.lowered * columns.l1_raised};
  }
  return norms;
}

// For filters in floating point. Let x be W * scale / record of a cell by exact arithmetic on the filter's weights as
// they are stored, and X the computed value. Returns the largest power of two such that clamping the counts to it
// (which moves neighbours no further apart) ensures |X - x| <= 1/4: each of the n * level passes rounds a sum of F
// products, relative to the sum of their magnitudes, by less than (F + 1) 2^-52, and no value exceeds the largest count
// times (sum of |weights|)^passes.
double largest_exact_count(const Shape& shape, const ClusterOptions& options) {
  const double passes = static_cast<double>(shape.pooled_axes()) * options.level;
  const std::vector<double>& taps = options.wavelet.low_pass();
  double weights = 0;
  for (const double weight : taps) weights += std::fabs(weight);
  const double rounding = (passes + 1) * (static_cast<double>(taps.size()) + 1) * 0x1p-52 * std::pow(weights, passes) *
                          filtered_factor(shape, options);
  return std::min(0x1p53, std::exp2(std::floor(std::log2(0.25 / rounding))));
}

// With x and X as above, a record moves only the touched cells; all others are computed from the same numbers in the
// same order. So the whole steps floor(X) move by at most |dx| + 1/2 + 1 each, and all of them by
//   sum |dx| + 3/2 touched <= l1 * scale / record + 2 touched.
// The same holds for a part of a weight, and so for many, added one after the other.
Steps filtered_steps(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  const Wavelet& wavelet = options.wavelet;
  const double factor = filtered_factor(shape, options);
  double l1 = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    l1 *= wavelet.reach(shape, axis, options.level, options.transform).l1;
  }
  const double moved = std::ceil(l1 * factor * (1 + 1e-9));
  Steps result;
  result.scale = filtered_scale;
  result.largest_count = largest_exact_count(shape, options);
  const double least = least_largest_count * static_cast<double>(unit.parts_per_weight());
  if (!(result.largest_count >= least) || !(moved < 0x1p50)) {
    throw InputError(
        fmt::format("Shoal cannot bound the effect of a {} on {} at level {} in {} dimensions; use wavelet haar, a "
                    "lower level, or privqt",
                    unit.share ? "unit" : "record", wavelet.name(), options.level, shape.size()));
  }
  result.per_record =
      static_cast<std::uint64_t>(moved) + 2 * touched_outputs(wavelet, shape, options.level, options.transform);
  return result;
}

// Returns the change in steps, as above, but separately for the steps that rise and those that fall. Without negative
// weights none falls, because rounding is monotone.
Moves moved_steps(const Shape& shape, const ClusterOptions& options) {
  const SignedNorms norms = signed_norms(shape, options);
  const double factor = filtered_factor(shape, options);
  const std::uint64_t slack = 2 * touched_outputs(options.wavelet, shape, options.level, options.transform);
  const double safety = 1e-9 * (norms.raised + norms.lowered) * factor;
  const auto whole = [&](double norm) { return static_cast<std::uint64_t>(std::ceil(norm * factor + safety)) + slack; };
  return {whole(norms.raised), options.wavelet.is_nonnegative() ? 0 : whole(norms.lowered)};
}

// Each window of 2^level cells per axis counts a cell once for each time it covers it: 2^level times per axis in total,
// also where the axis is shorter than the window and one window covers a cell several times.
std::uint64_t stationary_haar_norm(const Shape& shape, const ClusterOptions& options) {
  const std::uint64_t halvings = shape.pooled_axes() * options.level;
  if (halvings > 40) {
    throw InputError(
        "Shoal cannot count records in stationary windows this large; use transform decimated or a lower level");
  }
  return std::uint64_t{1} << halvings;
}

// Returns the sensitivity of |Z| in weights. Under Haar, a part moves what a cell lacks by one part for each time that
// the cell's window covers it. With a filter in floating point, the parts of a weight move |Z| by parts * change steps,
// and scale * parts steps make a weight.
std::uint64_t lacking_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  if (options.wavelet.is_haar()) {
    const bool decimated = options.transform == Transform::decimated;
    return largest_net_change({decimated ? 1 : stationary_haar_norm(shape, options), 0}, unit);
  }
  const Steps steps = steps_of(shape, options, unit);
  return (largest_net_change(moved_steps(shape, options), unit) + steps.scale - 1) / steps.scale;
}

}  // namespace

std::uint64_t counts_sensitivity(const PrivacyUnit& unit) { return unit.records_changed(); }

// A cell enters or leaves Z only if it is touched, and then |Z| changes by one. An added record removes cells from Z
// where it raises W, and adds cells to Z where it lowers W.
std::uint64_t nonpositive_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  const std::uint64_t change =
      unit.share ? lacking_sensitivity(shape, options, unit) : largest_net_change(moved_cells(shape, options), unit);
  return std::min(cells_of_w(shape, options), change);
}

// Without negative weights W is never negative, and a cell is zero if and only if it is not positive. Otherwise a
// raised cell may become zero or stop being zero, and so may a lowered one: every touched cell counts.
std::uint64_t zero_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  if (options.wavelet.is_nonnegative()) return nonpositive_sensitivity(shape, options, unit);
  if (!unit.share) return touched_cells(shape, options, unit);
  const Steps steps = steps_of(shape, options, unit);
  const std::uint64_t change = capped_product(steps.per_record, unit.records_changed());
  return std::min(cells_of_w(shape, options), (change + steps.scale - 1) / steps.scale);
}

// rank(x) is the number of cells that are at least x. Change the touched cells one after the other. A cell is not
// positive, positive and below x, or at least x; it adds (0, 0), (0, 1) or (1, 1) to (rank, |L|). k grows by 0 or 1
// when |L| grows by 1 (it is ceil((1 - p) |L|), at least 1 when |L| is). So rank - k moves by at most 1 per cell:
//   not positive -> below x    rank + 0, k + 0 or 1       below x -> at least x    rank + 1, k + 0
//   not positive -> at least x rank + 1, k + 0 or 1
// A cell that rises may move rank - k either way, and so may one that falls: all touched cells may add up. If rank(x)
// is the number of cells above x, the same holds with "at most x" and "above x".
std::uint64_t rank_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  return touched_cells(shape, options, unit);
}

// A record that comes moves a value of W by a weight of its column, between -lowered and raised. Under replace another
// record goes, and both may add up. The weights of W are products of those of the axes. Haar: exact, in sums of counts.
// Other filters: each of both computed values is within a quarter of a step of 1/filtered_scale record of the exact one
// (largest_exact_count), and rounding to tie_step moves their distance by less than one step more.
std::optional<ValueChange> value_sensitivity(const Shape& shape, const ClusterOptions& options,
                                             const PrivacyUnit& unit) {
  unit.check();
  double raised = 1, lowered = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape.side(axis).pooled) continue;
    const AxisColumns columns = columns_of(options.wavelet, shape[axis], options.level, options.transform);
    const double rises = std::max(raised * columns.largest_raised, lowered * columns.largest_lowered);
    lowered = std::max(raised * columns.largest_lowered, lowered * columns.largest_raised);
    raised = rises;
  }
  const double each = unit.neighbors == Neighbors::add_remove ? std::max(raised, lowered) : raised + lowered;
  const double change = static_cast<double>(unit.max_contributions) * each;
  const double record = std::exp2(-static_cast<double>(shape.pooled_axes()) * options.level / 2);
  constexpr double most = 0x1p55;
  if (options.wavelet.is_haar()) {
    if (!(change / record < most)) return std::nullopt;
    return ValueChange{static_cast<std::uint64_t>(std::llround(change / record)), 0x1p63};
  }
  const double largest_count = largest_exact_count(shape, options);
  const SignedNorms norms = signed_norms(shape, options);
  const double safety = 1e-9 * (norms.raised + norms.lowered) * static_cast<double>(unit.max_contributions);
  const double rounding = record / (2 * static_cast<double>(filtered_scale));
  const double steps = std::ceil((change + safety + rounding) / tie_step(shape.pooled_axes(), options.level)) + 2;
  if (!(largest_count >= least_largest_count) || !(steps < most)) return std::nullopt;
  return ValueChange{static_cast<std::uint64_t>(steps), largest_count};
}

// Decimated Haar: a record lies in one block, in which it counts once.
Steps steps_of(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  if (!options.wavelet.is_haar()) return filtered_steps(shape, options, unit);
  Steps result;
  if (options.transform == Transform::stationary) result.per_record = stationary_haar_norm(shape, options);
  return result;
}

std::uint64_t profile_sensitivity(const Shape& shape, const ClusterOptions& options, const PrivacyUnit& unit) {
  const std::uint64_t change = capped_product(steps_of(shape, options, unit).per_record, unit.records_changed());
  if (change == UINT64_MAX) throw InputError("max-contributions is too large for this wavelet");
  return change;
}

void require_rate(Epsilon epsilon, std::uint64_t sensitivity, const PrivacyUnit& unit) {
  if (sensitivity > UINT64_MAX / 2 / unit.parts_per_weight()) {
    throw InputError(fmt::format("a sensitivity of {} is too large; lower max-contributions", sensitivity));
  }
  sensitivity *= unit.parts_per_weight();
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
