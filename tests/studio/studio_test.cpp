// The studio's pages over a program that a script stands for: in one process with the test, so that sanitizers see
// them.
#include "studio/studio.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "shoal/error.hpp"
#include "shoal/private_release.hpp"
#include "temporary_folder.hpp"

namespace shoal::studio {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* settings = R"({"file": "data.csv", "has_names": true, "axes": [
  {"name": "x", "position": 1, "range": "0:1"}], "unit": null, "most_rows": 0, "records": 10, "epsilons": ["1"],
  "epsilon": "1", "dataset": "d", "name": "first", "confirmed": "1", "of": "release", "cap": "2"})";

class StudioTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_ + "/data.csv") << "x\n0.5\n";
    std::ofstream(folder_ + "/budget.db") << "a ledger";
    // Says what it was asked; a release waits until the file `go` is there.
    std::ofstream(program()) << R"sh(#!/bin/sh
echo "$*" >> asked
case "$1" in
columns) echo '{"columns": [{"name": "x", "type": ""}]}' ;;
plan) while [ "$1" != -o ]; do shift; done; echo '<svg/>' > "$2"; echo '{"planned": true}' ;;
ledger) case "$2" in
  show) echo '{"accounts": []}' ;;
  history) echo '{"history": []}' ;;
  create) [ "$5" = d ] || { echo 'shoal: no such name' >&2; exit 3; } ;;
  esac ;;
release) echo 'progress 0.5' >&2
  while [ ! -e go ]; do :; done
  case "$(cat go)" in done) echo made ;; *) echo 'shoal: line 2 is bad' >&2; exit 3 ;; esac ;;
esac
)sh";
    ::chmod(program().c_str(), 0700);
    site_ = studio(folder_, program());
  }
  void TearDown() override {
    if (site_.stopping) site_.stopping();
  }
  [[nodiscard]] std::string program() const { return folder_ + "/program"; }

  [[nodiscard]] Response get(const std::string& path, std::map<std::string, std::string> query = {}) const {
    return site_.answer({.method = "GET", .path = path, .query = std::move(query), .body = {}});
  }
  [[nodiscard]] Response post(const std::string& path, const std::string& body) const {
    return site_.answer({.method = "POST", .path = path, .query = {}, .body = body});
  }
  [[nodiscard]] Json job() const { return Json::parse(get("/owner/job").body); }
  void go(const std::string& how) const {
    std::ofstream(folder_ + "/going") << how;
    fs::rename(folder_ + "/going", folder_ + "/go");
  }
  [[nodiscard]] Json ended() const {
    while (job()["state"] == "running") continue;
    return job();
  }

  const TemporaryFolder own_;
  const std::string folder_ = own_.path();
  Site site_;
};

