#include "evaluation/audit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/parallel.hpp"
#include "evaluation/replay.hpp"
#include "shoal/error.hpp"

namespace shoal::evaluation {

namespace {

std::string text_of(const TinyData& data) { return fmt::format("[{}]", fmt::join(data.counts.raw().values(), " ")); }

// All ways to have `total` records in cells, at most `most[i]` in cell i.
void spread_records(std::uint64_t total, const std::vector<std::uint64_t>& most, std::vector<std::uint64_t>& records,
                    const std::function<void(const std::vector<std::uint64_t>&)>& visit) {
  if (records.size() == most.size()) {
    if (total == 0) visit(records);
    return;
  }
  for (std::uint64_t here = 0; here <= std::min(total, most[records.size()]); ++here) {
    records.push_back(here);
    spread_records(total - here, most, records, visit);
    records.pop_back();
  }
}

std::vector<std::vector<std::uint64_t>> spreads(std::uint64_t total, const std::vector<std::uint64_t>& most) {
  std::vector<std::vector<std::uint64_t>> all;
  std::vector<std::uint64_t> records;
  spread_records(total, most, records, [&](const auto& found) { all.push_back(found); });
  return all;
}

}  // namespace

TinyData::TinyData(Grid grid_, PointTable points_)
    : grid(std::move(grid_)), points(std::move(points_)), counts(quantize(points, grid, {.threads = 1})) {}

TinyData TinyData::in_cells(Grid grid, const std::vector<std::uint64_t>& records) {
  PointTable points{std::vector<std::vector<double>>(grid.dimensions())};
  for (std::size_t cell = 0; cell < records.size(); ++cell) {
    const auto at = coordinates(cell, grid.shape());
    for (std::uint64_t record = 0; record < records[cell]; ++record) {
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        points.columns[axis].push_back((grid.axis(axis).edge(at[axis]) + grid.axis(axis).edge(at[axis] + 1)) / 2);
      }
    }
  }
  return {std::move(grid), std::move(points)};
}

