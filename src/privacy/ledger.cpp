#include "shoal/ledger.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr int application_id = 0x53686f61;  // "Shoa": tells a ledger from other SQLite files
constexpr int schema_version = 1;
constexpr int patience_ms = 60'000;
constexpr std::size_t longest_name = 200;

// Amounts are whole units of 10^-12. The triggers hold the two promises (nothing is changed, no cap is exceeded) even
// against other programs that write to the file. OR REPLACE would delete without firing a trigger, hence the guards
// against existing keys.
constexpr const char* schema = R"sql(
CREATE TABLE account (
  dataset TEXT PRIMARY KEY NOT NULL,
  cap INTEGER NOT NULL CHECK (typeof(cap) = 'integer' AND cap > 0),
  opened TEXT NOT NULL);
CREATE TABLE debit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time TEXT NOT NULL,
  dataset TEXT NOT NULL REFERENCES account (dataset),
  epsilon INTEGER NOT NULL CHECK (typeof(epsilon) = 'integer' AND epsilon > 0),
  purpose TEXT NOT NULL);
CREATE INDEX debit_of_dataset ON debit (dataset, epsilon);
CREATE TRIGGER account_kept BEFORE UPDATE ON account BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER account_stays BEFORE DELETE ON account BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER account_once BEFORE INSERT ON account
  WHEN EXISTS (SELECT 1 FROM account WHERE dataset = new.dataset)
  BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER debit_kept BEFORE UPDATE ON debit BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER debit_stays BEFORE DELETE ON debit BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER debit_once BEFORE INSERT ON debit WHEN EXISTS (SELECT 1 FROM debit WHERE id = new.id)
  BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER debit_within_cap BEFORE INSERT ON debit
  WHEN new.epsilon > coalesce((SELECT cap FROM account WHERE dataset = new.dataset), 0)
                   - coalesce((SELECT sum(epsilon) FROM debit WHERE dataset = new.dataset), 0)
  BEGIN SELECT raise(ABORT, 'the debit exceeds the cap'); END;
)sql";

void check_text(const std::string& text, const char* what) {
  bool fine = !text.empty() && text.size() <= longest_name;
  for (const char c : text) fine = fine && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  if (!fine) {
    throw InputError(
        fmt::format("the {} must be 1 to {} bytes of text without control characters", what, longest_name));
  }
}

std::string what_is_left(const LedgerAccount& account) {
  const Epsilon left = account.spent < account.cap ? account.cap - account.spent : Epsilon();
  return fmt::format("epsilon {} is left of {} ({} spent)", left.text(), account.cap.text(), account.spent.text());
}
}  // namespace

// A connection. Every failure of SQLite becomes an Error that names the file.
struct Ledger::Database {
  struct Close {
    void operator()(sqlite3* open) const noexcept { sqlite3_close(open); }
  };
  std::string path;
  std::unique_ptr<sqlite3, Close> connection;

