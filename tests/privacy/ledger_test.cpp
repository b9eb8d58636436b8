#include "shoal/ledger.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "chi_square.hpp"
#include "ledger_file.hpp"
#include "no_getrandom.hpp"
#include "privacy/noise.hpp"
#include "shoal/error.hpp"
#include "shoal/private_release.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using testing::eps;
using testing::LedgerFile;
using testing::message_of;

TEST_F(LedgerFile, DebitsAddUpAndAreListed) {
  Ledger::create(path, "trips", eps("1.5"));
  Ledger::create(path, "visits", eps("2"));
  Ledger ledger(path);
  EXPECT_EQ(ledger.debit("trips", eps("0.1"), "privthr, release"), 1U);
  EXPECT_EQ(ledger.debit("visits", eps("2"), "privqt, release"), 2U);
  EXPECT_EQ(ledger.debit("trips", eps("0.2"), "privthr, release"), 3U);
  const auto accounts = Ledger(path).accounts();
  ASSERT_EQ(accounts.size(), 2U);
  EXPECT_EQ(accounts[0].dataset, "trips");
  EXPECT_EQ(accounts[0].cap, eps("1.5"));
  EXPECT_EQ(accounts[0].spent, eps("0.3"));
  EXPECT_EQ(accounts[0].debits, 2U);
  EXPECT_EQ(accounts[1].spent, accounts[1].cap);
  EXPECT_EQ(ledger.history().size(), 3U);
  const auto trips = ledger.history("trips");
  ASSERT_EQ(trips.size(), 2U);
  EXPECT_EQ(trips[1].id, 3U);
  EXPECT_EQ(trips[1].epsilon, eps("0.2"));
  EXPECT_EQ(trips[1].purpose, "privthr, release");
  EXPECT_EQ(trips[1].time.size(), std::string("2015-10-19T00:00:00Z").size());
}

// A journal belongs to a name. A crash while `path` was written leaves path-journal; then the other name debits, and
// the next process that opens `path` rolls that debit back.
TEST_F(LedgerFile, AFileWithTwoNamesIsRefused) {
  Ledger::create(path, "trips", eps("1"));
  Ledger open(path);
  const fs::path other = folder / "other.ledger";
  fs::create_hard_link(path, other);
  for (const std::string& name : {path, other.string()}) {
    const std::string message = message_of([&] { const Ledger ledger(name); }, ErrorKind::input);
    EXPECT_NE(message.find("hard links"), std::string::npos) << message;
    EXPECT_NE(message_of([&] { Ledger::create(name, "more", eps("1")); }, ErrorKind::input).find("hard links"),
              std::string::npos);
  }
  EXPECT_NE(message_of([&] { open.debit("trips", eps("1"), "late"); }, ErrorKind::input).find("hard links"),
            std::string::npos)
      << "the second name came after the ledger was opened";
  fs::remove(other);
  EXPECT_EQ(open.debit("trips", eps("1"), "alone again"), 1U);
}

