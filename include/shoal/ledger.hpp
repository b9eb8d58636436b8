// The owner's account of what was spent on each dataset: SQLite, append-only, never over its cap.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shoal/epsilon.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

struct LedgerAccount {
  std::string dataset;
  Epsilon cap, spent;
  std::uint64_t debits;
};

struct LedgerEntry {
  std::uint64_t id;
  std::string time;  // UTC, ISO 8601
  std::string dataset;
  Epsilon epsilon;
  std::string purpose;  // technique and command, never data
};

// One object a process and thread: open a new one after a fork.
class Ledger {
 public:
  // Adds an account (and the file, when there is none). Refuses a dataset that is there already: a cap never changes.
  // A dataset's name is any text of 1 to 200 bytes without control characters.
  static void create(const std::string& path, const std::string& dataset, Epsilon cap);
  // Refuses a file that does not exist, is not a ledger, is damaged, or was written by a later version.
  explicit Ledger(const std::string& path);
  ~Ledger();
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;

  // Durable on disk when it returns; throws Error(budget) that says what is left when the cap would be exceeded.
  // A debit is never undone: a run that dies afterwards has spent it. Waits up to a minute for other processes.
  // Returns the entry's id.
  std::uint64_t debit(const std::string& dataset, Epsilon epsilon, const std::string& purpose);
  // Throws what debit would throw now, and debits nothing: so that a run which is refused anyhow reads no data.
  void check(const std::string& dataset, Epsilon epsilon) const;
  [[nodiscard]] std::vector<LedgerAccount> accounts() const;
  [[nodiscard]] std::vector<LedgerEntry> history(const std::string& dataset = {}) const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
};

}  // namespace shoal
