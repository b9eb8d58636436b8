// --counts FILE: cells and their counts, from an engine that counted by itself, in the place of points.
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
  // Refuses what says how points are read, or needs them.
  void check(const InputArguments& input, const GridArguments& grid, const std::string& technique) const;
};

// A table of counts, open.
class CountsTable {
 public:
  // Columns of cells: as --columns says, else those that --bounds names, else all but 'count'. With groups the column
  // that says the group stands before them; it holds what that of records does.
  CountsTable(const std::string& path, const InputArguments& input, const GridArguments& grid,
              std::optional<Grouping> grouping);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // of the group and the axes
  [[nodiscard]] Counts read(const ReleaseRequest& request);

 private:
  std::unique_ptr<Points> points_;
  std::optional<Grouping> grouping_;
  std::size_t count_column_ = 0;
  std::vector<std::string> names_;
};

// The grid to count on, for those who count.
void say_counted_grid(const Console& console, const Grid& grid);
// What a release of counts rests on, for the owner: the engine's bounding.
std::string bounded_elsewhere(const PrivacyUnit& unit, const std::optional<Grouping>& grouping = {});

}  // namespace shoal::cli
