#include "evaluation/group_audit.hpp"

#include <fmt/format.h>

#include "grid/contributions.hpp"
#include "techniques/automatic.hpp"
#include "techniques/request.hpp"

namespace shoal::evaluation {

namespace {

// The first axis says the group.
Grid grouped_line(std::uint64_t groups, std::uint64_t cells) {
  const auto end = static_cast<double>(cells);
  return Grid({Axis(-0.5, static_cast<double>(groups) - 0.5, groups, "group"), Axis(0, end, cells, "x")});
}

Counts counts_of(const TinyData& data, const Grid& grid, std::size_t group) {
  const auto raw = data.counts.raw().values().subspan(group * grid.cell_count(), grid.cell_count());
  return {grid, Cells<std::int64_t>::dense(grid.shape(), std::vector<std::int64_t>(raw.begin(), raw.end())), 0, 0};
}

// each: the budget of a group. halves: units share their weight, and every record of the data is half of one.
Subject subject_of(const std::string& technique, Epsilon claimed, Epsilon each, const PrivacyUnit& unit,
                   std::uint64_t max_groups, bool halves = false) {
  const auto run = [technique, each, unit, halves](const TinyData& data, Noise& noise) {
    const Grid grid({data.grid.axis(1)});
    const bool automatic = technique == "auto";
    PrivateOptions options{.cluster = {.threshold = Percentile(30), .threads = 1}};
    if (automatic) options.cluster.threshold = DensityModes{};
    options.unit = unit;
    if (halves) {
      options.unit.max_contributions = 1;
      options.unit.share = true;
    }
    options.max_density = 4.5 / 1.414;
    ReleaseRequest request{.grid = grid, .epsilon = each, .options = options, .technique = technique};
    if (automatic) request.grid = AutomaticGrid{grid};
    return observe(run_groups(
        request, data.grid.axis(0).cells(),
        [&](std::size_t group) -> RawData {
          const Counts given = counts_of(data, grid, group);
          const Counts counts = halves ? in_parts(given, options.unit.parts_per_weight() / 2) : given;
          return {automatic ? refined(counts, finest_grid(counts.grid())) : counts, nullptr};
        },
        noise));
  };
  return {fmt::format("{}, {} a unit{}", technique, max_groups, halves ? " in halves" : ""), claimed, unit, run,
          max_groups};
}

Subject priced(const std::string& technique, Epsilon epsilon, const PrivacyUnit& unit, std::uint64_t max_groups,
               std::uint64_t groups, bool halves = false) {
  const Grouping grouping{Axis(0, 1, groups), std::vector<std::string>(groups), max_groups};
  const Epsilon each = Epsilon::from_units(epsilon.units() / grouping.groups_changed(unit));
  return subject_of(technique, epsilon, each, unit, max_groups, halves);
}

}  // namespace

AuditCase groups_case(Epsilon epsilon, Neighbors neighbors) {
  const PrivacyUnit record{.neighbors = neighbors, .column = {}, .max_contributions = 1};
  const PrivacyUnit person{.neighbors = neighbors, .column = "person", .max_contributions = 1};
  const PrivacyUnit busy{.neighbors = neighbors, .column = "person", .max_contributions = 2};
  const TinyData two = TinyData::in_cells(grouped_line(2, 3), {1, 0, 0, 0, 2, 0});
  const TinyData three = TinyData::in_cells(grouped_line(3, 2), {1, 0, 0, 2, 1, 0});
  AuditCase result{.subject = priced("privqt", epsilon, record, 1, 2),
                   .starts = {TinyData::in_cells(grouped_line(2, 2), {1, 0, 0, 0})},
                   .share = 0.4,
                   .replays = {},
                   .broken = false};
  result.subject.name = "groups";
  for (const char* technique : {"privqt", "privwave", "privthr", "privthr-em"}) {
    result.replays.push_back({priced(technique, epsilon, record, 1, 2), {two}, 6});
    result.replays.push_back({priced(technique, epsilon, person, 2, 3), {three}, 2});
    result.replays.push_back({priced(technique, epsilon, busy, 1, 2), {two}, 2});
  }
  // A whole unit in each group: under replace the claim is reached where a unit moves in both. A unit of one group
  // costs half of it at most in counts: it moves in that group, or leaves it and enters the other with half as much in
  // each.
  const TinyData small = TinyData::in_cells(grouped_line(2, 2), {2, 0, 0, 2});
  for (const char* technique : {"privqt", "privwave", "privthr"}) {
    for (const std::uint64_t max_groups : {1U, 2U}) {
      result.replays.push_back({priced(technique, epsilon, busy, max_groups, 2, true), {small}, 6});
    }
  }
  const TinyData many = TinyData::in_cells(grouped_line(2, 2), {1, 200, 0, 60});
  result.replays.push_back({priced("auto", epsilon, record, 1, 2), {many}, 2});
  return result;
}

AuditCase broken_groups_not_private(Epsilon epsilon) {
  const PrivacyUnit person{.neighbors = Neighbors::add_remove, .column = "person", .max_contributions = 1};
  const std::vector<TinyData> starts = {TinyData::in_cells(grouped_line(2, 2), {1, 0, 1, 0})};
  Subject once = subject_of("privqt", epsilon, epsilon, person, 2);
  once.name = "two groups a person, charged once";
  return {.subject = once, .starts = starts, .share = 0.5, .replays = {{once, starts, 20}}, .broken = true};
}

// Where a sensitivity is not doubled by replace, the two groups cost more than one.
AuditCase::Replay moved_between_groups_not_private(Epsilon epsilon) {
  const PrivacyUnit replaced{.neighbors = Neighbors::replace, .column = {}, .max_contributions = 1};
  Subject left = subject_of("privthr", epsilon, epsilon, replaced, 1);
  left.name = "a record leaves a group for another, charged once";
  return {left, {TinyData::in_cells(grouped_line(2, 2), {1, 0, 0, 0})}, 20};
}

}  // namespace shoal::evaluation
