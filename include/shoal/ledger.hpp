// Privacy budgets of datasets: an SQLite file, append-only, never over its cap. Its entries (accounts and debits) are
// chained by SHA-256, and its schema is compared on opening. This detects what another program changed, removed or
// inserted, except entries removed from the end. It does not detect a file that was written anew as a whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/epsilon.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// The budget of one dataset.
struct LedgerAccount {
  std::string dataset;
  Epsilon cap, spent;
  std::uint64_t debits;
};

// One debit.
struct LedgerEntry {
  std::uint64_t id;
  std::string time;  // UTC, ISO 8601
  std::string dataset;
  Epsilon epsilon;
  std::string purpose;  // technique and command, never data
  std::string hash;     // of the entry and, through the chain, of all before it
};

// The last entry of the chain.
struct LedgerHead {
  std::uint64_t entries;  // accounts and debits
  std::string hash;       // of the last, in hexadecimal; kept elsewhere, it shows later that nothing was taken off
};

// One object per process and thread: open a new one after a fork.
class Ledger {
 public:
  // Adds an account (and the file, when there is none). Refuses a dataset that has an account: a cap never changes.
  // A dataset's name is any text of 1 to 200 bytes without control characters.
  static void create(const std::string& path, const std::string& dataset, Epsilon cap);
  // Refuses a file that does not exist, is not a ledger, is damaged, was changed by another program, was written by a
  // later version, has several names (hard links) or a write-ahead log, and names that SQLite takes for something else
  // than a file. A symbolic link leads to its file. A ledger of an earlier version is brought up to date.
  explicit Ledger(const std::string& path);
  ~Ledger();
  // The ledger's file and those that SQLite creates next to it; none for an empty name.
  static std::vector<std::string> files(const std::string& path);
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;

  // Durable on disk when it returns; throws Error(budget) that says what is left when the cap would be exceeded.
  // A debit is never undone: a run that dies afterwards has spent it. Waits up to a minute for other processes.
  // Returns the entry's id.
  std::uint64_t debit(const std::string& dataset, Epsilon epsilon, const std::string& purpose);
  // Throws what debit would throw now, and debits nothing, so that a run which would be refused reads no data.
  void check(const std::string& dataset, Epsilon epsilon) const;
  [[nodiscard]] std::vector<LedgerAccount> accounts() const;
  [[nodiscard]] std::vector<LedgerEntry> history(const std::string& dataset = {}) const;
  [[nodiscard]] LedgerHead head() const;
  // How many entries came after the one of that hash (or of which these are the first 16 or more digits); none: no
  // entry has it.
  [[nodiscard]] std::optional<std::uint64_t> entries_since(const std::string& hash) const;

 private:
  struct Database;
  void commit_debit(const std::string& hash) const;
  std::unique_ptr<Database> database_;
};

}  // namespace shoal
