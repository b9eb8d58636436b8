#include "evaluation/random_attack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

#include "base/parallel.hpp"
#include "evaluation/audit.hpp"
#include "evaluation/replay.hpp"
#include "grid/contributions.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"
#include "techniques/automatic.hpp"
#include "techniques/insets.hpp"
#include "techniques/request.hpp"

namespace shoal::evaluation {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// ---- One release, as private_release makes it, but with a given noise ----------------------------------------------

struct Counted {
  Counts counts;
  PointTable table;  // baseline only
};

// The counts as another engine would hand them over: a table of the cells that are not empty.
Counts given_again(const Counts& counts) {
  const Grid& grid = counts.grid();
  std::vector<std::vector<double>> table(grid.dimensions() + 1);
  const Cells<std::int64_t>& raw = counts.raw();
  for (std::size_t i = 0; i < raw.stored(); ++i) {
    if (raw.values()[i] == 0) continue;
    const auto at = coordinates(raw.index_of(i), grid.shape());
    for (std::size_t axis = 0; axis < at.size(); ++axis) table[axis].push_back(static_cast<double>(at[axis]));
    table.back().push_back(static_cast<double>(raw.values()[i]));
  }
  std::vector<Column> columns;
  for (const std::vector<double>& column : table) columns.push_back({column.data()});
  const auto points = array_points(std::move(columns), table.back().size());
  return as_quantized(given_counts(*points, grid, grid.dimensions()), QuantizeOptions{}.dense_limit);
}

Counted count(const Setting& setting, const Rows& all, const Grid& grid, PlantedFault fault, Noise& noise) {
  const Rows rows = with_fault(fault, setting, all);
  const PrivacyUnit& unit = setting.request.options.unit;
  const Outside outside = setting.request.outside;
  const bool whole = unit.column.empty();
  const QuantizeOptions counting{.outside = outside, .threads = setting.request.options.cluster.threads};
  Contribution contribution{.most = unit.max_contributions, .parts = unit.parts_per_weight()};
  if (setting.request.grouping() != nullptr) {
    contribution.group_cells = part_grid(setting.request).cell_count();
    contribution.max_groups = setting.request.grouping()->max_groups;
  }
  contribution = with_fault(fault, contribution);
  const ContributionKey key = whole ? ContributionKey{} : ContributionKey::draw(noise);
  const auto points = rows.points(!whole);
  if (needs_points(setting.request)) {
    PointTable table =
        whole ? collect(*points, grid, outside) : bounded_points(*points, grid, outside, contribution, key);
    Counts counts = quantize(table, grid, counting);
    return {std::move(counts), std::move(table)};
  }
  if (fault == PlantedFault::share_rounded_up) {
    return {counts_rounded_up(rows, grid, contribution.group_cells, contribution.max_groups), {}};
  }
  Counts counts =
      whole ? quantize(*points, grid, counting) : bounded_counts(*points, grid, counting, contribution, key);
  return {setting.counts_given ? given_again(counts) : std::move(counts), {}};
}

PointTable table_of_group(const PointTable& all, std::size_t group) {
  PointTable table{std::vector<std::vector<double>>(all.columns.size() - 1)};
  for (std::size_t row = 0; row < all.rows(); ++row) {
    if (all.columns.front()[row] != static_cast<double>(group)) continue;
    for (std::size_t i = 1; i < all.columns.size(); ++i) table.columns[i - 1].push_back(all.columns[i][row]);
    if (!all.parts.empty()) table.parts.push_back(all.parts[row]);
  }
  return table;
}

// A private median of the first column, on a lattice of 2^20 steps over its axis.
Observation median_of(const PointTable& table, const ReleaseRequest& request, Noise& noise) {
  constexpr std::uint64_t steps = std::uint64_t{1} << 20;
  const Axis& axis = request.bounds().axis(0);
  std::vector<WeightedValue> values;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto cell = static_cast<std::uint64_t>(axis.cell(table.columns[0][row]));
    values.push_back({static_cast<std::uint32_t>((2 * cell + 1) * steps / (2 * axis.cells())),
                      static_cast<std::uint32_t>(table.weight(row))});
  }
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  Mechanisms mechanisms(noise, request.options.unit, request.epsilon);
  const std::vector<MedianQuery> one = {{values, 0, steps}};
  Observation seen;
  seen.values = mechanisms.medians(one, request.epsilon, "medians").value();
  return seen;
}

