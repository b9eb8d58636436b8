// JSON lines: what is read, what is a bad row, and that a value is its text whatever other records hold.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "csv_files.hpp"
#include "points/ordered_scan.hpp"
#include "shoal/grid.hpp"
#include "shoal/readers.hpp"

namespace shoal {
namespace {

class JsonLines : public Csv {
 protected:
  Table read_json(const std::string& contents, const JsonLinesOptions& options, unsigned threads = 1) const {
    return read(*open_json_lines(file(contents, "data.jsonl"), options), threads);
  }
  // The message of the error that reading gives, without the folder.
  std::string json_error(const std::string& contents, const JsonLinesOptions& options, unsigned threads = 1) const {
    try {
      read_json(contents, options, threads);
    } catch (const InputError& error) {
      std::string message = error.what();
      if (const auto at = message.find(folder_ + "/"); at != std::string::npos) message.erase(at, folder_.size() + 1);
      return message;
    }
    return "no error";
  }
};

const JsonLinesOptions xy{.columns = {"x", "y"}};

TEST_F(JsonLines, MembersAreReadByNameInAnyOrderAndOthersAreSkipped) {
  const Table table = read_json(
      "{\"x\":1,\"y\":2}\n"
      " { \"more\" : [1, {\"x\": 9}, \"]}\", null], \"y\" :\t-4.5e0 , \"x\": 3 , \"z\": {\"x\": {}} } \r\n"
      "\n  \t\n"
      "{\"\\u0078\":\"5\",\"y\":\" 6 \"}",
      xy);
  EXPECT_EQ(table.names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(table.rows, (Rows{{1, 2}, {3, -4.5}, {5, 6}}));
  EXPECT_EQ(read_json("", xy).rows.size(), 0U);
  EXPECT_EQ(read_json("\xef\xbb\xbf{\"x\":1,\"y\":2}\n", xy).rows.size(), 1U);
}

TEST_F(JsonLines, AUnitIsItsText) {
  const Table table = read_json(
      "{\"u\":7,\"x\":1}\n{\"u\":\"7\",\"x\":1}\n{\"u\":7.0,\"x\":1}\n{\"u\":\" 007\",\"x\":1}\n"
      "{\"u\":\"\\\"\\\\\\/"
      "\\b\\n\\u00e9\\ud83d\\ude00\",\"x\":1}\n{\"u\":true,\"x\":1}\n{\"u\":12345678901234567890,\"x\":1}\n",
      {.columns = {"x"}, .unit_column = "u"});
  EXPECT_EQ(table.units, (std::vector<std::string>{"7", "7", "7.0", "007", "\"\\/\b\n\u00e9\U0001f600", "true",
                                                   "12345678901234567890"}));
}

TEST_F(JsonLines, AKindOfColumnReadsTheTextOfAValue) {
  const auto day = declared_axis("2026-01-01:2026-12-31"), word = declared_axis("7|007|true|a b:category");
  const Table table = read_json(
      "{\"d\":\"2026-01-02\",\"w\":7}\n{\"d\":1767312000,\"w\":\"7\"}\n{\"d\":\"2026-01-02 00:00\",\"w\":\"007\"}\n"
      "{\"d\":\"2026-01-02\",\"w\":true}\n{\"d\":\"2026-01-02\",\"w\":null}\n{\"d\":\"2026-01-02\",\"w\":7.0}\n",
      {.columns = {"d", "w"}, .kinds = {day.kind, word.kind}});
  ASSERT_EQ(table.rows.size(), 6U);
  const double first = table.rows[0][1];
  for (const auto& row : table.rows) EXPECT_EQ(row[0], 1767312000.0);
  EXPECT_EQ(table.rows[1][1], first);
  EXPECT_EQ(table.rows[2][1], first + 1);
  EXPECT_EQ(table.rows[3][1], first + 2);
  EXPECT_TRUE(std::isnan(table.rows[4][1]) && std::isnan(table.rows[5][1]));
}

TEST_F(JsonLines, NullAbsentAndEmptyAreAnEmptyField) {
  for (const char* line : {R"({"x":null,"y":1})", R"({"y":1})", R"({"x":"","y":1})", R"({"x":" \t","y":1})"}) {
    EXPECT_HAS(json_error(line, xy),
               "line 1, column 'x' is null, empty or not there; correct it, or count such values "
               "as missing with --na NA");
    JsonLinesOptions options = xy;
    options.missing = {"NA"};
    const Table table = read_json(line, options);
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_TRUE(std::isnan(table.rows[0][0]));
    EXPECT_EQ(table.skipped, 0U);
    EXPECT_EQ(read_json(line, {.columns = {"y"}, .where = "x is null"}).rows.size(), 1U);
    EXPECT_HAS(json_error(line, {.columns = {"y"}, .unit_column = "x"}), "column 'x' is null, empty or not there");
  }
  EXPECT_TRUE(std::isnan(read_json(R"({"x":"NA","y":1})", {.columns = {"x"}, .missing = {"NA"}}).rows[0][0]));
}

TEST_F(JsonLines, BadRowsHaveOneErrorWithTheirLineOrAreSkipped) {
  const std::string good = "{\"x\":1,\"y\":2}\n";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {R"({"x":1,"y":2)", " is not valid JSON at byte 13"},
      {R"({"x":1,"y":2}})", " is not valid JSON at byte 14"},
      {R"({"x":1,"y":2} {"x":1})", " is not valid JSON at byte 15"},
      {R"({"x":1 "y":2})", " is not valid JSON at byte 8"},
      {R"({"x":1,"y":2,})", " is not valid JSON at byte 14"},
      {R"({x:1,"y":2})", " is not valid JSON at byte 2"},
      {R"({"x":01,"y":2})", " is not valid JSON at byte 7"},
      {R"({"x":.5,"y":2})", " is not valid JSON at byte 6"},
      {R"({"x":1.,"y":2})", " is not valid JSON at byte 8"},
      {R"({"x":+1,"y":2})", " is not valid JSON at byte 6"},
      {R"({"x":NaN,"y":2})", " is not valid JSON at byte 6"},
      {R"({"x":1e,"y":2})", " is not valid JSON at byte 8"},
      {R"({"x":tru,"y":2})", " is not valid JSON at byte 9"},
      {R"({"x":1,"y":2,"z":[1,2})", " is not valid JSON at byte 22"},
      {R"({"x":1,"y":2,"z":[1}])", " is not valid JSON at byte 20"},
      {R"({"x":1,"y":2,"z":{"a":1,}})", " is not valid JSON at byte 25"},
      {R"({"x":1,"y":2,"z":"\x"})", " is not valid JSON at byte 20"},
      {R"({"x":1,"y":2,"z":"\ud83d"})", " is not valid JSON at byte 25"},
      {R"({"x":1,"y":2,"z":"\ude00"})", " is not valid JSON at byte 25"},
      {R"({"x":1,"y":2,"z":"open})", " is not valid JSON at byte 24"},
      {"{\"x\":1,\"y\":2,\"z\":\"a\tb\"}", " is not valid JSON at byte 20"},
      {"{\"x\":1,\"y\":2,\"z\":\"\xff\"}", " is not valid UTF-8 at byte 19"},
      {"\xef\xbb\xbf{\"x\":1,\"y\":2}", " is not a JSON object"},
      {"[1,2]", " is not a JSON object; write one object per line"},
      {"7", " is not a JSON object"},
      {R"({"x":1,"y":2,"x":1})", ", column 'x' is there twice"},
      {R"({"x":[1],"y":2})", ", column 'x' is an array or an object"},
      {R"({"x":{"a":[1]},"y":2})", ", column 'x' is an array or an object"},
      {R"({"x":true,"y":2})", ", column 'x': 'true' is not a number"},
      {R"({"x":"one","y":2})", ", column 'x': 'one' is not a number"},
      {R"({"x":"1,5","y":2})", ", column 'x': '1,5' is not a number; correct it"},
      {R"({})", ", column 'x' is null, empty or not there"},
  };
  for (const auto& [line, says] : bad) {
    const std::string text = good + line + "\n" + good;
    EXPECT_HAS(json_error(text, xy), "data.jsonl, line 2" + says) << line;
    EXPECT_EQ(json_error(text, xy).find("--decimal"), std::string::npos);
    JsonLinesOptions options = xy;
    options.on_bad_row = OnBadRow::skip;
    const Table table = read_json(text, options);
    EXPECT_EQ(table.rows.size(), 3U) << line;
    EXPECT_EQ(table.skipped, 1U) << line;
    EXPECT_TRUE(std::isnan(table.rows[1][0])) << line;
    std::vector<std::pair<std::uint64_t, std::string>> faults;
    options.on_bad_line = [&](std::uint64_t at, const std::string& fault) { faults.emplace_back(at, fault); };
    EXPECT_EQ(read_json(text, options).skipped, 1U);
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].first, 2U);
    EXPECT_HAS(faults[0].second, says);
  }
}

