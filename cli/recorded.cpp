#include "recorded.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shoal/error.hpp"

namespace shoal::cli {

StatedCharge stated_charge(const ReleaseSet& release, const std::string& path) {
  StatedCharge charge{release.first().parts().ledger_head, release.epsilon()};
  if (charge.head.empty()) {
    throw InputError(
        fmt::format("'{}' names no entry of a ledger: it was made without one, or by an older shoal", path));
  }
  return charge;
}

LedgerEntry recorded_entry(const Ledger& ledger, const std::string& ledger_path, const StatedCharge& charge,
                           const std::string& release_path) {
  const std::vector<LedgerEntry> entries = ledger.history();
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const LedgerEntry& entry) { return entry.hash == charge.head; });
  if (found == entries.end()) {
    throw InputError(
        fmt::format("the ledger '{}' does not record the release '{}': its entry was removed, or it is in "
                    "a different ledger",
                    ledger_path, release_path));
  }
  if (found->epsilon != charge.epsilon) {
    throw InputError(fmt::format("entry {} of the ledger '{}' charges epsilon {}, but the release '{}' states {}",
                                 found->id, ledger_path, found->epsilon.text(), release_path, charge.epsilon.text()));
  }
  return *found;
}

}  // namespace shoal::cli
