// A number with its noun: "1 cluster", "3 clusters".
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace shoal {

inline std::string counted(std::uint64_t number, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

inline std::string counted(std::uint64_t number, const std::string& noun) { return counted(number, noun, noun + "s"); }

}  // namespace shoal
