#include "privacy/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "clusters/gradual_transform.hpp"
#include "privacy/base_measure.hpp"
#include "privacy/largest.hpp"
#include "privacy/noise_tail.hpp"
#include "privacy/refinable_noise.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > UINT64_MAX / b) {
    throw InputError(fmt::format("a sensitivity of {} x {} is too large; lower max-contributions", a, b));
  }
  return a * b;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

// Runs of {1, ..., max} in which rank does not change, ascending: run i is (ends[i - 1], ends[i]], the first from 0.
struct Runs {
  std::vector<std::uint64_t> ends;
  std::vector<WeightedInterval> intervals;
};

Runs runs_of_equal_rank(std::span<const std::int64_t> positives, std::uint64_t k, const Measure& measure) {
  std::vector<std::uint64_t> sorted;
  for (const std::int64_t value : positives) {
    if (value > 0) sorted.push_back(static_cast<std::uint64_t>(value));
  }
  std::sort(sorted.begin(), sorted.end());
  Runs runs;
  std::uint64_t start = 0;
  const auto add = [&](std::uint64_t end, std::uint64_t rank) {
    runs.ends.push_back(end);
    runs.intervals.push_back({measure.up_to(end) - measure.up_to(start), distance(rank, k)});
    start = end;
  };
  for (std::size_t below = 0; below < sorted.size() && sorted[below] < measure.max(); ++below) {
    if (sorted[below] > start) add(sorted[below], sorted.size() - below);  // all from `below` on are >= sorted[below]
  }
  const auto at_max = std::lower_bound(sorted.begin(), sorted.end(), measure.max());
  add(measure.max(), static_cast<std::uint64_t>(sorted.end() - at_max));
  return runs;
}

void check_terms(const std::string& name, std::uint64_t terms, std::int64_t floor) {
  if (floor >= 1 && terms >= 1 && terms <= NoiseTail::most_terms) return;
  throw Error(ErrorKind::internal, fmt::format("{}: {} draws a value from {} on", name, terms, floor));
}

void fill_nothing(std::uint64_t /*begin*/, std::uint64_t /*end*/) {}
void see_nothing(std::span<const std::int64_t> /*values*/, std::uint64_t /*begin*/, std::uint64_t /*end*/) {}

// Two lists of cells, both ascending, as one; of the second without the cells of `taken`.
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
  static_cast<void>(unit_.records_changed());  // refuses a malformed unit before anything is spent
}

void Mechanisms::charge(std::string name, std::uint64_t sensitivity, Epsilon epsilon) {
  if (epsilon.units() == 0) throw Error(ErrorKind::internal, fmt::format("{} asks for an epsilon of 0", name));
  if (epsilon > left_) {
    throw Error(ErrorKind::internal, fmt::format("{} asks for epsilon {} of a budget of which {} is left", name,
                                                 epsilon.text(), left_.text()));
  }
  left_ = left_ - epsilon;
  spent_.push_back({std::move(name), sensitivity, epsilon});
}

NoisyCounts Mechanisms::counts(Counts counts, Epsilon epsilon, unsigned threads) {
  return noised(std::move(counts).take(), 1, epsilon, "counts", threads, see_nothing);
}

// W' is a function of the noisy counts alone, whatever the stretches in which it is made: nothing is charged for it.
NoisyTransform Mechanisms::transformed_counts(Counts counts, Epsilon epsilon, const ClusterOptions& options) {
  GradualTransform transform(counts.grid().shape(), options);
  NoisyCounts noisy =
      noised(std::move(counts).take(), 1, epsilon, "counts", options.threads,
             [&](std::span<const std::int64_t> values, auto begin, auto end) { transform.told(values, begin, end); });
  Transformed w = std::move(transform).finish(noisy.value());
  return {std::move(noisy), Noised<Transformed>(NoisedKey{}, std::move(w))};
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
  const std::uint64_t sensitivity = product(per_record, unit_.records_changed());
  const Rate rate = Rate::of(epsilon, sensitivity);
  charge(std::move(name), sensitivity, epsilon);
  const std::span<std::int64_t> values = place.cells.values();
  const auto after = [&](std::uint64_t begin, std::uint64_t end) { see(values, begin, end); };
  noise_.add_laplace_on_the_way(values, rate, threads, place.fill, after);
  return {NoisedKey{}, std::move(place.cells)};
}

