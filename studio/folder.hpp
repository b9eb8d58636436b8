// The folder that the studio serves. Nothing outside of it is read or written: absolute paths, ".." and symbolic links
// are not followed.
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
  std::string time;  // time of the last change: UTC, ISO 8601
};

class Folder {
 public:
  // Throws if `path` is not a folder.
  explicit Folder(const std::string& path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Returns the absolute path of a file in the folder. Throws if it lies outside or is not a regular file.
  [[nodiscard]] std::string file(const std::string& relative) const;
  // Returns the files of `inside` (empty: the folder itself) with one of these endings, by name, without hidden ones.
  [[nodiscard]] std::vector<FolderFile> files(const std::string& inside, const std::vector<std::string>& endings) const;
  // Creates a file of this name in the folder. Throws if data files cannot have the name, or if the file exists.
  [[nodiscard]] std::unique_ptr<Upload> upload(const std::string& name) const;

 private:
  std::string path_;
};

// Returns the endings of data files.
const std::vector<std::string>& data_endings();

}  // namespace shoal::studio
