// Charges a budget and checks whom it protects. Every flow that spends epsilon does this before it reads any data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shoal/ledger.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// One debit of an account in a ledger. Without a ledger, it does nothing.
class Account {
 public:
  // Throws if only one of ledger and dataset is given, if a seeded run has a ledger, or if the ledger would refuse the
  // debit now.
  Account(const std::optional<std::string>& ledger, std::string dataset, Epsilon epsilon, bool seeded);
  // Debits epsilon, which is spent when the function returns. Returns the entry, or nothing if there is no ledger.
  std::optional<LedgerEntry> debit(const std::string& purpose);

 private:
  std::string dataset_;
  Epsilon epsilon_;
  std::optional<Ledger> ledger_;
};

// Throws if the unit would silently protect single records only: if it allows several contributions without a unit
// column, or if the name of its column is blank.
void check_unit(const PrivacyUnit& unit);

}  // namespace shoal
