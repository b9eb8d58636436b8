#include "shoal/private_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grid/contributions.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"
#include "techniques/automatic.hpp"

namespace shoal {

namespace {

// The request's budget in a ledger; of no ledger, nothing.
class Account {
 public:
  explicit Account(const ReleaseRequest& request) : request_(request) {
    if (request.ledger && request.ledger->empty())
      throw InputError("the ledger's path is empty; give it, or no ledger");
    if (request.ledger.has_value() == request.dataset.empty()) {
      throw InputError("a ledger and the dataset that is charged in it go together; give both, or neither");
    }
    if (!request.ledger) return;
    if (request.seed) throw InputError("a seeded run is not private: it cannot be charged to a ledger");
    ledger_.emplace(*request.ledger);
    ledger_->check(request.dataset, request.epsilon);
  }
  std::optional<std::uint64_t> debit(const std::string& purpose) {
    if (!ledger_) return std::nullopt;
    return ledger_->debit(request_.dataset, request_.epsilon, purpose);
  }

 private:
  const ReleaseRequest& request_;
  std::optional<Ledger> ledger_;
};

// A unit that keeps some records of nobody, or whose column is blank, would protect single records without a word.
void check(const PrivacyUnit& unit) {
  if (!unit.column.empty() && unit_key(unit.column).empty()) {
    throw InputError("the unit is blank; name the column that says whose row it is, or record");
  }
  if (unit.column.empty() && unit.max_contributions != 1) {
    throw InputError(fmt::format("max-contributions is {}, but no unit column is named; name it, or leave it out",
                                 unit.max_contributions));
  }
}

}  // namespace

std::vector<Spent> planned_spending(const ReleaseRequest& request) {
  check(request.options.unit);
  return request.automatic ? planned_automatic(finest_grid(request.grid), request.epsilon, request.options)
                           : planned_spending(request.technique, request.grid, request.epsilon, request.options);
}

std::uint64_t bytes_to_reserve(const ReleaseRequest& request, const std::string& path) {
  constexpr std::uint64_t most = std::uint64_t{1} << 26;
  const Grid& grid = request.grid;
  return std::min(most, request.automatic ? Release::most_bytes(path, finest_grid(grid), {})
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
        account(request),
        noise(request.seed ? seeded_noise_not_private(*request.seed) : secure_noise()) {}

  [[nodiscard]] std::string purpose() const {
    if (request.automatic) return "release --auto";
    return request.technique == "baseline" ? "release baseline " + request.options.publisher
                                           : "release " + request.technique;
  }
};

PreparedRelease::PreparedRelease(Points& points, const ReleaseRequest& request) {
  static_cast<void>(planned_spending(request));
  counted_ = std::make_unique<Counted>(request);
  const PrivateOptions& options = request.options;
  const auto bounded = options.unit.column.empty()
                           ? nullptr
                           : bound_contributions(points, options.unit.max_contributions, *counted_->noise);
  Points& kept = bounded ? *bounded : points;
  const QuantizeOptions counting{
      .outside = request.outside, .dense_limit = options.dense_limit, .threads = options.cluster.threads};
  const Grid grid = request.automatic ? finest_grid(request.grid) : request.grid;
  if (request.automatic || request.technique != "baseline") {
    counted_->counts = quantize(kept, grid, counting);
    return;
  }
  counted_->table = collect(kept, grid, request.outside);
  counted_->counts = quantize(*counted_->table, grid, counting);
}

PreparedRelease::~PreparedRelease() = default;
PreparedRelease::PreparedRelease(PreparedRelease&&) noexcept = default;
PreparedRelease& PreparedRelease::operator=(PreparedRelease&&) noexcept = default;

std::optional<std::uint64_t> PreparedRelease::charge() {
  const std::optional<std::uint64_t> entry = counted_->account.debit(counted_->purpose());
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

Release private_release(Points& points, const ReleaseRequest& request) {
  PreparedRelease prepared(points, request);
  prepared.charge();
  return prepared.draw();
}

}  // namespace shoal
