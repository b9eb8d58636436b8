#include "shoal/private_release.hpp"

#include <fmt/format.h>

#include "shoal/automatic.hpp"
#include "shoal/bounding.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"

namespace shoal {

namespace {

// The request's budget in a ledger; of no ledger, nothing.
class Account {
 public:
  explicit Account(const ReleaseRequest& request) : request_(request) {
    if (request.ledger && request.ledger->empty()) throw InputError("the ledger's path is empty; give it, or no ledger");
    if (request.ledger.has_value() == request.dataset.empty()) {
      throw InputError("a ledger and the dataset that is charged in it go together; give both, or neither");
    }
    if (!request.ledger) return;
    if (request.seed) throw InputError("a seeded run is not private: it cannot be charged to a ledger");
    ledger_.emplace(*request.ledger);
    ledger_->check(request.dataset, request.epsilon);
  }
  void debit(const std::string& purpose) {
    if (ledger_) ledger_->debit(request_.dataset, request_.epsilon, purpose);
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

Release private_release(Points& points, const ReleaseRequest& request) {
  static_cast<void>(planned_spending(request));
  Account account(request);
  const auto noise = request.seed ? seeded_noise_not_private(*request.seed) : secure_noise();
  const PrivateOptions& options = request.options;
  const auto bounded =
      options.unit.column.empty() ? nullptr : bound_contributions(points, options.unit.max_contributions, *noise);
  Points& kept = bounded ? *bounded : points;
  const QuantizeOptions counting{
      .outside = request.outside, .dense_limit = options.dense_limit, .threads = options.cluster.threads};
  if (request.automatic) {
    const Counts counts = quantize(kept, finest_grid(request.grid), counting);
    account.debit("release --auto");
    return automatic_release(counts, request.epsilon, options, *noise);
  }
  if (request.technique != "baseline") {
    Counts counts = quantize(kept, request.grid, counting);
    account.debit("release " + request.technique);
    return run_technique(request.technique, {std::move(counts)}, request.epsilon, options, *noise);
  }
  const PointTable table = collect(kept, request.grid, request.outside);
  Counts counts = quantize(table, request.grid, counting);
  account.debit("release baseline " + options.publisher);
  return run_technique(request.technique, {std::move(counts), &table}, request.epsilon, options, *noise);
}

}  // namespace shoal
