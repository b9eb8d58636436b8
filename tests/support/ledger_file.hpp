// A ledger of a test's own.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

#include "shoal/error.hpp"
#include "shoal/privacy.hpp"
#include "temporary_folder.hpp"

namespace shoal::testing {

class LedgerFile : public ::testing::Test {
 protected:
  // SQL from another program.
  int run_sql(const std::string& sql) const {
    sqlite3* handle = nullptr;
    sqlite3_open(path.c_str(), &handle);
    const int status = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(handle);
    return status;
  }

  const TemporaryFolder own_folder;
  const std::filesystem::path folder = own_folder.path();
  const std::string path = folder / "owner.ledger";
};

inline Epsilon eps(const char* text) { return Epsilon::parse(text); }

template <class F>
std::string message_of(const F& f, ErrorKind kind) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

}  // namespace shoal::testing