  Database(std::string file, int flags) : path(std::move(file)) {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
    connection.reset(opened);
    if (status != SQLITE_OK) {
      throw InputError(fmt::format("cannot open the ledger '{}': {}", path,
                                   opened != nullptr ? sqlite3_errmsg(opened) : "out of memory"));
    }
    sqlite3_extended_result_codes(handle(), 1);
    sqlite3_busy_timeout(handle(), patience_ms);
    // EXTRA: also the folder is synced when the journal goes, else a power cut could bring a debit's journal back and
    // undo it.
    run("PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
  }

  [[nodiscard]] sqlite3* handle() const noexcept { return connection.get(); }
  [[noreturn]] void fail(int status) const {
    const std::string message = sqlite3_errmsg(handle());
    switch (status & 0xff) {
      case SQLITE_NOTADB:
        throw InputError(fmt::format("'{}' is not a ledger; make one with 'shoal ledger create'", path));
      case SQLITE_CORRUPT:
        throw InputError(fmt::format("the ledger '{}' is damaged ({}); restore it from a backup", path, message));
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        throw InputError(fmt::format("the ledger '{}' has been locked by another process for {} seconds; try again",
                                     path, patience_ms / 1000));
      case SQLITE_READONLY:
        throw InputError(fmt::format("the ledger '{}' cannot be written ({}); check its permissions", path, message));
      case SQLITE_CONSTRAINT:
        throw Error(ErrorKind::budget, fmt::format("the ledger '{}' refuses: {}", path, message));
      default:
        throw InputError(fmt::format("the ledger '{}' cannot be used: {}", path, message));
    }
  }
  void run(const char* sql) const {
    const int status = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
    if (status != SQLITE_OK) fail(status);
  }
  [[nodiscard]] std::int64_t number(const char* sql) const;
  void check_is_ledger() const;
  [[nodiscard]] std::vector<LedgerAccount> accounts() const;
};

namespace {
// A prepared statement.
class Statement {
 public:
  Statement(sqlite3* handle, const char* sql) { status_ = sqlite3_prepare_v2(handle, sql, -1, &statement_, nullptr); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int place, const std::string& text) {
    if (status_ == SQLITE_OK) {
      status_ = sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    }
  }
  void bind(int place, Epsilon epsilon) {
    if (status_ == SQLITE_OK) {
      status_ = sqlite3_bind_int64(statement_, place, static_cast<std::int64_t>(epsilon.units()));
    }
  }
  // True: a row is there. False: done, or failed: see status().
  bool step() {
    if (status_ != SQLITE_OK && status_ != SQLITE_ROW) return false;
    status_ = sqlite3_step(statement_);
    return status_ == SQLITE_ROW;
  }
  [[nodiscard]] int status() const noexcept {
    return status_ == SQLITE_DONE || status_ == SQLITE_ROW ? SQLITE_OK : status_;
  }
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  [[nodiscard]] Epsilon epsilon(int column) const {
    return Epsilon::from_units(static_cast<std::uint64_t>(integer(column)));
  }
  [[nodiscard]] std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr ? std::string() : std::string(bytes, sqlite3_column_bytes(statement_, column));
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
  int status_;
};

// The write lock from the first read on: what was read still holds when the row is written. Undone unless committed.
class Transaction {
 public:
  template <class Database>
  explicit Transaction(const Database& database) : handle_(database.handle()) {
    database.run("BEGIN IMMEDIATE");
  }
  ~Transaction() {
    if (sqlite3_get_autocommit(handle_) == 0) sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

 private:
  sqlite3* handle_;
};

bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

const LedgerAccount* find(const std::vector<LedgerAccount>& accounts, const std::string& dataset) {
  for (const LedgerAccount& account : accounts) {
    if (account.dataset == dataset) return &account;
  }
  return nullptr;
}
}  // namespace

std::int64_t Ledger::Database::number(const char* sql) const {
  Statement statement(handle(), sql);
  const bool row = statement.step();
  if (!row) fail(statement.status() == SQLITE_OK ? SQLITE_CORRUPT : statement.status());
  return statement.integer(0);
}

void Ledger::Database::check_is_ledger() const {
  if (number("PRAGMA application_id") != application_id) fail(SQLITE_NOTADB);
  const std::int64_t version = number("PRAGMA user_version");
  if (version != schema_version) {
    throw InputError(fmt::format("the ledger '{}' has format {}, this program knows {}; use a newer shoal", path,
                                 version, schema_version));
  }
  Statement check(handle(), "PRAGMA integrity_check(1)");
  const bool row = check.step();
  if (!row || check.text(0) != "ok") {
    throw InputError(fmt::format("the ledger '{}' is damaged ({}); restore it from a backup", path,
                                 row ? check.text(0) : sqlite3_errmsg(handle())));
  }
}

std::vector<LedgerAccount> Ledger::Database::accounts() const {
  Statement statement(handle(),
                      "SELECT account.dataset, cap, coalesce(sum(epsilon), 0), count(id) FROM account LEFT JOIN debit "
                      "ON debit.dataset = account.dataset GROUP BY account.rowid ORDER BY account.rowid");
  std::vector<LedgerAccount> result;
  while (statement.step()) {
    result.push_back({statement.text(0), statement.epsilon(1), statement.epsilon(2),
                      static_cast<std::uint64_t>(statement.integer(3))});
  }
  if (statement.status() != SQLITE_OK) fail(statement.status());
  return result;
}

void Ledger::create(const std::string& path, const std::string& dataset, Epsilon cap) {
  check_text(dataset, "dataset's name");
  if (cap.units() == 0 || cap.units() > 1'000'000 * Epsilon::units_per_one) {
    throw InputError("the cap must be above 0 and at most 1,000,000");
  }
  const Database database(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const Transaction transaction(database);
  if (database.number("SELECT count(*) FROM sqlite_master") == 0 && database.number("PRAGMA application_id") == 0) {
    database.run(schema);
    database.run(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, schema_version).c_str());
  }
  database.check_is_ledger();
  const std::vector<LedgerAccount> accounts = database.accounts();
  if (const LedgerAccount* account = find(accounts, dataset)) {
    throw InputError(fmt::format("the ledger '{}' has an account for '{}' already: {}; a cap cannot be changed", path,
                                 dataset, what_is_left(*account)));
  }
  Statement insert(database.handle(),
                   "INSERT INTO account (dataset, cap, opened) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))");
  insert.bind(1, dataset);
  insert.bind(2, cap);
  insert.step();
  if (insert.status() != SQLITE_OK) database.fail(insert.status());
  database.run("COMMIT");
}

Ledger::Ledger(const std::string& path) {
  if (!exists(path)) {
    throw InputError(fmt::format("there is no ledger at '{}' ({}); make one with 'shoal ledger create'", path,
                                 std::strerror(errno)));
  }
  database_ = std::make_unique<Database>(path, SQLITE_OPEN_READWRITE);
  database_->check_is_ledger();
}

Ledger::~Ledger() = default;
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;

void Ledger::check(const std::string& dataset, Epsilon epsilon) const {
  const std::vector<LedgerAccount> accounts = database_->accounts();
  const LedgerAccount* account = find(accounts, dataset);
  if (account == nullptr) {
    std::vector<std::string> names;
    for (const LedgerAccount& known : accounts) names.push_back(fmt::format("'{}'", known.dataset));
    throw InputError(fmt::format("the ledger '{}' has no account for '{}'; it has {}", database_->path, dataset,
                                 fmt::join(names, ", ")));
  }
  if (account->spent > account->cap || epsilon > account->cap - account->spent) {
    throw Error(ErrorKind::budget,
                fmt::format("epsilon {} is refused: dataset '{}' of the ledger '{}' allows no more; {}", epsilon.text(),
                            dataset, database_->path, what_is_left(*account)));
  }
}

std::uint64_t Ledger::debit(const std::string& dataset, Epsilon epsilon, const std::string& purpose) {
  check_text(dataset, "dataset's name");
  check_text(purpose, "purpose");
  if (epsilon.units() == 0) throw InputError("a debit needs an epsilon above 0");
  const Transaction transaction(*database_);
  check(dataset, epsilon);
  Statement insert(database_->handle(),
                   "INSERT INTO debit (time, dataset, epsilon, purpose) "
                   "VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?)");
  insert.bind(1, dataset);
  insert.bind(2, epsilon);
  insert.bind(3, purpose);
  insert.step();
  if (insert.status() != SQLITE_OK) database_->fail(insert.status());
  const auto id = static_cast<std::uint64_t>(sqlite3_last_insert_rowid(database_->handle()));
  database_->run("COMMIT");
  return id;
}

std::vector<LedgerAccount> Ledger::accounts() const { return database_->accounts(); }

std::vector<LedgerEntry> Ledger::history(const std::string& dataset) const {
  Statement statement(
      database_->handle(),
      "SELECT id, time, dataset, epsilon, purpose FROM debit WHERE ?1 = '' OR dataset = ?1 ORDER BY id");
  statement.bind(1, dataset);
  std::vector<LedgerEntry> result;
  while (statement.step()) {
    result.push_back({static_cast<std::uint64_t>(statement.integer(0)), statement.text(1), statement.text(2),
                      statement.epsilon(3), statement.text(4)});
  }
  if (statement.status() != SQLITE_OK) database_->fail(statement.status());
  return result;
}

}  // namespace shoal
