// Statements and transactions of SQLite that are finished by their destructors.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>

#include "shoal/privacy.hpp"

namespace shoal {

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
  void bind(int place, std::int64_t number) {
    if (status_ == SQLITE_OK) status_ = sqlite3_bind_int64(statement_, place, number);
  }
  // Returns true if there is a row. Returns false at the end or after a failure; status() tells which.
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

// Holds the write lock from the beginning, so what was read still holds when the row is written. Rolled back unless
// committed.
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

}  // namespace shoal
