// Draws geometric values: P(g) is proportional to exp(-rate g), for g = 0, 1, ...
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace shoal {

// Keeps the discrete Laplace draws that are not negative: given that, they are geometric. Draws are made in blocks, and
// are wiped when the object is destroyed.
template <class AddLaplace>
class Geometric {
 public:
  // add_laplace: adds independent discrete Laplace noise of one rate to each value of a span.
  explicit Geometric(AddLaplace add_laplace) : add_laplace_(add_laplace) {}
  ~Geometric() { ::explicit_bzero(drawn_.data(), sizeof drawn_); }
  Geometric(const Geometric&) = delete;
  Geometric& operator=(const Geometric&) = delete;

  std::int64_t next() {
    for (;;) {
      if (used_ == drawn_.size()) {
        drawn_.fill(0);
        add_laplace_(std::span<std::int64_t>(drawn_));
        used_ = 0;
      }
      const std::int64_t x = drawn_[used_++];
      if (x >= 0) return x;
    }
  }

 private:
  AddLaplace add_laplace_;
  std::array<std::int64_t, 256> drawn_{};
  std::size_t used_ = 256;
};

}  // namespace shoal
