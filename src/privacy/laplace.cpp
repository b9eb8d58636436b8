#include "privacy/laplace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/simd.hpp"
#include "base/wide.hpp"
#include "privacy/certified.hpp"
#include "privacy/lazy_uniform.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::uint64_t prefix_end = std::uint64_t{1} << SurvivalTable::prefix_bits;
constexpr unsigned magnitude_bits = 16;
constexpr std::uint64_t magnitude_mask = (1U << magnitude_bits) - 1;
constexpr std::uint64_t several_edges = magnitude_mask;  // marks an entry whose bucket must be settled
constexpr std::size_t most_edges = magnitude_mask - 2;
constexpr std::size_t block = 512;
constexpr unsigned most_low_bits = 29;
constexpr std::uint64_t largest_magnitude = INT64_MAX;

// Returns whether a < b, as exact ratios.
bool less(Rate a, Rate b) {
  return static_cast<Uint128>(a.numerator) * b.denominator < static_cast<Uint128>(b.numerator) * a.denominator;
}

// Returns 2^power * rate. Rates that need it are below 2^-11, where 64 bits hold the result after halving the
// denominator or doubling the numerator.
Rate times_power_of_two(Rate rate, unsigned power) {
  for (; power > 0; --power) {
    if (rate.denominator % 2 == 0) {
      rate.denominator /= 2;
    } else {
      rate.numerator *= 2;  // below denominator / 2^11 before and after
    }
  }
  return rate;
}

// Returns the smallest b with 2^-b below the relative gap 1 - exp(-rate) of two edges, plus one to be safe. It affects
// only the speed: the entries are filled from the edges themselves.
unsigned bucket_bits_for(Rate rate) {
  const double gap = -std::expm1(-rate.value());
  return 1 + static_cast<unsigned>(std::max(0.0, std::ceil(-std::log2(gap))));
}

// How the table is read and how a prefix finds its bucket: `bias` = 2^b is added to the prefix through a double,
// exactly (all values are below 2^52), so that exponent and leading digits number the bucket, counted from `first`.
struct Lookup {
  const std::uint64_t* entries;
  unsigned shift;
  std::uint64_t first;
  double bias;
};

// The inner loops of the table. They have no branch and no access that depends on more than the bucket. The first and
// the last are for vector instructions, the middle one for plain loads, which are faster than gathers. (The built-in
// bit cast is used because std::bit_cast is a function, which clones for other processors would call instead of
// inlining.)
SHOAL_CLONES void find_buckets(const std::uint64_t* __restrict words, std::size_t count, Lookup table,
                               std::uint64_t* __restrict buckets) {
  constexpr std::uint64_t exponent_of_2_52 = 0x4330000000000000;
  const double offset = 0x1p52 - table.bias;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t prefix = words[i] >> (64 - SurvivalTable::prefix_bits);
    const double biased = __builtin_bit_cast(double, prefix | exponent_of_2_52) - offset;
    buckets[i] = (__builtin_bit_cast(std::uint64_t, biased) >> table.shift) - table.first;
  }
}

void load_entries(std::uint64_t* buckets, std::size_t count, const std::uint64_t* __restrict entries) {
  for (std::size_t i = 0; i < count; ++i) buckets[i] = entries[buckets[i]];
}

// Decides the outcomes. Returns a nonzero number if any outcome is open; the open outcomes are meaningless.
SHOAL_CLONES std::uint64_t decide(const std::uint64_t* __restrict words, std::size_t count,
                                  const std::uint64_t* __restrict entries, std::uint64_t sign_mask,
                                  std::int64_t* __restrict out) {
  std::uint64_t open = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t prefix = words[i] >> (64 - SurvivalTable::prefix_bits);
    const std::uint64_t edge = entries[i] >> magnitude_bits;
    // Both are below 2^48, so a negative difference sets the top bit.
    const std::uint64_t magnitude = (entries[i] & magnitude_mask) + ((prefix - edge) >> 63);
    open |= ((prefix ^ edge) - 1) >> 63;  // open if equal
    open |= (magnitude + 1) >> magnitude_bits;
    const std::uint64_t sign = words[i] & sign_mask;
    out[i] = static_cast<std::int64_t>((magnitude ^ (0 - sign)) + sign);
  }
  return open;
}

