// Means with confidence intervals.
#pragma once

#include <cstdint>
#include <span>

namespace shoal::evaluation {

struct Interval {
  double mean = 0;
  double low = 0, high = 0;  // 95 %; the mean itself when there is one value
};

// Student's t interval of the mean. At least one value.
Interval mean_interval(std::span<const double> values);

// The t for which a share of `confidence` lies within -t .. t; degrees of freedom >= 1.
double student_t(double confidence, std::uint64_t degrees);

// Index of the value in the middle (the lower one of two); of equal values the first.
std::size_t median_index(std::span<const double> values);

}  // namespace shoal::evaluation
