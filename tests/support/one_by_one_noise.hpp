#pragma once

#include <algorithm>
#include <memory>

#include "privacy/noise.hpp"

namespace shoal::testing {

// Not private: draws of another Noise; large sums one by one, as the default does.
class OneByOne : public Noise {
 public:
  explicit OneByOne(std::uint64_t seed) : inner_(seeded_noise_not_private(seed)) {}
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) override {
    inner_->add_laplace(values, rate, threads);
  }
  std::uint64_t below(std::uint64_t bound) override { return inner_->below(bound); }
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override {
    return inner_->choose(intervals, rate);
  }

 protected:
  std::unique_ptr<Noise> inner_;
};

}  // namespace shoal::testing
