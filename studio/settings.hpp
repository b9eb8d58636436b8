// The settings that the pages collect, and the commands that follow from them. The page shows the commands, and the
// server runs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shoal::studio {

// The ledger file and the folder of the releases, both inside the studio's folder.
inline constexpr const char* ledger_name = "budget.db";
inline constexpr const char* releases_name = "releases";

// A column that becomes an axis.
struct AxisSetting {
  std::string name;  // empty: the file has no names
  std::uint64_t position = 0;
  std::string range;  // as in --bounds after the name: 0:110:int
};

// The source of the records: a file of the folder, or a database of a server.
struct Source {
  std::string file, table;  // table: of a database
  bool has_names = true;    // whether the first line of a text holds the column names
  std::string delimiter;    // as in --delimiter; empty: the one in the line of names
  // How values are written, as in the options of these names; empty: the default.
  std::string decimal, thousands, date_format, missing;
  bool skips_bad_rows = false;
};
bool is_server(const std::string& file);

struct Settings {
  Source source;
  std::vector<AxisSetting> axes;
  std::optional<AxisSetting> unit;  // not set: a record; its range is ignored
  bool share = false;               // each unit counts once, spread over its rows
  std::uint64_t most_rows = 0;      // maximum rows per unit, without share
  std::string unit_name;            // what the units are called; empty: by their column
  std::optional<AxisSetting> by;    // one map per group; its range lists the groups
  std::uint64_t max_groups = 1;     // maximum groups per unit
  bool geo = false;                 // cells of equal area
  std::uint64_t insets = 0;         // maximum number; 0: none
  std::uint64_t records = 0;        // the owner's estimate
  std::vector<std::string> epsilons;
  std::string epsilon, dataset, name;  // name: of the release
};

enum class Step {
  draft,  // missing values are omitted from the commands
  plan,
  release,
};
Source parse_source(const std::string& json);
// Parses the page's JSON. Throws if a value that the step needs is missing, or if one is wrong.
Settings parse_settings(const std::string& json, Step step);

std::vector<std::string> plan_words(const Settings& settings);
std::vector<std::string> release_words(const Settings& settings);
// Returns the command that checks the data with the settings so far. Not private.
std::vector<std::string> check_words(const Settings& settings);
std::vector<std::string> account_words(const std::string& dataset, const std::string& cap);

// Returns the command that lists the columns. For a text it also shows the first records, which is not private.
std::vector<std::string> column_words(const Source& source);

}  // namespace shoal::studio
