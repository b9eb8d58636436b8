// Draws exact discrete Laplace noise: P(X = x) proportional to exp(-rate |x|), for any rational rate.
//
// Magnitudes are drawn by inversion. V is uniform on [0, 1) and known bit by bit. With survival S_m = P(|X| >= m),
//   |X| = the largest m with V < S_m,      S_0 = 1,      S_m = scale * exp(-rate m) for m >= 1.
// scale = 2 / (1 + exp(-rate)) gives the magnitude of a discrete Laplace, whose zero has only one sign; scale = 1 gives
// a geometric. The first 48 bits of V nearly always decide, by a table. Where they leave the outcome open, further bits
// of V are compared with bounds of S_m in multiple precision. So the outcome is always the one that the infinitely many
// bits of V define, and the distribution is exact if the bits are uniform.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "privacy/random_bits.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// Inverts one survival function.
//
// Buckets of u = floor(2^48 V) are narrow where V is small. A bucket is given by the leading bits of u + 2^b: an
// exponent and b more bits. It is fine enough to hold at most one of the edges s_m = floor(2^48 S_m), except at the
// very lowest u.
//
//   u:   |..slow..|.|.|..|..|....|....|........|........|      an entry: edge << 16 | m at the bucket's upper end
//
// u < edge: V < S_(m+1), so the magnitude is one more. u > edge: it is m. u == edge, or a bucket with several edges:
// settle() decides.
class SurvivalTable {
 public:
  enum class Kind { laplace_magnitude, geometric };
  static constexpr unsigned prefix_bits = 48;
  // Smaller rates would need more entries than 16 bits can count. 2^-11.
  static constexpr Rate smallest_rate{1, 2048};

  SurvivalTable(Rate rate, Kind kind);

  // Sets values[i] from the top 48 bits of words[i]; with Sign::lowest_bit, it is negative if the lowest bit is set.
  // Returns whether any value is open. Values for which is_open(words[i] >> 16) holds are then meaningless and must be
  // settled.
  enum class Sign { none, lowest_bit };
  bool draw(std::span<const std::uint64_t> words, Sign sign, std::int64_t* values) const;
  // Returns whether the first 48 bits of V leave the magnitude open.
  [[nodiscard]] bool is_open(std::uint64_t prefix) const noexcept;
  // Returns the magnitude by the definition of V, with as many further bits as necessary. At most 2^63 - 1.
  std::uint64_t settle(std::uint64_t prefix, RandomBits& bits) const;

  [[nodiscard]] std::span<const std::uint64_t> edges() const noexcept { return edges_; }  // s_1, s_2, ...
  [[nodiscard]] std::size_t entries() const noexcept { return entries_.size(); }

 private:
  [[nodiscard]] std::uint64_t bucket(std::uint64_t prefix) const noexcept;
  [[nodiscard]] std::uint64_t lowest(std::uint64_t bucket) const noexcept;
  void find_edges();
  void fill_entries();

  Rate rate_;
  Kind kind_;
  unsigned bucket_bits_ = 0;  // b
  std::vector<std::uint64_t> edges_;
  std::vector<std::uint64_t> entries_;
};

// Draws the low digits of a geometric magnitude: l on [0, 2^j) with probability proportional to exp(-rate l), by
// rejection from the uniform distribution. A word holds l in its top j bits. Below them are the first 64 - j bits of
// the uniform V that accepts l if V < exp(-rate l). 2^j rate < 2^-10, so nearly all are accepted.
class LowDigits {
 public:
  LowDigits(Rate rate, unsigned bits);
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }
  [[nodiscard]] std::uint64_t low_of(std::uint64_t word) const noexcept { return word >> (64 - bits_); }
  [[nodiscard]] bool is_accepted(std::uint64_t word, RandomBits& more) const;

 private:
  [[nodiscard]] bool settle(std::uint64_t low, std::uint64_t prefix, RandomBits& more) const;
  Rate rate_;
  unsigned bits_;              // j, 1 to 29
  std::uint64_t scaled_rate_;  // floor(2^(64 + j) rate)
};

// The sampler for one rate. Rates of at least 2^-11 use one table and one word per draw. For smaller rates,
// |X| = 2^j q + l with independent q and l: q is geometric with rate 2^j rate, drawn by table; l on [0, 2^j) is drawn
// by rejection from the uniform distribution (accepted with probability exp(-rate l) > 0.999). A sign is drawn, and -0
// is drawn again.
class LaplaceSampler {
 public:
  // Throws for rates below 2^-40.
  explicit LaplaceSampler(Rate rate);

  // Sets values[i] to clamp(clamp(values[i]) + X_i), where clamp limits to [-2^62, 2^62]. Both clamps preserve privacy:
  // the first moves neighbours no further apart, and the second is post-processing of noised values.
  void add(std::span<std::int64_t> values, RandomBits& bits) const;

 private:
  void draw(std::span<std::int64_t> noise, RandomBits& bits) const;
  void draw_direct(std::span<std::int64_t> noise, RandomBits& bits) const;
  void draw_split(std::span<std::int64_t> noise, RandomBits& bits) const;

  std::optional<LowDigits> low_;  // empty: one table is enough
  SurvivalTable table_;
};

inline constexpr std::int64_t largest_noised = std::int64_t{1} << 62;

}  // namespace shoal
