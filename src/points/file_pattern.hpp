// Files that a pattern denotes.
#pragma once

#include <string>
#include <vector>

namespace shoal {

// Returns the files that match a pattern (* ? [), in order of their names. A path without such characters, and the
// name of a file that exists, denote themselves. Throws if a pattern matches no file, or has **.
std::vector<std::string> matching_files(const std::string& path);

}  // namespace shoal
