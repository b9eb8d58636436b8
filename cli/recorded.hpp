// The charge that a release states, and the entry of a ledger that records it.
#pragma once

#include <string>

#include "shoal/ledger.hpp"
#include "shoal/release_set.hpp"

namespace shoal::cli {

struct StatedCharge {
  std::string head;  // hash of the entry
  Epsilon epsilon;
};

// Returns the charge that the release states. Throws if it names no entry of a ledger. path: its file, for messages.
StatedCharge stated_charge(const ReleaseSet& release, const std::string& path);

// Returns the entry that records the charge. Throws if the ledger has none, or one with another epsilon.
LedgerEntry recorded_entry(const Ledger& ledger, const std::string& ledger_path, const StatedCharge& charge,
                           const std::string& release_path);

}  // namespace shoal::cli