std::uint64_t look_up(std::span<const std::uint64_t> words, const Lookup& table, std::uint64_t sign_mask,
                      std::int64_t* out) {
  std::array<std::uint64_t, block> entries;
  std::uint64_t open = 0;
  for (std::size_t done = 0; done < words.size(); done += block) {
    const std::size_t count = std::min(block, words.size() - done);
    find_buckets(words.data() + done, count, table, entries.data());
    load_entries(entries.data(), count, table.entries);
    open |= decide(words.data() + done, count, entries.data(), sign_mask, out + done);
  }
  ::explicit_bzero(entries.data(), std::min(block, words.size()) * sizeof entries[0]);
  return open;
}

// Adds the noise to the values with wrap-around. Returns a nonzero number if any operand comes near 2^62.
SHOAL_CLONES std::uint64_t add_wrapping(std::int64_t* __restrict values, const std::int64_t* __restrict noise,
                                        std::size_t count) {
  constexpr std::uint64_t quarter = std::uint64_t{1} << 61;
  std::uint64_t large = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::uint64_t>(values[i]);
    const auto added = static_cast<std::uint64_t>(noise[i]);
    large |= (value + quarter) | (added + quarter);
    values[i] = static_cast<std::int64_t>(value + added);
  }
  return large >> 62;
}

// Returns the value before a wrapping addition.
std::int64_t value_before(std::int64_t sum, std::int64_t noise) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) - static_cast<std::uint64_t>(noise));
}

std::int64_t add_clamped(std::int64_t value, std::int64_t noise) {
  const Int128 sum = static_cast<Int128>(std::clamp(value, -largest_noised, largest_noised)) + noise;
  return static_cast<std::int64_t>(std::clamp<Int128>(sum, -largest_noised, largest_noised));
}
}  // namespace

SurvivalTable::SurvivalTable(Rate rate, Kind kind) : rate_(rate), kind_(kind) {
  if (less(rate, smallest_rate)) throw Error(ErrorKind::internal, "the rate is too small for one table");
  bucket_bits_ = bucket_bits_for(rate);
  find_edges();
  fill_entries();
}

// Finds s_m = floor(2^48 S_m) for m = 1, 2, ... down to 0. Each is certain, because both bounds have the same floor.
// exp(-rate) is transcendental for a rational rate (Lindemann), so S_m is never a multiple of 2^-48 and some precision
// suffices.
void SurvivalTable::find_edges() {
  for (mpfr_prec_t precision = 192;; precision *= 2) {
    edges_.clear();
    const Bounds ratio = exp_of_minus(bounds_of(rate_, precision));
    Bounds survival(precision);  // 2^48 S_0 without the cut at 1
    mpfr_set_ui_2exp(survival.lo, 1, prefix_bits, MPFR_RNDN);
    mpfr_set(survival.hi, survival.lo, MPFR_RNDN);
    if (kind_ == Kind::laplace_magnitude) {
      Real one_more(precision);
      mpfr_add_ui(one_more, ratio.hi, 1, MPFR_RNDU);
      mpfr_mul_2ui(survival.lo, survival.lo, 1, MPFR_RNDN);
      mpfr_div(survival.lo, survival.lo, one_more, MPFR_RNDD);
      mpfr_add_ui(one_more, ratio.lo, 1, MPFR_RNDD);
      mpfr_mul_2ui(survival.hi, survival.hi, 1, MPFR_RNDN);
      mpfr_div(survival.hi, survival.hi, one_more, MPFR_RNDU);
    }
    bool certain = true;
    while (certain && edges_.size() < most_edges && (edges_.empty() || edges_.back() > 0)) {
      mpfr_mul(survival.lo, survival.lo, ratio.lo, MPFR_RNDD);
      mpfr_mul(survival.hi, survival.hi, ratio.hi, MPFR_RNDU);
      edges_.push_back(mpfr_get_uj(survival.lo, MPFR_RNDD));
      certain = edges_.back() == mpfr_get_uj(survival.hi, MPFR_RNDD);
    }
    if (certain) return;
  }
}

