// The releases in the studio's folder: those that it made, and those that a command kept beside the ledger because it
// could not write them where they should be.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "formats/any_release.hpp"
#include "studio/folder.hpp"

namespace shoal::studio {

// What it found, its axes, what it cost and whom it protects, in a few words.
struct About {
  std::string headline, axes, epsilon, unit;
};
About about(const AnyRelease& release);

struct Summary {
  std::string name;  // of the release; unlike that of every other
  std::string file;  // in the folder
  std::string time, headline, epsilon, unit, axes;
};

class Releases {
 public:
  explicit Releases(const Folder& folder) : folder_(folder) {}
  // The latest first. A file that is no release is left out.
  [[nodiscard]] std::vector<Summary> all();
  // Refuses a name that none has.
  [[nodiscard]] AnyRelease load(const std::string& name);

 private:
  struct Known {
    std::string time;
    std::uint64_t bytes = 0;
    Summary summary;
  };
  const Folder& folder_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;  // by file, as it was when it was read
};

}  // namespace shoal::studio
