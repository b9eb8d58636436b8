#pragma once

#include <cstdint>

namespace shoal {

// A source of uniform integers, for code that need not know where the randomness comes from.
class UniformSource {
 public:
  virtual ~UniformSource() = default;
  // Returns an exactly uniform integer in [0, bound). bound must be at least 1.
  virtual std::uint64_t below(std::uint64_t bound) = 0;
};

}  // namespace shoal