// Every cell of the box gets independent noise: the stored ones here, all the others by Noise::reaching, which walks
// the whole box; what it finds on a stored cell is dropped, as that cell has noise of its own. So neither the cells
// that are walked nor the draws made for them depend on the data.
NoisyCounts Mechanisms::values_from(const Noised<std::int64_t>& floor, const Cells<std::int64_t>& values,
                                    std::uint64_t per_record, Epsilon epsilon, std::string name, std::uint64_t terms,
                                    unsigned threads) {
  check_terms(name, terms, floor.value());
  const std::uint64_t sensitivity = product(per_record, unit_.records_changed());
  const Rate rate = Rate::of(epsilon, sensitivity);
  charge(std::move(name), sensitivity, epsilon);
  std::vector<std::int64_t> noised(values.values().begin(), values.values().end());
  for (std::uint64_t i = 0; i < terms; ++i) noise_.add_laplace(noised, rate, threads);
  LargeNoise stored;
  for (std::size_t i = 0; i < noised.size(); ++i) {
    if (noised[i] < floor.value()) continue;
    stored.cells.push_back(values.index_of(i));
    stored.values.push_back(noised[i]);
  }
  const LargeNoise empty =
      values.is_dense() ? LargeNoise{} : noise_.reaching(values.cell_count(), terms, rate, floor.value());
  return {NoisedKey{}, merged(values.shape(), stored, empty, values.index())};
}

NoisyLargest Mechanisms::largest(const std::function<std::uint64_t(std::uint64_t)>& rank, std::int64_t lowest,
                                 const Cells<std::int64_t>& values, std::uint64_t per_record, Epsilon epsilon,
                                 std::string name, std::uint64_t terms, unsigned threads) {
  check_terms(name, terms, lowest);
  const std::uint64_t sensitivity = product(per_record, unit_.records_changed());
  const Rate rate = Rate::of(epsilon, sensitivity);
  charge(std::move(name), sensitivity, epsilon);
  LargestValues found = largest_values(noise_, values, terms, rate, rank, lowest, threads);
  return {{NoisedKey{}, static_cast<std::int64_t>(found.positive)},
          {NoisedKey{}, found.floor},
          {NoisedKey{}, std::move(found.cells)}};
}

Noised<std::int64_t> Mechanisms::number(std::int64_t value, std::uint64_t per_neighbor, Epsilon epsilon,
                                        std::string name) {
  const Rate rate = Rate::of(epsilon, per_neighbor);
  charge(std::move(name), per_neighbor, epsilon);
  noise_.add_laplace({&value, 1}, rate, 1);
  return {NoisedKey{}, value};
}

Noised<std::int64_t> Mechanisms::threshold(std::span<const std::int64_t> positives, std::uint64_t k, std::uint64_t max,
                                           BaseMeasure base, std::uint64_t per_neighbor, Epsilon epsilon,
                                           std::string name, std::uint64_t shift) {
  const Measure measure(base, max, shift);
  const Rate rate = Rate::of(epsilon, product(2, per_neighbor));
  charge(std::move(name), per_neighbor, epsilon);
  const Runs runs = runs_of_equal_rank(positives, k, measure);
  const std::size_t run = noise_.choose(runs.intervals, rate);
  // Inside a run all x are equally good: they share its probability as the base measure says.
  const std::uint64_t before = run == 0 ? 0 : measure.up_to(runs.ends[run - 1]);
  const std::uint64_t x = measure.at(before + noise_.below(measure.up_to(runs.ends[run]) - before));
  return {NoisedKey{}, static_cast<std::int64_t>(x)};
}

// Looks at one profile, each finer than the one before.
class Mechanisms::ProfileLooks {
 public:
  // Whatever else a private Noise may be, its profiles are drawn here.
  ProfileLooks(Noise& noise, const ProfileSums& sums, Epsilon epsilon, std::uint64_t sensitivity)
      : sums_(sums),
        tenth_(epsilon.units() / 10),
        sensitivity_(sensitivity),
        rate_(Rate::of(Epsilon::from_units(tenth_), sensitivity)),
        noise_(noise),
        views_(noise.is_private() ? nullptr : dynamic_cast<ProfileViews*>(&noise)) {}

