// --title, --source, --date and --contact: public text for the readers of a release.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "shoal/release_set.hpp"

namespace shoal::cli {

struct PublicationArguments {
  std::optional<std::string> title, source, date, contact;
  void add(CLI::App& command);
  // Returns `publication` with the fields that are given. Throws if one is too long or has several lines.
  [[nodiscard]] Publication over(Publication publication) const;
};

inline ReleaseSet published(ReleaseSet set, const PublicationArguments& arguments) {
  set.publish(arguments.over(set.publication()));
  return set;
}

}  // namespace shoal::cli
