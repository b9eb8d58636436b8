#include "evaluation/replay.hpp"

#include <algorithm>
#include <cmath>

namespace shoal::evaluation {

namespace {

// log P(outputs), outputs[i] = values[i] + X_i with X_i discrete Laplace. Written without the library's LaplaceLaw on
// purpose: a replay must not trust what it checks.
long double laplace_log_chance(std::span<const std::int64_t> values, std::span<const std::int64_t> outputs, Rate rate) {
  const double q = std::exp(-rate.value());
  long double result = static_cast<double>(values.size()) * std::log((1 - q) / (1 + q));
  for (std::size_t i = 0; i < values.size(); ++i) {
    result -= rate.value() * std::fabs(static_cast<double>(outputs[i]) - static_cast<double>(values[i]));
  }
  return result;
}

// log of the chance of one unit of measure in interval `chosen`.
double choice_log_chance(std::span<const WeightedInterval> intervals, std::size_t chosen, Rate rate) {
  std::uint64_t least = UINT64_MAX;
  for (const WeightedInterval& interval : intervals) {
    if (interval.measure > 0) least = std::min(least, interval.cost);
  }
  double sum = 0;
  for (const WeightedInterval& interval : intervals) {
    if (interval.measure == 0) continue;
    sum += static_cast<double>(interval.measure) *
           std::exp(-rate.value() * (static_cast<double>(interval.cost) - static_cast<double>(least)));
  }
  return -rate.value() * (static_cast<double>(intervals[chosen].cost) - static_cast<double>(least)) - std::log(sum);
}

// As slow as a sampler takes it.
Rate slower(Rate rate, std::uint64_t by) {
  while (by > 1 && rate.value() / static_cast<double>(by) < 0x1p-39) by /= 2;
  return {rate.numerator, rate.denominator * by};
}

// Values above this number are noised by the exact samplers, in chunks on several threads, as a release would do it.
constexpr std::size_t most_values_at_once = 1 << 16;

// Adds numbers that are spread like discrete Laplace noise, by floating point. A replay is exact for any output,
// because it computes the probability of the output. So it needs no exact draw, whose tables would take most of the
// time of an attack on tiny data.
void add_like_laplace(std::span<std::int64_t> values, Rate rate, UniformSource& source) {
  constexpr std::uint64_t steps = std::uint64_t{1} << 53;
  constexpr double largest = 0x1p62;
  for (std::int64_t& value : values) {
    const double uniform = (static_cast<double>(source.below(steps)) + 0.5) / static_cast<double>(steps);
    const double magnitude = std::floor(-std::log(uniform) / rate.value());
    const double sum = static_cast<double>(value) + (source.below(2) == 0 ? magnitude : -magnitude);
    value = static_cast<std::int64_t>(std::clamp(sum, -largest, largest));
  }
}

}  // namespace

double ProfileChain::add(const ProfileSums& sums, const ProfileStep& step, Rate tenth) {
  const Rate rate{tenth.numerator * step.query.share, tenth.denominator};
  double added = 0;
  for (std::size_t j = 0; j < step.query.levels; ++j) {
    if (step.query.share <= finest[j]) continue;
    const auto seen = static_cast<double>(laplace_log_chance({&sums[j], 1}, {&step.seen[j], 1}, rate));
    added += seen - chance[j];
    chance[j] = seen;
    finest[j] = step.query.share;
  }
  return added;
}

RecordingNoise::RecordingNoise(Noise& inner, std::uint64_t spread,
                               const std::vector<std::vector<std::int64_t>>* away_from)
    : inner_(inner), spread_(spread), away_from_(away_from) {}

void RecordingNoise::turn(std::span<const std::int64_t> inputs, std::span<std::int64_t> outputs) {
  const std::size_t step = transcript_.inputs.size();
  transcript_.inputs.emplace_back(inputs.begin(), inputs.end());
  if (away_from_ == nullptr || step >= away_from_->size() || (*away_from_)[step].size() != inputs.size()) return;
  const std::vector<std::int64_t>& other = (*away_from_)[step];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::int64_t added = outputs[i] - inputs[i];
    if (inputs[i] > other[i] && added < 0) outputs[i] = inputs[i] - added;
    if (inputs[i] < other[i] && added > 0) outputs[i] = inputs[i] - added;
  }
}

void RecordingNoise::add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) {
  const std::vector<std::int64_t> before(values.begin(), values.end());
  if (values.size() > most_values_at_once) {
    inner_.add_laplace(values, slower(rate, spread_), threads);
  } else {
    add_like_laplace(values, slower(rate, spread_), inner_);
  }
  turn(before, values);
  transcript_.log_chance += laplace_log_chance(before, values, rate);
  transcript_.steps.emplace_back(LaplaceStep{{values.begin(), values.end()}});
}

