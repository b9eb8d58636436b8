#include "shoal/private_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/memory.hpp"
#include "grid/contributions.hpp"
#include "inference/box_clusters.hpp"
#include "privacy/account.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"
#include "techniques/automatic.hpp"
#include "techniques/boxes.hpp"
#include "techniques/insets.hpp"
#include "techniques/request.hpp"

namespace shoal {

namespace {

// Throws if the parts of the request exclude each other.
void check_parts(const ReleaseRequest& request) {
  check_unit(request.options.unit);
  const auto* automatic = std::get_if<AutomaticGrid>(&request.grid);
  const bool insets = std::holds_alternative<Insets>(request.layout);
  if (automatic == nullptr) {
    if (insets) throw InputError("insets need an automatic release");
    return;
  }
  if (!std::holds_alternative<DensityModes>(request.options.cluster.threshold)) {
    throw InputError("an automatic release finds modes, without a threshold; give DensityModes, or a grid");
  }
  static_cast<void>(makes_boxes(automatic->bounds));  // throws if it cannot
  if (!automatic->earlier) return;
  if (insets) throw InputError("the choice of an earlier release needs a release without insets");
  if (is_cut(automatic->earlier->grid)) {
    throw InputError(
        "the earlier release has boxes, which follow its own data; make both releases on a given --grid, or this one "
        "without the choice of the earlier one");
  }
  if (!can_be_chosen(finest_grid(automatic->bounds), automatic->earlier->grid)) {
    throw InputError("the earlier release has other bounds or axes; give the bounds that it was made with");
  }
}

std::size_t most_parts(const ReleaseRequest& request) {
  return request.grouping() != nullptr ? request.grouping()->names.size() : 1 + request.insets();
}

// Returns what a ledger says about the release.
std::string purpose_of(const ReleaseRequest& request) {
  if (request.insets() > 0) return fmt::format("release --auto, up to {} insets", request.insets());
  std::string purpose = "release " + request.technique;
  if (request.technique == "baseline") purpose += " " + request.options.publisher;
  if (request.is_automatic()) purpose = "release --auto";
  const Grouping* groups = request.grouping();
  if (groups == nullptr) return purpose;
  return fmt::format("{}, {} groups, {} a unit", purpose, groups->names.size(), groups->max_groups);
}

// Throws if the noisy values do not fit in memory. Every cell has noise: its noisy value, its value of W' and its label
// are kept. Past the dense limit, only the cells that reach a floor are there. Where the grid is chosen, it may be the
// finest one.
void require_room(const ReleaseRequest& request) {
  constexpr double bytes_per_cell = 3 * sizeof(std::int64_t);
  const ClusterOptions& cluster = request.options.cluster;
  const bool automatic = request.is_automatic();
  if (!automatic && request.bounds().cell_count() > request.options.dense_limit) return;
  if (automatic && makes_boxes(request.bounds())) return;  // they take what is counted
  const Shape shape = automatic ? transformed_shape(largest_automatic_grid(finest_grid(request.bounds())).shape(), 1,
                                                    Transform::decimated)
                                : transformed_shape(request.bounds().shape(), cluster.level, cluster.transform);
  const std::size_t parts = most_parts(request);
  const double bytes = static_cast<double>(cell_count(shape)) * static_cast<double>(parts) * bytes_per_cell;
  require_memory(bytes, parts > 1 ? fmt::format("the noisy values of {} groups", parts) : "the noisy values",
                 parts > 1 ? "use fewer groups, or fewer cells per axis" : "use fewer cells per axis");
}

constexpr std::uint64_t most_dense = std::uint64_t{1} << 24;  // past it: occupied cells, most of the others are empty

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

const Grid& ReleaseRequest::bounds() const {
  const auto* automatic = std::get_if<AutomaticGrid>(&grid);
  return automatic != nullptr ? automatic->bounds : std::get<Grid>(grid);
}

std::uint64_t ReleaseRequest::insets() const noexcept {
  const auto* insets = std::get_if<Insets>(&layout);
  return insets != nullptr ? insets->most : 0;
}

// As quantize would have stored them.
Counts as_quantized(const Counts& counts, std::uint64_t limit) {
  const Grid& grid = counts.grid();
  const bool dense = grid.cell_count() <= limit;
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

std::optional<EarlierChoice> earlier_choice(const Release& release) {
  const ReleaseParts& parts = release.parts();
  if (!parts.automatic) return std::nullopt;
  return EarlierChoice{parts.grid, parts.automatic->rounded.value()};
}

bool needs_points(const ReleaseRequest& request) { return !request.is_automatic() && request.technique == "baseline"; }

Grid part_grid(const ReleaseRequest& request) {
  if (std::holds_alternative<Insets>(request.layout)) return inset_grid(request.bounds());
  return request.is_automatic() ? finest_grid(request.bounds()) : request.bounds();
}

Grid counted_grid(const ReleaseRequest& request) {
  const Grid grid = part_grid(request);
  if (request.grouping() == nullptr) return grid;
  const std::size_t groups = request.grouping()->names.size();
  std::vector<Axis> axes{Axis(-0.5, static_cast<double>(groups) - 0.5, groups, "group")};
  axes.insert(axes.end(), grid.axes().begin(), grid.axes().end());
  return Grid(std::move(axes));
}

std::vector<Spent> planned_spending(const ReleaseRequest& request) {
  check_parts(request);
  const Grid& bounds = request.bounds();
  if (const auto* insets = std::get_if<Insets>(&request.layout)) {
    return planned_insets(bounds, insets->most, request.epsilon, request.options);
  }
  return request.is_automatic() ? planned_automatic(finest_grid(bounds), request.epsilon, request.options)
                                : planned_spending(request.technique, bounds, request.epsilon, request.options);
}

void check(const ReleaseRequest& request) { static_cast<void>(planned_spending(request)); }

Epsilon total_epsilon(const ReleaseRequest& request) {
  check(request);
  const Grouping* groups = request.grouping();
  return groups != nullptr ? groups->cost(request.epsilon, request.options.unit) : request.epsilon;
}

std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const std::string& path) {
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  const ClusterOptions modes{.threshold = DensityModes{}};
  const std::uint64_t each =
      !request.is_automatic() ? Release::most_bytes(path, request.bounds(), request.options.cluster)
      : makes_boxes(request.bounds())
          ? Release::most_bytes(path, largest_box_grid(request.bounds()), modes)
          : Release::most_bytes(path, largest_automatic_grid(finest_grid(request.bounds())), modes);
  return each > most / most_parts(request) ? most : each * most_parts(request);
}

Counts counts_of_group(const Counts& all, const Grid& grid, std::size_t group, std::uint64_t limit) {
  const std::uint64_t cells = grid.cell_count(), begin = group * cells;
  Values<std::int64_t> values;
  if (all.is_dense()) {
    values.resize(cells);
    all.read(begin, begin + cells, values.data());
    return as_quantized({grid, Cells<std::int64_t>::dense(grid.shape(), std::move(values)), 0, 0}, limit);
  }
  const std::span<const std::uint64_t> places = all.raw().index();
  std::vector<std::uint64_t> index;
  for (auto at = std::lower_bound(places.begin(), places.end(), begin); at != places.end() && *at < begin + cells;
       ++at) {
    index.push_back(*at - begin);
    values.push_back(all.raw().values()[static_cast<std::size_t>(at - places.begin())]);
  }
  return as_quantized({grid, Cells<std::int64_t>::sparse(grid.shape(), std::move(index), std::move(values)), 0, 0},
                      limit);
}

std::vector<Release> run_groups(const ReleaseRequest& request, std::size_t groups,
                                const std::function<RawData(std::size_t)>& data, Noise& noise) {
  std::vector<Release> releases;
  if (const auto* automatic = std::get_if<AutomaticGrid>(&request.grid)) {
    const auto counts = [&](std::size_t group) { return data(group).counts; };
    const auto& earlier = automatic->earlier;
    return automatic_releases(groups, counts, request.epsilon, request.options, noise,
                              earlier ? earlier->rounded : std::vector<RoundedValues>{},
                              earlier ? std::optional(earlier->grid) : std::nullopt);
  }
  for (std::size_t group = 0; group < groups; ++group) {
    releases.push_back(run_technique(request.technique, data(group), request.epsilon, request.options, noise));
  }
  return releases;
}

ReleaseSet run_request(const ReleaseRequest& request, const std::function<RawData(std::size_t)>& data, Noise& noise) {
  if (const auto* insets = std::get_if<Insets>(&request.layout)) {
    return inset_release(data(0).counts, request.bounds(), insets->most, request.epsilon, request.options, noise);
  }
  if (const Grouping* groups = request.grouping()) {
    return {*groups, run_groups(request, groups->names.size(), data, noise)};
  }
  std::vector<Release> one;
  if (const auto* automatic = std::get_if<AutomaticGrid>(&request.grid)) {
    const auto& earlier = automatic->earlier;
    one.push_back(automatic_release(data(0).counts, request.epsilon, request.options, noise,
                                    earlier ? earlier->rounded : std::vector<RoundedValues>{},
                                    earlier ? std::optional(earlier->grid) : std::nullopt));
  } else {
    one.push_back(run_technique(request.technique, data(0), request.epsilon, request.options, noise));
  }
  return {Whole{}, std::move(one)};
}

struct PreparedRelease::Counted {
  ReleaseRequest request;
  Epsilon total;
  Account account;
  std::unique_ptr<Noise> noise;
  std::optional<Counts> counts;    // of all groups, one after the other
  std::vector<PointTable> tables;  // baseline only: one per part
  bool charged = false;