  [[nodiscard]] Epsilon price(unsigned share) const { return Epsilon::from_units(share * tenth_); }
  [[nodiscard]] std::uint64_t sensitivity() const { return sensitivity_; }
  [[nodiscard]] Noised<ProfileSums> at(const ProfileLook& look) {
    if (views_ == nullptr && !chain_) chain_.emplace(noise_, rate_);
    return {NoisedKey{}, chain_ ? chain_->added_to(sums_, look.share) : views_->view(sums_, look, rate_)};
  }
  // The first levels only; the others stay as they were seen.
  [[nodiscard]] Noised<ProfileSums> refined(const Noised<ProfileSums>& seen, unsigned levels) {
    ProfileSums result = seen.value();
    const Noised<ProfileSums> fine = at({profile_shares.back(), levels});
    std::copy_n(fine.value().begin(), levels, result.begin());
    return {NoisedKey{}, result};
  }

 private:
  const ProfileSums& sums_;
  std::uint64_t tenth_, sensitivity_;
  Rate rate_;
  Noise& noise_;
  ProfileViews* views_;
  std::optional<RefinableNoise> chain_;
};

ChosenProfile Mechanisms::profile(ProfileLooks& looks, unsigned first,
                                  const std::function<unsigned(const Noised<ProfileSums>&)>& choose, std::string name) {
  // All that may be chosen is set aside before anything is drawn; what is not needed goes back.
  charge(std::move(name), looks.sensitivity(), looks.price(most_profile_share));
  const unsigned share = choose(looks.at({.share = first, .is_first = true}));
  if (share < first || share > most_profile_share) {
    throw Error(ErrorKind::internal, fmt::format("a profile cannot cost {} tenths of epsilon", share));
  }
  left_ = left_ + looks.price(most_profile_share - share);
  spent_.back().epsilon = looks.price(share);
  return {looks.at({share}), share, spent_.back().epsilon};
}

ChosenProfile Mechanisms::profile(const ProfileSums& sums, std::uint64_t per_record, Epsilon epsilon, unsigned first,
                                  const std::function<unsigned(const Noised<ProfileSums>&)>& choose, std::string name) {
  ProfileLooks looks(noise_, sums, epsilon, product(per_record, unit_.records_changed()));
  return profile(looks, first, choose, std::move(name));
}

// With c = lowest_of(lift): a record more in a cell of w takes it to w + 1, and moves level j of the profile by 1 where
// 2^j <= w + 1 < 2^(j+1), no other. w < c: then j < lift, and max(w, c) stays. The record moves the profile, seen with
// the noise of at most ten tenths, and nothing else. w >= c: then j >= lift, and the value moves by 1. The record moves
// the profile where it is seen with the noise of `share` tenths, and a value with that of the rest. So a record costs
// epsilon at most, wherever it is, and n records n times that, which the sensitivity is.
ProfiledValues Mechanisms::profiled_values(Cells<std::int64_t> values, Epsilon epsilon, unsigned first,
                                           const std::function<ProfileChoice(const Noised<ProfileSums>&)>& choose,
                                           std::string profile_name, std::string values_name, unsigned threads) {
  const ProfileSums sums = profile_of(values.values());
  ProfileLooks looks(noise_, sums, epsilon, unit_.records_changed());
  unsigned lift = 0;
  const auto choose_both = [&](const Noised<ProfileSums>& seen) {
    const ProfileChoice choice = choose(seen);
    lift = choice.lift;
    return choice.share;
  };
  ChosenProfile chosen = profile(looks, first, choose_both, std::move(profile_name));
  if (lift > most_lift) throw Error(ErrorKind::internal, fmt::format("values cannot be raised by {} levels", lift));
  if (lift > 0) {
    for (std::int64_t& value : values.values()) value = std::max(value, lowest_of(lift));
    chosen.sums = looks.refined(chosen.sums, lift);
  }
  NoisyCounts noisy = this->values(std::move(values), 1, epsilon - chosen.epsilon, std::move(values_name), threads);
  return {std::move(chosen), lift, std::move(noisy)};
}

}  // namespace shoal
