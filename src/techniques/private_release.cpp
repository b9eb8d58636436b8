#include "shoal/private_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/memory.hpp"
#include "grid/contributions.hpp"
#include "privacy/account.hpp"
#include "shoal/error.hpp"
#include "techniques/automatic.hpp"
#include "techniques/insets.hpp"
#include "techniques/request.hpp"

namespace shoal {

namespace {

void check(const ReleaseRequest& request) {
  check_unit(request.options.unit);
  if (request.automatic && !std::holds_alternative<DensityModes>(request.options.cluster.threshold)) {
    throw InputError("an automatic release finds modes, without a threshold; give DensityModes, or a grid");
  }
  if (request.insets > 0 && !request.automatic) throw InputError("insets need an automatic release");
  if (!request.earlier) return;
  if (!request.automatic || request.insets > 0) {
    throw InputError("the choice of an earlier release needs an automatic release without insets");
  }
  if (!can_be_chosen(finest_grid(request.grid), request.earlier->grid)) {
    throw InputError("the earlier release has other bounds or axes; give the bounds that it was made with");
  }
}

void require_insets(const ReleaseRequest& request, bool with) {
  if ((request.insets > 0) == with) return;
  throw InputError(with ? "the request has no insets; call private_release"
                        : "the request has insets; call private_inset_release");
}

}  // namespace

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

std::string purpose_of(const ReleaseRequest& request) {
  if (request.insets > 0) return fmt::format("release --auto, up to {} insets", request.insets);
  if (request.automatic) return "release --auto";
  return request.technique == "baseline" ? "release baseline " + request.options.publisher
                                         : "release " + request.technique;
}

bool needs_points(const ReleaseRequest& request) { return !request.automatic && request.technique == "baseline"; }

Grid counted_grid(const ReleaseRequest& request) {
  if (request.insets > 0) return inset_grid(request.grid);
  return request.automatic ? finest_grid(request.grid) : request.grid;
}

std::vector<Spent> planned_spending(const ReleaseRequest& request) {
  check(request);
  if (request.insets > 0) return planned_insets(request.grid, request.insets, request.epsilon, request.options);
  return request.automatic ? planned_automatic(finest_grid(request.grid), request.epsilon, request.options)
                           : planned_spending(request.technique, request.grid, request.epsilon, request.options);
}

std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const std::string& path) {
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  const Grid& grid = request.grid;
  const std::uint64_t each = request.automatic
                                 ? Release::most_bytes(path, finest_grid(grid), {.threshold = DensityModes{}})
                                 : Release::most_bytes(path, grid, request.options.cluster);
  return each > most / (1 + request.insets) ? most : each * (1 + request.insets);
}

// Every cell has noise: its noisy value, its value of W' and its label are kept. Past the dense limit only the cells
// that reach a floor are there. Where the grid is chosen, the finest one may be.
void require_room(const ReleaseRequest& request, std::size_t releases) {
  constexpr double bytes_per_cell = 3 * sizeof(std::int64_t);
  const ClusterOptions& cluster = request.options.cluster;
  const Shape shape = request.automatic ? transformed_shape(finest_grid(request.grid).shape(), 1, Transform::decimated)
                                        : transformed_shape(request.grid.shape(), cluster.level, cluster.transform);
  if (!request.automatic && request.grid.cell_count() > request.options.dense_limit) return;
  const double bytes = static_cast<double>(cell_count(shape)) * static_cast<double>(releases) * bytes_per_cell;
  require_memory(bytes, releases > 1 ? fmt::format("the noisy values of {} groups", releases) : "the noisy values",
                 releases > 1 ? "use fewer groups, or fewer cells per axis" : "use fewer cells per axis");
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
  require_room(request, 1 + request.insets);
  counted_ = std::make_unique<Counted>(request);
  const PrivateOptions& options = request.options;
  const QuantizeOptions counting{
      .outside = request.outside, .dense_limit = options.dense_limit, .threads = options.cluster.threads};
  const Grid grid = counted_grid(request);
  const bool whole = options.unit.column.empty();  // records are units
  const Contribution contribution{options.unit.max_contributions, options.unit.parts()};
  const ContributionKey key = whole ? ContributionKey{} : ContributionKey::draw(*counted_->noise);
  if (!needs_points(request)) {
    counted_->counts =
        whole ? quantize(points, grid, counting) : bounded_counts(points, grid, counting, contribution, key);
    return;
  }
  counted_->table =
      whole ? collect(points, grid, request.outside) : bounded_points(points, grid, request.outside, contribution, key);
  counted_->counts = quantize(*counted_->table, grid, counting);
}

PreparedRelease::PreparedRelease(const Counts& counts, const ReleaseRequest& request) {
  static_cast<void>(planned_spending(request));
  require_room(request, 1 + request.insets);
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
  const std::optional<LedgerEntry> entry = counted_->account.debit(purpose_of(counted_->request));
  counted_->charged = true;
  if (!entry) return std::nullopt;
  counted_->request.options.ledger_head = entry->hash;
  return entry->id;
}

Counts PreparedRelease::taken(bool insets) {
  require_insets(counted_->request, insets);
  if (!std::exchange(counted_->charged, false)) {
    throw Error(ErrorKind::internal, "a release is drawn once, after it was charged");
  }
  return std::move(counted_->counts).value();
}

Release PreparedRelease::draw() {
  Counts counts = taken(false);
  const ReleaseRequest& request = counted_->request;
  if (request.automatic) {
    const auto& earlier = request.earlier;
    return automatic_release(counts, request.epsilon, request.options, *counted_->noise,
                             earlier ? earlier->rounded : std::vector<RoundedValues>{},
                             earlier ? std::optional(earlier->grid) : std::nullopt);
  }
  const PointTable* table = counted_->table ? &*counted_->table : nullptr;
  return run_technique(request.technique, {std::move(counts), table}, request.epsilon, request.options,
                       *counted_->noise);
}

InsetRelease PreparedRelease::draw_insets() {
  const Counts counts = taken(true);
  const ReleaseRequest& request = counted_->request;
  return inset_release(counts, request.grid, request.insets, request.epsilon, request.options, *counted_->noise);
}

namespace {
Release released(PreparedRelease prepared) {
  prepared.charge();
  return prepared.draw();
}
InsetRelease released_with_insets(PreparedRelease prepared) {
  prepared.charge();
  return prepared.draw_insets();
}
}  // namespace

Release private_release(Points& points, const ReleaseRequest& request) {
  require_insets(request, false);
  return released(PreparedRelease(points, request));
}

Release private_release(const Counts& counts, const ReleaseRequest& request) {
  require_insets(request, false);
  return released(PreparedRelease(counts, request));
}

InsetRelease private_inset_release(Points& points, const ReleaseRequest& request) {
  require_insets(request, true);
  return released_with_insets(PreparedRelease(points, request));
}

InsetRelease private_inset_release(const Counts& counts, const ReleaseRequest& request) {
  require_insets(request, true);
  return released_with_insets(PreparedRelease(counts, request));
}

}  // namespace shoal
