// 128-bit integers for exact products.
#pragma once

namespace shoal {
__extension__ using Uint128 = unsigned __int128;
__extension__ using Int128 = __int128;
}  // namespace shoal
