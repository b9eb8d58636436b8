// Nothing outside of the studio's folder can be named, and names of columns cannot become options.
#include "studio/folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "shoal/error.hpp"
#include "studio/program.hpp"
#include "studio/settings.hpp"
#include "temporary_folder.hpp"

namespace shoal::studio {
namespace {

namespace fs = std::filesystem;

class InFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(outside_ + "/in/sub");
    write("secret.csv", "a,b\n");
    write("in/data.csv", "lon,lat\n1,2\n");
    write("in/sub/more.csv", "x\n");
    write("in/.hidden.csv", "x\n");
    write("in/notes.md", "x\n");
    fs::create_symlink(outside_ + "/secret.csv", outside_ + "/in/link.csv");
    fs::create_symlink(outside_, outside_ + "/in/up");
    folder_.emplace(outside_ + "/in");
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(outside_ + "/" + name) << text; }

  const TemporaryFolder own_;
  const std::string outside_ = own_.path();
  std::optional<Folder> folder_;
};

TEST_F(InFolder, FilesInsideAreFound) {
  EXPECT_EQ(folder_->file("data.csv"), folder_->path() + "/data.csv");
  EXPECT_EQ(folder_->file("sub/more.csv"), folder_->path() + "/sub/more.csv");
  const auto files = folder_->files("", data_endings());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].name, "data.csv");
}

TEST_F(InFolder, NothingElseIs) {
  for (const std::string& name : {std::string(""),
                                  std::string("."),
                                  std::string(".."),
                                  std::string("../secret.csv"),
                                  std::string("sub/../../secret.csv"),
                                  std::string("sub/../data.csv"),
                                  outside_ + "/secret.csv",
                                  folder_->path() + "/data.csv",
                                  std::string("/etc/passwd"),
                                  std::string("link.csv"),
                                  std::string("up/secret.csv"),
                                  std::string("up"),
                                  std::string("sub"),
                                  std::string("sub/"),
                                  std::string("./data.csv"),
                                  std::string("missing.csv"),
                                  std::string("data.csv\0", 9),
                                  std::string("/dev/stdin"),
                                  std::string("data.csv/x"),
                                  std::string("//etc/passwd"),
                                  std::string(2000, 'a')}) {
    EXPECT_THROW(static_cast<void>(folder_->file(name)), Error) << name;
  }
  EXPECT_TRUE(folder_->files("up", {".csv"}).empty());
  EXPECT_THROW(Folder("/nowhere/at/all"), InputError);
}

TEST_F(InFolder, AnUploadIsANewFileOfDataInTheFolderItself) {
  {
    const auto upload = folder_->upload("new.csv");
    upload->take("a,");
    upload->take("b\n");
    EXPECT_FALSE(fs::exists(folder_->path() + "/new.csv"));
    EXPECT_EQ(upload->finish().status, 200u);
  }
  EXPECT_EQ(fs::file_size(folder_->path() + "/new.csv"), 4u);
  for (const std::string& name :
       {std::string("../x.csv"), std::string("sub/x.csv"), std::string("/tmp/x.csv"), std::string(".x.csv"),
        std::string("-x.csv"), std::string("x.db"), std::string("x"), std::string(".csv"), std::string("x.csv\n"),
        std::string(300, 'a') + ".csv", std::string("budget.db"), std::string("x.html")}) {
    EXPECT_THROW(static_cast<void>(folder_->upload(name)), Error) << name;
  }
  EXPECT_THROW(folder_->upload("data.csv")->finish(), Error);  // it is there
  EXPECT_THROW(folder_->upload("link.csv")->finish(), Error);
  const auto before = std::distance(fs::directory_iterator(folder_->path()), {});
  folder_->upload("broken.csv")->take("half");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_->path()), {}), before);
}

constexpr const char* chosen = R"({"file": "data.csv", "has_names": true, "axes": [
  {"name": "lon", "position": 1, "range": "-180:180"}, {"name": "lat", "position": 2, "range": "-90:90"}],
  "unit": {"name": "patient", "position": 3}, "most_rows": 5, "records": 1000, "epsilons": ["0.1", "1"],
  "epsilon": "0.5", "dataset": "people", "name": "first"})";

// All of it on one line.
std::string line_of(const std::vector<std::string>& words) {
  std::string line = command_line(words);
  for (std::size_t at; (at = line.find(" \\\n  ")) != std::string::npos;) line.replace(at, 5, " ");
  return line;
}

