#include "drawing/palette.hpp"

#include <algorithm>
#include <cmath>

namespace shoal {

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

// Sight without one kind of cone, on linear RGB (Machado, Oliveira, Fernandes 2009, severity 1).
constexpr Matrix full_sight{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix red_blind{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix green_blind{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix rgb_to_xyz{
    {{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};

Triple times(const Matrix& matrix, const Triple& vector) {
  Triple result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result[i] += matrix[i][j] * vector[j];
  }
  return result;
}

double linear(std::uint8_t channel) {
  const double value = channel / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

Triple lab(Color color, const Matrix& sight) {
  Triple rgb = times(sight, {linear(color.r), linear(color.g), linear(color.b)});
  for (double& channel : rgb) channel = std::clamp(channel, 0.0, 1.0);
  const Triple xyz = times(rgb_to_xyz, rgb);
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

}  // namespace

double apart(Color a, Color b) {
  double least = 1e9;
  for (const Matrix& sight : {full_sight, red_blind, green_blind}) {
    const Triple p = lab(a, sight), q = lab(b, sight);
    least = std::min(least, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
  }
  return least;
}

std::vector<std::uint8_t> colored(const std::vector<std::vector<std::uint32_t>>& neighbors) {
  constexpr std::uint8_t none = 255;
  constexpr double clearly = 20;  // far enough: then evenness decides
  constexpr std::size_t count = cluster_colors.size();
  std::array<std::array<double, count>, count> distance{};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) distance[i][j] = apart(cluster_colors[i], cluster_colors[j]);
  }
  std::vector<std::uint8_t> result(neighbors.size(), none);
  std::array<std::size_t, count> used{};
  for (std::size_t cluster = 0; cluster < neighbors.size(); ++cluster) {
    std::size_t best = 0;
    double best_distance = -1;
    for (std::size_t color = 0; color < count; ++color) {
      double nearest = clearly;
      for (const std::uint32_t other : neighbors[cluster]) {
        if (result[other] != none) nearest = std::min(nearest, distance[color][result[other]]);
      }
      if (nearest > best_distance || (nearest == best_distance && used[color] < used[best])) {
        best = color;
        best_distance = nearest;
      }
    }
    result[cluster] = static_cast<std::uint8_t>(best);
    ++used[best];
  }
  return result;
}

}  // namespace shoal
