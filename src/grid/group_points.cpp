#include "grid/group_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

#include "shoal/error.hpp"

namespace shoal {

namespace {

// A source with its first column replaced.
class PointsInGroups final : public Points {
 public:
  PointsInGroups(Points& source, const Axis& groups, const Grid& grid, Outside outside)
      : source_(source), groups_(groups), grid_(grid), outside_(outside) {
    if (source.dimensions() == grid.dimensions() + 1) return;
    throw InputError(
        fmt::format("the points have {} columns besides the group and the grid has {} axes; give bounds "
                    "for every column",
                    source.dimensions() - 1, grid.dimensions()));
  }

  [[nodiscard]] std::size_t dimensions() const override { return source_.dimensions(); }
  [[nodiscard]] std::vector<std::string> names() const override { return source_.names(); }
  [[nodiscard]] double progress() const override { return source_.progress(); }
  [[nodiscard]] Taken taken() const override { return source_.taken(); }
  [[nodiscard]] std::uint64_t skipped() const override { return source_.skipped(); }
  void stop_when(const std::atomic<bool>* stop) noexcept override { source_.stop_when(stop); }

  void scan(unsigned threads, const Visit& visit) override {
    std::vector<std::vector<double>> places(std::max(1U, threads));
    source_.scan(threads, [&](unsigned worker, const PointBlock& block) {
      std::vector<double>& mine = places[worker];
      mine.clear();
      for (std::size_t row = 0; row < block.rows(); ++row) {
        const std::int64_t cell = in_a_cell(block, row) ? groups_.cell(block.columns.front()[row]) : outside_axis;
        mine.push_back(cell == outside_axis ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(cell));
      }
      PointBlock in = block;
      in.columns.front() = mine;
      visit(worker, in);
    });
  }

 private:
  [[nodiscard]] bool in_a_cell(const PointBlock& block, std::size_t row) const {
    for (std::size_t i = 0; i < grid_.dimensions(); ++i) {
      const double x = block.columns[i + 1][row];
      if (grid_.axis(i).cell(outside_ == Outside::clamp ? grid_.axis(i).clamp(x) : x) == outside_axis) return false;
    }
    return true;
  }

  Points& source_;
  Axis groups_;
  Grid grid_;
  Outside outside_;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

// Of one unit in one group: coordinates of a kept record side by side.
struct KeptGroup {
  double group = 0;
  std::uint64_t rank = 0;  // by which groups are chosen: the lowest stay
  std::uint64_t seen = 0;
  std::vector<double> kept;
};

struct Unit {
  std::uint64_t key = 0;          // drawn for it alone
  std::vector<KeptGroup> groups;  // at most max_groups
};

// A mixing of 64 bits (Steele, Lea and Flood 2014): distinct inputs have distinct ranks.
std::uint64_t rank_of(std::uint64_t key, double group) {
  std::uint64_t z = key + (static_cast<std::uint64_t>(group) + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

class GroupBounder {
 public:
  GroupBounder(std::size_t dimensions, std::uint64_t max_groups, std::uint64_t max_contributions, UniformSource& random)
      : dimensions_(dimensions), max_groups_(max_groups), most_(max_contributions), random_(random) {}

  void add(const PointBlock& block) {
    if (block.units.empty()) throw InputError("the input has no unit column; name it (--unit)");
    std::vector<double> record(dimensions_);
    for (std::size_t row = 0; row < block.rows(); ++row) {
      for (std::size_t i = 0; i < dimensions_; ++i) record[i] = block.columns[i][row];
      if (std::any_of(record.begin(), record.end(), [](double x) { return std::isnan(x); })) continue;
      if (KeptGroup* const group = group_of(unit(block.units[row]), record.front())) offer(*group, record);
    }
  }

  [[nodiscard]] std::vector<std::vector<double>> take() {
    std::vector<std::vector<double>> columns(dimensions_);
    for (Unit& unit : units_) {
      for (const KeptGroup& group : unit.groups) {
        for (std::size_t at = 0; at < group.kept.size(); ++at) columns[at % dimensions_].push_back(group.kept[at]);
      }
      unit.groups = {};
    }
    return columns;
  }

 private:
  Unit& unit(std::string_view key) {
    if (key.empty()) throw InputError("a row has an empty unit; give every row its unit");
    const auto found = places_.find(key);
    if (found != places_.end()) return units_[found->second];
    places_.emplace(key, units_.size());
    units_.push_back({.key = random_.below(UINT64_MAX), .groups = {}});
    return units_.back();
  }

  // Where records of this group go; none: the unit has enough groups of lower rank. Ranks do not change, so of a group
  // that stays to the end no record was turned away, and one that was pushed out never comes back.
  KeptGroup* group_of(Unit& unit, double group) {
    for (KeptGroup& of : unit.groups) {
      if (of.group == group) return &of;
    }
    KeptGroup fresh{.group = group, .rank = rank_of(unit.key, group), .seen = 0, .kept = {}};
    if (unit.groups.size() < max_groups_) return &unit.groups.emplace_back(std::move(fresh));
    const auto highest = std::max_element(unit.groups.begin(), unit.groups.end(),
                                          [](const KeptGroup& a, const KeptGroup& b) { return a.rank < b.rank; });
    if (fresh.rank > highest->rank) return nullptr;
    *highest = std::move(fresh);
    return &*highest;
  }

  // Reservoir sampling (Vitter 1985, algorithm R), as in contributions.cpp.
  void offer(KeptGroup& to, const std::vector<double>& record) {
    ++to.seen;
    if (to.seen <= most_) {
      to.kept.insert(to.kept.end(), record.begin(), record.end());
      return;
    }
    const std::uint64_t place = random_.below(to.seen);
    if (place < most_) std::copy(record.begin(), record.end(), to.kept.data() + place * dimensions_);
  }

  std::size_t dimensions_;
  std::uint64_t max_groups_, most_;
  UniformSource& random_;
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> places_;
  std::vector<Unit> units_;
};

}  // namespace

std::unique_ptr<Points> in_groups(Points& source, const Axis& groups, const Grid& grid, Outside outside) {
  return std::make_unique<PointsInGroups>(source, groups, grid, outside);
}

// One thread: the records then come in the order of the input, and a seeded study gives the same on every machine.
PointTable bound_groups(Points& source, std::uint64_t max_groups, std::uint64_t max_contributions,
                        UniformSource& random) {
  if (max_groups == 0 || max_contributions == 0) {
    throw InputError("max-groups or max-contributions is 0; choose at least 1");
  }
  GroupBounder bounder(source.dimensions(), max_groups, max_contributions, random);
  source.scan(1, [&](unsigned, const PointBlock& block) { bounder.add(block); });
  return {.columns = bounder.take()};
}

}  // namespace shoal