std::string replaced(const std::string& what, const std::string& by) {
  std::string text = chosen;
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(Settings, BecomeTheCommandsOfTheProgram) {
  EXPECT_EQ(line_of(plan_words(parse_settings(chosen, Step::plan))),
            "shoal plan --bounds lon=-180:180,lat=-90:90 --auto --unit patient --max-contributions 5 --records 1000 "
            "--epsilons 0.1,1");
  EXPECT_EQ(line_of(release_words(parse_settings(chosen, Step::release))),
            "shoal release data.csv --columns lon,lat --bounds lon=-180:180,lat=-90:90 --auto --unit patient "
            "--max-contributions 5 --epsilon 0.5 --ledger budget.db --dataset people -o releases/first.json -o "
            "releases/first.html");
}

TEST(Settings, InsetsArePlannedAndReleasedAlike) {
  const auto inset = [](const char* number) {
    return replaced("\"most_rows\"", fmt::format("\"insets\": {}, \"most_rows\"", number));
  };
  EXPECT_NE(line_of(plan_words(parse_settings(inset("8"), Step::plan))).find(" --auto --insets 8 --unit"),
            std::string::npos);
  EXPECT_NE(line_of(release_words(parse_settings(inset("8"), Step::release))).find(" --auto --insets 8 --unit"),
            std::string::npos);
  EXPECT_EQ(line_of(plan_words(parse_settings(inset("0"), Step::plan))).find("--insets"), std::string::npos);
  EXPECT_THROW(parse_settings(inset("65"), Step::release), Error);
  EXPECT_THROW(parse_settings(inset("\"x\""), Step::release), Error);
}

TEST(Settings, EachUnitCountsOnceWhereThatIsChosen) {
  const auto shared = replaced("\"most_rows\": 5", "\"share\": true");
  EXPECT_NE(
      line_of(plan_words(parse_settings(shared, Step::plan))).find("--unit patient --contribution share --records"),
      std::string::npos);
  EXPECT_NE(line_of(release_words(parse_settings(shared, Step::release)))
                .find("--unit patient --contribution share --epsilon"),
            std::string::npos);
  EXPECT_THROW(parse_settings(replaced("\"most_rows\": 5", "\"share\": false"), Step::release), Error);
}

TEST(Settings, HowValuesAreWrittenGoesToCheckAndRelease) {
  const auto messy =
      parse_settings(replaced("\"has_names\"", R"("delimiter": "semicolon", "decimal": "comma", "thousands": "point",
        "date_format": "%d.%m.%Y", "missing": "NA,-", "skips_bad_rows": true, "has_names")"),
                     Step::release);
  const std::string written =
      " --columns lon,lat --delimiter semicolon --decimal comma --thousands point --date-format %d.%m.%Y --na NA,- "
      "--bounds lon=-180:180,lat=-90:90 ";
  EXPECT_EQ(line_of(check_words(messy)), "shoal check data.csv" + written + "--unit patient");
  EXPECT_TRUE(
      line_of(release_words(messy)).starts_with("shoal release data.csv" + written + "--on-bad-row skip --auto"))
      << line_of(release_words(messy));
  EXPECT_EQ(line_of(plan_words(messy)).find("comma"), std::string::npos);
  const auto table = parse_settings(
      replaced("\"data.csv\"", R"("city.parquet", "decimal": "comma", "date_format": "%Y", "missing": "NA")"),
      Step::release);
  EXPECT_TRUE(line_of(check_words(table)).starts_with("shoal check city.parquet --columns lon,lat --bounds"));
}

TEST(Settings, GroupsUnitNamesAndEqualAreasArePlannedAndReleasedAlike) {
  const auto given = replaced("\"records\"", R"("unit_name": "patients", "geo": true, "max_groups": 2,
    "by": {"name": "ward", "position": 4, "range": "A|B|C"}, "records")");
  const std::string words =
      " --geo --by 'ward=A|B|C' --max-groups 2 --auto --unit patient --max-contributions 5 --unit-name patients --";
  EXPECT_NE(line_of(plan_words(parse_settings(given, Step::plan))).find(words), std::string::npos);
  EXPECT_NE(line_of(release_words(parse_settings(given, Step::release))).find(words), std::string::npos);
  EXPECT_TRUE(line_of(check_words(parse_settings(given, Step::draft))).ends_with("--unit patient --by 'ward=A|B|C'"));
  for (const char* range : {"A|A", "2026-W05..2026-W01"}) {
    const auto wrong = replaced(
        "\"records\"", fmt::format(R"("by": {{"name": "w", "position": 4, "range": "{}"}}, "records")", range));
    EXPECT_THROW(parse_settings(wrong, Step::release), Error) << range;
  }
}

TEST(Settings, ANameThatIsAnOptionOrAListGoesByItsPosition) {
  for (const char* name : {"--force", "-o", "a,b", "a=b", "7", "record", "a|b", "x:y", ""}) {
    const auto words =
        release_words(parse_settings(replaced("\"lon\"", "\"" + std::string(name) + "\""), Step::release));
    EXPECT_NE(line_of(words).find("--columns 1,2 --header yes --bounds=-180:180,-90:90"), std::string::npos)
        << line_of(words);
    const auto unit =
        release_words(parse_settings(replaced("\"patient\"", "\"" + std::string(name) + "\""), Step::release));
    EXPECT_NE(line_of(unit).find("--unit 3 "), std::string::npos) << line_of(unit);
  }
  const auto words = release_words(parse_settings(replaced("data.csv", "-o.csv"), Step::release));
  EXPECT_EQ(words[1], "./-o.csv");
}

TEST(Settings, WhatNoCommandCanSayIsRefused) {
  for (const auto& [what, by] :
       std::vector<std::pair<std::string, std::string>>{{"\"first\"", "\"../first\""},
                                                        {"\"first\"", "\".first\""},
                                                        {"\"first\"", "\"a b\""},
                                                        {"\"first\"", "\"\""},
                                                        {"\"first\"", "\"-f\""},
                                                        {"\"0.5\"", "\"-1\""},
                                                        {"\"0.5\"", "\"0\""},
                                                        {"\"0.5\"", "0.5"},
                                                        {"\"people\"", "\"\""},
                                                        {"\"people\"", "\"a\\nb\""},
                                                        {"\"-180:180\"", "\"180:-180\""},
                                                        {"\"-180:180\"", "\"0:1,0:1\""},
                                                        {"\"-180:180\"", "\"x=0:1\""},
                                                        {"\"-180:180\"", "\"\""},
                                                        {"\"position\": 1", "\"position\": 0"},
                                                        {"\"position\": 1", "\"position\": -1"},
                                                        {"\"axes\"", "\"axis\""},
                                                        {"{\"file\"", "[{\"file\""}}) {
    EXPECT_THROW(parse_settings(replaced(what, by), Step::release), Error) << by;
  }
  for (const auto& [what, by] : std::vector<std::pair<std::string, std::string>>{{"1000", "0"},
                                                                                 {"1000", "\"many\""},
                                                                                 {"[\"0.1\", \"1\"]", "[]"},
                                                                                 {"[\"0.1\", \"1\"]", "[0.1]"},
                                                                                 {"\"0.1\"", "\"-o x\""}}) {
    EXPECT_THROW(parse_settings(replaced(what, by), Step::plan), Error) << by;
  }
}

TEST(Settings, EnginesHaveNamesAndTables) {
  EXPECT_EQ(line_of(column_words(parse_source(R"({"file": "a.csv", "has_names": false})"))),
            "shoal columns a.csv --header no --rows 5");
  EXPECT_EQ(line_of(column_words(parse_source(R"({"file": "a.csv", "has_names": false, "delimiter": "|"})"))),
            "shoal columns a.csv --header no --delimiter '|' --rows 5");
  EXPECT_EQ(line_of(column_words(parse_source(R"({"file": "a.csv", "has_names": true, "delimiter": "|"})"))),
            "shoal columns a.csv --header yes --delimiter '|' --rows 5");
  EXPECT_EQ(line_of(column_words(parse_source(R"({"file": "a.parquet", "has_names": false})"))),
            "shoal columns a.parquet");
  EXPECT_EQ(line_of(column_words(parse_source(R"({"file": "postgresql://me@db/city", "table": "public.trips"})"))),
            "shoal columns postgresql://me@db/city --table public.trips");
  const auto words =
      release_words(parse_settings(replaced("\"data.csv\"", R"("city.duckdb", "table": "t")"), Step::release));
  EXPECT_TRUE(line_of(words).starts_with("shoal release city.duckdb --table t --columns lon,lat --bounds"))
      << line_of(words);
  for (const char* file : {"*.parquet", "a?.parquet", "[a].parquet", "ftp://x/a.parquet"}) {
    EXPECT_THROW(parse_source(fmt::format(R"({{"file": "{}"}})", file)), Error) << file;
  }
}

TEST(CommandLine, CanBePasted) {
  EXPECT_EQ(command_line({"release", "a b.csv", "it's", "$HOME", ""}), "shoal release 'a b.csv' 'it'\\''s' '$HOME' ''");
  EXPECT_EQ(command_line({"plan", "--auto", "-o", "x y"}), "shoal plan \\\n  --auto \\\n  -o 'x y'");
}

TEST(Program, TellsWhatACommandSaidAndEndsOnRequest) {
  const TemporaryFolder folder;
  Program program("/bin/sh", folder.path());
  const Finished said =
      program.run({"-c", "pwd; echo $TMPDIR; echo 'progress 0.5' >&2; echo 'shoal: it failed' >&2; exit 3"});
  EXPECT_EQ(said.code, 3);
  EXPECT_EQ(said.out, fmt::format("{0}\n{0}\n", folder.path()));
  EXPECT_EQ(said.err, "shoal: it failed\n");
  EXPECT_EQ(said.failure(), "it failed");
  std::vector<double> seen;
  program.run({"-c", "echo 'progress 0.25' >&2; echo 'progress -1.000' >&2"},
              [&](double share) { seen.push_back(share); });
  EXPECT_EQ(seen, (std::vector<double>{0.25, -1}));
  EXPECT_EQ(program.run({"-c", "kill -9 $$"}).code, 137);
  EXPECT_EQ(Program("/nowhere/shoal", folder.path()).run({}).code, 127);
  program.end();
  EXPECT_THROW(program.run({"-c", "true"}), Error);
}

TEST(Program, LeavesNoDescriptorOpenToWhatItRuns) {
  const TemporaryFolder folder;
  const int file = ::dup(1);
  Program program("/bin/sh", folder.path());
  const Finished said = program.run({"-c", "ls /proc/$$/fd"});
  EXPECT_EQ(said.out, "0\n1\n2\n");
  ::close(file);
}

}  // namespace
}  // namespace shoal::studio
