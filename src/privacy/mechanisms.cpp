#include "privacy/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "clusters/streaming_transform.hpp"
#include "privacy/base_measure.hpp"
#include "privacy/laplace.hpp"
#include "privacy/refinable_noise.hpp"
#include "privacy/threshold_costs.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > UINT64_MAX / b) {
    throw InputError(fmt::format("a sensitivity of {} x {} is too large; lower max-contributions", a, b));
  }
  return a * b;
}

// The largest cost of a value, in changes of a unit: exp(-epsilon / 2) to this power is exp(-50), or nearly so. A
// smaller epsilon than 0.0015 has no more than 2^16 such steps, which bounds the time.
std::uint64_t most_steps(Epsilon epsilon) {
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  return std::min(most, 1 + 100 * Epsilon::units_per_one / epsilon.units());
}

// Rounds a value that was drawn in parts to one of the two nearest wholes, at random and without bias. This is
// post-processing.
std::int64_t in_wholes(Noise& noise, std::int64_t parts, std::uint64_t to_a_whole) {
  if (to_a_whole == 1) return parts;
  const auto whole = static_cast<std::int64_t>(to_a_whole);
  const std::int64_t raised = parts + static_cast<std::int64_t>(noise.below(to_a_whole));
  return raised >= 0 ? raised / whole : -((whole - 1 - raised) / whole);
}

// Returns the smallest number of parts that in_wholes may round to `wholes`, which is 1 or more. Noised parts are
// clamped at 2^62, which limits the result.
std::int64_t least_parts(std::int64_t wholes, std::uint64_t to_a_whole) {
  const auto whole = static_cast<std::int64_t>(to_a_whole);
  return (std::min(wholes, largest_noised / whole) - 1) * whole + 1;
}

void fill_nothing(std::uint64_t /*begin*/, std::uint64_t /*end*/) {}
void see_nothing(std::span<const std::int64_t> /*values*/, std::uint64_t /*begin*/, std::uint64_t /*end*/) {}

// Merges two lists of cells, both ascending, and omits the cells of `taken` from the second.
Cells<std::int64_t> merged(const Shape& shape, const LargeNoise& first, const LargeNoise& second,
                           std::span<const std::uint64_t> taken) {
  std::vector<std::uint64_t> index;
  Values<std::int64_t> values;
  index.reserve(first.cells.size() + second.cells.size());
  values.reserve(index.capacity());
  std::size_t at = 0, passed = 0;
  const auto take_first_before = [&](std::uint64_t cell) {
    for (; at < first.cells.size() && first.cells[at] < cell; ++at) {
      index.push_back(first.cells[at]);
      values.push_back(first.values[at]);
    }
  };
  for (std::size_t i = 0; i < second.cells.size(); ++i) {
    while (passed < taken.size() && taken[passed] < second.cells[i]) ++passed;
    if (passed < taken.size() && taken[passed] == second.cells[i]) continue;
    take_first_before(second.cells[i]);
    index.push_back(second.cells[i]);
    values.push_back(second.values[i]);
  }
  take_first_before(UINT64_MAX);
  return Cells<std::int64_t>::sparse(shape, std::move(index), std::move(values));
}

}  // namespace

Mechanisms::Mechanisms(Noise& noise, PrivacyUnit unit, Epsilon budget)
    : noise_(noise), unit_(std::move(unit)), left_(budget) {
  unit_.check();  // before anything is spent
}

Mechanisms::Charge Mechanisms::charge(std::string name, std::uint64_t sensitivity, Epsilon epsilon) {
  if (epsilon.units() == 0) throw Error(ErrorKind::internal, fmt::format("{} asks for an epsilon of 0", name));
  if (epsilon > left_) {
    throw Error(ErrorKind::internal, fmt::format("{} asks for epsilon {}, but {} of the budget is left", name,
                                                 epsilon.text(), left_.text()));
  }
  left_ = left_ - epsilon;
  receipts_.push_back(
      std::make_shared<const Receipt>(Receipt{receipts_.size(), {std::move(name), sensitivity, epsilon}}));
  return receipts_.back();
}