Observation release(const Setting& setting, const Rows& rows, PlantedFault fault, Noise& given) {
  const std::unique_ptr<Noise> faulty = fault == PlantedFault::none ? nullptr : with_fault(fault, setting, given);
  Noise& noise = faulty ? *faulty : given;
  const ReleaseRequest request = with_fault(fault, setting);
  const Counted all = count(setting, rows, counted_grid(request), fault, noise);
  if (setting.medians_alone) return median_of(all.table, request, noise);
  const bool groups = request.grouping() != nullptr;
  std::vector<PointTable> tables(groups ? request.grouping()->names.size() : 0);
  const auto data = [&](std::size_t group) -> RawData {
    if (!groups) return {all.counts, &all.table};
    if (needs_points(request)) tables[group] = table_of_group(all.table, group);
    // A replay needs each cell's own noise, also past the request's dense limit.
    return {counts_of_group(all.counts, part_grid(request), group, QuantizeOptions{}.dense_limit),
            needs_points(request) ? &tables[group] : nullptr};
  };
  return observe(run_request(request, data, noise).releases());
}

// ---- One setting ---------------------------------------------------------------------------------------------------

struct Attacked {
  std::uint64_t replays = 0;
  WorstCase worst;
};

// Each neighbour in turn is recorded, with outputs on the far side of what the other one asked last, and is replayed on
// the other one.
void replay_both_ways(const Setting& setting, PlantedFault fault, Attacked& result) {
  const auto inner = seeded_noise_not_private(setting.seed);
  const unsigned rounds = setting.request.is_automatic() || setting.request.bounds().cell_count() > 65'536 ? 2 : 4;
  std::vector<std::vector<std::int64_t>> asked[2];
  const Rows* rows[2] = {&setting.data, &setting.neighbor};
  for (unsigned round = 0; round < 2 * rounds; ++round) {
    const std::size_t from = round % 2, to = 1 - from;
    const std::uint64_t spread = std::uint64_t{1} << (3 * (setting.seed + round / 2) % 9);
    RecordingNoise recording(*inner, spread, round == 0 ? nullptr : &asked[to]);
    const Observation seen = release(setting, *rows[from], fault, recording);
    asked[from] = recording.transcript().inputs;
    ReplayingNoise replaying(recording.transcript());
    ++result.replays;
    double loss = infinite;
    std::string why;
    try {
      const Observation again = release(setting, *rows[to], fault, replaying);
      const long double log_chance = replaying.log_chance();
      why = difference(seen, again, round < 2 && setting.seed % 4 == 0);
      if (why.empty()) {
        why = "the same is shown with another chance";
        loss = static_cast<double>(std::fabs(recording.transcript().log_chance - log_chance));
      }
    } catch (const Diverged& diverged) {
      why = diverged.what();
    }
    if (loss < result.worst.loss || (loss == 0 && !result.worst.why.empty())) continue;
    result.worst.loss = loss;
    result.worst.why = why;
  }
}

// None: the plan refuses the setting, or the fault makes no difference to it.
std::optional<Attacked> attack_setting(std::uint64_t seed, PlantedFault fault, bool& refused) {
  const Setting setting = random_setting(seed);
  Attacked result;
  Epsilon claimed = Epsilon::zero();
  try {
    claimed = setting.claimed();
    if (!applies(fault, setting)) return std::nullopt;
  } catch (const InputError&) {
    refused = true;
    return std::nullopt;
  }
  try {
    replay_both_ways(setting, fault, result);
  } catch (const std::exception& error) {
    result.worst.loss = infinite;
    result.worst.why = fmt::format("a run fails after its charge: {}", error.what());
  }
  result.worst.share = result.worst.loss / claimed.value();
  result.worst.exceeds = exceeds(result.worst.loss, claimed);
  result.worst.claimed = claimed.text();
  result.worst.setting = setting.text();
  result.worst.seed = seed;
  return result;
}

}  // namespace

Observation release_not_private(const Setting& setting, const Rows& rows, Noise& noise) {
  return release(setting, rows, PlantedFault::none, noise);
}

RandomFound attack_at_random(const RandomAttack& attack) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const unsigned threads = attack.threads > 0 ? attack.threads : std::max(1U, std::thread::hardware_concurrency());
  RandomFound found;
  std::atomic<std::uint64_t> next{attack.seed};
  std::mutex guard;
  const auto is_over = [&] {
    if (found.settings == 0) return false;
    if (attack.fault != PlantedFault::none && found.worst.exceeds) return true;
    return attack.replays > 0 ? found.replays >= attack.replays : elapsed() >= attack.seconds;
  };
  parallel_for(threads, threads, [&](std::uint64_t) {
    while (true) {
      {
        const std::lock_guard lock(guard);
        if (is_over()) return;
      }
      bool refused = false;
      const std::optional<Attacked> attacked = attack_setting(next.fetch_add(1), attack.fault, refused);
      const std::lock_guard lock(guard);
      found.refused += refused ? 1 : 0;
      if (!attacked) continue;
      ++found.settings;
      found.replays += attacked->replays;
      if (attack.done != nullptr) attack.done->store(found.replays, std::memory_order_relaxed);
      if (found.worst.setting.empty() || attacked->worst.share > found.worst.share) found.worst = attacked->worst;
    }
  });
  found.seconds = elapsed();
  return found;
}

}  // namespace shoal::evaluation
