// Delimited text: what is read, what is refused, and that cutting it into blocks changes nothing.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "csv_files.hpp"
#include "points/csv_layout.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal {
namespace {

using namespace std::string_literals;

// ---- what is read

TEST_F(Csv, RunsOfSpacesCountAsOneDelimiter) {
  EXPECT_EQ(read_text("  1   2  \n3 4\n 5  6\r\n   \n7 8").rows, (Rows{{1, 2}, {3, 4}, {5, 6}, {7, 8}}));
}

TEST_F(Csv, UnitsAreTrimmedAsNumbersAreAndThenTheExactBytes) {
  const Table table =
      read_text("u,x,y\n a ,1,2\n\xff\x01,3,4\r\nlong name,5,6\n", {.columns = {"x", "y"}, .unit_column = "u"});
  EXPECT_EQ(table.units, (std::vector<std::string>{"a", "\xff\x01", "long name"}));
  EXPECT_EQ(read_text("x,y,u\n1,2,17\n1,2, 17\n1,2,17 \r\n1,2,\"\t17 \"\n1,2,17.0\n", {.unit_column = "u"}).units,
            (std::vector<std::string>{"17", "17", "17", "17", "17.0"}));
  EXPECT_HAS(error_of("x,y,u\n1,2,\" \t\"\n", {.unit_column = "u"}), "column 'u' (field 3) is empty");
  EXPECT_EQ(read_text("x,y,u\r\n1,2,a\r\n", {.unit_column = "3"}).units, std::vector<std::string>{"a"});
  const Table same = read_text("u,x\n1,2\n", {.columns = {"u", "x"}, .unit_column = "u"});
  EXPECT_EQ(same.units, std::vector<std::string>{"1"});
  EXPECT_EQ(same.rows, (Rows{{1, 2}}));
}

TEST_F(Csv, LineEndsBlankLinesSpacesAndByteOrderMarkArePassedOver) {
  const Rows expected = {{1, 2}, {3, 4}};
  EXPECT_EQ(read_text("\xef\xbb\xbfx,y\r\n1,2\r\n3,4\r\n").rows, expected);
  EXPECT_EQ(read_text("\xef\xbb\xbfx,y\n1,2\n3,4", {.columns = {"x", "y"}}).rows, expected);
  EXPECT_EQ(read_text("\n\r\n  \nx,y\n\n 1 ,\t2\n\t\n3, 4 \r\n\n\n", {.columns = {"x", "y"}}).rows, expected);
  EXPECT_HAS(error_of("a,1\n\xef\xbb\xbf"
                      "b,2\n",
                      {.columns = {"2"}, .unit_column = "1"}),
             "line 2 starts with a byte order mark");
  EXPECT_EQ(read_text("1,2\n3,4").rows, expected) << "the last line needs no end";
  EXPECT_EQ(read_text("1\t2\n\n3\t4\n").rows, expected);
}

TEST_F(Csv, NanAndInfinityAreNumbers) {
  const Table table = read_text("1,nan\ninf,-Infinity\n1e999,2\n");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_TRUE(std::isnan(table.rows[0][1]));
  EXPECT_EQ(table.rows[1], (std::vector<double>{HUGE_VAL, -HUGE_VAL}));
  EXPECT_EQ(table.rows[2][0], HUGE_VAL);
  EXPECT_EQ(table.skipped, 0U);
}

TEST_F(Csv, AHeaderAloneHasNoRows) {
  EXPECT_TRUE(read_text("x,y\n").rows.empty());
  EXPECT_TRUE(read_text("x,y").rows.empty());
  EXPECT_TRUE(read_text("x,y\n\n \n").rows.empty());
}

TEST_F(Csv, GzipIsRecognisedAlsoInSeveralMembers) {
  const Rows expected = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(read_text(gzip("x,y\n1,2\n3,4\n5,6\n")).rows, expected);
  EXPECT_EQ(read_text(gzip("x,y\n1,2\n3") + gzip("") + gzip(",4\n5,6\n")).rows, expected);
  EXPECT_EQ(read_text(gzip("x,y\n1,2\n3,4\n5,6\n") + std::string(512, '\0')).rows, expected) << "padding";
}

TEST_F(Csv, StandardInputIsReadOnce) {
  const std::string text = "x,y\n1,2\n3,4\n";
  for (const std::string& bytes : {text, gzip(text)}) {
    const int kept = ::dup(STDIN_FILENO);
    const int input = ::open(file(bytes).c_str(), O_RDONLY);
    ::dup2(input, STDIN_FILENO);
    const auto points = open_csv("-");
    EXPECT_EQ(read(*points).rows, (Rows{{1, 2}, {3, 4}}));
    EXPECT_LT(points->progress(), 0);
    EXPECT_THROW(read(*points), InputError);
    ::dup2(kept, STDIN_FILENO);
    ::close(input);
    ::close(kept);
  }
}

TEST_F(Csv, AFileCanBeScannedAgain) {
  for (const std::string& bytes : {"x,y\n1,2\n3,4\n"s, gzip("x,y\n1,2\n3,4\n")}) {
    const auto points = open_csv(file(bytes));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(read(*points, 1 + static_cast<unsigned>(i)).rows.size(), 2U);
    EXPECT_EQ(points->progress(), 1);
  }
}

// ---- blocks and threads change nothing

// Text with everything that makes cutting hard.
std::string hard_text() {
  std::string text = "\xef\xbb\xbf\"x, the first\",note,y,unit\r\n";
  for (int i = 0; i < 60; ++i) {
    const std::string number = fmt::format("{}.{}", i, i * 7919);
    switch (i % 6) {
      case 0:
        text += fmt::format("{},\"a\n\"\"b\"\",\r\nc\",{},u{}\r\n", number, -i, i);
        break;
      case 1:
        text += fmt::format(" {} ,,\"{}\",\"u\"\"{}\"\n\n", number, -i, i);
        break;
      case 2:
        text += fmt::format("{},\"5\"\" \"\"x\"\"\",{},u {}\n   \n", number, -i, i);
        break;
      case 3:
        text += fmt::format("{},\"\",nope,u{}\n", number, i);
        break;
      case 4:
        text += fmt::format("{},\",\",{}.25,\"\n{}\"\n", number, -i, i);
        break;
      default:
        text += fmt::format("{},\"\"\"\",{}e0,u{}\r\n", number, -i, i);
        break;
    }
  }
  return text + "1,2,3,last";
}

CsvOptions hard_options(std::size_t block_bytes) {
  return {.columns = {"x, the first", "y"},
          .unit_column = "unit",
          .multiline = true,
          .on_bad_row = OnBadRow::skip,
          .block_bytes = block_bytes};
}

bool equal(const Rows& a, const Rows& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& p, const auto& q) {
    return std::equal(p.begin(), p.end(), q.begin(), q.end(), [](double x, double y) {
      return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
  });
}

TEST_F(Csv, BlocksOfAnySizeGiveTheSameRows) {
  const std::string text = hard_text();
  const Table expected = read_text(text, hard_options(1 << 20));
  ASSERT_EQ(expected.rows.size(), 61U);
  EXPECT_EQ(expected.skipped, 10U);
  EXPECT_EQ(expected.units[1], "u\"1");
  EXPECT_EQ(expected.units[4], "\n4");
  EXPECT_EQ(expected.units.back(), "last");
  const std::string path = file(text);
  for (std::size_t bytes = 1; bytes <= text.size() + 2; ++bytes) {
    const Table table = read(*open_csv(path, hard_options(bytes)));
    ASSERT_TRUE(equal(table.rows, expected.rows)) << bytes;
    ASSERT_EQ(table.units, expected.units) << bytes;
    ASSERT_EQ(table.skipped, expected.skipped) << bytes;
  }
}

TEST_F(Csv, AFileCutAnywhereIsReadUpToThere) {
  const std::string text = hard_text();
  const Table whole = read_text(text, hard_options(64));
  const std::size_t header = text.find('\n') + 1;
  for (std::size_t cut = header; cut < text.size(); ++cut) {
    const std::string path = file(text.substr(0, cut));
    const std::string small = error_at(path, hard_options(16));
    ASSERT_EQ(small, error_at(path, hard_options(1 << 20))) << cut;
    if (small != "no error") {
      ASSERT_NE(small.find(" quote "), std::string::npos) << small;
      continue;
    }
    const Table table = read(*open_csv(path, hard_options(16)));
    ASSERT_LE(table.rows.size(), whole.rows.size());
    const Rows before(whole.rows.begin(), whole.rows.begin() + static_cast<std::ptrdiff_t>(table.rows.size()));
    const std::size_t sure = table.rows.empty() ? 0 : table.rows.size() - 1;  // the last one may be cut
    for (std::size_t i = 0; i < sure; ++i) ASSERT_TRUE(equal({table.rows[i]}, {before[i]})) << cut;
  }
}

TEST_F(Csv, SeveralThreadsGiveTheSameRows) {
  std::string text = "x,y,u\n";
  std::mt19937_64 random(3);
  for (int i = 0; i < 50'000; ++i) {
    text += fmt::format("{},{},{}\n", i, static_cast<double>(random() % 1000) / 7, i % 9 == 0 ? "\"a\nb\"" : "c");
    if (i % 1000 == 0) text += "bad,row,d\n";
  }
  for (const std::string& bytes : {text, gzip(text)}) {
    const CsvOptions options{.unit_column = "u", .multiline = true, .on_bad_row = OnBadRow::skip, .block_bytes = 4096};
    Table expected = read_text(bytes, options);
    EXPECT_EQ(expected.rows.size(), 50'050U);
    EXPECT_EQ(expected.skipped, 50U);
    for (const unsigned threads : {2U, 3U, 8U}) {
      Table table = read_text(bytes, options, threads);
      EXPECT_EQ(table.skipped, 50U);
      std::erase_if(table.rows, [](const auto& row) { return std::isnan(row[0]); });
      std::erase_if(expected.rows, [](const auto& row) { return std::isnan(row[0]); });
      std::sort(table.rows.begin(), table.rows.end());
      EXPECT_EQ(table.rows, expected.rows);
      std::sort(table.units.begin(), table.units.end());
      std::sort(expected.units.begin(), expected.units.end());
      EXPECT_EQ(table.units, expected.units);
    }
  }
}

// Workers read ranges of a plain file at the same time; a packed one is a stream that is cut as it comes.
TEST_F(Csv, RangesOfAFileGiveTheRowsAndFaultsOfAStream) {
  std::mt19937_64 random(5);
  for (int turn = 0; turn < 300; ++turn) {
    std::string text = turn % 3 == 0 ? "" : "x,y\n";
    for (std::uint64_t i = random() % 12; i > 0; --i) {
      switch (random() % (turn % 2 == 0 ? 6 : 8)) {
        case 0:
          text += "\n";
          break;
        case 1:
          text += fmt::format("{},{}\r\n", i, std::string(random() % 60, '1'));
          break;
        case 6:
          text += "1,bad\n";
          break;
        case 7:
          text += "\"open\n";
          break;
        default:
          text += fmt::format("{},{}\n", i, random() % 1000);
      }
    }
    if (random() % 2 == 0) text += "7,8";
    for (const OnBadRow on_bad_row : {OnBadRow::fail, OnBadRow::skip}) {
      for (const std::size_t bytes : {1U, 2U, 3U, 5U, 16U, 64U, 4096U}) {
        const CsvOptions options{.columns = {"1", "2"},
                                 .header = turn % 3 == 0 ? CsvHeader::no : CsvHeader::yes,
                                 .on_bad_row = on_bad_row,
                                 .block_bytes = bytes};
        const std::string expected = error_of(gzip(text), options);
        for (const unsigned threads : {1U, 3U}) ASSERT_EQ(error_of(text, options, threads), expected) << text;
        if (expected != "no error") continue;
        const Table stream = read_text(gzip(text), options), ranges = read_text(text, options);
        ASSERT_TRUE(equal(ranges.rows, stream.rows)) << text << bytes;
        ASSERT_EQ(ranges.skipped, stream.skipped) << text;
      }
    }
  }
}

TEST_F(Csv, SkippedRowsKeepTheirPlaceAsNan) {
  const Table table =
      read_text("x,y\n1,2\nfoo,3\n4\n5,6,7\n,\n8,9\n", {.columns = {"x", "y"}, .on_bad_row = OnBadRow::skip});
  ASSERT_EQ(table.rows.size(), 6U);
  EXPECT_EQ(table.skipped, 4U);
  for (const std::size_t row : {1U, 2U, 3U, 4U}) {
    EXPECT_TRUE(std::isnan(table.rows[row][0]) && std::isnan(table.rows[row][1]));
  }
  EXPECT_EQ(table.rows[5], (std::vector<double>{8, 9}));
}

// ---- what is refused

TEST_F(Csv, ABadRowNamesLineColumnAndText) {
  EXPECT_EQ(error_of("x,y\n1,2\n3,abc\n", {.columns = {"x", "y"}}),
            "data.csv, line 3, column 'y' (field 2): 'abc' is not a number; correct it, or if it stands for a missing "
            "value, use --na abc");
  EXPECT_HAS(error_of("1,2\n3,0x10\n"), "line 2, field 2: '0x10' is not a number");
  EXPECT_HAS(error_of("x,y\n1,\n"), "line 2, column 'y' (field 2) is empty");
  EXPECT_HAS(error_of("x,y\n1,  \n"), "column 'y' (field 2) is empty");
  EXPECT_HAS(error_of("u,x,y\n,1,2\n", {.columns = {"x", "y"}, .unit_column = "u"}), "column 'u' (field 1) is empty");
  EXPECT_HAS(error_of("a,1\n"), "--header yes");
  EXPECT_HAS(error_of("x,y\n\"1\n\n\",3\n", {.multiline = true}),
             "line 2, column 'x' (field 1): '1\\n\\n' is not a number");
}

TEST_F(Csv, LinesAreCountedThroughQuotesBlanksAndHeader) {
  EXPECT_HAS(
      error_of("\n\"x\nx\",t,y\n\n1,\"a\n\n\nb\",2\r\n\r\n1,\"\",zz\n", {.columns = {"1", "3"}, .multiline = true}),
      "line 10, column 'y'");
  for (const std::size_t bytes : {1U, 5U, 64U}) {
    EXPECT_HAS(error_of("\n\"x\nx\",t,y\n\n1,\"a\n\n\nb\",2\r\n\r\n1,\"\",zz\n",
                        {.columns = {"1", "3"}, .multiline = true, .block_bytes = bytes}),
               "line 10, column 'y'");
  }
}

TEST_F(Csv, TheTextInAMessageIsShortAndEscaped) {
  EXPECT_HAS(error_of("1,2\n3,\xff\x01\xc3\xa9\t!\n", {.delimiter = ','}), "'\\xff\\x01\xc3\xa9\\t!'");
  const std::string message = error_of("1,2\n3," + std::string(100'000, 'z') + "\n");
  EXPECT_LT(message.size(), 250U);
  EXPECT_HAS(message, std::string(40, 'z') + "...'");
  EXPECT_HAS(error_of("1,2\n3,4\0"s + "5\n"), "'4\\x005' is not a number");
  EXPECT_EQ(quoted_excerpt("\xed\xa0\x80"), "'\\xed\\xa0\\x80'") << "a surrogate is not UTF-8";
  EXPECT_EQ(quoted_excerpt("\xc0\xaf\xf5\xf0\x80\x80\x80"), "'\\xc0\\xaf\\xf5\\xf0\\x80\\x80\\x80'");
  EXPECT_EQ(quoted_excerpt("\xf0\x9f\x90\x9f \xc2\x85"), "'\xf0\x9f\x90\x9f \\xc2\\x85'");
}

TEST_F(Csv, RowsOfAnotherLengthAreRefused) {
  EXPECT_HAS(error_of("x,y\n1,2\n3\n"), "line 3 has 1 field, but line 1 has 2; correct it");
  EXPECT_HAS(error_of("x,y\n1,2,3\n"), "line 2 has 3 fields, but line 1 has 2");
  EXPECT_HAS(error_of("x,y,z\n1,2\n", {.dimensions = 3}), "line 2 has 2 fields, but line 1 has 3");
  EXPECT_HAS(error_of("town,x,y\nA, B,1,2\n", {.columns = {"x", "y"}}), "line 2 has 4 fields, but line 1 has 3")
      << "the count explains more than the text that is not a number";
  EXPECT_HAS(error_of("1 2\n3 4 5\n"), "line 2 has 3 fields, but line 1 has 2");
}

TEST_F(Csv, FilesThatCannotBeReadAreRefused) {
  EXPECT_HAS(error_of(""), "'data.csv' is empty");
  EXPECT_HAS(error_of("\n \n\r\n"), "is empty");
  EXPECT_HAS(error_of(gzip("")), "is empty");
  EXPECT_HAS(error_at(folder_), "is a directory");
  EXPECT_HAS(error_at(folder_ + "/none.csv"), "cannot read 'none.csv': No such file");
  const std::string locked = file("1,2\n", "locked.csv");
  ::chmod(locked.c_str(), 0);
  if (::geteuid() != 0) {
    EXPECT_HAS(error_at(locked), "Permission denied");
  }
}

TEST_F(Csv, OtherFormatsAreNamed) {
  EXPECT_HAS(error_of("PK\x03\x04zip"), "zip archive");
  EXPECT_HAS(error_of("BZh9"), "bzip2");
  EXPECT_HAS(error_of("\x28\xb5\x2f\xfd...."), "zstd");
  EXPECT_HAS(error_of("\xfd\x37zXZ\0.."s), "xz");
  EXPECT_HAS(error_of("PAR1...."), "Parquet");
  EXPECT_HAS(error_of("\xff\xfex\0,\0"s), "UTF-16");
  EXPECT_HAS(error_of("x\0,\0y\0\n\0"s), "NUL bytes");
  EXPECT_HAS(error_of("x,y\r1,2\r3,4\r"), "\\r alone");
}

TEST_F(Csv, ZstdIsRecognisedAlsoInSeveralFrames) {
  const Rows expected = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(read_text(zstd("x,y\n1,2\n3,4\n5,6\n")).rows, expected);
  EXPECT_EQ(read_text(zstd("x,y\n1,2\n3") + zstd("") + zstd(",4\n5,6\n")).rows, expected);
  EXPECT_HAS(error_of(zstd("")), "is empty");
  std::string text = "x,y\n";
  for (int i = 0; i < 100'000; ++i) text += "1,2\n";  // unpacks to many times its size
  EXPECT_EQ(read_text(zstd(text)).rows.size(), 100'000U);
}

TEST_F(Csv, DamagedZstdIsRefused) {
  std::string text = "x,y\n";
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) text += fmt::format("{},{}\n", random(), random());
  const std::string packed = zstd(text);
  for (const std::size_t size : {std::size_t{4}, std::size_t{9}, packed.size() / 2, packed.size() - 1}) {
    EXPECT_HAS(error_of(packed.substr(0, size)), "is truncated") << size;
  }
  EXPECT_HAS(error_of(packed + "rubbish"), "damaged zstd");
}

TEST_F(Csv, DamagedGzipIsRefused) {
  std::string text = "x,y\n";
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) text += fmt::format("{},{}\n", random(), random());
  const std::string packed = gzip(text);
  for (const std::size_t size : {std::size_t{2}, std::size_t{9}, packed.size() / 2, packed.size() - 1}) {
    EXPECT_HAS(error_of(packed.substr(0, size)), "is truncated") << size;
  }
  std::string damaged = packed;  // in its checksum: the text itself is whole
  damaged[packed.size() - 6] = static_cast<char>(damaged[packed.size() - 6] ^ 0x55);
  EXPECT_HAS(error_of(damaged), "damaged gzip");
  EXPECT_HAS(error_of(packed + "rubbish"), "damaged gzip");
}

TEST_F(Csv, ARecordPastTheLimitIsRefused) {
  const std::string most(csv_longest_record - 4, 'z');  // with "1,2," and the line end: one byte more than the limit
  EXPECT_EQ(read_text("x,y,z\n1,2," + most + "\n", {.columns = {"x", "y"}}).rows.size(), 1U);
  EXPECT_HAS(error_of("x,y,z\n1,2,3\n1,2,z" + most + "\n", {.columns = {"x", "y"}}), "line 3 is longer than 16 MiB");
  EXPECT_HAS(error_of("1,2,\"" + most + most, {.multiline = true}), "line 1 is longer than 16 MiB");
  for (const std::size_t bytes : {std::size_t{1} << 12, std::size_t{1} << 18}) {
    const std::string behind = "x,y,z\n1,2,3\n1,2,z" + most + "\n4,5,6\n";
    EXPECT_HAS(error_of(behind, {.columns = {"x", "y"}, .block_bytes = bytes}, 3), "line 3 is longer than 16 MiB");
    const std::string bad_before = "x,y,z\n1,bad,3\n1,2,z" + most + "\n4,5,6\n";
    EXPECT_HAS(error_of(bad_before, {.columns = {"x", "y"}, .block_bytes = bytes}, 3), "line 2, column 'y'");
  }
}

TEST_F(Csv, SeveralThreadsReportTheEarliestError) {
  std::string text = "x,y\n";
  for (int i = 0; i < 40'000; ++i) {
    text += i == 12'345 || i >= 12'400 ? "1,bad\n" : fmt::format("{},2\n", i);
  }
  const std::string path = file(text + "\"open");
  for (int again = 0; again < 20; ++again) {
    for (const unsigned threads : {1U, 2U, 4U}) {
      const std::string message = error_at(path, {.block_bytes = 512}, threads);
      ASSERT_NE(message.find("line 12347, column 'y'"), std::string::npos) << message;
    }
  }
}

// Three blocks of 16,000 rows; the first has a bad row at its end, and its worker is held back until the other one
// has gone on. The scan hands rows on 4096 at a time, so that a block can be held before its end.
struct HeldBack {
  std::string text;
  std::atomic<int> seen_later = 0;
  int wait_for;

  HeldBack(bool bad_later, int wait) : wait_for(wait) {
    text = "x,y\n";
    for (int block = 0; block < 3; ++block) {
      for (int i = 0; i < 16'000; ++i) text += fmt::format("{},2\n", block);
      if (block == 0 || (block == 1 && bad_later)) text += "9,bad\n";
    }
  }
  void operator()(unsigned, const PointBlock& block) {
    if (block.columns[0].front() > 0) {
      ++seen_later;
      return;
    }
    for (int i = 0; i < 2000 && seen_later < wait_for; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
};

TEST_F(Csv, LinesOfLaterBlocksDoNotCount) {
  HeldBack held(false, 8);
  const auto points = open_csv(file(held.text), {.block_bytes = 64'010});
  try {
    points->scan(2, std::ref(held));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_HAS(std::string(error.what()), "line 16002, column 'y'");
  }
}

TEST_F(Csv, AnErrorThatIsFoundFirstButComesLaterDoesNotWin) {
  HeldBack held(true, 3);
  const auto points = open_csv(file(held.text), {.block_bytes = 64'010});
  try {
    points->scan(2, std::ref(held));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_HAS(std::string(error.what()), "line 16002, column 'y'");
  }
}

// ---- stopping

TEST_F(Csv, AStopEndsTheScan) {
  std::string text = "x,y\n";
  for (int i = 0; i < 100'000; ++i) text += "1,2\n";
  const auto points = open_csv(file(text), {.block_bytes = 4096});
  std::atomic<bool> stop = false;
  points->stop_when(&stop);
  std::atomic<int> blocks = 0;
  EXPECT_THROW(points->scan(2,
                            [&](unsigned, const PointBlock&) {
                              ++blocks;
                              stop = true;
                            }),
               Error);
  EXPECT_LE(blocks, 4);
  stop = false;
  EXPECT_EQ(read(*points).rows.size(), 100'000U) << "and it can be scanned again";
}

TEST_F(Csv, WhatVisitThrowsEndsTheScan) {
  std::string text = "x,y\n";
  for (int i = 0; i < 100'000; ++i) text += "1,2\n";
  const auto points = open_csv(file(text), {.block_bytes = 4096});
  for (const unsigned threads : {1U, 3U}) {
    std::atomic<int> blocks = 0;
    EXPECT_THROW(points->scan(threads,
                              [&](unsigned, const PointBlock&) {
                                ++blocks;
                                throw std::out_of_range("enough");
                              }),
                 std::out_of_range);
    EXPECT_LE(blocks, static_cast<int>(threads));
  }
}

TEST_F(Csv, ProgressGrowsToOne) {
  std::string text = "x,y\n";
  for (int i = 0; i < 200'000; ++i) text += "1,2\n";
  const auto points = open_csv(file(text), {.block_bytes = 4096});
  double last = 0;
  points->scan(1, [&](unsigned, const PointBlock&) {
    EXPECT_GE(points->progress(), last);
    last = points->progress();
  });
  EXPECT_EQ(last, 1);
}

TEST_F(Csv, TheHeadNamesEveryColumnAndShowsTheFirstRecords) {
  const CsvHead head =
      csv_head(file("u;x;y\na;1;\xff\nb;2;3\nc;4;5\n"), {.delimiter = ';', .header = CsvHeader::yes}, 2);
  EXPECT_EQ(head.names, (std::vector<std::string>{"u", "x", "y"}));
  EXPECT_EQ(head.delimiter, ';');
  EXPECT_EQ(head.rows, (std::vector<std::vector<std::string>>{{"a", "1", "?"}, {"b", "2", "3"}}));
  EXPECT_EQ(csv_head(file("1,2\n3,4\n"), {.header = CsvHeader::no}).names, (std::vector<std::string>{"", ""}));
  EXPECT_THROW(static_cast<void>(csv_head(file("x,\xff\n1,2\n"), {.header = CsvHeader::yes})), InputError);
}

}  // namespace
}  // namespace shoal
