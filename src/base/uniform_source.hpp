#pragma once

#include <cstdint>

namespace shoal {

// Uniform integers, for what need not know where randomness comes from.
class UniformSource {
 public:
  virtual ~UniformSource() = default;
  // In [0, bound), bound >= 1, exact.
  virtual std::uint64_t below(std::uint64_t bound) = 0;
};

}  // namespace shoal
