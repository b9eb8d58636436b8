// The charge that a release states, and the entry of a ledger that records it.
#pragma once

#include <string>

#include "formats/any_release.hpp"
#include "shoal/ledger.hpp"

namespace shoal::cli {

struct StatedCharge {
  std::string head;  // hash of the entry
  Epsilon epsilon;
};

// Throws if the release names no entry of a ledger. path: its file, for messages.
StatedCharge stated_charge(const AnyRelease& release, const std::string& path);

// Throws if the ledger does not record the charge, or records it with another epsilon.
LedgerEntry recorded_entry(const Ledger& ledger, const std::string& ledger_path, const StatedCharge& charge,
                           const std::string& release_path);

}  // namespace shoal::cli