TEST_F(LedgerFile, TheJournalOfAnotherNameUndoesNothing) {
  Ledger::create(path, "trips", eps("1"));
  // The journal of a transaction that a crash cut short, kept while the ledger goes on under another name.
  sqlite3* crashed = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &crashed), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(crashed, "PRAGMA cache_spill = 1; PRAGMA cache_size = 1; BEGIN IMMEDIATE; PRAGMA user_version = 2",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  const fs::path journal = path + "-journal", kept = folder / "kept";
  ASSERT_TRUE(fs::exists(journal));
  fs::copy_file(journal, kept);
  sqlite3_exec(crashed, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(crashed);
  const fs::path other = folder / "other.ledger";
  fs::create_hard_link(path, other);
  fs::rename(kept, journal);
  EXPECT_NE(message_of([&] { Ledger(other.string()).debit("trips", eps("1"), "release"); }, ErrorKind::input), "");
  EXPECT_NE(message_of([&] { const Ledger ledger(path); }, ErrorKind::input), "");
  EXPECT_TRUE(fs::exists(journal)) << "the journal was played back";
}

TEST_F(LedgerFile, AWriteAheadLogIsRefused) {
  Ledger::create(path, "trips", eps("1"));
  ASSERT_EQ(run_sql("PRAGMA journal_mode = WAL"), SQLITE_OK);
  EXPECT_NE(message_of([&] { const Ledger ledger(path); }, ErrorKind::input).find("journal_mode = DELETE"),
            std::string::npos);
  EXPECT_NE(message_of([&] { Ledger::create(path, "more", eps("1")); }, ErrorKind::input).find("journal_mode = DELETE"),
            std::string::npos);
  ASSERT_EQ(run_sql("PRAGMA journal_mode = DELETE"), SQLITE_OK);
  EXPECT_EQ(Ledger(path).debit("trips", eps("1"), "release"), 1U);
}

TEST_F(LedgerFile, NamesThatAreNoFilesAreRefused) {
  for (const std::string& name : {std::string(), std::string(":memory:"), "file:" + path, "file::memory:?cache=shared"s,
                                  std::string("a\0b", 3)}) {
    EXPECT_NE(
        message_of([&] { Ledger::create(name, "trips", eps("1")); }, ErrorKind::input).find("not a file name for one"),
        std::string::npos)
        << name;
    EXPECT_NE(message_of([&] { const Ledger ledger(name); }, ErrorKind::input), "") << name;
  }
  EXPECT_NE(message_of([&] { Ledger::create(folder.string(), "trips", eps("1")); }, ErrorKind::input), "");
}

TEST_F(LedgerFile, ASymbolicLinkLeadsToItsFile) {
  Ledger::create(path, "trips", eps("1"));
  fs::create_directory(folder / "links");
  const fs::path link = folder / "links" / "budget.ledger";
  fs::create_symlink(path, link);
  EXPECT_EQ(Ledger(link.string()).debit("trips", eps("0.5"), "release"), 1U);
  EXPECT_EQ(Ledger(path).debit("trips", eps("0.5"), "release"), 2U);
  EXPECT_EQ(message_of([&] { Ledger(link.string()).debit("trips", eps("0.5"), "release"); }, ErrorKind::budget).empty(),
            false);
  const fs::path nowhere = folder / "nowhere.ledger";
  fs::create_symlink(folder / "missing", nowhere);
  EXPECT_NE(message_of([&] { Ledger::create(nowhere.string(), "trips", eps("1")); }, ErrorKind::input)
                .find("symbolic link to no file"),
            std::string::npos);
}

TEST_F(LedgerFile, RefusalSaysWhatIsLeft) {
  Ledger::create(path, "trips", eps("1.5"));
  Ledger ledger(path);
  ledger.debit("trips", eps("1"), "release");
  const std::string message =
      message_of([&] { ledger.debit("trips", eps("0.500000000001"), "release"); }, ErrorKind::budget);
  EXPECT_NE(message.find("0.5 is left of 1.5"), std::string::npos) << message;
  EXPECT_EQ(ledger.history().size(), 1U);
  ledger.debit("trips", eps("0.5"), "release");  // to the last unit
  message_of([&] { ledger.debit("trips", eps("1e-12"), "release"); }, ErrorKind::budget);
}

TEST_F(LedgerFile, DecimalsAreExact) {
  Ledger::create(path, "trips", eps("1"));
  Ledger ledger(path);
  for (int i = 0; i < 10; ++i) ledger.debit("trips", eps("0.1"), "release");  // ten doubles of 0.1 make less than 1
  EXPECT_EQ(ledger.accounts()[0].spent, ledger.accounts()[0].cap);
}

TEST_F(LedgerFile, AnAccountIsOpenedOnce) {
  Ledger::create(path, "trips", eps("1"));
  const std::string message = message_of([&] { Ledger::create(path, "trips", eps("5")); }, ErrorKind::input);
  EXPECT_NE(message.find("already"), std::string::npos);
  EXPECT_EQ(Ledger(path).accounts()[0].cap, eps("1"));
}

TEST_F(LedgerFile, UnknownDatasetIsRefusedWithTheKnownOnes) {
  Ledger::create(path, "trips", eps("1"));
  const std::string message = message_of([&] { Ledger(path).debit("tips", eps("1"), "release"); }, ErrorKind::input);
  EXPECT_NE(message.find("'trips'"), std::string::npos);
}

TEST_F(LedgerFile, NamesAreAnyTextWithoutControlCharacters) {
  for (const char* name : {"a'; DROP TABLE debit; --", "Zürich 2024", "日本", "with \"quotes\"", " "}) {
    Ledger::create(path, name, eps("1"));
    Ledger ledger(path);
    ledger.debit(name, eps("0.5"), name);
    EXPECT_EQ(ledger.history(name).front().dataset, name);
  }
  for (const std::string& name :
       {std::string(), std::string("a\nb"), std::string("a\0b", 3), std::string("\x7f"), std::string(201, 'x')}) {
    EXPECT_THROW(Ledger::create(path, name, eps("1")), InputError);
    EXPECT_THROW(Ledger(path).debit("日本", eps("0.1"), name), InputError);
  }
}

TEST_F(LedgerFile, OtherProgramsCannotChangeOrExceed) {
  Ledger::create(path, "trips", eps("1"));
  Ledger(path).debit("trips", eps("0.5"), "release");
  const std::string row = "(1, '', 'trips', 1, '', 3, '')";
  for (const std::string& sql :
       {std::string("UPDATE debit SET epsilon = 1"), std::string("DELETE FROM debit"),
        std::string("UPDATE account SET cap = 9000000000000"), std::string("DELETE FROM account"),
        "INSERT OR REPLACE INTO debit VALUES " + row,
        std::string("INSERT OR REPLACE INTO account VALUES ('trips', 9000000000000, '', 3, '')"),
        std::string("INSERT INTO debit VALUES (2, '', 'trips', 500000000001, '', 3, '')"),
        std::string("INSERT INTO debit VALUES (2, '', 'trips', -1, '', 3, '')"),
        std::string("INSERT INTO debit VALUES (2, '', 'trips', 0.5, '', 3, '')"),
        std::string("INSERT INTO debit VALUES (2, '', 'unknown', 1, '', 3, '')"),
        std::string("INSERT INTO debit VALUES (2, '', 'trips', 1, '', 2, '')"),     // places are used once,
        std::string("INSERT INTO debit VALUES (2, '', 'trips', 1, '', 5, '')")}) {  // and none is left out
    EXPECT_NE(run_sql(sql), SQLITE_OK) << sql;
  }
  EXPECT_EQ(Ledger(path).accounts()[0].spent, eps("0.5"));
  EXPECT_EQ(Ledger(path).accounts()[0].cap, eps("1"));
}

TEST_F(LedgerFile, MissingForeignAndLaterFilesAreRefused) {
  EXPECT_NE(message_of([&] { Ledger ledger(path); }, ErrorKind::input).find("no ledger"), std::string::npos);
  message_of([&] { Ledger ledger(folder.string()); }, ErrorKind::input);
  message_of([&] { Ledger::create((folder / "no" / "folder").string(), "trips", eps("1")); }, ErrorKind::input);
  std::ofstream(path) << std::string(5000, 'x');
  EXPECT_NE(message_of([&] { Ledger ledger(path); }, ErrorKind::input).find("not a ledger"), std::string::npos);
  message_of([&] { Ledger::create(path, "trips", eps("1")); }, ErrorKind::input);
  EXPECT_EQ(fs::file_size(path), 5000U);
  fs::remove(path);
  run_sql("CREATE TABLE other (x)");
  EXPECT_NE(message_of([&] { Ledger ledger(path); }, ErrorKind::input).find("not a ledger"), std::string::npos);
  message_of([&] { Ledger::create(path, "trips", eps("1")); }, ErrorKind::input);
  fs::remove(path);
  Ledger::create(path, "trips", eps("1"));
  run_sql("PRAGMA user_version = 3");
  EXPECT_NE(message_of([&] { Ledger ledger(path); }, ErrorKind::input).find("newer"), std::string::npos);
}

// Damage anywhere: refused, or (in bytes that hold no data) harmless; never a crash, never a wrong sum.
TEST_F(LedgerFile, DamagedFilesAreRefused) {
  Ledger::create(path, "trips", eps("1"));
  Ledger(path).debit("trips", eps("0.5"), "release");
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::mt19937_64 engine(1);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::string bytes = whole;
    if (i % 2 == 0) {
      bytes.resize(1 + engine() % (whole.size() - 1));
    } else {
      for (int k = 0; k < 200; ++k) bytes[engine() % bytes.size()] = static_cast<char>(engine());
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    try {
      Ledger ledger(path);
      for (const auto& account : ledger.accounts()) ASSERT_LE(account.spent, account.cap);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

// In a child that is an ordinary user: root may write anywhere.
TEST_F(LedgerFile, ReadOnlyFilesCanBeShownButNotCharged) {
  Ledger::create(path, "trips", eps("1"));
  ::chmod(path.c_str(), 0444);
  ::chmod(folder.c_str(), 0755);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    Ledger ledger(path);
    if (ledger.accounts().size() != 1) ::_exit(3);
    try {
      ledger.debit("trips", eps("0.1"), "release");
    } catch (const InputError& error) {
      ::_exit(std::string(error.what()).find("cannot be written") == std::string::npos ? 4 : 0);
    }
    ::_exit(5);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

struct Acknowledged {
  std::uint64_t units;
};

// Debits at random until killed; reports every success, once it is on disk.
[[noreturn]] void spend_until_killed(const std::string& path, int pipe, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  for (;;) {
    try {
      Ledger ledger(path);
      for (int i = 0; i < 5; ++i) {
        const Acknowledged acknowledgement{1 + engine() % 200'000'000'000};
        ledger.debit("trips", Epsilon::from_units(acknowledgement.units), "race");
        if (::write(pipe, &acknowledgement, sizeof acknowledgement) != sizeof acknowledgement) ::_exit(1);
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::budget) {
        const Acknowledged fault{UINT64_MAX};
        static_cast<void>(!::write(pipe, &fault, sizeof fault));
        ::_exit(1);
      }
    }
  }
}

TEST_F(LedgerFile, RacingAndKilledProcessesNeverExceedTheCap) {
  const int rounds = testing::quick() ? 40 : 500;
  constexpr int processes = 8;
  std::mt19937_64 engine(20150004);
  std::uint64_t acknowledged = 0;
  int full = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round % 10 == 0) {  // a new ledger with another cap: some fill up, some do not
      fs::remove(path);
      fs::remove(path + "-journal");
      Ledger::create(path, "trips", Epsilon::from_units(1 + engine() % 60'000'000'000'000));
      acknowledged = 0;
    }
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::array<pid_t, processes> children{};
    for (auto& child : children) {
      const std::uint64_t seed = engine();
      child = ::fork();
      if (child == 0) spend_until_killed(path, ends[1], seed);
    }
    ::close(ends[1]);
    for (const pid_t child : children) {
      std::this_thread::sleep_for(std::chrono::microseconds(engine() % 4'000));
      ::kill(child, SIGKILL);
    }
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
    Acknowledged acknowledgement{};
    while (::read(ends[0], &acknowledgement, sizeof acknowledgement) == static_cast<ssize_t>(sizeof acknowledgement)) {
      ASSERT_NE(acknowledgement.units, UINT64_MAX) << "a debit failed for another reason than the budget";
      acknowledged += acknowledgement.units;
    }
    ::close(ends[0]);
    const LedgerAccount account = Ledger(path).accounts().at(0);  // opens every time
    ASSERT_LE(acknowledged, account.spent.units());
    ASSERT_LE(account.spent, account.cap);
    full += account.cap.units() - account.spent.units() < 200'000'000'000 ? 1 : 0;
  }
  EXPECT_GT(full, 0);
  EXPECT_LT(full, rounds);
}

// ---- what a release does with it ------------------------------------------------------------------------------------

// Points that tell when they are read.
class WatchedPoints final : public Points {
 public:
  explicit WatchedPoints(std::function<void()> read) : read_(std::move(read)) {}
  [[nodiscard]] std::size_t dimensions() const override { return 1; }
  [[nodiscard]] std::vector<std::string> names() const override { return {""}; }
  void scan(unsigned, const Visit& visit) override {
    read_();
    PointBlock block;
    block.columns.emplace_back(values_);
    visit(0, block);
  }

 private:
  std::function<void()> read_;
  std::array<double, 5> values_ = {0.1, 0.1, 0.12, 0.8, 7};
};

ReleaseRequest request_for(const std::string& path, const std::string& technique) {
  return {.grid = Grid({Axis(0, 1, 8)}),
          .epsilon = eps("1"),
          .options = {.cluster = {.threshold = Percentile(0)}},
          .technique = technique,
          .ledger = path,
          .dataset = "trips"};
}

TEST_F(LedgerFile, AReleaseIsChargedOnceAfterItsPointsWereRead) {
  Ledger::create(path, "trips", eps("3"));
  for (const char* technique : {"privwave", "baseline", "auto"}) {
    const bool automatic = technique == std::string("auto");
    ReleaseRequest request = request_for(path, automatic ? "privwave" : technique);
    if (automatic) {
      request.grid = AutomaticGrid{request.bounds()};
      request.options.cluster.threshold = DensityModes{};
    }
    const std::size_t before = Ledger(path).history().size();
    int reads = 0;
    WatchedPoints points([&] {
      ++reads;
      EXPECT_EQ(Ledger(path).history().size(), before);
    });
    EXPECT_TRUE(private_release(points, request).first().parts().is_private);
    EXPECT_EQ(reads, 1);
    EXPECT_EQ(Ledger(path).history().size(), before + 1);
  }
  std::vector<std::string> purposes;
  for (const LedgerEntry& entry : Ledger(path).history()) purposes.push_back(entry.purpose);
  EXPECT_EQ(purposes,
            (std::vector<std::string>{"release privwave", "release baseline adaptive-grid", "release --auto"}));
}

TEST_F(LedgerFile, AReleaseThatIsRefusedReadsNothingAndCostsNothing) {
  Ledger::create(path, "trips", eps("0.5"));
  WatchedPoints points([] { FAIL() << "read"; });
  const auto refused = [&](const ReleaseRequest& request, ErrorKind kind) {
    static_cast<void>(message_of([&] { static_cast<void>(private_release(points, request)); }, kind));
  };
  refused(request_for(path, "privqt"), ErrorKind::budget);
  ReleaseRequest request = request_for(path, "privqt");
  request.epsilon = eps("0.1");
  request.seed = 1;
  refused(request, ErrorKind::input);
  request.seed.reset();
  request.technique = "privacy";
  refused(request, ErrorKind::input);
  request.technique = "privqt";
  request.options.cluster.level = 99;
  refused(request, ErrorKind::input);
  request = request_for(path, "privqt");
  request.epsilon = eps("0.1");
  request.options.unit.max_contributions = 5;  // of whom?
  refused(request, ErrorKind::input);
  request.options.unit = {.column = " ", .max_contributions = 1};
  refused(request, ErrorKind::input);
  request = request_for("", "privqt");  // a ledger without a name is not the same as none
  refused(request, ErrorKind::input);
  EXPECT_TRUE(Ledger(path).history().empty());
}

TEST_F(LedgerFile, PointsThatCannotBeReadCostNothing) {
  Ledger::create(path, "trips", eps("3"));
  for (const char* technique : {"privqt", "baseline"}) {
    WatchedPoints points([] { throw InputError("line 3 is broken"); });
    EXPECT_THROW(static_cast<void>(private_release(points, request_for(path, technique))), InputError);
  }
  EXPECT_TRUE(Ledger(path).history().empty());
}

// The noise of this many cells needs a second key, and the generator has none left. What was drawn before is paid for.
TEST_F(LedgerFile, ARunThatFailsWhileItDrawsIsCharged) {
  constexpr int failed_as_told = 0, did_not_fail = 1, cannot_filter = 2;
  Ledger::create(path, "trips", eps("5"));
  const std::vector<std::string> techniques = {"privqt", "privwave"};
  for (std::size_t i = 0; i < techniques.size(); ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ReleaseRequest request = request_for(path, techniques[i]);
      request.grid = Grid({Axis(0, 1, std::uint64_t{1} << 20)});
      request.options.cluster.threads = 1;
      WatchedPoints points([] {
        if (!testing::take_getrandom_away()) ::_exit(cannot_filter);
      });
      try {
        static_cast<void>(private_release(points, request));
      } catch (const Error& error) {
        ::_exit(std::string(error.what()).find("getrandom") == std::string::npos ? did_not_fail : failed_as_told);
      }
      ::_exit(did_not_fail);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == cannot_filter)
      GTEST_SKIP() << "system calls cannot be filtered here";
    EXPECT_EQ(status, failed_as_told) << techniques[i];
    EXPECT_EQ(Ledger(path).history().size(), i + 1) << techniques[i];
  }
}

TEST(PrivateRelease, ASeedGivesWhatTheTechniqueGivesOfTheCounts) {
  const ReleaseRequest request{.grid = Grid({Axis(0, 1, 8)}),
                               .epsilon = eps("1"),
                               .options = {.cluster = {.threshold = Percentile(0)}},
                               .technique = "privthr",
                               .seed = 5};
  WatchedPoints points([] {});
  const auto noise = seeded_noise_not_private(5);
  const Release release = private_release(points, request).first();
  EXPECT_FALSE(release.parts().is_private);
  EXPECT_EQ(release.json(),
            run_technique("privthr", {quantize(points, request.bounds())}, eps("1"), request.options, *noise).json());
}

}  // namespace
}  // namespace shoal
