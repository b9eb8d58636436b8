// --title, --source, --date, --contact and --basemap: public text and a public map for the readers of a release.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shoal/release_set.hpp"

namespace shoal::cli {

struct PublicationArguments {
  std::optional<std::string> title, source, date, contact, base_map;
  void add(CLI::App& command);
  // Throws if a text is too long or has several lines.
  void check() const { check_publication(over({})); }
  // Returns `publication` with the fields that are given. Throws if check() throws.
  [[nodiscard]] Publication over(Publication publication) const;
  // Also reads the base map, for a release on that grid.
  [[nodiscard]] Publication over(Publication publication, const Grid& grid) const;
  // Returns `inputs` and the files that are read here.
  [[nodiscard]] std::vector<std::string> files(std::vector<std::string> inputs) const;
};

inline ReleaseSet published(ReleaseSet set, const PublicationArguments& arguments) {
  set.publish(arguments.over(set.publication(), set.first().parts().grid));
  return set;
}

}  // namespace shoal::cli
