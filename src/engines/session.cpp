#include "engines/session.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <tuple>

#include "shoal/error.hpp"

namespace shoal {

namespace {

struct DriverFile {
  const char *engine, *variable, *file, *init;
};
constexpr DriverFile driver_file(Engine engine) {
  if (engine == Engine::duckdb) return {"DuckDB", "SHOAL_DUCKDB_LIB", "libduckdb.so", "duckdb_adbc_init"};
  return {"PostgreSQL", "SHOAL_POSTGRES_DRIVER", "libadbc_driver_postgresql.so", "AdbcDriverInit"};
}

// Beside the program: bin/shoal and lib/shoal/*.so, in a build and installed.
std::string beside_program(const char* file) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : (program.parent_path().parent_path() / "lib/shoal" / file).string();
}

// Whether this program holds its C library (no loader is named in it). Such a program cannot load other libraries.
bool is_static() {
  const auto* header = reinterpret_cast<const ElfW(Phdr)*>(::getauxval(AT_PHDR));
  const std::size_t headers = header == nullptr ? 0 : ::getauxval(AT_PHNUM);
  return headers > 0 &&
         std::none_of(header, header + headers, [](const auto& each) { return each.p_type == PT_INTERP; });
}

// Loaded once, never unloaded: an engine has threads of its own.
AdbcInit load_driver(Engine engine) {
  const DriverFile driver = driver_file(engine);
  if (is_static()) {
    throw InputError(
        fmt::format("this input needs {}, which a static program cannot load; use the program of the Debian package or "
                    "of: pip install 'shoal[engines]'",
                    driver.engine));
  }
  const char* const given = std::getenv(driver.variable);
  const bool is_given = given != nullptr && *given != '\0';
  const std::string path = is_given ? given : beside_program(driver.file);
  void* const library = path.empty() ? nullptr : ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const init = library == nullptr ? nullptr : ::dlsym(library, driver.init);
  if (init != nullptr) return reinterpret_cast<AdbcInit>(init);
  if (is_given) {
    throw InputError(
        fmt::format("{} names '{}', which is not a loadable ADBC driver of {}; correct it, or "
                    "remove it and run: scripts/bootstrap engines",
                    driver.variable, path, driver.engine));
  }
  throw InputError(
      fmt::format("this input needs {}, whose driver is not installed; run: scripts/bootstrap engines, or for "
                  "the program of pip: pip install 'shoal[engines]' (or set {} to the file {})",
                  driver.engine, driver.variable, driver.file));
}

// An error that a driver may fill; released at the end.
struct OwnedError {
  AdbcError value{};
  OwnedError() { value.vendor_code = adbc_error_with_details; }
  OwnedError(const OwnedError&) = delete;
  OwnedError& operator=(const OwnedError&) = delete;
  ~OwnedError() {
    if (value.release != nullptr) value.release(&value);
  }
};

struct Meaning {
  std::string_view code, words;
};

// DuckDB's kinds of error, as its messages start.
constexpr std::array<Meaning, 14> duckdb_meanings = {{
    {"IO", "a file cannot be read, is damaged, or is locked by a program that writes to it"},
    {"Invalid Input", "a file is damaged, cut off, or of another format than its suffix says"},
    {"Catalog", "there is no such table or function; check --table"},
    {"Binder", "a name in the query is not known; check --sql"},
    {"Parser", "the query is not valid SQL; check --sql"},
    {"Conversion", "a value does not convert as the query asks; use try_cast in --sql"},
    {"Out of Range", "a value is out of the range of its type; check --sql"},
    {"Out of Memory", "the query needs more memory than there is, and nothing is spilled to disk; simplify it"},
    {"Permission", "access is not permitted"},
    {"HTTP", "the object store refused or did not answer; check the address and the credentials"},
    {"Missing Extension", "an extension of DuckDB is needed that is not installed (docs/engines.md)"},
    {"Extension/Not Implemented", "DuckDB cannot do this without an extension that is not installed (docs/engines.md)"},
    {"Invalid Configuration", "a setting is missing; of an Iceberg table give the metadata file (docs/engines.md)"},
    {"Interrupt", "the query was cancelled"},
}};

// PostgreSQL's codes, or their first two characters, which name the class.
constexpr std::array<Meaning, 19> postgresql_meanings = {{
    {"28P01", "the password is wrong or missing; set PGPASSWORD or use ~/.pgpass"},
    {"28", "the server does not let this user in; check the address and pg_hba.conf"},
    {"3D", "there is no such database; check the address"},
    {"42P01", "there is no such table; check --table"},
    {"42703", "there is no such column; check --sql"},
    {"42601", "the query is not valid SQL; check --sql"},
    {"42846", "a column's type does not convert to a number; cast it in --sql"},
    {"42501", "this user may not read the table; ask for SELECT on it"},
    {"42", "the query is not valid; check --sql"},
    {"22", "a value does not convert or compute as the query asks; check --sql"},
    {"25006", "the query would change data; only reading is allowed"},
    {"40", "the server ended the transaction; try again"},
    {"53", "the server is out of memory, disk or connections; try again"},
    {"57014", "the query was cancelled"},
    {"57P", "the server is shutting down or starting"},
    {"57", "the server stopped the query"},
    {"08", "the connection was lost or not made"},
    {"XX", "the server reports an internal error"},
    {"58", "the server reports an error of its system"},
}};

// Drivers are C++ behind an interface of C, and some let an exception through. This stands in front of its text.
constexpr std::string_view thrown_by_driver = "the driver threw: ";

// What libpq says, always in these words, when there is no connection yet and so no code.
constexpr std::array<Meaning, 11> connection_meanings = {{
    {"password authentication failed", "the password is wrong; set PGPASSWORD or use ~/.pgpass"},
    {"no password supplied", "a password is needed; set PGPASSWORD or use ~/.pgpass"},
    {"onnection refused", "the connection was refused; check host and port, and that the server runs"},
    {"could not translate host name", "the host of the address is not known"},
    {"does not exist", "there is no such user or database; check the address"},
    {"no pg_hba.conf entry", "the server does not let this user in; check the address and pg_hba.conf"},
    {"SSL", "TLS could not be set up; check sslmode in the address"},
    {"server closed the connection", "the server closed the connection"},
    {"shutting down", "the server is shutting down"},
    {thrown_by_driver, "the driver failed, as it does when a connection is lost; check the server and try again"},
    {"imeout", "the server does not answer; check host and port"},
}};

// DuckDB: the words in front of " Error:", where they are known ones.
std::optional<Meaning> duckdb_meaning(std::string_view message) {
  const std::size_t end = message.find(" Error: ");
  if (end == std::string_view::npos) return std::nullopt;
  for (const Meaning& meaning : duckdb_meanings) {
    if (message.substr(0, end).ends_with(meaning.code)) return meaning;
  }
  return std::nullopt;
}

// 0 where there is none.
std::size_t leading_number(std::string_view text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// ", at line 1 of your SQL": the place in the owner's own text that DuckDB points to, or PostgreSQL; nothing elsewhere.
std::string place_of(const AdbcDriver& driver, const AdbcError& error, std::string_view message, std::string_view sql) {
  const std::size_t mark = sql.find(own_sql_mark);
  if (mark == std::string_view::npos) return {};
  const std::string_view before = sql.substr(0, mark + own_sql_mark.size());
  if (driver.error_detail_count != nullptr && error.vendor_code == adbc_error_with_details) {
    for (int i = 0, count = driver.error_detail_count(&error); i < count; ++i) {
      const AdbcErrorDetail detail = driver.error_detail(&error, i);
      if (detail.key == nullptr || std::string_view(detail.key) != "PG_DIAG_STATEMENT_POSITION") continue;
      const std::size_t at = leading_number({reinterpret_cast<const char*>(detail.value), detail.value_length});
      if (at > before.size()) return fmt::format(", at character {} of it", at - before.size());
    }
  }
  const std::size_t line = message.rfind("LINE ");
  const std::size_t number = line == std::string_view::npos ? 0 : leading_number(message.substr(line + 5));
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  return number > lines ? fmt::format(", at line {} of it", number - lines) : "";
}

}  // namespace

// ---- a session

EngineSession::EngineSession(Engine engine, std::string what, const Options& options, Message on_message)
    : engine_(engine), what_(std::move(what)), on_message_(std::move(on_message)) {
  const AdbcInit init = load_driver(engine);
  OwnedError error;
  if (init(adbc_version_1_1, &driver_, &error.value) != adbc_ok) {
    driver_ = {};
    ask([&](AdbcError* second) { return init(adbc_version_1_0, &driver_, second); });
  }
  try {
    ask([&](AdbcError* failed) { return driver_.database_new(&database_, failed); });
    for (const auto& option : options) {
      ask([&](AdbcError* failed) {
        return driver_.database_set_option(&database_, option.first, option.second.c_str(), failed);
      });
    }
    ask([&](AdbcError* failed) { return driver_.database_init(&database_, failed); });
    ask([&](AdbcError* failed) { return driver_.connection_new(&connection_, failed); });
    ask([&](AdbcError* failed) { return driver_.connection_init(&connection_, &database_, failed); });
  } catch (...) {
    close();
    throw;
  }
}

EngineSession::~EngineSession() { close(); }

void EngineSession::close() noexcept {
  OwnedError ignored;
  if (connection_.private_data != nullptr) driver_.connection_release(&connection_, &ignored.value);
  if (database_.private_data != nullptr) driver_.database_release(&database_, &ignored.value);
}

void EngineSession::ask(const Call& call, const std::string& sql) const {
  OwnedError error;
  std::string thrown;
  try {
    if (call(&error.value) == adbc_ok) return;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& exception) {
    thrown = fmt::format("{}{}", thrown_by_driver, exception.what());
  }
  if (thrown.empty()) fail(error.value, sql);
  fail(thrown, sql);
}

void EngineSession::fail(const std::string& message, const std::string& sql) const {
  AdbcError error{};
  std::string text = message;
  error.message = text.data();
  fail(error, sql);
}

// Codes and our own words: a message of the engine may hold values, names and addresses.
void EngineSession::fail(const AdbcError& error, const std::string& sql) const {
  const std::string_view message = error.message == nullptr ? "" : error.message;
  if (on_message_) on_message_(std::string(message));
  const char* const name = driver_file(engine_).engine;
  std::string_view code, words = "it gives no known reason";
  if (engine_ == Engine::duckdb) {
    if (const auto meaning = duckdb_meaning(message)) std::tie(code, words) = std::pair(meaning->code, meaning->words);
  } else {
    const std::string_view state(error.sqlstate, error.sqlstate[0] == '\0' ? 0 : sizeof error.sqlstate);
    const bool has_state = !state.empty() && state != "00000";
    if (has_state) code = state;
    const auto& known = has_state ? std::span<const Meaning>(postgresql_meanings) : connection_meanings;
    for (const Meaning& meaning : known) {
      if (!(has_state ? state.starts_with(meaning.code) : message.find(meaning.code) != std::string_view::npos))
        continue;
      words = meaning.words;
      break;
    }
  }
  throw InputError(fmt::format("{} cannot read {}{}: {}{}; --verbose shows its own message", name, what_,
                               code.empty() ? "" : fmt::format(" ({})", code), words,
                               place_of(driver_, error, message, sql)));
}

void EngineSession::run(const std::string& sql) { EngineResult(*this, sql).send(nullptr); }

// ---- an answer

EngineResult::EngineResult(EngineSession& session, std::string sql) : session_(session), sql_(std::move(sql)) {
  session_.ask(
      [&](AdbcError* failed) { return session_.driver_.statement_new(&session_.connection_, &statement_, failed); });
}

void EngineResult::send(ArrowArrayStream* answer) {
  const AdbcDriver& driver = session_.driver_;
  session_.ask([&](AdbcError* failed) { return driver.set_sql_query(&statement_, sql_.c_str(), failed); }, sql_);
  session_.ask([&](AdbcError* failed) { return driver.execute_query(&statement_, answer, nullptr, failed); }, sql_);
}

void EngineResult::execute() {
  if (session_.engine_ == Engine::postgresql) {  // batches that stay in a processor's cache
    session_.ask([&](AdbcError* failed) {
      return session_.driver_.statement_set_option(&statement_, "adbc.postgresql.batch_size_hint_bytes", "1048576",
                                                   failed);
    });
  }
  send(&stream_);
  read([&] { return stream_.get_schema(&stream_, &schema_); });
}

EngineResult::~EngineResult() {
  if (schema_.release != nullptr) schema_.release(&schema_);
  if (stream_.release != nullptr) stream_.release(&stream_);
  OwnedError ignored;
  if (statement_.private_data != nullptr) session_.driver_.statement_release(&statement_, &ignored.value);
}

bool EngineResult::next(ArrowArray& batch) {
  batch = {};
  read([&] { return stream_.get_next(&stream_, &batch); });
  return batch.release != nullptr;
}

template <class Call>
void EngineResult::read(const Call& call) {
  int code = 0;
  session_.ask(
      [&](AdbcError* /*failed*/) {
        code = call();
        return adbc_ok;
      },
      sql_);
  if (code == 0) return;
  AdbcStatus status = adbc_ok;
  const AdbcDriver& driver = session_.driver_;
  const AdbcError* const error =
      driver.error_of_stream == nullptr ? nullptr : driver.error_of_stream(&stream_, &status);
  if (error != nullptr) session_.fail(*error, sql_);
  const char* const message = stream_.get_last_error(&stream_);
  session_.fail(message == nullptr ? "" : message, sql_);
}

void EngineResult::cancel() noexcept {
  OwnedError ignored;
  if (session_.driver_.statement_cancel != nullptr) session_.driver_.statement_cancel(&statement_, &ignored.value);
}

}  // namespace shoal