void Mechanisms::require_records(const std::string& name) const {
  if (unit_.share) throw Error(ErrorKind::internal, fmt::format("{} is asked about records, not about weights", name));
}

NoisyCounts Mechanisms::counts(Counts counts, Epsilon epsilon, unsigned threads) {
  return noised(std::move(counts).take(), 1, epsilon, "counts", threads, see_nothing);
}

// W' is a function of the noisy counts alone, however they are divided into stretches. Nothing is charged for it.
NoisyTransform Mechanisms::transformed_counts(Counts counts, Epsilon epsilon, const ClusterOptions& options) {
  StreamingTransform transform(counts.grid().shape(), options);
  NoisyCounts noisy = noised(
      std::move(counts).take(), 1, epsilon, "counts", options.threads,
      [&](std::span<const std::int64_t> values, auto begin, auto end) { transform.on_filled(values, begin, end); });
  Transformed w = std::move(transform).finish(noisy.value());
  Receipts paid = noisy.paid();
  return {std::move(noisy), Noised<Transformed>(NoisedKey{}, std::move(w), std::move(paid))};
}

NoisyCounts Mechanisms::values(Cells<std::int64_t> values, std::uint64_t per_record, Epsilon epsilon, std::string name,
                               unsigned threads) {
  return noised({std::move(values), fill_nothing}, per_record, epsilon, std::move(name), threads, see_nothing);
}

NoisyCounts Mechanisms::noised(Counts::Place place, std::uint64_t per_record, Epsilon epsilon, std::string name,
                               unsigned threads, const SeeNoised& see) {
  if (!place.cells.is_dense()) {
    throw InputError(fmt::format("a grid of {} cells is too large for noise on every cell; use fewer cells per axis",
                                 place.cells.cell_count()));
  }
  const std::uint64_t sensitivity = product(per_record, unit_.records_changed()), parts = unit_.parts_per_weight();
  const Rate rate = Rate::of(epsilon, product(sensitivity, parts));
  const Charge paid = charge(std::move(name), sensitivity, epsilon);
  const std::span<std::int64_t> values = place.cells.values();
  const auto after = [&](std::uint64_t begin, std::uint64_t end) {
    if (parts == 1) see(values, begin, end);
  };
  noise_.add_laplace_fused(values, rate, threads, place.fill, after);
  if (parts > 1) {
    for (std::int64_t& value : values) value = in_wholes(noise_, value, parts);
    see(values, 0, values.size());
  }
  return {NoisedKey{},
          std::move(place.cells),
          {paid},
          NoiseLaw{.epsilon = epsilon, .sensitivity = sensitivity, .parts_per_unit = parts}};
}

// Every cell of the box gets independent noise: the stored ones here, all others by Noise::reaching, which walks the
// whole box. What it finds on a stored cell is dropped, because that cell has noise of its own. So neither the cells
// that are walked nor the draws made for them depend on the data. In parts, noise below (floor - 1) weights and one
// part is never rounded up to the floor: the walk finds what reaches that, and rounding decides.
NoisyCounts Mechanisms::values_above_floor(const Noised<std::int64_t>& floor, const Cells<std::int64_t>& values,
                                           std::uint64_t per_record, Epsilon epsilon, std::string name,
                                           unsigned threads) {
  if (floor.value() < 1) {
    throw Error(ErrorKind::internal, fmt::format("{}: the floor is {}, below 1", name, floor.value()));
  }
  const std::uint64_t sensitivity = product(per_record, unit_.records_changed()), parts = unit_.parts_per_weight();
  const Rate rate = Rate::of(epsilon, product(sensitivity, parts));
  const Charge paid = charge(std::move(name), sensitivity, epsilon);
  const auto reaching = [&](LargeNoise found) {
    LargeNoise result;
    for (std::size_t i = 0; i < found.cells.size(); ++i) {
      const std::int64_t value = in_wholes(noise_, found.values[i], parts);
      if (value < floor.value()) continue;
      result.cells.push_back(found.cells[i]);
      result.values.push_back(value);
    }
    return result;
  };
  LargeNoise noised;
  noised.values.assign(values.values().begin(), values.values().end());
  for (std::size_t i = 0; i < values.stored(); ++i) noised.cells.push_back(values.index_of(i));
  noise_.add_laplace(noised.values, rate, threads);
  const LargeNoise stored = reaching(std::move(noised));
  const LargeNoise empty =
      values.is_dense() ? LargeNoise{}
                        : reaching(noise_.reaching(values.cell_count(), rate, least_parts(floor.value(), parts)));
  return {NoisedKey{}, merged(values.shape(), stored, empty, values.index()), joined(floor.paid(), {paid}),
          NoiseLaw{.epsilon = epsilon, .sensitivity = sensitivity, .floor = floor.value(), .parts_per_unit = parts}};
}

