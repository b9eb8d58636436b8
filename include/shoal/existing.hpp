#pragma once

namespace shoal {

// What happens if an output has the name of an existing file: the call throws, or the file is replaced.
enum class Existing { refuse, replace };

}  // namespace shoal
