#include "privacy_arguments.hpp"

#include <fmt/format.h>

#include "shoal/error.hpp"
#include "shoal/notices.hpp"

namespace shoal::cli {

void PrivacyArguments::add(CLI::App& command) {
  start_group(command, "Privacy");
  command.add_option("--neighbors", neighbors, "Neighbouring datasets: one unit added or removed, or replaced")
      ->check(CLI::IsMember({"add-remove", "replace"}))
      ->capture_default_str();
  command.add_option("--unit", unit, "Privacy unit: record (default), or a column such as patient_id");
  command.add_option("--unit-name", unit_name, "What the units are called: patients, or person/people");
  command.add_option("--max-contributions", max_contributions, "Maximum rows kept per unit, sampled at random");
  command.add_option("--contribution", contribution, "share: each unit counts once, spread over its rows")
      ->check(CLI::IsMember({"share"}));
}

void PrivacyArguments::add_technique(CLI::App& command) {
  start_group(command, "Technique");
  command.add_option("--alpha", alpha, "Share of epsilon for the counts (default: per technique)");
  command.add_option("--max-density", max_density,
                     "privthr-em: public maximum density (default: a data-independent rule)");
  command.add_option("--base-measure", base_measure, "privthr-em: base measure of the exponential mechanism")
      ->check(CLI::IsMember({"logarithmic", "uniform"}))
      ->capture_default_str();
  command.add_option("--publisher", publisher, "baseline: adaptive-grid, uniform-grid, quadtree, kd-tree or privelet")
      ->capture_default_str();
}

PrivacyUnit PrivacyArguments::privacy_unit() const {
  PrivacyUnit result;
  if (unit && unit_key(*unit).empty()) {
    throw Error(ErrorKind::usage, "--unit is empty; give record, or the column that identifies the unit");
  }
  result.neighbors = neighbors == "replace" ? Neighbors::replace : Neighbors::add_remove;
  if (unit.value_or("record") == "record") {
    if (max_contributions || contribution) {
      throw Error(ErrorKind::usage, fmt::format("{} needs --unit COLUMN: a record contributes one row",
                                                contribution ? "--contribution" : "--max-contributions"));
    }
    if (unit_name) throw Error(ErrorKind::usage, "--unit-name needs --unit COLUMN; a record is called a record");
    return result;
  }
  if (unit_name) check_unit_name(result.name = *unit_name);
  if (max_contributions && contribution) {
    throw Error(ErrorKind::usage, "--contribution share keeps all rows of a unit; remove --max-contributions");
  }
  if (!max_contributions && !contribution) {
    throw Error(ErrorKind::usage,
                fmt::format("--unit {} needs --max-contributions M, the maximum rows kept per unit, or --contribution "
                            "share, by which each unit counts once",
                            *unit));
  }
  result.column = *unit;
  result.max_contributions = max_contributions.value_or(1);
  result.share = contribution.has_value();
  result.check();
  return result;
}

CsvOptions PrivacyArguments::csv(const InputArguments& input, const GridArguments& grid) const {
  CsvOptions options = input.csv(grid);
  const std::string column = privacy_unit().column;
  if (!column.empty()) {
    options.unit_column = column;
  } else if (unit) {
    options.no_column = *unit;  // it says "record": is that the word, or a column?
  }
  return options;
}

PrivateOptions PrivacyArguments::over(const ClusterOptions& cluster) const {
  return {.cluster = cluster,
          .unit = privacy_unit(),
          .alpha = alpha,
          .max_density = max_density,
          .base = base_measure == "uniform" ? BaseMeasure::uniform : BaseMeasure::logarithmic,
          .publisher = publisher};
}

void check_automatic(const ClusterArguments& cluster, bool grid_given, bool other_technique) {
  const char* given = grid_given                ? "--grid"
                      : cluster.has_threshold() ? "a threshold"
                      : cluster.wavelet         ? "--wavelet"
                      : cluster.level           ? "--level"
                      : cluster.transform       ? "--transform"
                      : other_technique         ? "other techniques"
                                                : nullptr;
  if (given == nullptr) return;
  throw Error(ErrorKind::usage,
              fmt::format("--auto chooses the grid and the threshold itself; remove {} or --auto", given));
}

Json spending_json(const std::vector<Spent>& spending) {
  Json json = Json::array();
  for (const Spent& share : spending) {
    json.push_back({{"name", share.mechanism}, {"sensitivity", share.sensitivity}, {"epsilon", share.epsilon.text()}});
  }
  return json;
}

void say_unit(const Console& console, const PrivacyArguments& privacy) {
  if (privacy.unit) return;
  console.line(
      "  protects single rows: a person with several rows is protected for each row, not for all of them together. If "
      "people have several rows, name the column that identifies them: --unit COLUMN");
}

void say_spending(const Console& console, const std::vector<Spent>& spending) {
  for (const Spent& share : spending) {
    console.line(
        fmt::format("  epsilon {:<14} {} (sensitivity {})", share.epsilon.text(), share.mechanism, share.sensitivity));
  }
}

}  // namespace shoal::cli