  explicit Counted(const ReleaseRequest& asked)
      : request(asked),
        total(total_epsilon(asked)),
        account(asked.ledger, asked.dataset, total, asked.seed.has_value()),
        noise(asked.seed ? seeded_noise_not_private(*asked.seed) : secure_noise()) {
    require_room(request);
  }

  [[nodiscard]] std::uint64_t dense_limit() const {
    const std::uint64_t limit = request.options.dense_limit;
    const bool alone = request.grouping() == nullptr && (!request.is_automatic() || request.insets() > 0);
    return alone ? limit : std::min(limit, most_dense);
  }

  // If there are groups, the first column of the points is a group, as in_groups gives it.
  void count(Points& points) {
    const PrivateOptions& options = request.options;
    const Grouping* groups = request.grouping();
    const Grid grid = counted_grid(request);
    const QuantizeOptions counting{
        .outside = request.outside, .dense_limit = dense_limit(), .threads = options.cluster.threads};
    const bool records = options.unit.column.empty();  // records are units
    Contribution contribution{.most = options.unit.max_contributions, .parts = options.unit.parts_per_weight()};
    if (groups != nullptr) {
      contribution.group_cells = part_grid(request).cell_count();
      contribution.max_groups = groups->max_groups;
    }
    const ContributionKey key = records ? ContributionKey{} : ContributionKey::draw(*noise);
    if (!needs_points(request)) {
      counts = records ? quantize(points, grid, counting) : bounded_counts(points, grid, counting, contribution, key);
      return;
    }
    PointTable kept = records ? collect(points, grid, request.outside)
                              : bounded_points(points, grid, request.outside, contribution, key);
    counts = quantize(kept, grid, counting);
    if (groups != nullptr) {
      tables = tables_of_groups(kept, groups->names.size());
    } else {
      tables.push_back(std::move(kept));
    }
  }

