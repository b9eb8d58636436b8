// A ledger of a test's own.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "shoal/epsilon.hpp"
#include "shoal/error.hpp"

namespace shoal::testing {

// A folder of its own, in memory where the system has such a place: races sync thousands of times.
class LedgerFile : public ::testing::Test {
 protected:
  LedgerFile() {
    namespace fs = std::filesystem;
    const fs::path parent = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string name = (parent / "shoal_ledger_XXXXXX").string();
    folder = ::mkdtemp(name.data());
    path = (folder / "owner.ledger").string();
  }
  ~LedgerFile() override { std::filesystem::remove_all(folder); }

  // SQL from another program.
  int run_sql(const std::string& sql) const {
    sqlite3* handle = nullptr;
    sqlite3_open(path.c_str(), &handle);
    const int status = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(handle);
    return status;
  }

  std::filesystem::path folder;
  std::string path;
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
