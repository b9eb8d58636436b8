// A ledger of the privacy budgets of datasets. It is an append-only SQLite file that never exceeds its caps. Its
// entries (accounts and debits) are chained by SHA-256, and its schema is verified when it is opened. This detects
// entries that another program changed, removed or inserted, except entries removed from the end. It does not detect a
// file that was rewritten as a whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  std::string time;  // UTC, in ISO 8601.
  std::string dataset;
  Epsilon epsilon;
  std::string purpose;  // Technique and command, never data.
  std::string hash;     // Hash of this entry and, through the chain, of all entries before it.
};

// The last entry of the chain.
struct LedgerHead {
  std::uint64_t entries;  // Number of accounts and debits.
  // Hash of the last entry, in hexadecimal. A copy that is kept elsewhere shows later whether entries were removed.
  std::string hash;
};

// An open ledger. Use one object per process and thread, and open a new one after a fork.
class Ledger {
 public:
  // Adds an account, and creates the file if there is none. Throws if the dataset already has an account, because a cap
  // never changes. The name of a dataset is a text of 1 to 200 bytes without control characters.
  static void create(const std::string& path, const std::string& dataset, Epsilon cap);
  // Opens a ledger. Throws if the file does not exist, is not a ledger, is damaged, was changed by another program, or
  // was written by a later version. Throws if the file has several names (hard links) or a write-ahead log, or if
  // SQLite would not take its name as the name of a file. A symbolic link is followed. A ledger of an earlier version
  // is upgraded.
  explicit Ledger(const std::string& path);
  ~Ledger();
  // Returns the file of the ledger and the files that SQLite may create next to it. Empty for an empty path.
  static std::vector<std::string> files(const std::string& path);
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;

  // Debits an account and returns the id of the entry. The debit is durable on disk when the call returns, and is never
  // undone: a run that fails afterwards has spent it. Throws Error(budget), which says what is left, if the cap would
  // be exceeded. Waits up to one minute for other processes.
  std::uint64_t debit(const std::string& dataset, Epsilon epsilon, const std::string& purpose);
  // Throws what debit() would throw now, but debits nothing. A run that would be refused can thus stop before it reads
  // data.
  void check(const std::string& dataset, Epsilon epsilon) const;
  [[nodiscard]] std::vector<LedgerAccount> accounts() const;
  [[nodiscard]] std::vector<LedgerEntry> history(const std::string& dataset = {}) const;
  [[nodiscard]] LedgerHead head() const;
  // Returns the number of entries after the entry with this hash, or nothing if no entry has it. The first 16 or more
  // digits of the hash are enough; throws if there are fewer.
  [[nodiscard]] std::optional<std::uint64_t> entries_since(const std::string& hash) const;

 private:
  struct Database;
  void commit_debit(const std::string& hash) const;
  std::unique_ptr<Database> database_;
};

// Throws if only one of `ledger` (the path of a file) and `dataset` is given, or if the ledger would refuse the debit
// now.
void check_budget(const std::optional<std::string>& ledger, const std::string& dataset, Epsilon epsilon);

// Returns the SHA-256 hash of a text as 64 hexadecimal digits, as the ledger and statements state it. Throws if OpenSSL
// fails.
std::string sha256(const std::string& text);

}  // namespace shoal
