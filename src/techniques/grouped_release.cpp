// A release of each group of a public list, from one scan.
#include "shoal/grouped_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grid/contributions.hpp"
#include "grid/group_points.hpp"
#include "privacy/account.hpp"
#include "shoal/error.hpp"
#include "techniques/automatic.hpp"
#include "techniques/request.hpp"

namespace shoal {

Epsilon total_epsilon(const ReleaseRequest& request, const Grouping& grouping) {
  if (request.insets > 0) throw InputError("a release by group has no insets; remove one of the two");
  static_cast<void>(planned_spending(request));
  return grouping.cost(request.epsilon, request.options.unit);
}

std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const Grouping& grouping, const std::string& path) {
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  const std::uint64_t each = bytes_to_reserve(request, path);
  return each > most / grouping.names.size() ? most : each * grouping.names.size();
}

Grid counted_grid(const ReleaseRequest& request, const Grouping& grouping) {
  const Grid grid = counted_grid(request);
  const std::size_t groups = grouping.names.size();
  std::vector<Axis> axes{Axis(-0.5, static_cast<double>(groups) - 0.5, groups, "group")};
  axes.insert(axes.end(), grid.axes().begin(), grid.axes().end());
  return Grid(std::move(axes));
}

namespace {

constexpr std::uint64_t most_dense = std::uint64_t{1} << 24;  // past it: occupied cells, most of the others are empty

Counts counts_of_group(const Counts& all, const Grid& grid, std::size_t group, std::uint64_t dense_limit) {
  const std::uint64_t cells = grid.cell_count(), begin = group * cells;
  Values<std::int64_t> values;
  if (all.is_dense()) {
    values.resize(cells);
    all.read(begin, begin + cells, values.data());
    return as_quantized({grid, Cells<std::int64_t>::dense(grid.shape(), std::move(values)), 0, 0}, dense_limit);
  }
  const std::span<const std::uint64_t> places = all.raw().index();
  std::vector<std::uint64_t> index;
  for (auto at = std::lower_bound(places.begin(), places.end(), begin); at != places.end() && *at < begin + cells;
       ++at) {
    index.push_back(*at - begin);
    values.push_back(all.raw().values()[static_cast<std::size_t>(at - places.begin())]);
  }
  return as_quantized({grid, Cells<std::int64_t>::sparse(grid.shape(), std::move(index), std::move(values)), 0, 0},
                      dense_limit);
}

std::vector<PointTable> tables_of_groups(const PointTable& all, std::size_t groups) {
  std::vector<PointTable> result(groups);
  for (PointTable& table : result) table.columns.resize(all.columns.size() - 1);
  for (std::size_t row = 0; row < all.rows(); ++row) {
    PointTable& table = result[static_cast<std::size_t>(all.columns.front()[row])];
    for (std::size_t i = 1; i < all.columns.size(); ++i) table.columns[i - 1].push_back(all.columns[i][row]);
    if (!all.parts.empty()) table.parts.push_back(all.parts[row]);
  }
  return result;
}

}  // namespace

std::vector<Release> run_groups(const ReleaseRequest& request, std::size_t groups,
                                const std::function<RawData(std::size_t)>& data, Noise& noise) {
  std::vector<Release> releases;
  if (request.automatic) {
    const auto counts = [&](std::size_t group) { return data(group).counts; };
    const auto& earlier = request.earlier;
    return automatic_releases(groups, counts, request.epsilon, request.options, noise,
                              earlier ? earlier->rounded : std::vector<RoundedValues>{},
                              earlier ? std::optional(earlier->grid) : std::nullopt);
  }
  for (std::size_t group = 0; group < groups; ++group) {
    releases.push_back(run_technique(request.technique, data(group), request.epsilon, request.options, noise));
  }
  return releases;
}

struct PreparedGroups::Counted {
  ReleaseRequest request;
  Grouping grouping;
  Account account;
  std::unique_ptr<Noise> noise;
  Grid grid;                       // of a group
  std::optional<Counts> counts;    // of all groups, one behind the other
  std::vector<PointTable> tables;  // baseline only
  bool charged = false;

