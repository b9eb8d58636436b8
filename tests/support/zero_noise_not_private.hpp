// A test double: adds nothing and always chooses the best. Not private; never installed.
#pragma once

#include "privacy/noise.hpp"

namespace shoal::testing {

class ZeroNoiseNotPrivate final : public Noise {
 public:
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t>, Rate, unsigned) override {}
  std::uint64_t below(std::uint64_t) override { return 0; }
  // The first of the cheapest intervals that hold anything.
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate) override {
    std::size_t best = intervals.size();
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      if (intervals[i].measure == 0) continue;
      if (best == intervals.size() || intervals[i].cost < intervals[best].cost) best = i;
    }
    return best;
  }
};

}  // namespace shoal::testing
