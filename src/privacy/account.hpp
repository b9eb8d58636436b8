// Where a budget is charged, and whom it protects: what every flow that spends epsilon checks before it reads anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shoal/epsilon.hpp"
#include "shoal/ledger.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// One debit of an account in a ledger; without a ledger, nothing.
class Account {
 public:
  // Refuses a ledger without a dataset and the other way round, a seeded run with a ledger, and what the ledger would
  // refuse now.
  Account(const std::optional<std::string>& ledger, std::string dataset, Epsilon epsilon, bool seeded);
  // Once it returns, epsilon is spent. Returns the entry; none if there is no ledger.
  std::optional<LedgerEntry> debit(const std::string& purpose);

 private:
  std::string dataset_;
  Epsilon epsilon_;
  std::optional<Ledger> ledger_;
};

// Refuses a unit that would protect single records without a word: one that keeps several records of nobody, or whose
// column is blank.
void check_unit(const PrivacyUnit& unit);

}  // namespace shoal
