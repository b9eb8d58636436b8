// The releases in the studio's folder: those that the studio made, and those that a command kept beside the ledger
// because it could not write them to their files.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "shoal/release_set.hpp"
#include "studio/folder.hpp"

namespace shoal::studio {

// The clusters, axes, cost and unit of a release, in words.
struct About {
  std::string headline, axes, epsilon, unit;
};
About about(const ReleaseSet& release);

struct Summary {
  std::string name;  // unique name of the release
  std::string file;  // in the folder
  std::string time, headline, epsilon, unit, axes;
};

class Releases {
 public:
  explicit Releases(const Folder& folder) : folder_(folder) {}
  // Returns all releases, the latest first. Files that are not releases are omitted.
  [[nodiscard]] std::vector<Summary> all();
  // Throws if no release has this name.
  [[nodiscard]] ReleaseSet load(const std::string& name);

 private:
  struct Known {
    std::string time;
    std::uint64_t bytes = 0;
    Summary summary;
  };
  const Folder& folder_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;  // by file, with the file's state when it was read
};

}  // namespace shoal::studio