std::size_t RecordingNoise::choose(std::span<const WeightedInterval> intervals, Rate rate) {
  std::size_t chosen = inner_.choose(intervals, rate);
  if (spread_ > 1) {  // any interval, however unlikely
    do {
      chosen = inner_.below(intervals.size());
    } while (intervals[chosen].measure == 0);
  }
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < chosen; ++i) before += intervals[i].measure;
  transcript_.log_chance += choice_log_chance(intervals, chosen, rate);
  transcript_.steps.emplace_back(ChoiceStep{before});
  inside_interval_ = true;
  return chosen;
}

std::uint64_t RecordingNoise::below(std::uint64_t bound) {
  const std::uint64_t value = inner_.below(bound);
  if (inside_interval_) {
    std::get<ChoiceStep>(transcript_.steps.back()).point += value;
    inside_interval_ = false;
  } else {
    transcript_.steps.emplace_back(UniformStep{bound, value});
    transcript_.log_chance -= std::log(static_cast<double>(bound));
  }
  return value;
}

namespace {

// What an owner is asked for, seen as it wants. Each object is a chain of its own.
template <class Owner>
class QueriesOf final : public ProfileQueries {
 public:
  QueriesOf(Owner& owner, Rate tenth) : owner_(owner), tenth_(tenth) {}
  ProfileSums at(const ProfileSums& sums, const ProfileQuery& query) override {
    return owner_.view(sums, query, tenth_, chain_);
  }

 private:
  Owner& owner_;
  Rate tenth_;
  ProfileChain chain_;
};

}  // namespace

std::unique_ptr<ProfileQueries> RecordingNoise::profile_queries(Rate tenth) {
  return std::make_unique<QueriesOf<RecordingNoise>>(*this, tenth);
}

std::unique_ptr<ProfileQueries> ReplayingNoise::profile_queries(Rate tenth) {
  return std::make_unique<QueriesOf<ReplayingNoise>>(*this, tenth);
}

ProfileSums RecordingNoise::view(const ProfileSums& sums, const ProfileQuery& query, Rate tenth, ProfileChain& chain) {
  if (!chain.noise) chain.noise.emplace(inner_, slower(tenth, spread_));
  ProfileStep step{query, chain.noise->added_to(sums, query.share)};
  turn(sums, step.seen);
  transcript_.log_chance += chain.add(sums, step, tenth);
  transcript_.steps.emplace_back(step);
  return step.seen;
}

template <class Kind>
const Kind& ReplayingNoise::next() {
  if (at_ == transcript_.steps.size()) throw Diverged("the neighbour's run asks for more noise");
  const Kind* step = std::get_if<Kind>(&transcript_.steps[at_++]);
  if (step == nullptr) throw Diverged("the neighbour's run asks for another kind of noise");
  return *step;
}

void ReplayingNoise::add_laplace(std::span<std::int64_t> values, Rate rate, unsigned /*threads*/) {
  const auto& step = next<LaplaceStep>();
  if (step.outputs.size() != values.size()) throw Diverged("the neighbour's run noises another number of values");
  log_chance_ += laplace_log_chance(values, step.outputs, rate);
  std::copy(step.outputs.begin(), step.outputs.end(), values.begin());
}

std::size_t ReplayingNoise::choose(std::span<const WeightedInterval> intervals, Rate rate) {
  std::uint64_t left = next<ChoiceStep>().point;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (left < intervals[i].measure) {
      log_chance_ += choice_log_chance(intervals, i, rate);
      inside_interval_ = true;
      offset_ = left;
      return i;
    }
    left -= intervals[i].measure;
  }
  throw Diverged("an output that the neighbour's run cannot give");
}

std::uint64_t ReplayingNoise::below(std::uint64_t bound) {
  if (inside_interval_) {
    inside_interval_ = false;
    return offset_;
  }
  const auto& step = next<UniformStep>();
  if (step.bound != bound) throw Diverged("the neighbour's run draws from another range");
  log_chance_ -= std::log(static_cast<double>(bound));
  return step.value;
}

ProfileSums ReplayingNoise::view(const ProfileSums& sums, const ProfileQuery& query, Rate tenth, ProfileChain& chain) {
  const auto& step = next<ProfileStep>();
  if (step.query.share != query.share || step.query.levels != query.levels || step.query.is_first != query.is_first) {
    throw Diverged("the neighbour's run asks for another view of the profile");
  }
  log_chance_ += chain.add(sums, step, tenth);
  return step.seen;
}

long double ReplayingNoise::log_chance() const {
  if (at_ != transcript_.steps.size()) throw Diverged("the neighbour's run asks for less noise");
  return log_chance_;
}

}  // namespace shoal::evaluation