std::vector<TinyData> neighbors_of(const TinyData& data, const PrivacyUnit& unit) {
  const auto raw = data.counts.raw().values();
  const std::vector<std::uint64_t> present(raw.begin(), raw.end());
  const std::vector<std::uint64_t> any(present.size(), unit.max_contributions);
  std::vector<std::vector<std::uint64_t>> found;
  const auto take = [&](std::uint64_t removed, std::uint64_t added) {
    for (const auto& fewer : spreads(removed, present)) {
      for (const auto& more : spreads(added, any)) {
        std::vector<std::uint64_t> records = present;
        for (std::size_t i = 0; i < records.size(); ++i) records[i] = records[i] - fewer[i] + more[i];
        if (records != present) found.push_back(std::move(records));
      }
    }
  };
  for (std::uint64_t m = 1; m <= unit.max_contributions; ++m) {
    if (unit.neighbors == Neighbors::add_remove) {
      take(m, 0);
      take(0, m);
    } else {
      for (std::uint64_t others = 1; others <= unit.max_contributions; ++others) take(m, others);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<TinyData> neighbors;
  for (const auto& records : found) neighbors.push_back(TinyData::in_cells(data.grid, records));
  return neighbors;
}

std::vector<TinyData> neighbors_in_groups(const TinyData& data, const PrivacyUnit& unit, std::uint64_t max_groups) {
  const auto raw = data.counts.raw().values();
  const std::vector<std::uint64_t> present(raw.begin(), raw.end());
  const std::vector<std::uint64_t> any(present.size(), unit.max_contributions);
  const std::uint64_t cells = present.size() / data.grid.axis(0).cells();
  // All that one unit may have, nothing included.
  const auto of_a_unit = [&](const std::vector<std::uint64_t>& most) {
    std::vector<std::vector<std::uint64_t>> found;
    for (std::uint64_t records = 0; records <= unit.max_contributions * max_groups; ++records) {
      for (auto& spread : spreads(records, most)) {
        std::vector<std::uint64_t> in(data.grid.axis(0).cells());
        for (std::size_t i = 0; i < spread.size(); ++i) in[i / cells] += spread[i];
        const auto entered = std::count_if(in.begin(), in.end(), [](std::uint64_t n) { return n > 0; });
        const bool fits = *std::max_element(in.begin(), in.end()) <= unit.max_contributions;
        if (fits && static_cast<std::uint64_t>(entered) <= max_groups) found.push_back(std::move(spread));
      }
    }
    return found;
  };
  std::set<std::vector<std::uint64_t>> found;
  for (const auto& fewer : of_a_unit(present)) {
    for (const auto& more : of_a_unit(any)) {
      const auto none = [](const auto& numbers) {
        return std::all_of(numbers.begin(), numbers.end(), [](auto n) { return n == 0; });
      };
      if (unit.neighbors == Neighbors::add_remove && !none(fewer) && !none(more)) continue;
      std::vector<std::uint64_t> records = present;
      for (std::size_t i = 0; i < records.size(); ++i) records[i] = records[i] - fewer[i] + more[i];
      if (records != present) found.insert(std::move(records));
    }
  }
  std::vector<TinyData> neighbors;
  for (const auto& records : found) neighbors.push_back(TinyData::in_cells(data.grid, records));
  return neighbors;
}

namespace {
constexpr std::ptrdiff_t profile_levels_looked_at = 3;
}

Counts refined(const Counts& counts, const Grid& finer) {
  const std::uint64_t times = finer.cell_count() / counts.grid().cell_count();
  std::vector<std::int64_t> values(finer.cell_count());
  for (std::size_t i = 0; i < counts.raw().stored(); ++i) values[i * times] = counts.raw().values()[i];
  return {finer, Cells<std::int64_t>::dense(finer.shape(), values), 0, 0};
}

Observation observe(Release release) {
  Observation seen;
  const ReleaseParts& parts = release.parts();
  const BoxSums* const boxes = parts.boxes();
  const Cells<std::int64_t>& values = boxes != nullptr ? boxes->records.value() : parts.values()->value();
  for (std::uint64_t cell = 0; cell < values.cell_count(); ++cell) seen.values.push_back(values.at(cell));
  if (boxes != nullptr) {
    for (const CountedBox& box : boxes->boxes.value()) {
      seen.shown.insert(seen.shown.end(), box.first.begin(), box.first.end());
      seen.shown.insert(seen.shown.end(), box.end.begin(), box.end.end());
    }
  }
  if (parts.has_floor()) seen.shown.push_back(parts.floor());
  seen.shown.push_back(parts.censored_below());
  if (parts.answer()) seen.answer = parts.answer()->answer.value();
  if (parts.profile()) {
    const auto& sums = parts.profile()->sums.value();  // levels of small values: the data are tiny
    seen.values.insert(seen.values.end(), sums.begin(), sums.begin() + profile_levels_looked_at);
  }
  seen.shown.push_back(static_cast<std::int64_t>(release.k()));
  seen.shown.push_back(std::llround(std::clamp(4 * release.threshold(), -1e6, 1e6)));  // a fraction for some
  for (const std::uint64_t cell : release.cluster_cells().cells()) {
    seen.shown.push_back(static_cast<std::int64_t>(cell));
    seen.shown.push_back(release.cluster_cells().label(cell));
  }
  for (const Spent& spent : parts.spent()) seen.shown.push_back(static_cast<std::int64_t>(spent.epsilon.units()));
  for (const Axis& axis : parts.grid.axes()) {
    seen.shown.push_back(std::bit_cast<std::int64_t>(axis.lo()));
    seen.shown.push_back(std::bit_cast<std::int64_t>(axis.hi()));
    for (const double cut : axis.cuts()) seen.shown.push_back(std::bit_cast<std::int64_t>(cut));
  }
  seen.release = std::move(release);
  return seen;
}

Observation observe(std::vector<Release> releases) {
  Observation all;
  for (Release& release : releases) {
    Observation one = observe(std::move(release));
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    all.shown.push_back(one.answer);
    all.shown.insert(all.shown.end(), one.shown.begin(), one.shown.end());
    all.release = std::move(one.release);
  }
  return all;
}

// ---- Clopper and Pearson's bounds

// P(X >= k) of a binomial(n, p) is the incomplete beta function I_p(k, n - k + 1).
double binomial_lower(std::uint64_t successes, std::uint64_t trials, double error) {
  if (successes == 0) return 0;
  return boost::math::ibeta_inv(static_cast<double>(successes), static_cast<double>(trials - successes + 1), error);
}

double binomial_upper(std::uint64_t successes, std::uint64_t trials, double error) {
  return 1 - binomial_lower(trials - successes, trials, error);
}

// ---- By sampling

namespace {

constexpr std::int64_t joint_low = -1, joint_high = 3;    // noisy values of all cells together are cut to this range
constexpr std::int64_t alone_low = -40, alone_high = 40;  // of one cell alone
constexpr std::uint64_t streams = 4;                      // a dataset's runs, in parts that can go to several threads

class Key {
 public:
  void add(std::int64_t value) {
    hash_ = (hash_ ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15U;
    hash_ ^= hash_ >> 29;
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0x243F6A8885A308D3U;
};

// Statistics of a run. Each makes one event of it; joining events by chance (equal hashes) only makes it coarser.
std::vector<std::uint64_t> statistics(const Observation& seen) {
  Key everything, values, answer, shown;
  std::vector<std::uint64_t> keys(4);
  for (const std::int64_t value : seen.values) {
    const std::int64_t cut = std::clamp(value, joint_low, joint_high);
    everything.add(cut);
    values.add(cut);
    keys.push_back(static_cast<std::uint64_t>(std::clamp(value, alone_low, alone_high)));
  }
  answer.add(std::clamp(seen.answer, alone_low, alone_high));
  everything.add(std::clamp(seen.answer, joint_low, joint_high));
  for (const std::int64_t value : seen.shown) shown.add(value);
  everything.add(static_cast<std::int64_t>(shown.value()));
  keys[0] = everything.value();
  keys[1] = values.value();
  keys[2] = answer.value();
  keys[3] = shown.value();
  return keys;
}

std::string statistic_name(std::size_t statistic) {
  static const std::array names = {"all that is shown", "the noisy values", "the noisy answer",
                                   "clusters and the rest"};
  return statistic < names.size() ? names[statistic] : fmt::format("noisy value {}", statistic - names.size() + 1);
}

enum Hand { sorting, picking, bounding };
// One run in four sorts, one picks, and two bound.
Hand hand_of(std::uint64_t run) { return run % 4 == 0 ? sorting : run % 4 == 1 ? picking : bounding; }

using Tally = std::array<std::uint64_t, 3>;  // by hand
using Events = std::unordered_map<std::uint64_t, Tally>;

struct Histogram {
  std::vector<Events> by_statistic;
  Tally runs{};

  void add(const std::vector<std::uint64_t>& keys, Hand hand) {
    if (by_statistic.size() < keys.size()) by_statistic.resize(keys.size());
    for (std::size_t statistic = 0; statistic < keys.size(); ++statistic)
      ++by_statistic[statistic][keys[statistic]][hand];
    ++runs[hand];
  }
  void add(const Histogram& other) {
    if (by_statistic.size() < other.by_statistic.size()) by_statistic.resize(other.by_statistic.size());
    for (std::size_t statistic = 0; statistic < other.by_statistic.size(); ++statistic) {
      for (const auto& [key, tally] : other.by_statistic[statistic]) {
        for (std::size_t hand = 0; hand < tally.size(); ++hand) by_statistic[statistic][key][hand] += tally[hand];
      }
    }
    for (std::size_t hand = 0; hand < runs.size(); ++hand) runs[hand] += other.runs[hand];
  }
};

// An event as the union of elementary ones, and how the picking hand likes it.
struct Candidate {
  double promise = 0;  // a cautious estimate of log(P / Q)
  std::size_t statistic = 0;
  std::uint64_t p = 0, q = 0;  // how often the bounding hand saw it
};

// Wilson's interval, a cheap stand-in while picking: 3 standard deviations.
double cautious_ratio(double p, double p_runs, double q, double q_runs) {
  constexpr double z = 3;
  const auto bound = [](double k, double n, double side) {
    const double share = k / n;
    const double centre = share + z * z / (2 * n);
    const double half = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return (centre + side * half) / (1 + z * z / n);
  };
  const double low = bound(p, p_runs, -1);
  return low <= 0 ? 0 : std::log(low / bound(q, q_runs, 1));
}

struct Pair {
  Tally p{}, q{};
};

void consider(const Events& p, const Events& q, const Tally& p_runs, const Tally& q_runs, std::size_t statistic,
              Candidate& best) {
  std::unordered_map<std::uint64_t, Pair> joined;
  for (const auto& [key, tally] : p) joined[key].p = tally;
  for (const auto& [key, tally] : q) joined[key].q = tally;
  std::vector<std::pair<double, Pair>> sorted;
  sorted.reserve(joined.size());
  for (const auto& [key, pair] : joined) {
    sorted.emplace_back((static_cast<double>(pair.p[sorting]) + 0.5) / (static_cast<double>(pair.q[sorting]) + 0.5),
                        pair);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  Pair sum;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (const Hand hand : {picking, bounding}) {
      sum.p[hand] += sorted[i].second.p[hand];
      sum.q[hand] += sorted[i].second.q[hand];
    }
    if (i + 1 < sorted.size() && sorted[i + 1].first == sorted[i].first) continue;  // equal ratios: all or none
    const double promise = cautious_ratio(static_cast<double>(sum.p[picking]), static_cast<double>(p_runs[picking]),
                                          static_cast<double>(sum.q[picking]), static_cast<double>(q_runs[picking]));
    if (promise > best.promise) best = {promise, statistic, sum.p[bounding], sum.q[bounding]};
  }
}

// Lower bound of the epsilon that P and Q need, wrong with a chance of at most `error`.
std::pair<double, Candidate> bound_between(const Histogram& p, const Histogram& q, double error) {
  Candidate best;
  static const Events none;
  for (std::size_t statistic = 0; statistic < std::max(p.by_statistic.size(), q.by_statistic.size()); ++statistic) {
    consider(statistic < p.by_statistic.size() ? p.by_statistic[statistic] : none,
             statistic < q.by_statistic.size() ? q.by_statistic[statistic] : none, p.runs, q.runs, statistic, best);
  }
  if (best.promise == 0) return {0, best};
  const double low = binomial_lower(best.p, p.runs[bounding], error / 2);
  const double high = binomial_upper(best.q, q.runs[bounding], error / 2);
  return {low > 0 ? std::max(0.0, std::log(low / high)) : 0, best};
}

// The datasets of an audit: each start and its neighbours; pairs are (start, neighbour).
struct Family {
  std::vector<TinyData> members;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
};

Family family_of(const std::vector<TinyData>& starts, const Subject& subject) {
  Family family;
  for (const TinyData& start : starts) {
    const std::size_t first = family.members.size();
    family.members.push_back(start);
    for (TinyData& neighbor : subject.max_groups ? neighbors_in_groups(start, subject.unit, *subject.max_groups)
                                                 : neighbors_of(start, subject.unit)) {
      family.pairs.emplace_back(first, family.members.size());
      family.members.push_back(std::move(neighbor));
    }
  }
  return family;
}

std::vector<Histogram> sample(const Subject& subject, const Family& family, std::uint64_t runs_each,
                              const SamplingOptions& options) {
  std::vector<Histogram> histograms(family.members.size());
  std::mutex guard;
  parallel_for(family.members.size() * streams, options.threads, [&](std::uint64_t part) {
    const std::size_t member = part / streams;
    const auto noise = seeded_noise_not_private(options.seed * 1'000'003 + part);
    Histogram mine;
    for (std::uint64_t run = part % streams; run < runs_each; run += streams) {
      mine.add(statistics(subject.run(family.members[member], *noise)), hand_of(run / streams));
      if (options.done != nullptr) options.done->fetch_add(1, std::memory_order_relaxed);
    }
    const std::lock_guard lock(guard);
    histograms[member].add(mine);
  });
  return histograms;
}

}  // namespace

Sampled audit_by_sampling(const Subject& subject, const std::vector<TinyData>& starts, const SamplingOptions& options) {
  const Family family = family_of(starts, subject);
  const std::uint64_t runs_each = options.runs / family.members.size();
  if (runs_each < 16)
    throw InputError(fmt::format("{} runs are too few for {} datasets", options.runs, family.members.size()));
  const std::vector<Histogram> histograms = sample(subject, family, runs_each, options);

  Sampled result;
  result.runs = runs_each * family.members.size();
  result.datasets = family.members.size();
  result.pairs = family.pairs.size();
  const double error = options.error / (2.0 * static_cast<double>(family.pairs.size()));
  for (const auto& [start, neighbor] : family.pairs) {
    for (const auto& [p, q] : {std::pair(start, neighbor), std::pair(neighbor, start)}) {
      const auto [bound, event] = bound_between(histograms[p], histograms[q], error);
      if (bound <= result.lower_bound) continue;
      result.lower_bound = bound;
      result.where = fmt::format("{} against {}, by {}: {} of {} runs against {} of {}", text_of(family.members[p]),
                                 text_of(family.members[q]), statistic_name(event.statistic), event.p,
                                 histograms[p].runs[bounding], event.q, histograms[q].runs[bounding]);
    }
  }
  Histogram all;
  for (const Histogram& histogram : histograms) all.add(histogram);
  for (const Events& events : all.by_statistic) result.events += events.size();
  return result;
}

// ---- By replay

namespace {

constexpr const char* another_chance = "the same is shown with another chance";

}  // namespace

std::string difference(const Observation& a, const Observation& b, bool whole) {
  if (a.values != b.values) return "the same noise gives other values";
  if (a.answer != b.answer) return "the same noise gives another answer";
  if (a.shown != b.shown) return "more is shown than what was noised";
  if (!a.release.has_value()) return {};
  if (a.release->k() != b.release->k() || a.release->threshold() != b.release->threshold() ||
      a.release->cluster_cells() != b.release->cluster_cells()) {
    return "the clusters differ";
  }
  if (whole && a.release->json() != b.release->json()) return "the release's file differs";
  return {};
}

namespace {

struct Loss {
  double value = 0;
  std::string why;
};

Loss loss_between(const Subject& subject, const TinyData& from, const TinyData& to, Noise& inner, std::uint64_t spread,
                  bool whole) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  RecordingNoise recording(inner, spread);
  const Observation seen = subject.run(from, recording);
  ReplayingNoise replaying(recording.transcript());
  try {
    const Observation again = subject.run(to, replaying);
    const long double log_chance = replaying.log_chance();
    if (std::string why = difference(seen, again, whole); !why.empty()) return {infinite, std::move(why)};
    return {static_cast<double>(std::fabs(recording.transcript().log_chance - log_chance)), another_chance};
  } catch (const Diverged& diverged) {
    return {infinite, diverged.what()};
  }
}

}  // namespace

Replayed audit_by_replay(const Subject& subject, const std::vector<TinyData>& starts, std::uint64_t runs,
                         std::uint64_t seed) {
  const Family family = family_of(starts, subject);
  const auto inner = seeded_noise_not_private(seed);
  Replayed result;
  result.runs = 2 * runs * family.pairs.size();
  result.pairs = family.pairs.size();
  for (const auto& [start, neighbor] : family.pairs) {
    for (const auto& [from, to] : {std::pair(start, neighbor), std::pair(neighbor, start)}) {
      for (std::uint64_t run = 0; run < runs; ++run) {
        const std::uint64_t spread = run % 2 == 0 ? 1 : 8;
        const Loss loss = loss_between(subject, family.members[from], family.members[to], *inner, spread, run < 2);
        if (loss.value <= result.largest_loss) continue;
        result.largest_loss = loss.value;
        result.where = fmt::format("{}: {} against {}: {}", subject.name, text_of(family.members[from]),
                                   text_of(family.members[to]), loss.why);
      }
    }
  }
  return result;
}

namespace {
constexpr std::uint64_t least_runs = 1000;  // however small the share
}

bool exceeds(double loss, Epsilon epsilon) { return loss > epsilon.value() * (1 + 1e-9) + 1e-9; }

AuditRow audit(const AuditCase& audited, const SamplingOptions& options) {
  AuditRow row{.name = audited.subject.name,
               .neighbors = audited.subject.unit.neighbors,
               .claimed = audited.subject.epsilon,
               .sampled = {},
               .replayed = {},
               .broken = audited.broken};
  SamplingOptions sampling = options;
  sampling.runs = std::max(static_cast<std::uint64_t>(static_cast<double>(options.runs) * audited.share), least_runs);
  row.sampled = audit_by_sampling(audited.subject, audited.starts, sampling);
  std::mutex guard;
  parallel_for(audited.replays.size(), options.threads, [&](std::uint64_t i) {
    const AuditCase::Replay& replay = audited.replays[i];
    const Replayed found = audit_by_replay(replay.subject, replay.starts, replay.runs, options.seed + i);
    const std::lock_guard lock(guard);
    row.replayed.runs += found.runs;
    row.replayed.pairs += found.pairs;
    if (found.largest_loss > row.replayed.largest_loss ||
        (found.largest_loss == row.replayed.largest_loss && found.where < row.replayed.where)) {
      row.replayed.largest_loss = found.largest_loss;
      row.replayed.where = found.where;
    }
  });
  return row;
}

}  // namespace shoal::evaluation