  // Gives away the counts, unless there are groups.
  [[nodiscard]] RawData data_of(std::size_t part) {
    const PointTable* table = tables.empty() ? nullptr : &tables[part];
    if (request.grouping() == nullptr) return {std::move(counts).value(), table};
    return {counts_of_group(*counts, part_grid(request), part, request.options.dense_limit), table};
  }
};

PreparedRelease::PreparedRelease(Points& points, const ReleaseRequest& request)
    : counted_(std::make_unique<Counted>(request)) {
  const Grouping* groups = request.grouping();
  counted_->count(groups != nullptr ? *in_groups(points, groups->axis) : points);
}

PreparedRelease::PreparedRelease(const Counts& counts, const ReleaseRequest& request)
    : counted_(std::make_unique<Counted>(request)) {
  if (needs_points(request)) {
    throw InputError("baseline publishes synthetic points, which it makes of the points and not of their counts");
  }
  if (counts.grid() != counted_grid(request)) {
    throw InputError("the counts lie on another grid than the request's; count on counted_grid(request)");
  }
  counted_->counts = as_quantized(counts, counted_->dense_limit());
}

PreparedRelease::~PreparedRelease() = default;
PreparedRelease::PreparedRelease(PreparedRelease&&) noexcept = default;
PreparedRelease& PreparedRelease::operator=(PreparedRelease&&) noexcept = default;

Epsilon PreparedRelease::epsilon() const noexcept { return counted_->total; }

std::optional<std::uint64_t> PreparedRelease::charge() {
  const std::optional<LedgerEntry> entry = counted_->account.debit(purpose_of(counted_->request));
  counted_->charged = true;
  if (!entry) return std::nullopt;
  counted_->request.options.ledger_head = entry->hash;
  return entry->id;
}

ReleaseSet PreparedRelease::draw() {
  if (!std::exchange(counted_->charged, false)) {
    throw Error(ErrorKind::internal, "a release is drawn once, after it was charged");
  }
  return run_request(
      counted_->request, [this](std::size_t part) { return counted_->data_of(part); }, *counted_->noise);
}

namespace {
ReleaseSet released(PreparedRelease prepared) {
  prepared.charge();
  return prepared.draw();
}
}  // namespace

ReleaseSet private_release(Points& points, const ReleaseRequest& request) {
  return released(PreparedRelease(points, request));
}

ReleaseSet private_release(const Counts& counts, const ReleaseRequest& request) {
  return released(PreparedRelease(counts, request));
}

}  // namespace shoal
