// What people meant by bounds that are not in the form that --bounds reads.
#pragma once

#include <string>
#include <string_view>

namespace shoal {

// Returns the bounds in the form NAME=LOWER:UPPER[:WORDS],... if the text has two numbers or two dates per axis,
// however they are separated: 0-110, 13..13.8, [0, 1], 0 to 1, 13,0:13,8, 01.01.2026:31.12.2026. Returns an empty text
// if the text could mean something else, or has that form already. Lists such as A|B:category stay as they are.
std::string corrected_bounds(std::string_view text);

}  // namespace shoal
