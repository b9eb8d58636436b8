#pragma once

namespace shoal {

// What happens to an existing file when an output has its name.
enum class Existing { refuse, replace };

}  // namespace shoal