Noised<std::int64_t> Mechanisms::number(std::int64_t value, std::uint64_t per_neighbor, Epsilon epsilon,
                                        std::string name) {
  const std::uint64_t parts = unit_.parts_per_weight();
  const Rate rate = Rate::of(epsilon, product(per_neighbor, parts));
  const Charge paid = charge(std::move(name), per_neighbor, epsilon);
  noise_.add_laplace({&value, 1}, rate, 1);
  return {NoisedKey{},
          in_wholes(noise_, value, parts),
          {paid},
          NoiseLaw{.epsilon = epsilon, .sensitivity = per_neighbor, .parts_per_unit = parts}};
}

Noised<std::int64_t> Mechanisms::threshold(const ThresholdQuery& query, Epsilon epsilon, std::string name) {
  require_records(name);
  const Measure measure(query.base, query.max, query.shift);
  const Rate rate = Rate::of(epsilon, product(2, query.per_neighbor));
  const Charge paid = charge(std::move(name), query.per_neighbor, epsilon);
  const ThresholdRuns runs = threshold_runs(query, measure, most_steps(epsilon));
  const std::size_t run = noise_.choose(runs.intervals, rate);
  // Inside a run, all x have the same cost: they share its probability in proportion to the base measure.
  const std::uint64_t before = run == 0 ? 0 : measure.up_to(runs.ends[run - 1]);
  const std::uint64_t x = measure.at(before + noise_.below(measure.up_to(runs.ends[run]) - before));
  return {NoisedKey{},
          static_cast<std::int64_t>(x),
          {paid},
          NoiseLaw{.epsilon = epsilon, .sensitivity = query.per_neighbor}};
}

ProfileSession Mechanisms::profile(const ProfileSums& sums, std::uint64_t per_record, Epsilon epsilon, unsigned first,
                                   std::string name) {
  return {*this, sums, product(per_record, unit_.records_changed()), epsilon, first, std::move(name), std::nullopt};
}

ProfileSession Mechanisms::profiled_values(Cells<std::int64_t> values, Epsilon epsilon, unsigned first,
                                           std::string profile_name, std::string values_name, unsigned threads) {
  const ProfileSums sums = profile_of(values.values(), static_cast<std::int64_t>(unit_.parts_per_weight()));
  return {*this,
          sums,
          unit_.records_changed(),
          epsilon,
          first,
          std::move(profile_name),
          ProfileSession::Values{std::move(values), std::move(values_name), threads}};
}

// The largest share that may be chosen is reserved before anything is drawn; what is not needed is returned. The
// profiles of a private Noise are always drawn by the chain, whatever it overrides.
ProfileSession::ProfileSession(Mechanisms& mechanisms, const ProfileSums& sums, std::uint64_t sensitivity,
                               Epsilon epsilon, unsigned first, std::string name, std::optional<Values> values)
    : mechanisms_(mechanisms),
      sums_(sums),
      epsilon_(epsilon),
      tenth_(epsilon.units() / 10),
      sensitivity_(sensitivity),
      rate_(Rate::of(Epsilon::from_units(tenth_), product(sensitivity, mechanisms.unit_.parts_per_weight()))),
      first_share_(first),
      name_(std::move(name)),
      values_(std::move(values)),
      order_(mechanisms.charge(name_, sensitivity, price(most_profile_share))->order),
      queries_(mechanisms.noise_.is_private() ? chained_queries(mechanisms.noise_, rate_)
                                              : mechanisms.noise_.profile_queries(rate_)),
      first_(view(first, true)) {}