TEST_F(JsonLines, ALinePastTheLimitEndsTheScan) {
  const std::string good = "{\"x\":1,\"y\":2}\n";
  const std::string most(csv_longest_record - 20, 'z');  // with the rest of its line: at the limit
  const auto padded = [&](const std::string& z) { return "{\"x\":1,\"y\":2,\"z\":\"" + z + "\"}\n"; };
  EXPECT_EQ(read_json(good + padded(most), xy).rows.size(), 2U);
  JsonLinesOptions options = xy;
  options.on_bad_row = OnBadRow::skip;
  EXPECT_HAS(json_error(good + padded(most + "zz"), options),
             "line 2 is longer than 16 MiB; check that the file holds one JSON object per line");
  EXPECT_HAS(json_error(padded(most + most), xy), "line 1 is longer");
  EXPECT_EQ(read_json("{\"z\":" + std::string(1 << 20, '[') + std::string(1 << 20, ']') + ",\"x\":1,\"y\":2}", xy)
                .rows.size(),
            1U);
}

TEST_F(JsonLines, ARecordThatIsNotSelectedMayHoldAnyValue) {
  const JsonLinesOptions options{.columns = {"x"}, .where = "use = 1"};
  EXPECT_EQ(read_json("{\"x\":[1],\"use\":0}\n{\"x\":\"bad\"}\n{\"x\":2,\"use\":\"1\"}\n{\"use\":0}\n", options).rows,
            (Rows{{2}}));
  EXPECT_HAS(json_error("{\"x\":[1],\"use\":1}\n", options), "'x' is an array");
  EXPECT_HAS(json_error("{\"x\":1,\"use\":[1]}\n", options), "'use' is an array");
  EXPECT_HAS(json_error("{\"x\":1,\"use\":0\n", options), "not valid JSON");
  EXPECT_HAS(json_error("{\"x\":1,\"use\":0,\"use\":0}\n", options), "'use' is there twice");
  EXPECT_EQ(read_json("{\"x\":1,\"d\":\"4.3.2026\"}\n{\"x\":2,\"d\":\"5.3.2026\"}\n",
                      {.columns = {"x"}, .where = "d > date '2026-03-04'", .date_layout = "%d.%m.%Y"})
                .rows,
            (Rows{{2}}));
}

