#include "shoal/ledger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "privacy/sqlite.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr int application_id = 0x53686f61;  // "Shoa": tells a ledger from other SQLite files
constexpr int schema_version = 2;
constexpr int patience_ms = 60'000;
constexpr std::size_t longest_name = 200;

// Amounts are whole units of 10^-12. Accounts and debits are the entries of one chain: `place` numbers them starting at
// 1, and `hash` is chained() over the hash of the previous place. The triggers refuse what a careless program or person
// might do. OR REPLACE would delete without firing a trigger, hence the guards against existing keys.
constexpr const char* schema = R"sql(
CREATE TABLE account (
  dataset TEXT PRIMARY KEY NOT NULL,
  cap INTEGER NOT NULL CHECK (typeof(cap) = 'integer' AND cap > 0),
  opened TEXT NOT NULL,
  place INTEGER NOT NULL UNIQUE,
  hash TEXT NOT NULL);
CREATE TABLE debit (
  id INTEGER PRIMARY KEY,
  time TEXT NOT NULL,
  dataset TEXT NOT NULL REFERENCES account (dataset),
  epsilon INTEGER NOT NULL CHECK (typeof(epsilon) = 'integer' AND epsilon > 0),
  purpose TEXT NOT NULL,
  place INTEGER NOT NULL UNIQUE,
  hash TEXT NOT NULL);
CREATE INDEX debit_of_dataset ON debit (dataset, epsilon);
CREATE TRIGGER account_kept BEFORE UPDATE ON account BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER account_stays BEFORE DELETE ON account BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER account_once BEFORE INSERT ON account
  WHEN EXISTS (SELECT 1 FROM account WHERE dataset = new.dataset)
    OR new.place IS NOT 1 + (SELECT count(*) FROM account) + (SELECT count(*) FROM debit)
  BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER debit_kept BEFORE UPDATE ON debit BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER debit_stays BEFORE DELETE ON debit BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER debit_once BEFORE INSERT ON debit
  WHEN EXISTS (SELECT 1 FROM debit WHERE id = new.id)
    OR new.place IS NOT 1 + (SELECT count(*) FROM account) + (SELECT count(*) FROM debit)
  BEGIN SELECT raise(ABORT, 'a ledger is append-only'); END;
CREATE TRIGGER debit_within_cap BEFORE INSERT ON debit
  WHEN new.epsilon > coalesce((SELECT cap FROM account WHERE dataset = new.dataset), 0)
                   - coalesce((SELECT sum(epsilon) FROM debit WHERE dataset = new.dataset), 0)
  BEGIN SELECT raise(ABORT, 'the debit exceeds the cap'); END;
)sql";

// The hash of schema_text() of a ledger of format 1, which had no chain.
constexpr const char* hash_of_first_schema = "38c493554a90b53d795e71f594d7eb04a5eb7b195441a2e337f1dd1c4259de21";

void check_text(const std::string& text, const char* what) {
  bool fine = !text.empty() && text.size() <= longest_name;
  for (const char c : text) fine = fine && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  if (!fine) {
    throw InputError(
        fmt::format("the {} must be 1 to {} bytes of text without control characters", what, longest_name));
  }
}

// An account or a debit as an entry of the chain.
struct Link {
  std::string kind;                             // "account" or "debit"
  std::int64_t place = 0, id = 0, epsilon = 0;  // for an account: id 0, and its cap
  std::string time, dataset, purpose;           // for an account: no purpose
};

// Returns the hash of the entry and, through the hash before it, of all earlier entries. Lengths separate the fields.
std::string chained(const std::string& before, const Link& link) {
  std::string text;
  for (const std::string& field : {before, link.kind, std::to_string(link.place), std::to_string(link.id), link.time,
                                   link.dataset, std::to_string(link.epsilon), link.purpose}) {
    text += fmt::format("{}:{}", field.size(), field);
  }
  return sha256(text);
}

std::string what_is_left(const LedgerAccount& account) {
  const Epsilon left = account.spent < account.cap ? account.cap - account.spent : Epsilon::zero();
  return fmt::format("epsilon {} is left of {} ({} spent)", left.text(), account.cap.text(), account.spent.text());
}
}  // namespace

// A connection. Every failure of SQLite becomes an Error that names the file.
struct Ledger::Database {
  struct Close {
    void operator()(sqlite3* open) const noexcept { sqlite3_close(open); }
  };
  std::string path;  // as given, for messages
  std::string file;  // the file that is opened
  std::unique_ptr<sqlite3, Close> connection;

