// The version of Shoal. The build, the program and the Python package read it from here.
#pragma once

namespace shoal {

// Major, minor and patch version.
inline constexpr const char* version = "0.1.0";

}  // namespace shoal
