#include "points/random.hpp"

#include <cmath>

namespace shoal {

double Random::normal() {
  for (;;) {
    const double u = uniform(-1, 1);
    const double v = uniform(-1, 1);
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
  }
}

// log(m 2^e) = e log 2 + 2 atanh((m - 1) / (m + 1)), m near 1: the series in t^2 <= 0.03 needs 12 terms.
double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double t = (m - 1) / (m + 1);
  const double square = t * t;
  double series = 0;
  for (int term = 23; term >= 1; term -= 2) series = series * square + 1.0 / term;
  return exponent * 0.69314718055994531 + 2 * t * series;
}

// Reduced to an eighth of a turn on either side, then Taylor's series.
SineCosine portable_turn(double turns) {
  const double quarters = std::floor(turns * 4 + 0.5);
  const double x = (turns - quarters / 4) * 6.2831853071795865;
  const double square = x * x;
  double sine = 0;
  double cosine = 0;
  for (int term = 20; term >= 2; term -= 2) {
    cosine = (1 - cosine) * square / (term * (term - 1));
    sine = (1 - sine) * square / (term * (term + 1));
  }
  sine = x * (1 - sine);
  cosine = 1 - cosine;
  const auto quarter = static_cast<std::int64_t>(quarters) & 3;
  if (quarter == 0) return {sine, cosine};
  if (quarter == 1) return {cosine, -sine};
  if (quarter == 2) return {-sine, -cosine};
  return {-cosine, sine};
}

}  // namespace shoal
