#include "privacy/refinable_noise.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/wide.hpp"

namespace shoal {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 62;

std::int64_t clamped(Int128 value) {
  return static_cast<std::int64_t>(std::clamp<Int128>(value, -Int128{largest}, Int128{largest}));
}

// Draws geometrics of one rate, as discrete Laplace draws that are not negative.
class Geometric {
 public:
  Geometric(Noise& noise, Rate rate) : noise_(noise), rate_(rate), drawn_(block) {}

  std::int64_t next() {
    for (;;) {
      if (used_ == block) refill();
      const std::int64_t x = drawn_[used_++];
      if (x >= 0) return x;
    }
  }

 private:
  static constexpr std::size_t block = 256;
  void refill() {
    std::fill(drawn_.begin(), drawn_.end(), 0);
    noise_.add_laplace(drawn_, rate_, 1);
    used_ = 0;
  }
  Noise& noise_;
  Rate rate_;
  std::vector<std::int64_t> drawn_;
  std::size_t used_ = block;
};

// Draws one side of the chain. Entry i is g_a for the share a = profile_shares[i].
std::array<Int128, profile_shares.size()> one_side(Geometric& geometric) {
  std::array<Int128, profile_shares.size()> side{};
  Int128 g = geometric.next() / std::int64_t{profile_shares.back()};
  side.back() = g;
  for (std::size_t i = profile_shares.size() - 1; i-- > 0;) {
    const std::int64_t a = profile_shares[i], b = profile_shares[i + 1];
    if (geometric.next() % b >= a) g += 1 + geometric.next() / a;
    side[i] = g;
  }
  return side;
}

}  // namespace

ProfileSums profile_of(std::span<const std::int64_t> values, std::int64_t scale) {
  ProfileSums sums{};
  for (const std::int64_t value : values) {
    std::int64_t left = value;
    for (std::size_t j = 0; j < profile_levels && left > 0; ++j) {
      const std::int64_t poured = std::min(left, scale << j);
      sums[j] = std::min(sums[j] + poured, largest);
      left -= poured;
    }
  }
  return sums;
}

RefinableNoise::RefinableNoise(Noise& noise, Rate tenth) {
  Geometric geometric(noise, tenth);
  for (std::size_t j = 0; j < profile_levels; ++j) {
    const auto up = one_side(geometric);
    const auto down = one_side(geometric);
    for (std::size_t share = 0; share < noise_.size(); ++share) noise_[share][j] = clamped(up[share] - down[share]);
  }
}

ProfileSums RefinableNoise::added_to(const ProfileSums& sums, unsigned share) const {
  const auto at = std::find(profile_shares.begin(), profile_shares.end(), share) - profile_shares.begin();
  const ProfileSums& noise = noise_.at(static_cast<std::size_t>(at));
  ProfileSums result;
  for (std::size_t j = 0; j < profile_levels; ++j) result[j] = clamped(Int128{sums[j]} + noise[j]);
  return result;
}

namespace {

class ChainedQueries final : public ProfileQueries {
 public:
  ChainedQueries(Noise& noise, Rate tenth) : noise_(noise), tenth_(tenth) {}
  ProfileSums at(const ProfileSums& sums, const ProfileQuery& query) override {
    if (!chain_) chain_.emplace(noise_, tenth_);
    return chain_->added_to(sums, query.share);
  }

 private:
  Noise& noise_;
  Rate tenth_;
  std::optional<RefinableNoise> chain_;
};

}  // namespace

std::unique_ptr<ProfileQueries> chained_queries(Noise& noise, Rate tenth) {
  return std::make_unique<ChainedQueries>(noise, tenth);
}

std::unique_ptr<ProfileQueries> Noise::profile_queries(Rate tenth) { return chained_queries(*this, tenth); }

}  // namespace shoal
