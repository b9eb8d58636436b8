// Points that tests of publishers start from, and what a synopsis holds.
#pragma once

#include <random>
#include <span>
#include <string>

#include "publishing/publishing.hpp"
#include "publishing_noise.hpp"

namespace shoal::examples {

inline Grid unit_grid(std::size_t dimensions, std::uint64_t cells) {
  return Grid(std::vector<Axis>(dimensions, Axis(0, 1, cells)));
}

// A lump and a uniform background.
inline PointTable lumpy(std::size_t rows, std::size_t dimensions, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  PointTable points;
  points.columns.resize(dimensions);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool lump = uniform(engine) < 0.7;
    for (auto& column : points.columns) column.push_back(lump ? 0.3 + 0.2 * uniform(engine) : uniform(engine));
  }
  return points;
}

inline bool inside(const PointTable& points, std::size_t row, std::span<const double> bounds) {
  for (std::size_t a = 0; a < points.columns.size(); ++a) {
    const double x = points.columns[a][row];
    const bool closed = bounds[2 * a + 1] == 1;
    if (x < bounds[2 * a] || (closed ? x > 1 : x >= bounds[2 * a + 1])) return false;
  }
  return true;
}

inline double volume(std::span<const double> bounds) {
  double product = 1;
  for (std::size_t a = 0; 2 * a < bounds.size(); ++a) product *= bounds[2 * a + 1] - bounds[2 * a];
  return product;
}

inline Noised<Synopsis> publish_without_noise(const std::string& name, const PointTable& points, const Grid& grid,
                                              const std::string& epsilon) {
  testing::NoNoise noise;
  Mechanisms mechanisms(noise, {}, Epsilon::parse(epsilon));
  return publish(name, points, grid, Epsilon::parse(epsilon), mechanisms);
}

inline double total(const Synopsis& synopsis) {
  double sum = 0;
  for (std::size_t box = 0; box < synopsis.boxes(); ++box) sum += synopsis.count(box);
  return sum;
}

}  // namespace shoal::examples
