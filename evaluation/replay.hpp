// The exact half of the audit. One run is recorded: every output of the noise, and its probability. The same outputs
// are then forced on a run with a neighbour. If the result of a run depends on the data only through the noise, both
// runs have the same result, and the two probabilities differ by a factor of at most e^epsilon. Probabilities are
// computed from the inputs of the noise (values, rates, weights), so any wrong sensitivity, unsplit budget or value
// without noise is found, however small. Replay does not check that the samplers follow their rates; audit.hpp and
// their tests do.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "privacy/noise.hpp"
#include "privacy/refinable_noise.hpp"

namespace shoal::evaluation {

struct LaplaceStep {
  std::vector<std::int64_t> outputs;
};
// A draw of the exponential mechanism (choose, then below inside the interval): a point of the base measure.
struct ChoiceStep {
  std::uint64_t point;
};
// A separate draw, with the same probabilities on all data.
struct UniformStep {
  std::uint64_t bound, value;
};
// A view of privwave's profile (src/privacy/refinable_noise.hpp).
struct ProfileStep {
  ProfileQuery query;
  ProfileSums seen;
};
using Step = std::variant<LaplaceStep, ChoiceStep, UniformStep, ProfileStep>;

// The views of one chain: the answers of one ProfileQueries object. Their probability is that of the finest view of
// each level, times a factor that is the same on all data, because coarser views are the finest one plus noise. Views
// of two objects do not form a chain; the probabilities of both count.
struct ProfileChain {
  // Returns log P(seen), to be added to the previous values.
  double add(const ProfileSums& sums, const ProfileStep& step, Rate tenth);

  std::optional<RefinableNoise> noise;            // while recording
  std::array<double, profile_levels> chance{};    // the value added for each level
  std::array<unsigned, profile_levels> finest{};  // the largest share of a view of the level; 0: not seen
};

struct Transcript {
  std::vector<Step> steps;
  std::vector<std::vector<std::int64_t>> inputs;  // of the Laplace and profile steps, before their noise
  long double log_chance = 0;                     // sum over many thousand values
};

// Draws and records its outputs. With a spread above 1, the outputs are drawn from wider distributions, to reach
// unlikely ones; the recorded probabilities are those of the true rates. away_from: the inputs of a run on the
// neighbour. The outputs then lie on the far side of them, where the loss of every value is largest. Not private.
class RecordingNoise final : public Noise {
 public:
  RecordingNoise(Noise& inner, std::uint64_t spread, const std::vector<std::vector<std::int64_t>>* away_from = nullptr);
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) override;
  std::uint64_t below(std::uint64_t bound) override;
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override;
  std::unique_ptr<ProfileQueries> profile_queries(Rate tenth) override;
  ProfileSums view(const ProfileSums& sums, const ProfileQuery& query, Rate tenth, ProfileChain& chain);
  [[nodiscard]] const Transcript& transcript() const noexcept { return transcript_; }

 private:
  // Records the inputs, and moves the outputs to the far side of the neighbour's inputs.
  void turn(std::span<const std::int64_t> inputs, std::span<std::int64_t> outputs);
  Noise& inner_;
  std::uint64_t spread_;
  const std::vector<std::vector<std::int64_t>>* away_from_;
  bool inside_interval_ = false;  // the next below() belongs to the last choose()
  Transcript transcript_;
};

// Thrown if a run cannot be replayed: its queries differ from the recorded ones, or an output is impossible for it.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns the recorded outputs for any data, and adds up their log-probability on these data. Not private.
class ReplayingNoise final : public Noise {
 public:
  explicit ReplayingNoise(const Transcript& transcript) : transcript_(transcript) {}
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) override;
  std::uint64_t below(std::uint64_t bound) override;
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override;
  std::unique_ptr<ProfileQueries> profile_queries(Rate tenth) override;
  ProfileSums view(const ProfileSums& sums, const ProfileQuery& query, Rate tenth, ProfileChain& chain);
  // Must be called after the run. Throws Diverged if the run made fewer queries than recorded.
  [[nodiscard]] long double log_chance() const;

 private:
  template <class Kind>
  const Kind& next();
  const Transcript& transcript_;
  std::size_t at_ = 0;
  bool inside_interval_ = false;
  std::uint64_t offset_ = 0;
  long double log_chance_ = 0;
};

}  // namespace shoal::evaluation
