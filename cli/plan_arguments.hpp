// Public parameters for the simulation of a release: shoal plan, release --dry-run, ledger forecast.
#pragma once

#include "privacy_arguments.hpp"
#include "shoal/plan.hpp"

namespace shoal::cli {

struct PlanArguments {
  GridArguments grid;
  ClusterArguments cluster;
  PrivacyArguments privacy;
  std::string technique = "privwave";
  std::uint64_t records = 0;  // 0: not given
  std::uint64_t insets = 0;
  bool automatic = false, grid_given = false;
  void add(CLI::App& command, bool required);
  // Throws if options are missing or exclude each other.
  [[nodiscard]] PlanOptions options(std::vector<Epsilon> epsilons) const;
};

// Returns the line that describes one setting.
std::string planned_line(const PlanOptions& options);

}  // namespace shoal::cli
