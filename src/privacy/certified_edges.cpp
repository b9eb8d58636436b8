#include "privacy/certified_edges.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace shoal {

namespace {

constexpr mpfr_prec_t first_precision = 256;

// Returns floor(2^64 C) for an edge C, computed from its lower bound.
std::uint64_t word_from_below(mpfr_srcptr lo) {
  Real scaled(mpfr_get_prec(lo));
  mpfr_mul_2ui(scaled, lo, 64, MPFR_RNDD);
  return mpfr_get_uj(scaled, MPFR_RNDD);
}

// The same from its upper bound: the greatest that it can be. C is not a multiple of 2^-64, so a bound that is one lies
// above C. This also handles edges so near to 1 or 1/2 that no feasible precision tells them apart.
std::uint64_t word_from_above(mpfr_srcptr hi) {
  if (mpfr_cmp_ui(hi, 1) >= 0) return UINT64_MAX;
  Real scaled(mpfr_get_prec(hi));
  mpfr_mul_2ui(scaled, hi, 64, MPFR_RNDU);
  mpfr_ceil(scaled, scaled);
  mpfr_sub_ui(scaled, scaled, 1, MPFR_RNDN);  // exact, and before it becomes 64 bits wide
  return mpfr_get_uj(scaled, MPFR_RNDN);
}

std::vector<Bounds> digit_edges(const Bounds& ratio, mpfr_prec_t precision) {
  std::vector<Bounds> edges;
  Bounds power = ratio;  // s^(2^i)
  Real below(precision);
  for (unsigned i = 0; i < GeometricGaps::digits; ++i) {
    edges.emplace_back(precision);
    mpfr_add_ui(below, power.lo, 1, MPFR_RNDU);
    mpfr_div(edges.back().lo, power.lo, below, MPFR_RNDD);
    mpfr_add_ui(below, power.hi, 1, MPFR_RNDD);
    mpfr_div(edges.back().hi, power.hi, below, MPFR_RNDU);
    mpfr_sqr(power.lo, power.lo, MPFR_RNDD);
    mpfr_sqr(power.hi, power.hi, MPFR_RNDU);
  }
  edges.push_back(power);
  return edges;
}

}  // namespace

CertifiedEdges::CertifiedEdges(Maker maker) : maker_(std::move(maker)) {
  for (mpfr_prec_t precision = first_precision;; precision *= 2) {
    const std::vector<Bounds> edges = maker_(precision);
    words_.clear();
    bool certain = true;
    for (const Bounds& edge : edges) {
      words_.push_back(word_from_below(edge.lo));
      certain = certain && words_.back() == word_from_above(edge.hi);
    }
    if (certain) return;
  }
}

bool CertifiedEdges::is_below(std::uint64_t word, std::size_t edge, RandomBits& more) const {
  if (word != words_[edge]) return word < words_[edge];
  for (LazyUniform uniform(word, 64);; uniform.extend(more)) {
    const Bounds known = maker_(uniform.precision())[edge];
    const Bounds v = uniform.bounds();
    if (mpfr_lessequal_p(known.hi, v.lo) != 0) return false;
    if (mpfr_lessequal_p(v.hi, known.lo) != 0) return true;
  }
}

GeometricGaps::GeometricGaps(const std::function<Bounds(mpfr_prec_t)>& ratio)
    : edges_([ratio](mpfr_prec_t precision) { return digit_edges(ratio(precision), precision); }) {}

std::uint64_t GeometricGaps::draw(RandomBits& bits) const {
  std::array<std::uint64_t, digits + 1> words;
  bits.fill(words);
  const std::vector<std::uint64_t>& edges = edges_.words();
  std::uint64_t gap = 0;
  bool open = false;
  for (unsigned i = 0; i <= digits; ++i) {
    gap |= static_cast<std::uint64_t>(words[i] < edges[i]) << i;
    open = open || words[i] == edges[i];
  }
  for (unsigned i = 0; open && i <= digits; ++i) {
    const std::uint64_t digit = edges_.is_below(words[i], i, bits) ? 1 : 0;
    gap = (gap & ~(std::uint64_t{1} << i)) | digit << i;
  }
  ::explicit_bzero(words.data(), sizeof words);
  return std::min(gap, std::uint64_t{1} << digits);
}

}  // namespace shoal
