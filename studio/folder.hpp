// The folder that the studio was started for. Nothing outside of it is read or written: no absolute path, no "..", and
// no symbolic link is followed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "studio/http.hpp"

namespace shoal::studio {

struct FolderFile {
  std::string name;  // relative to the folder
  std::uint64_t bytes = 0;
  std::string time;  // of its last change: UTC, ISO 8601
};

class Folder {
 public:
  // Refuses what is no folder.
  explicit Folder(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Refuses what does not lie inside and what is no plain file. Returns its absolute path.
  [[nodiscard]] std::string file(const std::string& relative) const;
  // Of `inside` (empty: the folder itself), whose names end in one of these; hidden ones left out. By name.
  [[nodiscard]] std::vector<FolderFile> files(const std::string& inside, const std::vector<std::string>& endings) const;
  // A new file of that name in the folder. Refuses a name that is no name of data, and one that is there.
  [[nodiscard]] std::unique_ptr<Upload> upload(const std::string& name) const;

 private:
  std::string path_;
};

// Endings of files that hold data.
const std::vector<std::string>& data_endings();

}  // namespace shoal::studio
