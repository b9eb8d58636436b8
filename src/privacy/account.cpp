#include "privacy/account.hpp"

#include <fmt/format.h>

#include <utility>

#include "shoal/error.hpp"
#include "shoal/points.hpp"

namespace shoal {

Account::Account(const std::optional<std::string>& ledger, std::string dataset, Epsilon epsilon, bool seeded)
    : dataset_(std::move(dataset)), epsilon_(epsilon) {
  if (ledger && ledger->empty()) throw InputError("the path of the ledger is empty; give a path, or no ledger");
  if (ledger.has_value() == dataset_.empty()) {
    throw InputError("give both a ledger and the dataset to charge in it, or neither");
  }
  if (!ledger) return;
  if (seeded) throw InputError("a seeded run is not private: it cannot be charged to a ledger");
  ledger_.emplace(*ledger);
  ledger_->check(dataset_, epsilon_);
}

std::optional<LedgerEntry> Account::debit(const std::string& purpose) {
  if (!ledger_) return std::nullopt;
  const std::uint64_t id = ledger_->debit(dataset_, epsilon_, purpose);
  for (LedgerEntry& entry : ledger_->history(dataset_)) {
    if (entry.id == id) return std::move(entry);
  }
  throw Error(ErrorKind::internal, "the ledger does not list a debit that it made");
}

void check_budget(const std::optional<std::string>& ledger, const std::string& dataset, Epsilon epsilon) {
  const Account account(ledger, dataset, epsilon, false);
}

void check_unit(const PrivacyUnit& unit) {
  if (!unit.column.empty() && unit_key(unit.column).empty()) {
    throw InputError("the unit is blank; give the column that identifies the unit, or record");
  }
  if (unit.column.empty() && unit.max_contributions != 1) {
    throw InputError(fmt::format(
        "max-contributions is {}, but no unit column is given; give the column, or remove max-contributions",
        unit.max_contributions));
  }
}

}  // namespace shoal