  Counted(const ReleaseRequest& asked, const Grouping& by)
      : request(asked),
        grouping(by),
        account(asked.ledger, asked.dataset, total_epsilon(asked, by), asked.seed.has_value()),
        noise(asked.seed ? seeded_noise_not_private(*asked.seed) : secure_noise()),
        grid(counted_grid(asked)) {}

  // The points' first column is a group, as in_groups gives it.
  void count(Points& points) {
    const PrivateOptions& options = request.options;
    const Grid all = counted_grid(request, grouping);
    const QuantizeOptions counting{.outside = request.outside,
                                   .dense_limit = std::min(options.dense_limit, most_dense),
                                   .threads = options.cluster.threads};
    const bool whole = options.unit.column.empty();  // records are units
    const Contribution contribution{.most = options.unit.max_contributions,
                                    .parts = options.unit.parts(),
                                    .group_cells = grid.cell_count(),
                                    .max_groups = grouping.max_groups};
    const ContributionKey key = whole ? ContributionKey{} : ContributionKey::draw(*noise);
    if (!needs_points(request)) {
      counts = whole ? quantize(points, all, counting) : bounded_counts(points, all, counting, contribution, key);
      return;
    }
    const PointTable kept =
        whole ? collect(points, all, request.outside) : bounded_points(points, all, request.outside, contribution, key);
    counts = quantize(kept, all, counting);
    tables = tables_of_groups(kept, grouping.names.size());
  }

  [[nodiscard]] RawData data_of(std::size_t group) const {
    return {counts_of_group(*counts, grid, group, request.options.dense_limit),
            tables.empty() ? nullptr : &tables[group]};
  }
};

PreparedGroups::PreparedGroups(Points& points, const ReleaseRequest& request, const Grouping& grouping)
    : counted_(std::make_unique<Counted>(request, grouping)) {
  require_room(request, grouping.names.size());
  counted_->count(*in_groups(points, grouping.axis));
}

PreparedGroups::PreparedGroups(const Counts& counts, const ReleaseRequest& request, const Grouping& grouping)
    : counted_(std::make_unique<Counted>(request, grouping)) {
  if (needs_points(request)) {
    throw InputError("baseline publishes synthetic points, which it makes of the points and not of their counts");
  }
  if (counts.grid() != counted_grid(request, grouping)) {
    throw InputError("the counts do not lie on counted_grid(request, grouping); count on that");
  }
  require_room(request, grouping.names.size());
  counted_->counts = as_quantized(counts, std::min(request.options.dense_limit, most_dense));
}

PreparedGroups::~PreparedGroups() = default;
PreparedGroups::PreparedGroups(PreparedGroups&&) noexcept = default;
PreparedGroups& PreparedGroups::operator=(PreparedGroups&&) noexcept = default;

std::optional<std::uint64_t> PreparedGroups::charge() {
  const Grouping& by = counted_->grouping;
  const std::optional<LedgerEntry> entry = counted_->account.debit(
      fmt::format("{}, {} groups, {} a unit", purpose_of(counted_->request), by.names.size(), by.max_groups));
  counted_->charged = true;
  if (!entry) return std::nullopt;
  counted_->request.options.ledger_head = entry->hash;
  return entry->id;
}

GroupedRelease PreparedGroups::draw() {
  if (!std::exchange(counted_->charged, false)) {
    throw Error(ErrorKind::internal, "a release is drawn once, after it was charged");
  }
  std::vector<Release> releases = run_groups(
      counted_->request, counted_->grouping.names.size(),
      [this](std::size_t group) { return counted_->data_of(group); }, *counted_->noise);
  return {counted_->grouping, std::move(releases)};
}

GroupedRelease private_release(Points& points, const ReleaseRequest& request, const Grouping& grouping) {
  PreparedGroups prepared(points, request, grouping);
  prepared.charge();
  return prepared.draw();
}

}  // namespace shoal
