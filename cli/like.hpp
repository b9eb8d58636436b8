// --like RELEASE: the plane, the grid and the settings of an earlier release. All of them are public, so this costs
// nothing.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "command.hpp"
#include "privacy_arguments.hpp"
#include "shoal/private_release.hpp"

namespace shoal::cli {

struct LikeArgument {
  std::string path;
  std::optional<EarlierChoice> earlier;  // set by apply(), if the release chose its grid

  // Adds the option. Call it after --bounds was added, which is then no longer required.
  void add(CLI::App& command);
  [[nodiscard]] bool given() const { return !path.empty(); }
  // Reads the release and puts its settings in place of options that are not given. Throws if an option that is given
  // says something else, or if the release cannot be repeated.
  void apply(const CLI::App& command, GridArguments& grid, ClusterArguments& cluster, PrivacyArguments& privacy,
             std::string& technique, bool& automatic);
};

}  // namespace shoal::cli
