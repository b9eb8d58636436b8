// Sources of randomness for the mechanisms. A release is private only if it was made with secure_noise().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/uniform_source.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

class ProfileQueries;

// One interval of the exponential mechanism: all x in it have the same quality.
//   weight(interval) = measure * exp(-rate * cost)
// measure: base measure of the interval, an integer. cost: how far its quality lies below the best possible.
struct WeightedInterval {
  std::uint64_t measure;
  std::uint64_t cost;
};

// A few of many values, ascending by index.
struct LargeNoise {
  std::vector<std::uint64_t> cells;
  std::vector<std::int64_t> values;
};

// Holds generators and tables. Must be used by one thread at a time.
class Noise : public UniformSource {
 public:
  // True only for exact draws from a cryptographic generator keyed by the operating system.
  [[nodiscard]] virtual bool is_private() const noexcept = 0;
  // Adds independent exact discrete Laplace noise to each value. Values and sums are clamped to [-2^62, 2^62]. Throws
  // for rates below 2^-40.
  virtual void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) = 0;
  // The same for values that are produced stretch by stretch: before(begin, end) writes the values of a stretch, noise
  // is added, and after(begin, end) may read them while they are still in the cache. Both are called once for every
  // stretch, from several threads. This default takes three passes; the samplers below take one.
  using Stretch = std::function<void(std::uint64_t begin, std::uint64_t end)>;
  virtual void add_laplace_fused(std::span<std::int64_t> values, Rate rate, unsigned threads, const Stretch& before,
                                 const Stretch& after);
  // Returns the index of an interval, drawn with probability exactly proportional to its weight. Throws if all measures
  // are zero.
  virtual std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) = 0;
  // Draws `cells` independent discrete Laplace values, and returns those that are at least `floor`, which is 1 or more.
  // This default draws all of them; the samplers below take time and memory proportional to the result.
  virtual LargeNoise reaching(std::uint64_t cells, Rate rate, std::int64_t floor);
  // Returns the views of one profile (refinable_noise.hpp). A replayed noise overrides it to return what was seen
  // before. It is never called on a Noise that is private.
  virtual std::unique_ptr<ProfileQueries> profile_queries(Rate tenth);
};

// Returns exact samplers on AES-256-CTR, keyed from the operating system. The generator is re-keyed and wiped, fails
// closed, and is safe across fork.
std::unique_ptr<Noise> secure_noise();

// Returns the same exact samplers on a stream that a seed determines, for studies. is_private() is false, so a release
// made with it is marked as not private, and no ledger accepts it. The draws are the same for any number of threads.
std::unique_ptr<Noise> seeded_noise_not_private(std::uint64_t seed);

}  // namespace shoal
