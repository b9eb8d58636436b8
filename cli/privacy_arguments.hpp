// Options of the commands that spend privacy budget: release, synthesize, evaluate.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "command.hpp"
#include "shoal/private_release.hpp"

namespace shoal::cli {

struct PrivacyArguments {
  std::string neighbors = "add-remove";
  std::optional<std::string> unit;  // not set: a record
  std::optional<std::string> unit_name;
  std::optional<std::uint64_t> max_contributions;
  std::optional<std::string> contribution;  // share
  std::optional<double> alpha, max_density;
  std::string base_measure = "logarithmic", publisher = "adaptive-grid";
  void add(CLI::App& command);
  void add_technique(CLI::App& command);  // options of techniques only
  [[nodiscard]] PrivacyUnit privacy_unit() const;
  // Returns how the input is read, including the column of the unit.
  [[nodiscard]] CsvOptions csv(const InputArguments& input, const GridArguments& grid) const;
  [[nodiscard]] PrivateOptions over(const ClusterOptions& cluster) const;
};

// Throws if options are given that --auto determines itself: grid, threshold, technique, transform.
void check_automatic(const ClusterArguments& cluster, bool grid_given, bool other_technique);

// Prints the actual or planned spending.
Json spending_json(const std::vector<Spent>& spending);
void say_spending(const Console& console, const std::vector<Spent>& spending);
// Prints that single rows are protected, if no unit was chosen.
void say_unit(const Console& console, const PrivacyArguments& privacy);

}  // namespace shoal::cli