TEST_F(JsonLines, ColumnsAreNamesThatAreNotNumbers) {
  EXPECT_HAS(json_error("{}", {}), "declare no columns; name them with --columns");
  for (const char* name : {"1", "", " ", "1e3", "nan"}) {
    EXPECT_HAS(json_error("{}", {.columns = {name}}), "JSON lines have names and no positions");
    EXPECT_HAS(json_error("{}", {.columns = {"x"}, .unit_column = name}), "JSON lines have names and no positions");
  }
  EXPECT_HAS(json_error("{}", {.columns = {"x"}, .where = "\"2\" = 1"}), "'2' cannot name a column");
  EXPECT_HAS(json_error("{}", {.columns = {"x", "x"}}), "'x' is given twice");
  JsonLinesOptions options = xy;
  options.no_column = "record";
  options.on_bad_row = OnBadRow::skip;
  EXPECT_HAS(json_error("{\"x\":1,\"y\":2}\n{\"record\":1}\n", options),
             "line 2 has a member 'record', but --unit record");
}

TEST_F(JsonLines, FilesOfAPatternArePackedOrNotAndKeepTheirOrder) {
  std::string one, two;
  for (int i = 0; i < 3000; ++i) (i < 2000 ? one : two) += fmt::format("{{\"x\":{},\"y\":{}}}\n", i, i % 7);
  file(gzip(one), "a.jsonl.gz");
  file("", "b.jsonl");
  file(zstd(two), "c.ndjson.zst");
  JsonLinesOptions options = xy;
  options.block_bytes = 100;
  const auto points = open_json_lines(folder_ + "/*", options);
  for (const unsigned threads : {1U, 3U}) {
    std::vector<std::vector<double>> taken(threads);
    std::vector<double> all;
    scan_in_order(
        *points, threads,
        [&](unsigned worker, const PointBlock& block) {
          taken[worker].insert(taken[worker].end(), block.columns[0].begin(), block.columns[0].end());
        },
        [&](unsigned worker) {
          all.insert(all.end(), taken[worker].begin(), taken[worker].end());
          taken[worker].clear();
        });
    ASSERT_EQ(all.size(), 3000U);
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(points->taken().rows, 3000U);
    EXPECT_EQ(points->progress(), 1.0);
  }
  file("{\"x\":1,\"y\":2}\n{\"x\":\n", "d.jsonl");
  std::vector<std::string> faults;
  options.on_bad_line = [&](std::uint64_t line, const std::string& fault) {
    faults.push_back(std::to_string(line) + fault);
  };
  EXPECT_EQ(read(*open_json_lines(folder_ + "/*", options)).skipped, 1U);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_HAS(faults[0], "2 is not valid JSON at byte 6");
  EXPECT_HAS(faults[0], "d.jsonl')");
  EXPECT_TRUE(is_json_lines("a.JSONL") && is_json_lines("a.ndjson.gz") && is_json_lines("s/*.jsonl.zst"));
  EXPECT_FALSE(is_json_lines("a.json") || is_json_lines("jsonl") || is_json_lines("a.jsonl.csv"));
}