std::uint64_t SurvivalTable::bucket(std::uint64_t prefix) const noexcept {
  const auto number = [this](std::uint64_t biased) {
    return std::bit_cast<std::uint64_t>(static_cast<double>(biased)) >> (52 - bucket_bits_);
  };
  return number(prefix + (std::uint64_t{1} << bucket_bits_)) - number(std::uint64_t{1} << bucket_bits_);
}

// Returns the lowest prefix of a bucket.
std::uint64_t SurvivalTable::lowest(std::uint64_t bucket) const noexcept {
  const std::uint64_t bias = std::uint64_t{1} << bucket_bits_;
  const std::uint64_t first = std::bit_cast<std::uint64_t>(static_cast<double>(bias)) >> (52 - bucket_bits_);
  return static_cast<std::uint64_t>(std::bit_cast<double>((bucket + first) << (52 - bucket_bits_))) - bias;
}

// Fills the entries from the highest bucket down. `passed` edges lie above the bucket, so every V in it survives that
// many.
void SurvivalTable::fill_entries() {
  entries_.assign(bucket(prefix_end - 1) + 1, several_edges);
  std::size_t passed = 0;
  for (std::size_t i = entries_.size(); i-- > 0;) {
    const std::uint64_t low = lowest(i);
    const std::size_t before = passed;
    while (passed < edges_.size() && edges_[passed] >= low) ++passed;
    if (passed == edges_.size()) break;          // further edges lie below those that are listed
    if (passed == before) entries_[i] = before;  // edge 0 lies below every u of this bucket
    if (passed == before + 1) entries_[i] = edges_[before] << magnitude_bits | before;
  }
}

bool SurvivalTable::draw(std::span<const std::uint64_t> words, Sign sign, std::int64_t* values) const {
  const auto bias = static_cast<double>(std::uint64_t{1} << bucket_bits_);
  const unsigned shift = 52 - bucket_bits_;
  const Lookup table{entries_.data(), shift, std::bit_cast<std::uint64_t>(bias) >> shift, bias};
  return look_up(words, table, sign == Sign::lowest_bit ? 1 : 0, values) != 0;
}

bool SurvivalTable::is_open(std::uint64_t prefix) const noexcept {
  const std::uint64_t entry = entries_[bucket(prefix)];
  return (entry & magnitude_mask) == several_edges || entry >> magnitude_bits == prefix;
}