TEST_F(StudioTest, PagesAndCommands) {
  for (const char* path : {"/", "/studio.js", "/studio.css", "/favicon.ico"}) {
    EXPECT_EQ(get(path).status, 200u) << path;
    EXPECT_TRUE(get(path).policy.starts_with("default-src 'none'")) << path;
  }
  EXPECT_EQ(get("/nothing").status, 404u);
  EXPECT_EQ(post("/nothing", "{}").status, 404u);
  EXPECT_EQ(Json::parse(get("/api/state").body)["files"][0]["name"], "data.csv");
  EXPECT_EQ(Json::parse(post("/owner/columns", settings).body)["columns"][0]["name"], "x");
  const Json plan = Json::parse(post("/api/plan", settings).body);
  EXPECT_EQ(plan["plan"]["planned"], true);
  EXPECT_EQ(plan["picture"], "<svg/>\n");
  for (const auto& file : std::filesystem::directory_iterator(folder_)) EXPECT_NE(file.path().extension(), ".svg");
  EXPECT_EQ(Json::parse(get("/api/budget").body)["accounts"], Json::array());
  EXPECT_NE(post("/api/command", settings).body.find("shoal release data.csv"), std::string::npos);
  EXPECT_EQ(post("/api/account", R"({"dataset": "d", "cap": "1"})").status, 200u);
  EXPECT_THROW(static_cast<void>(post("/api/account", R"({"dataset": "e", "cap": "1"})")), InputError);
  std::string deep(30'000, '[');
  for (const std::string& body :
       {std::string(), std::string("null"), std::string("[]"), std::string("{"), std::string("{}"), deep,
        std::string("\xff\xfe"), std::string(R"({"file": 1})"), std::string(R"({"dataset": null})")}) {
    for (const char* path : {"/owner/columns", "/api/command", "/api/account", "/api/plan", "/api/release"}) {
      EXPECT_THROW(static_cast<void>(post(path, body)), Error) << path << body.substr(0, 40);
    }
  }
}

TEST_F(StudioTest, OneReleaseAtATimeAndItsEndIsKnown) {
  EXPECT_EQ(job()["state"], "none");
  EXPECT_EQ(post("/api/release", settings).status, 200u);
  EXPECT_EQ(post("/api/release", settings).status, 409u);
  while (job()["progress"] != 0.5) continue;
  go("done");
  EXPECT_EQ(ended()["state"], "done");
  go("bad");
  EXPECT_EQ(post("/api/release", settings).status, 200u);
  EXPECT_EQ(ended()["message"], "line 2 is bad");
}

TEST_F(StudioTest, EndingAsksTheCommandToEnd) {
  EXPECT_EQ(post("/api/release", settings).status, 200u);
  site_.stopping();  // returns: the script, which waits for ever, was ended
  EXPECT_EQ(job()["state"], "failed");
  EXPECT_THROW(static_cast<void>(post("/api/plan", settings)), InputError);
}

TEST_F(StudioTest, ReleasesOfTheFolderAreShown) {
  const Grid grid({Axis(0, 1, 8, "x")});
  const Counts counts(grid, Cells<std::int64_t>::dense({8}, {0, 0, 90, 90, 0, 0, 80, 0}), 260, 0);
  const ReleaseRequest request{.grid = grid,
                               .epsilon = Epsilon::parse("1"),
                               .options = {.cluster = {.threshold = Percentile(50)}},
                               .technique = "privthr"};
  fs::create_directory(folder_ + "/releases");
  for (const char* name : {"releases/one.json", "budget.db.entry-7.json"}) {
    private_release(counts, request).save(folder_ + "/" + name);
  }
  std::ofstream(folder_ + "/releases/broken.json") << "{";
  const Json listed = Json::parse(get("/api/releases").body)["releases"];
  ASSERT_EQ(listed.size(), 2u);  // also what was kept beside the ledger
  EXPECT_EQ(listed[0]["epsilon"], "1");
  for (const char* name : {"one", "budget.db.entry-7"}) {
    const Response page = get(fmt::format("/release/{}", name));
    EXPECT_NE(page.body.find("</html>"), std::string::npos);
    EXPECT_NE(page.policy.find("sandbox allow-scripts allow-downloads"), std::string::npos) << page.policy;
    EXPECT_NE(page.policy.find("frame-ancestors 'self'"), std::string::npos);
    for (const char* suffix : {"json", "csv", "html", "svg"}) {
      const Response file = get(fmt::format("/release/{}.{}", name, suffix));
      EXPECT_EQ(file.status, 200u);
      EXPECT_EQ(file.fields.at(0).second, fmt::format("attachment; filename=\"{}.{}\"", name, suffix));
    }
  }
  EXPECT_NE(get("/api/compare", {{"before", "one"}, {"after", "budget.db.entry-7"}}).body.find("</html>"),
            std::string::npos);
  for (const char* name :
       {"/release/broken", "/release/two", "/release/", "/release/../budget.db", "/release/releases/one"}) {
    EXPECT_THROW(static_cast<void>(get(name)), Error) << name;
  }
  EXPECT_THROW(static_cast<void>(get("/api/compare")), Error);
}

}  // namespace
}  // namespace shoal::studio