  Database(std::string given, std::string opened_file, int flags)
      : path(std::move(given)), file(std::move(opened_file)) {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
    connection.reset(opened);
    if (status != SQLITE_OK) {
      throw InputError(fmt::format("cannot open the ledger '{}': {}", path,
                                   opened != nullptr ? sqlite3_errmsg(opened) : "out of memory"));
    }
    sqlite3_extended_result_codes(handle(), 1);
    sqlite3_busy_timeout(handle(), patience_ms);
    // EXTRA also syncs the folder when the journal is deleted. Otherwise a power cut could bring the journal of a debit
    // back and undo it.
    run("PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
  }

  [[nodiscard]] sqlite3* handle() const noexcept { return connection.get(); }
  [[noreturn]] void fail(int status) const {
    const std::string message = sqlite3_errmsg(handle());
    switch (status & 0xff) {
      case SQLITE_NOTADB:
        throw InputError(fmt::format("'{}' is not a ledger; create one with 'shoal ledger create'", path));
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
  [[noreturn]] void changed(const std::string& how) const {
    throw InputError(
        fmt::format("the ledger '{}' was changed by another program: {}; restore it from a backup", path, how));
  }
  void run(const char* sql) const {
    const int status = sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr);
    if (status != SQLITE_OK) fail(status);
  }
  [[nodiscard]] std::int64_t number(const char* sql) const;
  [[nodiscard]] std::string text(const char* sql) const;
  void check_is_ledger() const;
  void check_schema() const;
  // Throws if the file has a second name, or if its journal is not SQLite's usual one.
  void check_file() const;
  // Returns the hashes of all entries in order. Throws if the chain is broken.
  [[nodiscard]] std::vector<std::string> chain() const;
  [[nodiscard]] std::vector<LedgerAccount> accounts() const;
  [[nodiscard]] std::vector<LedgerEntry> history(const std::string& dataset) const;
  // Both must be called inside a transaction. They continue after the last entry.
  [[nodiscard]] Link next(std::string kind, const std::string& dataset, Epsilon epsilon) const;
  std::string append(const Link& link) const;
  void bring_up_to_date() const;
};

namespace {
bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// After a crash, the journal belongs to one name of the file. If the file is opened by that name, it loses what was
// debited under another name since. So this is checked before SQLite reads the file.
void check_one_name(const std::string& path, const std::string& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return;  // SQLite reports the reason
  if (!S_ISREG(info.st_mode)) throw InputError(fmt::format("the ledger '{}' is not a regular file", path));
  if (info.st_nlink <= 1) return;
  throw InputError(
      fmt::format("the ledger '{}' has {} names (hard links): after a crash, one of them could undo debits made by "
                  "another; remove the other names, or copy the file",
                  path, info.st_nlink));
}

// Returns the file that a path names, with symbolic links resolved, because SQLite's journal lies next to it. Throws
// for names that SQLite does not take for a file.
std::string file_of(const std::string& path) {
  if (path.empty() || path == ":memory:" || path.starts_with("file:") || path.find('\0') != std::string::npos) {
    throw InputError(fmt::format(
        "a ledger is a file that lasts, and this is not a file name for one: '{}'; give the path of a file", path));
  }
  std::error_code error;
  const bool link = std::filesystem::is_symlink(path, error);
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (!error) {
    check_one_name(path, real.string());
    return real.string();
  }
  if (link) throw InputError(fmt::format("the ledger '{}' is a symbolic link to no file; remove it", path));
  return path;
}

bool synced(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = ::fsync(file) == 0;
  ::close(file);
  return done;
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

std::string Ledger::Database::text(const char* sql) const {
  Statement statement(handle(), sql);
  const bool row = statement.step();
  if (!row) fail(statement.status() == SQLITE_OK ? SQLITE_CORRUPT : statement.status());
  return statement.text(0);
}

namespace {
// Lists every table, index and trigger as it was created, except names that SQLite reserves for itself.
constexpr const char* schema_text =
    "SELECT group_concat(type || ' ' || name || ' ' || sql, x'0a') FROM "
    "(SELECT * FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name)";
}  // namespace

void Ledger::Database::check_schema() const {
  const Database fresh(":memory:", ":memory:", SQLITE_OPEN_READWRITE);
  fresh.run(schema);
  if (text(schema_text) == fresh.text(schema_text)) return;
  changed("its tables or triggers are not those that shoal creates");
}

void Ledger::Database::check_file() const {
  check_one_name(path, file);
  if (text("PRAGMA journal_mode") == "delete") return;
  throw InputError(
      fmt::format("the ledger '{0}' has a write-ahead log, which a copy of the file would lack; return it to SQLite's "
                  "usual journal: sqlite3 '{0}' 'PRAGMA journal_mode = DELETE'",
                  path));
}

void Ledger::Database::check_is_ledger() const {
  if (number("PRAGMA application_id") != application_id) fail(SQLITE_NOTADB);
  const std::int64_t version = number("PRAGMA user_version");
  if (version > schema_version) {
    throw InputError(fmt::format("the ledger '{}' has format {}, but this program reads format {}; use a newer shoal",
                                 path, version, schema_version));
  }
  const std::string state = text("PRAGMA integrity_check(1)");
  if (state != "ok") {
    throw InputError(fmt::format("the ledger '{}' is damaged ({}); restore it from a backup", path, state));
  }
  if (version < schema_version) bring_up_to_date();
  check_schema();
  static_cast<void>(chain());
}

std::vector<std::string> Ledger::Database::chain() const {
  Statement statement(handle(),
                      "SELECT 'account', place, 0, cap, opened, dataset, '', hash FROM account UNION ALL "
                      "SELECT 'debit', place, id, epsilon, time, dataset, purpose, hash FROM debit ORDER BY 2");
  std::vector<std::string> hashes;
  while (statement.step()) {
    const Link link{statement.text(0), statement.integer(1), statement.integer(2), statement.integer(3),
                    statement.text(4), statement.text(5),    statement.text(6)};
    const std::int64_t place = std::ssize(hashes) + 1;
    if (link.place != place || chained(hashes.empty() ? std::string() : hashes.back(), link) != statement.text(7)) {
      changed(fmt::format("entry {} of its chain is missing or altered", place));
    }
    hashes.push_back(statement.text(7));
  }
  if (statement.status() != SQLITE_OK) fail(statement.status());
  return hashes;
}

Link Ledger::Database::next(std::string kind, const std::string& dataset, Epsilon epsilon) const {
  Link link;
  link.kind = std::move(kind);
  link.place = 1 + number("SELECT (SELECT count(*) FROM account) + (SELECT count(*) FROM debit)");
  if (link.kind == "debit") link.id = 1 + number("SELECT coalesce(max(id), 0) FROM debit");
  link.epsilon = static_cast<std::int64_t>(epsilon.units());
  link.time = text("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')");
  link.dataset = dataset;
  return link;
}

std::string Ledger::Database::append(const Link& link) const {
  const std::string before = link.place == 1 ? std::string()
                                             : text(
                                                   "SELECT hash FROM (SELECT place, hash FROM account UNION ALL "
                                                   "SELECT place, hash FROM debit) ORDER BY place DESC LIMIT 1");
  std::string hash = chained(before, link);
  const bool account = link.kind == "account";
  Statement insert(handle(), account ? "INSERT INTO account (dataset, cap, opened, place, hash) VALUES (?, ?, ?, ?, ?)"
                                     : "INSERT INTO debit (dataset, epsilon, time, place, hash, id, purpose) "
                                       "VALUES (?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, link.dataset);
  insert.bind(2, link.epsilon);
  insert.bind(3, link.time);
  insert.bind(4, link.place);
  insert.bind(5, hash);
  if (!account) {
    insert.bind(6, link.id);
    insert.bind(7, link.purpose);
  }
  insert.step();
  if (insert.status() != SQLITE_OK) fail(insert.status());
  return hash;
}

// Converts format 1: the same accounts and debits, chained in their existing order.
void Ledger::Database::bring_up_to_date() const {
  if (sqlite3_db_readonly(handle(), "main") == 1) {
    throw InputError(
        fmt::format("the ledger '{}' has the older format 1 and is read-only; make it writable and run 'shoal ledger "
                    "show' once to upgrade it",
                    path));
  }
  std::optional<Transaction> transaction;
  if (sqlite3_get_autocommit(handle()) != 0) transaction.emplace(*this);
  if (number("PRAGMA user_version") == schema_version) return;  // another process was faster
  if (sha256(text(schema_text)) != hash_of_first_schema) {
    changed("its tables or triggers are not those that shoal creates");
  }
  std::vector<Link> links;
  for (const char* sql : {"SELECT 'account', 0, cap, opened, dataset, '' FROM account ORDER BY rowid",
                          "SELECT 'debit', id, epsilon, time, dataset, purpose FROM debit ORDER BY id"}) {
    Statement statement(handle(), sql);
    while (statement.step()) {
      links.push_back({statement.text(0), std::ssize(links) + 1, statement.integer(1), statement.integer(2),
                       statement.text(3), statement.text(4), statement.text(5)});
    }
    if (statement.status() != SQLITE_OK) fail(statement.status());
  }
  run("DROP TABLE debit; DROP TABLE account");  // and their indices and triggers
  run(schema);
  for (const Link& link : links) static_cast<void>(append(link));
  run(fmt::format("PRAGMA user_version = {}", schema_version).c_str());
  if (transaction) run("COMMIT");
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

std::vector<LedgerEntry> Ledger::Database::history(const std::string& dataset) const {
  Statement statement(
      handle(),
      "SELECT id, time, dataset, epsilon, purpose, hash FROM debit WHERE ?1 = '' OR dataset = ?1 ORDER BY id");
  statement.bind(1, dataset);
  std::vector<LedgerEntry> result;
  while (statement.step()) {
    result.push_back({static_cast<std::uint64_t>(statement.integer(0)), statement.text(1), statement.text(2),
                      statement.epsilon(3), statement.text(4), statement.text(5)});
  }
  if (statement.status() != SQLITE_OK) fail(statement.status());
  return result;
}

void Ledger::create(const std::string& path, const std::string& dataset, Epsilon cap) {
  check_text(dataset, "dataset's name");
  if (cap.units() == 0 || cap.units() > 1'000'000 * Epsilon::units_per_one) {
    throw InputError("the cap must be above 0 and at most 1,000,000");
  }
  const Database database(path, file_of(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  const Transaction transaction(database);
  database.check_file();
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
  static_cast<void>(database.append(database.next("account", dataset, cap)));
  database.run("COMMIT");
}

Ledger::Ledger(const std::string& path) {
  const std::string file = file_of(path);
  if (!exists(file)) {
    throw InputError(fmt::format("there is no ledger at '{}' ({}); create one with 'shoal ledger create'", path,
                                 std::strerror(errno)));
  }
  database_ = std::make_unique<Database>(path, file, SQLITE_OPEN_READWRITE);
  database_->check_is_ledger();
  database_->check_file();
}

std::vector<std::string> Ledger::files(const std::string& path) {
  if (path.empty()) return {};
  return {path, path + "-journal", path + "-wal", path + "-shm"};
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
                fmt::format("epsilon {} is refused: it exceeds the budget of dataset '{}' in the ledger '{}'; {}",
                            epsilon.text(), dataset, database_->path, what_is_left(*account)));
  }
}

std::uint64_t Ledger::debit(const std::string& dataset, Epsilon epsilon, const std::string& purpose) {
  check_text(dataset, "dataset's name");
  check_text(purpose, "purpose");
  if (epsilon.units() == 0) throw InputError("a debit needs an epsilon above 0");
  const Transaction transaction(*database_);
  database_->check_file();
  check(dataset, epsilon);
  Link link = database_->next("debit", dataset, epsilon);
  link.purpose = purpose;
  const std::string hash = database_->append(link);
  commit_debit(hash);
  return static_cast<std::uint64_t>(link.id);
}

// SQLite may report a failure although the debit stands (the journal is gone, but the folder could not be synced). The
// debit then counts, once it is known to be durable.
void Ledger::commit_debit(const std::string& hash) const {
  try {
    database_->run("COMMIT");
  } catch (const Error&) {
    if (sqlite3_get_autocommit(database_->handle()) == 0) database_->run("ROLLBACK");
    const Ledger again(database_->path);
    if (!again.entries_since(hash)) throw;
    if (!synced(database_->file) || !synced(folder_of(database_->file))) throw;
  }
}

std::vector<LedgerAccount> Ledger::accounts() const { return database_->accounts(); }

std::vector<LedgerEntry> Ledger::history(const std::string& dataset) const { return database_->history(dataset); }

LedgerHead Ledger::head() const {
  const std::vector<std::string> hashes = database_->chain();
  return {hashes.size(), hashes.empty() ? std::string() : hashes.back()};
}

std::optional<std::uint64_t> Ledger::entries_since(const std::string& hash) const {
  constexpr std::size_t shortest = 16;
  if (hash.size() < shortest) {
    throw InputError(
        fmt::format("a head is at least {} hexadecimal digits, as 'shoal ledger show' prints it", shortest));
  }
  const std::vector<std::string> hashes = database_->chain();
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (hashes[i].starts_with(hash)) return hashes.size() - 1 - i;
  }
  return std::nullopt;
}

}  // namespace shoal
