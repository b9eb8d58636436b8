// The exact half of the audit. One run is recorded: every value that left the noise, and the chance it had. The same
// values are then forced on a neighbour's run. If all that a run shows comes out of its noise, both runs show the same,
// and the two chances differ by a factor of at most e^epsilon. Chances are computed from what the code handed to the
// noise (values, rates, weights), so wrong sensitivities, unsplit budgets and values that slip past the noise all show,
// however small. That the samplers follow their rates is not looked at here: audit.hpp and the samplers' tests do.
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
// A draw of its own, with the same chances on all data.
struct UniformStep {
  std::uint64_t bound, value;
};
// A view of privwave's profile (src/privacy/refinable_noise.hpp).
struct ProfileStep {
  ProfileQuery query;
  ProfileSums seen;
};
using Step = std::variant<LaplaceStep, ChoiceStep, UniformStep, ProfileStep>;

// The views of one chain: what one ProfileQueries object answers. Their chance is that of the finest view of each
// level, times a factor that is the same on all data: the coarser views can be made of the finest one by adding noise.
// Views of two objects do not form a chain, and the chances of both count.
struct ProfileChain {
  // log P(seen), to be added to what was added before.
  double add(const ProfileSums& sums, const ProfileStep& step, Rate tenth);

  std::optional<RefinableNoise> noise;            // while recording
  std::array<double, profile_levels> chance{};    // what was added for each level
  std::array<unsigned, profile_levels> finest{};  // the largest share with which a level was seen; 0: not seen
};

struct Transcript {
  std::vector<Step> steps;
  std::vector<std::vector<std::int64_t>> inputs;  // of the Laplace and profile steps, before their noise
  long double log_chance = 0;                     // chances of many thousand values are added up
};

// Draws, and writes down what it drew. With a spread above 1 the outputs lie further out than they would, to reach
// unlikely ones; the chances written down are those of the true rates. away_from: inputs of a run on the neighbour;
// outputs then lie on the far side of them, where the loss of every value is largest. Not private.
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
  // Writes the inputs down, and turns the outputs away from the neighbour's inputs.
  void turn(std::span<const std::int64_t> inputs, std::span<std::int64_t> outputs);
  Noise& inner_;
  std::uint64_t spread_;
  const std::vector<std::vector<std::int64_t>>* away_from_;
  bool inside_interval_ = false;  // the next below() belongs to the last choose()
  Transcript transcript_;
};

// What a run cannot follow: its questions differ from the recorded ones, or an output is impossible for it.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Gives the recorded outputs again, whatever the data, and adds up their chance on these data. Not private.
class ReplayingNoise final : public Noise {
 public:
  explicit ReplayingNoise(const Transcript& transcript) : transcript_(transcript) {}
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) override;
  std::uint64_t below(std::uint64_t bound) override;
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override;
  std::unique_ptr<ProfileQueries> profile_queries(Rate tenth) override;
  ProfileSums view(const ProfileSums& sums, const ProfileQuery& query, Rate tenth, ProfileChain& chain);
  // To be called after the run: throws Diverged when less was asked than recorded.
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
