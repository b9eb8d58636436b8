// What the pages collect, and the commands it amounts to. The page shows these lines, and the server runs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shoal::studio {

// The account of every release is in this file of the folder; releases are in this folder of the folder.
inline constexpr const char* ledger_name = "budget.db";
inline constexpr const char* releases_name = "releases";

// A column that becomes an axis.
struct AxisSetting {
  std::string name;  // empty: the file has no names
  std::uint64_t position = 0;
  std::string range;  // as --bounds has it behind the name: 0:110:int
};

// Where the records are: a file of the folder, or a database of a server.
struct Source {
  std::string file, table;  // table: of a database
  bool has_names = true;    // the first line of a text holds the names of its columns
  std::string delimiter;    // of a text without names, as --delimiter takes it; empty: not chosen
};
bool is_server(const std::string& file);

struct Settings {
  Source source;
  std::vector<AxisSetting> axes;
  std::optional<AxisSetting> unit;  // none: a record; its range says nothing
  bool share = false;               // each unit counts once, spread over its rows
  std::uint64_t most_rows = 0;      // of a unit, without share
  std::uint64_t insets = 0;         // at most so many; 0: none
  std::uint64_t records = 0;        // as the owner guesses them
  std::vector<std::string> epsilons;
  std::string epsilon, dataset, name;  // name: of the release
};

enum class Step {
  draft,  // what is missing is left out of the commands
  plan,
  release,
};
Source parse_source(const std::string& json);
// Of the page's JSON. Refuses what the step needs and is missing, and what is wrong.
Settings parse_settings(const std::string& json, Step step);

std::vector<std::string> plan_words(const Settings& settings);
std::vector<std::string> release_words(const Settings& settings);
// Checks the data with what is known so far; not private.
std::vector<std::string> check_words(const Settings& settings);
std::vector<std::string> account_words(const std::string& dataset, const std::string& cap);

std::vector<std::string> column_words(const Source& source);

}  // namespace shoal::studio
