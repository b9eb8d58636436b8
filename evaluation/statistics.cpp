#include "evaluation/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "shoal/error.hpp"

namespace shoal::evaluation {

double student_t(double confidence, std::uint64_t degrees) {
  if (!(confidence > 0 && confidence < 1) || degrees == 0) {
    throw Error(ErrorKind::internal, "a t interval needs a confidence between 0 and 1 and a degree of freedom");
  }
  return quantile(complement(boost::math::students_t(static_cast<double>(degrees)), (1 - confidence) / 2));
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
