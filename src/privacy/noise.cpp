#include "shoal/noise.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "privacy/certified.hpp"
#include "privacy/exponential.hpp"
#include "privacy/laplace.hpp"
#include "privacy/random_bits.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::size_t chunk = std::size_t{1} << 16;  // values that one stream of a seeded run serves
constexpr std::size_t most_samplers = 64;            // kept tables; a run uses a handful of rates

// Calls work(index) for every index below count, from up to `threads` threads. The first exception is thrown on.
template <class MakeWork>
void in_parallel(std::size_t count, unsigned threads, const MakeWork& make_work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto worker = [&] {
    try {
      auto work = make_work();
      for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i);
    } catch (...) {
      const std::scoped_lock lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < std::min<std::size_t>(threads, count); ++i) {
    others.emplace_back([&worker] {
      const FreesCaches frees;
      worker();
    });
  }
  worker();
  others.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

// Wipes what a draw has used, however the draw ends.
class Draw {
 public:
  explicit Draw(RandomBits& bits) : bits_(bits) {}
  ~Draw() { bits_.wipe_used(); }
  Draw(const Draw&) = delete;
  Draw& operator=(const Draw&) = delete;

 private:
  RandomBits& bits_;
};

class ExactNoise final : public Noise {
 public:
  explicit ExactNoise(std::optional<std::uint64_t> seed)
      : seed_(seed),
        bits_(seed ? RandomBits::from_seed_not_private(StudyKey::of(*seed, 0), 0) : RandomBits::from_system()) {}

  [[nodiscard]] bool is_private() const noexcept override { return !seed_.has_value(); }

  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) override {
    const LaplaceSampler& sampler = kept(samplers_, rate);
    if (values.size() <= chunk) {
      const Draw draw(bits_);
      sampler.add(values, bits_);
      return;
    }
    ++large_calls_;
    const std::size_t chunks = (values.size() + chunk - 1) / chunk;
    if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
    const auto part = [&](std::size_t i) {
      return values.subspan(i * chunk, std::min(chunk, values.size() - i * chunk));
    };
    if (seed_) {
      const StudyKey key = StudyKey::of(*seed_, large_calls_);
      in_parallel(chunks, threads, [&] {
        return [&](std::size_t i) {
          RandomBits bits = RandomBits::from_seed_not_private(key, i);
          sampler.add(part(i), bits);
        };
      });
    } else {
      in_parallel(chunks, threads, [&] {
        return [&, bits = RandomBits::from_system()](std::size_t i) mutable { sampler.add(part(i), bits); };
      });
    }
  }

  std::uint64_t below(std::uint64_t bound) override {
    if (bound == 0) throw Error(ErrorKind::internal, "no integer lies below 0");
    const Draw draw(bits_);
    return bits_.below(bound);
  }

  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override {
    const Draw draw(bits_);
    return kept(choosers_, rate).choose(intervals, bits_);
  }

 private:
  template <class Sampler>
  using ByRate = std::map<std::pair<std::uint64_t, std::uint64_t>, Sampler>;

  template <class Sampler>
  Sampler& kept(ByRate<Sampler>& samplers, Rate rate) {
    const std::pair key{rate.numerator, rate.denominator};
    const auto found = samplers.find(key);
    if (found != samplers.end()) return found->second;
    if (samplers.size() >= most_samplers) samplers.clear();
    return samplers.try_emplace(key, rate).first->second;
  }

  std::optional<std::uint64_t> seed_;
  RandomBits bits_;
  std::uint64_t large_calls_ = 0;
  ByRate<LaplaceSampler> samplers_;
  ByRate<ExponentialSampler> choosers_;
};
}  // namespace

std::unique_ptr<Noise> secure_noise() { return std::make_unique<ExactNoise>(std::nullopt); }

std::unique_ptr<Noise> seeded_noise_not_private(std::uint64_t seed) { return std::make_unique<ExactNoise>(seed); }

}  // namespace shoal