// V < S_m if and only if m < L(V) = (ln scale - ln V) / rate, so |X| = ceil(L) - 1. L decreases in V: with V in [lo,
// hi), L lies in (L(hi), L(lo)], and the outcome is certain once no integer n satisfies L(hi) < n < L(lo).
std::uint64_t SurvivalTable::settle(std::uint64_t prefix, RandomBits& bits) const {
  LazyUniform uniform(prefix, prefix_bits);
  for (;; uniform.extend(bits)) {
    const mpfr_prec_t precision = uniform.precision();
    const Bounds v = uniform.bounds();
    if (mpfr_zero_p(static_cast<mpfr_srcptr>(v.lo))) continue;
    const Bounds rate = bounds_of(rate_, precision);
    Bounds log_scale(precision);
    mpfr_set_zero(log_scale.lo, 1);
    mpfr_set_zero(log_scale.hi, 1);
    if (kind_ == Kind::laplace_magnitude) {  // ln 2 - ln(1 + exp(-rate))
      Bounds ratio = exp_of_minus(rate);
      mpfr_log1p(ratio.lo, ratio.lo, MPFR_RNDD);
      mpfr_log1p(ratio.hi, ratio.hi, MPFR_RNDU);
      mpfr_const_log2(log_scale.lo, MPFR_RNDD);
      mpfr_const_log2(log_scale.hi, MPFR_RNDU);
      mpfr_sub(log_scale.lo, log_scale.lo, ratio.hi, MPFR_RNDD);
      mpfr_sub(log_scale.hi, log_scale.hi, ratio.lo, MPFR_RNDU);
    }
    Bounds l(precision);
    mpfr_log(l.lo, v.hi, MPFR_RNDU);
    mpfr_sub(l.lo, log_scale.lo, l.lo, MPFR_RNDD);
    mpfr_div(l.lo, l.lo, mpfr_sgn(static_cast<mpfr_srcptr>(l.lo)) < 0 ? rate.lo : rate.hi, MPFR_RNDD);
    mpfr_log(l.hi, v.lo, MPFR_RNDD);
    mpfr_sub(l.hi, log_scale.hi, l.hi, MPFR_RNDU);
    mpfr_div(l.hi, l.hi, rate.lo, MPFR_RNDU);  // positive, because V < 1
    mpfr_floor(l.lo, l.lo);
    mpfr_ceil(l.hi, l.hi);
    if (mpfr_sgn(static_cast<mpfr_srcptr>(l.lo)) < 0) mpfr_set_zero(l.lo, 1);  // L > 0 always
    if (mpfr_cmp_ui(l.lo, largest_magnitude) >= 0) return largest_magnitude;
    mpfr_add_ui(l.lo, l.lo, 1, MPFR_RNDN);
    if (mpfr_equal_p(l.lo, l.hi) != 0) return mpfr_get_uj(l.hi, MPFR_RNDN) - 1;
  }
}

LowDigits::LowDigits(Rate rate, unsigned bits) : rate_(rate), bits_(bits) {
  const Rate high = times_power_of_two(rate, bits);  // below 2^-10
  scaled_rate_ = static_cast<std::uint64_t>((static_cast<Uint128>(high.numerator) << 64) / high.denominator);
}

// Let x = rate l, in units of 2^-64. Because 1 - x <= exp(-x) <= 1 - x + x^2/2, V is certainly below exp(-x) if
// 1 - V >= x, and certainly not if 1 - V <= x - x^2/2.
bool LowDigits::is_accepted(std::uint64_t word, RandomBits& more) const {
  const std::uint64_t low = low_of(word);
  const Uint128 rest_above = (static_cast<Uint128>(1) << 64) - (word << bits_);  // 1 - V is at most this,
  const Uint128 rest_below = rest_above - (static_cast<Uint128>(1) << bits_);    // and above this
  const Uint128 x_below = static_cast<Uint128>(low) * scaled_rate_ >> bits_;
  const Uint128 x_above = (static_cast<Uint128>(low) * (scaled_rate_ + 1) >> bits_) + 1;
  if (rest_below >= x_above) return true;
  if (rest_above + (x_above * x_above >> 65) + 1 <= x_below) return false;
  return settle(low, word << bits_ >> bits_, more);
}

bool LowDigits::settle(std::uint64_t low, std::uint64_t prefix, RandomBits& more) const {
  LazyUniform uniform(prefix, 64 - bits_);
  for (;; uniform.extend(more)) {
    const Bounds v = uniform.bounds();
    Bounds exponent = bounds_of(rate_, uniform.precision());
    mpfr_mul_ui(exponent.lo, exponent.lo, low, MPFR_RNDD);
    mpfr_mul_ui(exponent.hi, exponent.hi, low, MPFR_RNDU);
    const Bounds chance = exp_of_minus(exponent);
    if (mpfr_lessequal_p(v.hi, chance.lo) != 0) return true;
    if (mpfr_greaterequal_p(v.lo, chance.hi) != 0) return false;
  }
}