ProfileSession::~ProfileSession() = default;
ProfileSession::ProfileSession(ProfileSession&&) noexcept = default;

// The receipt states what has been charged so far. A finer view replaces it.
Noised<ProfileSums> ProfileSession::view(unsigned share, bool is_first) {
  const ProfileSums seen = asked({.share = share, .is_first = is_first});
  auto receipt = std::make_shared<const Receipt>(Receipt{order_, {name_, sensitivity_, price(share)}});
  return {NoisedKey{},
          seen,
          {std::move(receipt)},
          NoiseLaw{.epsilon = price(share),
                   .sensitivity = sensitivity_,
                   .parts_per_unit = mechanisms_.unit_.parts_per_weight()}};
}

ProfileSums ProfileSession::asked(const ProfileQuery& query) {
  ProfileSums seen = queries_->at(sums_, query);
  for (std::int64_t& sum : seen) sum = in_wholes(mechanisms_.noise_, sum, mechanisms_.unit_.parts_per_weight());
  return seen;
}

// Let c = censoring_point(censored). One more record in a cell with w records makes it w + 1. This moves level j of the
// profile by 1 where 2^j <= w + 1 < 2^(j+1), and no other level. If w < c, then j < censored, and max(w, c) does not
// change: the record moves only the profile, at a level that is seen with the noise of at most ten tenths. If w >= c,
// then j >= censored, and the value moves by 1: the record moves the profile at a level that is seen with the noise of
// `share` tenths, and a value that is seen with the noise of the rest. So a record costs at most epsilon, wherever it
// is, and n records cost n times that, where n is the sensitivity. The same holds for a part of a weight, with c and
// the levels in parts.
RefinedProfile ProfileSession::refine(const Noised<ProfileChoice>& choice) && {
  const auto [share, censored] = choice.value();
  if (share < first_share_ || share > most_profile_share) {
    throw Error(ErrorKind::internal, fmt::format("a profile cannot cost {} tenths of epsilon", share));
  }
  if (censored > most_censored_levels || (censored > 0 && !values_)) {
    throw Error(ErrorKind::internal, fmt::format("values cannot be raised by {} levels", censored));
  }
  Noised<ProfileSums> seen = view(share, false);
  mechanisms_.left_ = mechanisms_.left_ + price(most_profile_share - share);
  mechanisms_.receipts_[order_] = seen.paid().front();
  if (!values_) return {{std::move(seen), share, price(share)}, std::nullopt};
  if (censored > 0) {
    const std::int64_t point =
        censoring_point(censored) * static_cast<std::int64_t>(mechanisms_.unit_.parts_per_weight());
    for (std::int64_t& value : values_->cells.values()) value = std::max(value, point);
    ProfileSums refined = seen.value();
    const ProfileSums fine = asked({profile_shares.back(), censored});
    std::copy_n(fine.begin(), censored, refined.begin());
    NoiseLaw law = *seen.law();
    law.refined_levels = censored;
    law.refined_epsilon = price(profile_shares.back());
    seen = Noised<ProfileSums>(NoisedKey{}, refined, seen.paid(), law);
  }
  NoisyCounts noisy =
      mechanisms_.values(std::move(values_->cells), 1, epsilon_ - price(share), values_->name, values_->threads);
  if (censored > 0) {
    NoiseLaw law = *noisy.law();
    law.censored_below = censoring_point(censored);
    Receipts paid = noisy.paid();
    noisy = NoisyCounts(NoisedKey{}, std::move(noisy).take(), std::move(paid), law);
  }
  return {{std::move(seen), share, price(share)}, std::move(noisy)};
}

}  // namespace shoal
