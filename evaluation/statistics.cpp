#include "evaluation/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "shoal/error.hpp"

namespace shoal::evaluation {

namespace {

// P(|T| <= t): a finite sum for whole degrees of freedom (Abramowitz, Stegun 26.7.3 and 26.7.4).
double student_within(double t, std::uint64_t degrees) {
  const auto n = static_cast<double>(degrees);
  const double sine = t / std::sqrt(n + t * t);
  const double cosine2 = n / (n + t * t);
  const bool odd = degrees % 2 == 1;
  double term = odd ? std::sqrt(cosine2) : 1;
  double sum = degrees == 1 ? 0 : term;
  for (std::uint64_t i = odd ? 3 : 2; i + 2 <= degrees; i += 2) {
    const auto at = static_cast<double>(i);
    term *= cosine2 * (at - 1) / at;
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (std::asin(sine) + sine * sum) : sine * sum;
}

}  // namespace

double student_t(double confidence, std::uint64_t degrees) {
  if (!(confidence > 0 && confidence < 1) || degrees == 0) {
    throw Error(ErrorKind::internal, "a t interval needs a confidence between 0 and 1 and a degree of freedom");
  }
  degrees = std::min<std::uint64_t>(degrees, 100'000);  // beyond that it is the normal distribution's
  double low = 0;
  double high = 1;
  while (student_within(high, degrees) < confidence) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (student_within(middle, degrees) < confidence ? low : high) = middle;
  }
  return high;
}

Interval mean_interval(std::span<const double> values) {
  if (values.empty()) throw Error(ErrorKind::internal, "a mean needs a value");
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) return {mean, mean, mean};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = student_t(0.95, values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

std::size_t median_index(std::span<const double> values) {
  if (values.empty()) throw Error(ErrorKind::internal, "a median needs a value");
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double median = values[order[(values.size() - 1) / 2]];
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), median) - values.begin());
}

}  // namespace shoal::evaluation
