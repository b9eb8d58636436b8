#include "privacy/noise.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <tuple>

#include "base/parallel.hpp"
#include "privacy/exponential.hpp"
#include "privacy/laplace.hpp"
#include "privacy/noise_tail.hpp"
#include "privacy/random_bits.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::size_t chunk = std::size_t{1} << 16;  // number of values that one stream of a seeded run serves
constexpr std::size_t most_samplers = 64;            // number of tables that are kept; a run uses a handful of rates

// Wipes the bits that a draw has used, however the draw ends.
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
    const auto nothing = [](std::uint64_t, std::uint64_t) {};
    add_laplace_fused(values, rate, threads, nothing, nothing);
  }

  void add_laplace_fused(std::span<std::int64_t> values, Rate rate, unsigned threads, const Stretch& before,
                         const Stretch& after) override {
    const LaplaceSampler& sampler = kept(samplers_, rate);
    const auto add = [&](std::size_t i, RandomBits& bits) {
      const std::size_t begin = i * chunk, end = std::min(values.size(), begin + chunk);
      before(begin, end);
      sampler.add(values.subspan(begin, end - begin), bits);
      after(begin, end);
    };
    const std::size_t chunks = (values.size() + chunk - 1) / chunk;
    if (chunks <= 1) {
      const Draw draw(bits_);
      if (chunks == 1) add(0, bits_);
    } else if (seed_) {
      by_chunks(chunks, StudyKey::of(*seed_, ++large_calls_), threads, add);
    } else {
      by_threads(chunks, thread_count(threads), add);
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

  LargeNoise reaching(std::uint64_t cells, Rate rate, std::int64_t floor) override {
    const Draw draw(bits_);
    const auto make = [&] { return NoiseTail(rate, floor); };
    return kept(tails_, {rate.numerator, rate.denominator, floor}, make).draw(cells, kept(samplers_, rate), bits_);
  }

 private:
  // Seeded: every chunk has its own stream, whichever thread serves it.
  template <class Add>
  static void by_chunks(std::size_t chunks, const StudyKey& key, unsigned threads, const Add& add) {
    parallel_for(chunks, threads, [&](std::uint64_t i) {
      RandomBits bits = RandomBits::from_seed_not_private(key, i);
      add(i, bits);
    });
  }

  // Secure: every thread has its own generator and takes chunks until none is left.
  template <class Add>
  static void by_threads(std::size_t chunks, unsigned threads, const Add& add) {
    std::atomic<std::size_t> next = 0;
    parallel_for(threads, threads, [&](std::uint64_t) {
      RandomBits bits = RandomBits::from_system();
      for (std::size_t i = next++; i < chunks; i = next++) add(i, bits);
    });
  }

  template <class Key, class Kept, class Make>
  static Kept& kept(std::map<Key, Kept>& all, const std::type_identity_t<Key>& key, const Make& make) {
    const auto found = all.find(key);
    if (found != all.end()) return found->second;
    if (all.size() >= most_samplers) all.clear();
    return all.emplace(key, make()).first->second;
  }

  template <class Sampler>
  using ByRate = std::map<std::pair<std::uint64_t, std::uint64_t>, Sampler>;

  template <class Sampler>
  static Sampler& kept(ByRate<Sampler>& samplers, Rate rate) {
    return kept(samplers, {rate.numerator, rate.denominator}, [rate] { return Sampler(rate); });
  }

  std::optional<std::uint64_t> seed_;
  RandomBits bits_;
  std::uint64_t large_calls_ = 0;
  ByRate<LaplaceSampler> samplers_;
  ByRate<ExponentialSampler> choosers_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::int64_t>, NoiseTail> tails_;  // by rate and floor
};
}  // namespace

void Noise::add_laplace_fused(std::span<std::int64_t> values, Rate rate, unsigned threads, const Stretch& before,
                              const Stretch& after) {
  before(0, values.size());
  add_laplace(values, rate, threads);
  after(0, values.size());
}

LargeNoise Noise::reaching(std::uint64_t cells, Rate rate, std::int64_t floor) {
  LargeNoise result;
  std::vector<std::int64_t> some;
  for (std::uint64_t first = 0; first < cells; first += chunk) {
    some.assign(std::min<std::uint64_t>(chunk, cells - first), 0);
    add_laplace(some, rate, 1);
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (some[i] < floor) continue;
      result.cells.push_back(first + i);
      result.values.push_back(some[i]);
    }
  }
  return result;
}

std::unique_ptr<Noise> secure_noise() { return std::make_unique<ExactNoise>(std::nullopt); }

std::unique_ptr<Noise> seeded_noise_not_private(std::uint64_t seed) { return std::make_unique<ExactNoise>(seed); }

}  // namespace shoal