namespace {
// Returns the low digits that raise a small rate to one that a table can hold, or nothing if none are needed.
std::optional<LowDigits> low_digits_for(Rate rate) {
  unsigned bits = 0;
  while (less(times_power_of_two(rate, bits), SurvivalTable::smallest_rate)) {
    if (++bits > most_low_bits) {
      throw InputError(
          fmt::format("epsilon over sensitivity is {}/{}, below 2^-40: the noise would exceed any data and "
                      "could overflow 64 bits; give more epsilon",
                      rate.numerator, rate.denominator));
    }
  }
  return bits == 0 ? std::nullopt : std::optional<LowDigits>(std::in_place, rate, bits);
}
}  // namespace

LaplaceSampler::LaplaceSampler(Rate rate)
    : low_(low_digits_for(rate)),
      table_(low_ ? SurvivalTable(times_power_of_two(rate, low_->bits()), SurvivalTable::Kind::geometric)
                  : SurvivalTable(rate, SurvivalTable::Kind::laplace_magnitude)) {}

void LaplaceSampler::add(std::span<std::int64_t> values, RandomBits& bits) const {
  std::array<std::int64_t, block> noise;
  for (std::size_t done = 0; done < values.size(); done += block) {
    const std::size_t count = std::min(block, values.size() - done);
    std::int64_t* part = values.data() + done;
    draw({noise.data(), count}, bits);
    if (add_wrapping(part, noise.data(), count) != 0) {
      for (std::size_t i = 0; i < count; ++i) part[i] = add_clamped(value_before(part[i], noise[i]), noise[i]);
    }
  }
  ::explicit_bzero(noise.data(), sizeof noise);
}

void LaplaceSampler::draw(std::span<std::int64_t> noise, RandomBits& bits) const {
  if (low_) {
    draw_split(noise, bits);
  } else {
    draw_direct(noise, bits);
  }
}

void LaplaceSampler::draw_direct(std::span<std::int64_t> noise, RandomBits& bits) const {
  for (std::size_t done = 0; done < noise.size();) {
    const auto words = bits.take(noise.size() - done);
    std::int64_t* out = noise.data() + done;
    done += words.size();
    if (!table_.draw(words, SurvivalTable::Sign::lowest_bit, out)) continue;
    const std::vector<std::uint64_t> kept(words.begin(), words.end());  // a copy, because settling refills the buffer
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const std::uint64_t prefix = kept[i] >> (64 - SurvivalTable::prefix_bits);
      if (!table_.is_open(prefix)) continue;
      const auto magnitude = static_cast<std::int64_t>(table_.settle(prefix, bits));
      out[i] = (kept[i] & 1) != 0 ? -magnitude : magnitude;
    }
  }
}

// The first words give q and the sign. The second words give the low digits, which are accepted by themselves, before q
// and the sign are examined; so the parts stay independent. A negative zero is drawn again as a whole.
void LaplaceSampler::draw_split(std::span<std::int64_t> noise, RandomBits& bits) const {
  std::array<std::uint64_t, block> first_words;
  std::array<std::uint64_t, block> second_words;
  const std::span<std::uint64_t> first(first_words.data(), noise.size());
  const std::span<std::uint64_t> second(second_words.data(), noise.size());
  bits.fill(first);
  bits.fill(second);
  const bool any_open = table_.draw(first, SurvivalTable::Sign::none, noise.data());
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const std::uint64_t prefix = first[i] >> (64 - SurvivalTable::prefix_bits);
    std::uint64_t high = static_cast<std::uint64_t>(noise[i]);
    if (any_open && table_.is_open(prefix)) high = table_.settle(prefix, bits);
    std::uint64_t word = second[i];
    while (!low_->is_accepted(word, bits)) word = bits.next();
    const std::uint64_t capped = std::min(high, largest_magnitude >> low_->bits());
    const auto magnitude = static_cast<std::int64_t>(capped << low_->bits() | low_->low_of(word));
    const bool negative = (first[i] & 1) != 0;
    noise[i] = negative ? -magnitude : magnitude;
    if (negative && magnitude == 0) draw_split(noise.subspan(i, 1), bits);
  }
  ::explicit_bzero(first_words.data(), first.size_bytes());
  ::explicit_bzero(second_words.data(), second.size_bytes());
}

}  // namespace shoal
