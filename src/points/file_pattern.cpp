#include "points/file_pattern.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <filesystem>

#include "shoal/error.hpp"

namespace shoal {

std::vector<std::string> matching_files(const std::string& path) {
  if (path.find_first_of("*?[") == std::string::npos || std::filesystem::exists(path)) return {path};
  if (path.find("**") != std::string::npos) {
    throw InputError("a pattern with ** is not read; give one * per folder, such as 'trips/*/*.parquet'");
  }
  glob_t matches{};
  const int failed = ::glob(path.c_str(), 0, nullptr, &matches);
  std::vector<std::string> files;
  if (failed == 0) files.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  ::globfree(&matches);
  if (files.empty()) throw InputError(fmt::format("no file matches '{}'; check the pattern", path));
  return files;
}

}  // namespace shoal