TEST_F(JsonLines, SeveralThreadsReportTheEarliestError) {
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += i == 6'345 || i >= 6'400 ? "{\"x\":\n" : fmt::format("{{\"x\":{},\"y\":0}}\n", i);
  JsonLinesOptions options = xy;
  options.block_bytes = 300;
  for (const unsigned threads : {1U, 2U, 4U})
    EXPECT_HAS(json_error(text, options, threads), "line 6346 is not valid JSON");
}

// Another parser accepts the same lines, and finds the same texts in them.
TEST_F(JsonLines, AnotherParserAcceptsTheSameLines) {
  std::mt19937_64 random(5);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  // clang-format off
  const std::vector<std::string> parts = {"{", "}", "[", "]", ",", ":", "\"", "\\", "u", "n", "/", "0", "1", "-", ".", "e", "+", " ", "\t", "\r",
      "null", "true", "false", "\"a\"", "\"x\":", "\\u0041", "\\ud83d\\ude00", "\\ud83d", "\xc3\xa9", "\xff", "\xc3", "\xed\xa0\x80", "\x01", "\x7f"};
  const std::vector<std::string> starts = {R"({"x":1})", R"({"a":[1,2,{"b":null}],"x":"é\n"})", R"({ "x" : -0.5e-3 , "b" : { } })",
      R"({"x":true,"c":"\u00e9\"\\","d":[[],[[]],{}]})", R"({"x":"y","x2":{"x":[false]}})"};
  // clang-format on
  std::uint64_t accepted = 0;
  for (int i = 0; i < 40'000; ++i) {
    std::string line = starts[below(starts.size())];
    for (std::uint64_t changes = below(4); changes > 0; --changes) {
      const std::size_t at = below(line.size() + 1);
      if (below(3) == 0 && at < line.size())
        line.erase(at, 1 + below(2));
      else
        line.insert(at, parts[below(parts.size())]);
    }
    if (unit_key(line.substr(0, line.find_last_not_of('\r') + 1)).empty()) continue;
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    const bool valid = parsed.is_object();
    JsonLinesOptions options{.columns = {"never"}, .unit_column = "x", .missing = {"NA"}};
    const std::string error = json_error(line + "\n", options);
    const bool text = error == "no error" || error.find("column 'x'") != std::string::npos;
    ASSERT_EQ(text, valid) << line << "\n" << error;
    if (!valid) continue;
    ++accepted;
    if (error != "no error") continue;
    const auto& x = parsed["x"];
    const Table table = read_json(line + "\n", options);
    ASSERT_EQ(table.units.size(), 1U);
    if (x.is_string()) {
      ASSERT_EQ(table.units[0], unit_key(x.get<std::string>())) << line;
    }
    if (x.is_boolean()) {
      ASSERT_EQ(table.units[0], x.get<bool>() ? "true" : "false") << line;
    }
    if (x.is_number()) {
      ASSERT_EQ(std::stod(table.units[0]), x.get<double>()) << line;
    }
  }
  EXPECT_GT(accepted, 8'000U);
}

}  // namespace
}  // namespace shoal
