#include "shoal/private_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grid/contributions.hpp"
#include "grid/groups.hpp"
#include "privacy/account.hpp"
#include "shoal/error.hpp"
#include "techniques/automatic.hpp"

namespace shoal {

namespace {

void check(const ReleaseRequest& request) {
  check_unit(request.options.unit);
  if (request.automatic && !std::holds_alternative<DensityModes>(request.options.cluster.threshold)) {
    throw InputError("an automatic release finds modes, without a threshold; give DensityModes, or a grid");
  }
}

// As quantize would have stored them.
Counts as_quantized(const Counts& counts, std::uint64_t dense_limit) {
  const Grid& grid = counts.grid();
  const bool dense = grid.cell_count() <= dense_limit;
  if (counts.is_dense() == dense) return counts;
  const Cells<std::int64_t>& raw = counts.raw();
  Values<std::int64_t> values;
  std::vector<std::uint64_t> index;
  if (dense) values.resize(grid.cell_count());
  for (std::size_t i = 0; i < raw.stored(); ++i) {
    if (raw.values()[i] == 0) continue;
    if (dense) {
      values[raw.index_of(i)] = raw.values()[i];
    } else {
      index.push_back(raw.index_of(i));
      values.push_back(raw.values()[i]);
    }
  }
  Cells<std::int64_t> cells = dense ? Cells<std::int64_t>::dense(grid.shape(), std::move(values))
                                    : Cells<std::int64_t>::sparse(grid.shape(), std::move(index), std::move(values));
  return {grid, std::move(cells), counts.points(), counts.outside()};
}

std::string purpose_of(const ReleaseRequest& request) {
  if (request.automatic) return "release --auto";
  return request.technique == "baseline" ? "release baseline " + request.options.publisher
                                         : "release " + request.technique;
}

bool needs_points(const ReleaseRequest& request) { return !request.automatic && request.technique == "baseline"; }

}  // namespace

Grid counted_grid(const ReleaseRequest& request) {
  return request.automatic ? finest_grid(request.grid) : request.grid;
}

std::vector<Spent> planned_spending(const ReleaseRequest& request) {
  check(request);
  return request.automatic ? planned_automatic(finest_grid(request.grid), request.epsilon, request.options)
                           : planned_spending(request.technique, request.grid, request.epsilon, request.options);
}

std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const std::string& path) {
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  const Grid& grid = request.grid;
  return std::min(most, request.automatic ? Release::most_bytes(path, finest_grid(grid), {.threshold = DensityModes{}})
                                          : Release::most_bytes(path, grid, request.options.cluster));
}

struct PreparedRelease::Counted {
  ReleaseRequest request;
  Account account;
  std::unique_ptr<Noise> noise;
  std::optional<Counts> counts;
  std::optional<PointTable> table;  // baseline only
  bool charged = false;

  explicit Counted(const ReleaseRequest& asked)
      : request(asked),
        account(asked.ledger, asked.dataset, asked.epsilon, asked.seed.has_value()),
        noise(request.seed ? seeded_noise_not_private(*request.seed) : secure_noise()) {}
};

PreparedRelease::PreparedRelease(Points& points, const ReleaseRequest& request) {
  static_cast<void>(planned_spending(request));
  counted_ = std::make_unique<Counted>(request);
  const PrivateOptions& options = request.options;
  const QuantizeOptions counting{
      .outside = request.outside, .dense_limit = options.dense_limit, .threads = options.cluster.threads};
  const Grid grid = counted_grid(request);
  const bool whole = options.unit.column.empty();  // records are units
  const std::uint64_t most = options.unit.max_contributions;
  const ContributionKey key = whole ? ContributionKey{} : ContributionKey::draw(*counted_->noise);
  if (!needs_points(request)) {
    counted_->counts = whole ? quantize(points, grid, counting) : bounded_counts(points, grid, counting, most, key);
    return;
  }
  counted_->table =
      whole ? collect(points, grid, request.outside) : bounded_points(points, grid, request.outside, most, key);
  counted_->counts = quantize(*counted_->table, grid, counting);
}

PreparedRelease::PreparedRelease(const Counts& counts, const ReleaseRequest& request) {
  static_cast<void>(planned_spending(request));
  if (needs_points(request)) {
    throw InputError("baseline publishes synthetic points, which it makes of the points and not of their counts");
  }
  if (counts.grid() != counted_grid(request)) {
    throw InputError(request.automatic ? "the counts do not lie on the finest grid over the request's bounds; count on "
                                         "counted_grid(request)"
                                       : "the counts lie on another grid than the request's; count on that");
  }
  counted_ = std::make_unique<Counted>(request);
  counted_->counts = as_quantized(counts, request.options.dense_limit);
}

PreparedRelease::~PreparedRelease() = default;
PreparedRelease::PreparedRelease(PreparedRelease&&) noexcept = default;
PreparedRelease& PreparedRelease::operator=(PreparedRelease&&) noexcept = default;

std::optional<std::uint64_t> PreparedRelease::charge() {
  const std::optional<std::uint64_t> entry = counted_->account.debit(purpose_of(counted_->request));
  counted_->charged = true;
  return entry;
}

Release PreparedRelease::draw() {
  if (!std::exchange(counted_->charged, false)) {
    throw Error(ErrorKind::internal, "a release is drawn once, after it was charged");
  }
  const ReleaseRequest& request = counted_->request;
  Counts counts = std::move(counted_->counts).value();
  if (request.automatic) return automatic_release(counts, request.epsilon, request.options, *counted_->noise);
  const PointTable* table = counted_->table ? &*counted_->table : nullptr;
  return run_technique(request.technique, {std::move(counts), table}, request.epsilon, request.options,
                       *counted_->noise);
}

