// --counts FILE: cells and their counts, which another engine computed, instead of points.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "shoal/private_release.hpp"

namespace shoal::cli {

struct CountsArgument {
  std::string path;  // empty: the input holds points
  void add(CLI::App& command);
  [[nodiscard]] bool given() const { return !path.empty(); }
  // Throws if an option is given that concerns the reading of points or needs points.
  void check(const InputArguments& input, const GridArguments& grid, const std::string& technique) const;
};

// An open table of counts.
class CountsTable {
 public:
  // Uses the columns of --columns, else those that --bounds names, else all except 'count'. With groups, the column
  // of the group comes first; it has the same values as for records.
  CountsTable(const std::string& path, const InputArguments& input, const GridArguments& grid,
              const std::optional<Grouping>& grouping);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // of the group and the axes
  [[nodiscard]] Counts read(const ReleaseRequest& request);

 private:
  std::unique_ptr<Points> points_;
  std::size_t count_column_ = 0;
  std::vector<std::string> names_;
};

// Returns the grid on which the other engine must count.
void say_counted_grid(const Console& console, const Grid& grid);
// Returns what the owner must ensure for a release of counts: that the engine bounded contributions.
std::string bounded_elsewhere(const PrivacyUnit& unit, const std::optional<Grouping>& grouping = {});

}  // namespace shoal::cli
