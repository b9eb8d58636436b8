#include "privacy/refinable_noise.hpp"

#include <algorithm>
#include <optional>

#include "base/wide.hpp"
#include "privacy/geometric.hpp"

namespace shoal {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 62;

std::int64_t clamped(Int128 value) {
  return static_cast<std::int64_t>(std::clamp<Int128>(value, -Int128{largest}, Int128{largest}));
}

// Draws one side of the chain. Entry i is g_a for the share a = profile_shares[i].
template <class AddLaplace>
std::array<Int128, profile_shares.size()> one_side(Geometric<AddLaplace>& geometric) {
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
  Geometric geometric([&](std::span<std::int64_t> values) { noise.add_laplace(values, tenth, 1); });
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
