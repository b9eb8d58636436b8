// What another program did to a ledger is seen when it is opened; ledgers of format 1 are brought up to date.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "ledger_file.hpp"
#include "shoal/ledger.hpp"

namespace shoal {
namespace {

using testing::eps;
using testing::message_of;

class Chain : public testing::LedgerFile {
 protected:
  // Four entries: two accounts, two debits.
  void fill() const {
    Ledger::create(path, "trips", eps("1.5"));
    Ledger::create(path, "visits", eps("2"));
    Ledger ledger(path);
    ledger.debit("trips", eps("0.1"), "release privwave");
    ledger.debit("visits", eps("0.2"), "release privqt");
  }
  void change(const std::string& sql) const { ASSERT_EQ(run_sql(sql), SQLITE_OK) << sql; }
  [[nodiscard]] std::string refusal() const {
    return message_of([&] { const Ledger ledger(path); }, ErrorKind::input);
  }
  // SQL with a table's triggers out of the way, put back as they were.
  void change_unseen(const std::string& sql) const {
    change("CREATE TABLE aside AS SELECT sql FROM sqlite_master WHERE type = 'trigger'");
    std::vector<std::string> triggers;
    sqlite3* handle = nullptr;
    sqlite3_open(path.c_str(), &handle);
    sqlite3_exec(
        handle, "SELECT sql FROM aside",
        [](void* into, int, char** columns, char**) {
          static_cast<std::vector<std::string>*>(into)->emplace_back(columns[0]);
          return 0;
        },
        &triggers, nullptr);
    sqlite3_close(handle);
    change("DROP TABLE aside");
    for (const char* name : {"account_kept", "account_stays", "account_once", "debit_kept", "debit_stays", "debit_once",
                             "debit_within_cap"}) {
      change(fmt::format("DROP TRIGGER {}", name));
    }
    change(sql);
    for (const std::string& trigger : triggers) change(trigger);
  }
};

TEST_F(Chain, AChangedSchemaIsRefused) {
  for (const char* sql :
       {"DROP TRIGGER debit_kept", "DROP TRIGGER debit_within_cap", "DROP INDEX debit_of_dataset",
        "DROP TRIGGER debit_kept; CREATE TRIGGER debit_kept BEFORE UPDATE ON debit BEGIN SELECT 1; END",
        "CREATE TRIGGER more AFTER INSERT ON debit BEGIN SELECT 1; END", "CREATE TABLE more (x)",
        "ALTER TABLE debit ADD COLUMN more", "ALTER TABLE account RENAME COLUMN cap TO most"}) {
    std::filesystem::remove(path);
    fill();
    change(sql);
    EXPECT_NE(refusal().find("tables or triggers"), std::string::npos) << sql;
    EXPECT_NE(message_of([&] { Ledger::create(path, "more", eps("1")); }, ErrorKind::input).find("changed"),
              std::string::npos);
  }
}

TEST_F(Chain, WhatSqliteDoesForItselfIsNoChange) {
  fill();
  change("ANALYZE; VACUUM; REINDEX");
  EXPECT_EQ(Ledger(path).head().entries, 4U);
}

TEST_F(Chain, AChangedEntryIsSeen) {
  const std::array<std::pair<const char*, int>, 11> changes = {{
      {"UPDATE debit SET epsilon = 1 WHERE id = 1", 3},
      {"UPDATE debit SET purpose = 'nothing' WHERE id = 2", 4},
      {"UPDATE debit SET time = '2000-01-01T00:00:00Z' WHERE id = 2", 4},
      {"UPDATE debit SET dataset = 'visits' WHERE id = 1", 3},
      {"UPDATE debit SET id = 7 WHERE id = 2", 4},
      {"UPDATE debit SET hash = (SELECT hash FROM account LIMIT 1) WHERE id = 2", 4},
      {"UPDATE account SET cap = 9000000000000 WHERE dataset = 'trips'", 1},
      {"UPDATE account SET opened = '' WHERE dataset = 'visits'", 2},
      {"DELETE FROM debit WHERE id = 1", 3},
      {"DELETE FROM account WHERE dataset = 'trips'; DELETE FROM debit WHERE dataset = 'trips'", 1},
      {"UPDATE debit SET place = 5 WHERE id = 1; UPDATE debit SET place = 3 WHERE id = 2; UPDATE debit SET place = 4 "
       "WHERE id = 1",
       3},
  }};
  for (const auto& [sql, entry] : changes) {
    std::filesystem::remove(path);
    fill();
    change_unseen(sql);
    EXPECT_NE(refusal().find(fmt::format("entry {} of its chain", entry)), std::string::npos) << sql;
  }
}

TEST_F(Chain, AnEntryThatShoalDidNotWriteIsSeen) {
  fill();
  change("INSERT INTO debit VALUES (3, '2024-01-01T00:00:00Z', 'trips', 1, 'release', 5, 'abc')");
  EXPECT_NE(refusal().find("entry 5 of its chain"), std::string::npos);
}

// A chain cannot know how long it was; a head that was kept elsewhere does.
TEST_F(Chain, EntriesTakenOffTheEndAreSeenByAHeadKeptElsewhere) {
  fill();
  const LedgerHead head = Ledger(path).head();
  EXPECT_EQ(head.entries, 4U);
  EXPECT_EQ(head.hash.size(), 64U);
  EXPECT_EQ(Ledger(path).entries_since(head.hash), 0U);
  Ledger(path).debit("trips", eps("0.3"), "release");
  EXPECT_EQ(Ledger(path).entries_since(head.hash.substr(0, 16)), 1U);
  change_unseen("DELETE FROM debit WHERE id >= 2");
  EXPECT_EQ(Ledger(path).head().entries, 3U);
  EXPECT_EQ(Ledger(path).entries_since(head.hash), std::nullopt);
  message_of([&] { static_cast<void>(Ledger(path).entries_since("12345678")); }, ErrorKind::input);
}

// ---- format 1 -------------------------------------------------------------------------------------------------------

constexpr const char* first_schema = R"sql(
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
INSERT INTO account VALUES ('trips', 1500000000000, '2024-01-01T00:00:00Z');
INSERT INTO debit VALUES (1, '2024-01-02T00:00:00Z', 'trips', 100000000000, 'release privwave');
INSERT INTO account VALUES ('visits', 2000000000000, '2024-01-03T00:00:00Z');
INSERT INTO debit VALUES (2, '2024-01-04T00:00:00Z', 'visits', 200000000000, 'release privqt');
PRAGMA application_id = 0x53686f61; PRAGMA user_version = 1;
)sql";

TEST_F(Chain, ALedgerOfFormatOneIsBroughtUpToDate) {
  change(first_schema);
  {
    Ledger ledger(path);
    const auto accounts = ledger.accounts();
    ASSERT_EQ(accounts.size(), 2U);
    EXPECT_EQ(accounts[0].dataset, "trips");
    EXPECT_EQ(accounts[0].cap, eps("1.5"));
    EXPECT_EQ(accounts[1].spent, eps("0.2"));
    const auto history = ledger.history();
    ASSERT_EQ(history.size(), 2U);
    EXPECT_EQ(history[1].time, "2024-01-04T00:00:00Z");
    EXPECT_EQ(history[1].purpose, "release privqt");
    EXPECT_EQ(ledger.debit("trips", eps("0.1"), "release"), 3U);
    EXPECT_EQ(ledger.head().entries, 5U);
  }
  const std::string head = Ledger(path).head().hash;
  EXPECT_EQ(Ledger(path).head().hash, head);
  change_unseen("DELETE FROM debit WHERE id = 1");
  EXPECT_NE(refusal().find("entry 3 of its chain"), std::string::npos);
}

TEST_F(Chain, AChangedLedgerOfFormatOneIsRefusedAndLeftAsItIs) {
  change(first_schema);
  change("DROP TRIGGER debit_stays");
  EXPECT_NE(refusal().find("tables or triggers"), std::string::npos);
  change("DELETE FROM debit");  // still the old tables
}

// In a child that is an ordinary user: root may write anywhere.
TEST_F(Chain, ALedgerOfFormatOneThatCannotBeWrittenSaysTheWayOut) {
  change(first_schema);
  ::chmod(path.c_str(), 0444);
  ::chmod(folder.c_str(), 0755);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    try {
      const Ledger ledger(path);
    } catch (const InputError& error) {
      ::_exit(std::string(error.what()).find("once to upgrade it") == std::string::npos ? 3 : 0);
    }
    ::_exit(4);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Chain, ProcessesThatOpenALedgerOfFormatOneTogetherBringItUpToDateOnce) {
  change(first_schema);
  std::array<pid_t, 8> children{};
  for (auto& child : children) {
    child = ::fork();
    if (child != 0) continue;
    try {
      Ledger ledger(path);
      ledger.debit("trips", eps("0.1"), "release");
      ::_exit(0);
    } catch (const Error&) {
      ::_exit(1);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Ledger(path).head().entries, 12U);
  EXPECT_EQ(Ledger(path).accounts()[0].spent, eps("0.9"));
}

}  // namespace
}  // namespace shoal
