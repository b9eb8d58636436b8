// Points in several axes whose clusters are known, and how well labels agree with them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace shoal::examples {

struct LabelledPoints {
  std::vector<std::vector<double>> columns;
  std::vector<std::uint32_t> truth;
};

// Eight Gaussians with as many points each, deviation 0.05, whose centres are uniform in 0.15 to 0.85. Further axes
// hold uniform values.
inline LabelledPoints eight_gaussians(std::size_t axes, std::size_t points, unsigned seed, std::size_t noise_axes = 0) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> place(0.15, 0.85), anywhere(0, 1);
  std::normal_distribution<double> spread(0, 0.05);
  std::vector<std::vector<double>> centres(8, std::vector<double>(axes));
  for (auto& centre : centres) std::generate(centre.begin(), centre.end(), [&] { return place(random); });
  LabelledPoints result{std::vector<std::vector<double>>(axes + noise_axes), {}};
  for (std::size_t i = 0; i < points; ++i) {
    result.truth.push_back(static_cast<std::uint32_t>(i % 8));
    for (std::size_t axis = 0; axis < axes; ++axis) {
      result.columns[axis].push_back(centres[i % 8][axis] + spread(random));
    }
    for (std::size_t axis = axes; axis < axes + noise_axes; ++axis) result.columns[axis].push_back(anywhere(random));
  }
  return result;
}

// The adjusted Rand index; unlabelled points are a class.
inline double adjusted_rand(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> both;
  std::map<std::uint32_t, double> rows, columns;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ++both[{a[i], b[i]}];
    ++rows[a[i]];
    ++columns[b[i]];
  }
  const auto pairs = [](const auto& counts) {
    double sum = 0;
    for (const auto& [key, count] : counts) sum += count * (count - 1) / 2;
    return sum;
  };
  const auto points = static_cast<double>(a.size());
  const double expected = pairs(rows) * pairs(columns) / (points * (points - 1) / 2);
  const double most = (pairs(rows) + pairs(columns)) / 2;
  return most == expected ? 1 : (pairs(both) - expected) / (most - expected);
}

}  // namespace shoal::examples
