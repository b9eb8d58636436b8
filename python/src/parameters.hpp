// Parameters as people give them, of any type: converted, or refused by their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bindings.hpp"

namespace shoal_python {

// Returns a real number. Throws TypeError for anything else, also for a bool.
double number_of(nb::handle value, const char* name);
// Returns a whole number. Throws TypeError for anything else, also for a bool, and ValueError outside 0 to `most`.
std::uint64_t whole_of(nb::handle value, const char* name, std::uint64_t most = UINT64_MAX);
bool is_whole(nb::handle value);
std::string text_of(nb::handle value, const char* name);

inline unsigned small_of(nb::handle value, const char* name) {
  return static_cast<unsigned>(whole_of(value, name, UINT32_MAX));
}
inline std::optional<double> number_or_none(nb::handle value, const char* name) {
  return value.is_none() ? std::nullopt : std::optional(number_of(value, name));
}
inline std::optional<std::uint64_t> whole_or_none(nb::handle value, const char* name) {
  return value.is_none() ? std::nullopt : std::optional(whole_of(value, name));
}

}  // namespace shoal_python
