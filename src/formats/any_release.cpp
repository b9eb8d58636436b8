#include "formats/any_release.hpp"

#include <fmt/format.h>

#include "base/files.hpp"

namespace shoal {

AnyRelease parse_any(const std::string& json_text, const std::string& where) {
  if (GroupedRelease::is_meant(json_text)) return GroupedRelease::parse(json_text, where);
  if (InsetRelease::is_meant(json_text)) return InsetRelease::parse(json_text, where);
  return Release::parse(json_text, where);
}

AnyRelease load_any(const std::string& path) {
  return parse_any(read_file(path, Release::largest_file), fmt::format("'{}'", path));
}

}  // namespace shoal