// ---- groups ----------------------------------------------------------------------------------------------------

Epsilon total_epsilon(const ReleaseRequest& request, const Grouping& grouping) {
  static_cast<void>(planned_spending(request));
  return grouping.cost(request.epsilon, request.options.unit);
}

std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const Grouping& grouping, const std::string& path) {
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  const std::uint64_t each = bytes_to_reserve(request, path);
  return each > most / grouping.names.size() ? most : each * grouping.names.size();
}

namespace {

// The grid once for every group.
Grid in_every_group(const Grid& grid, std::size_t groups) {
  std::vector<Axis> axes{Axis(-0.5, static_cast<double>(groups) - 0.5, groups, "group")};
  axes.insert(axes.end(), grid.axes().begin(), grid.axes().end());
  return Grid(std::move(axes));
}

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

std::unique_ptr<Points> points_of(const PointTable& table) {
  std::vector<Column> columns;
  for (const auto& column : table.columns) columns.push_back({column.data()});
  return array_points(std::move(columns), table.rows());
}

std::vector<PointTable> tables_of_groups(const PointTable& all, std::size_t groups) {
  std::vector<PointTable> result(groups);
  for (PointTable& table : result) table.columns.resize(all.columns.size() - 1);
  for (std::size_t row = 0; row < all.rows(); ++row) {
    PointTable& table = result[static_cast<std::size_t>(all.columns.front()[row])];
    for (std::size_t i = 1; i < all.columns.size(); ++i) table.columns[i - 1].push_back(all.columns[i][row]);
  }
  return result;
}

}  // namespace

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

  // Of many cells only those with points: between groups there are more empty ones than in each.
  void count(Points& points) {
    constexpr std::uint64_t most_dense = std::uint64_t{1} << 24;
    const Grid all = in_every_group(grid, grouping.names.size());
    counts = quantize(points, all,
                      {.outside = request.outside,
                       .dense_limit = std::min(request.options.dense_limit, most_dense),
                       .threads = request.options.cluster.threads});
    if (needs_points(request)) tables = tables_of_groups(collect(points, all, request.outside), grouping.names.size());
  }

  [[nodiscard]] Counts counts_of(std::size_t group) const {
    return counts_of_group(*counts, grid, group, request.options.dense_limit);
  }

  [[nodiscard]] std::vector<Release> releases() {
    std::vector<Counts> groups;
    if (request.automatic) {
      for (std::size_t group = 0; group < grouping.names.size(); ++group) groups.push_back(counts_of(group));
      return automatic_releases(groups, request.epsilon, request.options, *noise);
    }
    std::vector<Release> result;
    for (std::size_t group = 0; group < grouping.names.size(); ++group) {
      const PointTable* table = tables.empty() ? nullptr : &tables[group];
      result.push_back(
          run_technique(request.technique, {counts_of(group), table}, request.epsilon, request.options, *noise));
    }
    return result;
  }
};

PreparedGroups::PreparedGroups(Points& points, const ReleaseRequest& request, const Grouping& grouping)
    : counted_(std::make_unique<Counted>(request, grouping)) {
  const PrivacyUnit& unit = request.options.unit;
  const auto in = in_groups(points, grouping.axis);
  if (!unit.column.empty()) {
    const PointTable kept = bound_groups(*in, grouping.max_groups, unit.max_contributions, *counted_->noise);
    counted_->count(*points_of(kept));
  } else if (needs_points(request)) {
    const PointTable all = collect(*in, in_every_group(counted_->grid, grouping.names.size()), request.outside);
    counted_->count(*points_of(all));  // a stream is read once
  } else {
    counted_->count(*in);
  }
}

PreparedGroups::~PreparedGroups() = default;
PreparedGroups::PreparedGroups(PreparedGroups&&) noexcept = default;
PreparedGroups& PreparedGroups::operator=(PreparedGroups&&) noexcept = default;

std::optional<std::uint64_t> PreparedGroups::charge() {
  const Grouping& by = counted_->grouping;
  const std::optional<std::uint64_t> entry = counted_->account.debit(
      fmt::format("{}, {} groups, {} a unit", purpose_of(counted_->request), by.names.size(), by.max_groups));
  counted_->charged = true;
  return entry;
}

GroupedRelease PreparedGroups::draw() {
  if (!std::exchange(counted_->charged, false)) {
    throw Error(ErrorKind::internal, "a release is drawn once, after it was charged");
  }
  std::vector<Release> releases = counted_->releases();
  std::vector<ReleaseGroup> groups;
  for (std::size_t i = 0; i < releases.size(); ++i) {
    groups.push_back({counted_->grouping.names[i], std::move(releases[i])});
  }
  return {counted_->grouping.axis.name(), counted_->grouping.max_groups, std::move(groups)};
}

namespace {
template <class Prepared>
auto released(Prepared prepared) {
  prepared.charge();
  return prepared.draw();
}
}  // namespace

Release private_release(Points& points, const ReleaseRequest& request) {
  return released(PreparedRelease(points, request));
}

Release private_release(const Counts& counts, const ReleaseRequest& request) {
  return released(PreparedRelease(counts, request));
}

GroupedRelease private_release(Points& points, const ReleaseRequest& request, const Grouping& grouping) {
  return released(PreparedGroups(points, request, grouping));
}

}  // namespace shoal
