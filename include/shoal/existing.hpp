#pragma once

namespace shoal {

// What becomes of a file that is there already, when something is written under its name.
enum class Existing { refuse, replace };

}  // namespace shoal
