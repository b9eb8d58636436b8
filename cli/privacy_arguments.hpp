// Options of everything that spends privacy budget: release, synthesize, evaluate.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "command.hpp"
#include "techniques/techniques.hpp"

namespace shoal::cli {

struct PrivacyArguments {
  std::string neighbors = "add-remove";
  std::optional<std::string> unit;  // nothing: a record
  std::optional<std::string> unit_name;
  std::optional<std::uint64_t> max_contributions;
  std::optional<std::string> contribution;  // share
  std::optional<double> alpha, max_density;
  std::string base_measure = "logarithmic", publisher = "adaptive-grid";
  void add(CLI::App& command);
  void add_technique(CLI::App& command);  // what only techniques have
  [[nodiscard]] PrivacyUnit privacy_unit() const;
  // How the input is read, with the column that the unit is in.
  [[nodiscard]] CsvOptions csv(const InputArguments& input, const GridArguments& grid) const;
  [[nodiscard]] PrivateOptions over(const ClusterOptions& cluster) const;
};

// --auto chooses grid and threshold, for one technique and one transform: refuses what was given beside it.
void check_automatic(const ClusterArguments& cluster, bool grid_given, bool other_technique);

// What was or would be spent on what.
Json spending_json(const std::vector<Spent>& spending);
void say_spending(const Console& console, const std::vector<Spent>& spending);
// Says that single rows are protected if no unit was chosen.
void say_unit(const Console& console, const PrivacyArguments& privacy);

}  // namespace shoal::cli
