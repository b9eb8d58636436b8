// The version: the build, the program and the Python package read it here.
#pragma once

namespace shoal {

// Major, minor, patch.
inline constexpr const char* version = "0.1.0";

}  // namespace shoal
