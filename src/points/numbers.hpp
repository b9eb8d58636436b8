// Doubles from decimal text: the double nearest to what is written, always.
#pragma once

#include <fast_float/fast_float.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace shoal {

// Any decimal number that fills `text` entirely; a leading + is allowed. nan and inf are numbers, hexadecimal is not.
inline bool parse_number(std::string_view text, double& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return false;
  }
  const char* end = text.data() + text.size();
  const auto [stopped, error] = fast_float::from_chars(text.data(), end, value);
  // Newer versions of the parser call 1e999 out of range, and yet give infinity for it.
  if (error != std::errc{} && error != std::errc::result_out_of_range) return false;
  return stopped == end && (text.empty() || text.back() != ')');  // nan(...) is not accepted as a number
}

// Writes the number with a point as its decimal mark, without the marks between thousands, which separate groups of
// three digits. Returns false if they stand elsewhere, or if a point is neither mark.
inline bool without_marks(std::string_view text, char decimal, char thousands, std::string& plain) {
  const std::size_t end = std::min(text.size(), text.find(decimal));
  const std::string_view whole = text.substr(0, end);
  std::size_t digits = 0;  // since the last mark
  bool grouped = false;
  for (const char c : whole) {
    if (thousands != '\0' && c == thousands) {
      if (digits == 0 || digits > 3 || (grouped && digits != 3)) return false;
      grouped = true;
      digits = 0;
    } else if (c == '.') {
      return false;
    } else {
      if (c >= '0' && c <= '9') ++digits;
      plain += c;
    }
  }
  if (grouped && digits != 3) return false;
  if (end == text.size()) return true;
  plain += '.';
  const std::string_view rest = text.substr(end + 1);
  plain += rest;
  return rest.find(decimal) == std::string_view::npos && rest.find('.') == std::string_view::npos;
}

// A number that fills `text` entirely and is written with these marks; thousands: 0 for none.
inline bool parse_marked_number(std::string_view text, char decimal, char thousands, double& value) {
  if (decimal == '.' && thousands == '\0') return parse_number(text, value);
  std::string plain;
  return without_marks(text, decimal, thousands, plain) && parse_number(plain, value);
}

#if defined(__SSE2__)
namespace numbers {

inline constexpr double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                          1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
inline constexpr std::uint64_t integer_powers[] = {1,
                                                   10,
                                                   100,
                                                   1'000,
                                                   10'000,
                                                   100'000,
                                                   1'000'000,
                                                   10'000'000,
                                                   100'000'000,
                                                   1'000'000'000,
                                                   10'000'000'000,
                                                   100'000'000'000,
                                                   1'000'000'000'000,
                                                   10'000'000'000'000,
                                                   100'000'000'000'000,
                                                   1'000'000'000'000'000,
                                                   10'000'000'000'000'000};

inline unsigned digit(char c) { return static_cast<unsigned char>(c) - unsigned{'0'}; }

inline __m128i load_sixteen(const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

// Returns sixteen characters minus '0'. The bits of `others` mark those that are not digits.
inline __m128i digits_of(const char* p, unsigned& others) {
  const __m128i digits = _mm_sub_epi8(load_sixteen(p), _mm_set1_epi8('0'));
  const __m128i small = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
  others = static_cast<unsigned>(_mm_movemask_epi8(small)) ^ 0xFFFF;
  return digits;
}

// Value of sixteen digits, neighbours put together: 2, then 4, then 8 of them.
inline std::uint64_t sixteen_digits(__m128i digits) {
  const __m128i tens = _mm_set1_epi32(10 | 1 << 16);
  const __m128i low = _mm_madd_epi16(_mm_unpacklo_epi8(digits, _mm_setzero_si128()), tens);
  const __m128i high = _mm_madd_epi16(_mm_unpackhi_epi8(digits, _mm_setzero_si128()), tens);
  const __m128i twos = _mm_packs_epi32(low, high);
  const __m128i fours = _mm_madd_epi16(twos, _mm_set1_epi32(100 | 1 << 16));
  const __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(10'000 | 1 << 16));
  const auto pair = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  return (pair & 0xFFFFFFFF) * 100'000'000 + (pair >> 32);
}

// Value of the `count` (0..16) digits before `end`: loaded with what is in front of them, which is then blanked.
inline std::uint64_t digits_before(const char* end, unsigned count) {
  alignas(16) static constexpr unsigned char keep[32] = {
      0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  const __m128i digits = _mm_sub_epi8(load_sixteen(end - 16), _mm_set1_epi8('0'));
  return sixteen_digits(_mm_and_si128(digits, load_sixteen(reinterpret_cast<const char*>(keep) + count)));
}

}  // namespace numbers
#endif

// The fast way for plain numbers: [-]digits[.digits] with at most 19 digits that count. Returns where the number
// ends, or nullptr when it is of another kind and parse_number must be asked. Same bits as parse_number.
// May read 16 bytes before p and 40 bytes starting at p; one of those must end the number.
inline const char* parse_plain_number(const char* p, double& value) {
#if defined(__SSE2__)
  using namespace numbers;
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  std::uint64_t mantissa = 0;
  const char* start = p;
  for (unsigned d = digit(*p); d < 10; d = digit(*++p)) mantissa = mantissa * 10 + d;
  const auto whole = static_cast<unsigned>(p - start);
  if (whole > 19) return nullptr;
  const unsigned counting = mantissa == 0 ? 0 : whole;  // leading zeros do not count
  unsigned decimals = 0;
  if (*p == '.') {
    start = ++p;
    unsigned others = 0;
    const __m128i digits = digits_of(p, others);
    if (others == 0) {
      mantissa = mantissa * integer_powers[16] + sixteen_digits(digits);
      p += 16;
      for (unsigned d = digit(*p); d < 10; d = digit(*++p)) mantissa = mantissa * 10 + d;
    } else {
      const auto count = static_cast<unsigned>(std::countr_zero(others));
      p += count;
      mantissa = mantissa * integer_powers[count] + digits_before(p, count);
    }
    if (p - start + counting > 19) return nullptr;
    decimals = static_cast<unsigned>(p - start);
  }
  if (whole + decimals == 0 || *p == 'e' || *p == 'E') return nullptr;
  if (mantissa <= std::uint64_t{1} << 53) {
    value = static_cast<double>(mantissa) / exact_powers[decimals];  // both exact: rounded once (Clinger 1990)
    if (negative) value = -value;
    return p;
  }
  const auto nearest =
      fast_float::compute_float<fast_float::binary_format<double>>(-static_cast<std::int64_t>(decimals), mantissa);
  if (nearest.power2 < 0) return nullptr;  // undecided; not known to happen with this few decimals
  fast_float::to_float(negative, nearest, value);
  return p;
#else
  (void)p, (void)value;
  return nullptr;
#endif
}

}  // namespace shoal
