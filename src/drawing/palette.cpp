#include "drawing/palette.hpp"

#include <algorithm>
#include <cmath>

#include "base/scale.hpp"

namespace shoal {

namespace {

constexpr double hatch_apart = 6;  // distance between lines, along either axis

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

// Sight without one kind of cone, as matrices on linear RGB (Machado, Oliveira, Fernandes 2009, severity 1).
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
  constexpr double clear_distance = 20;  // colours this far apart are different enough; then evenness decides
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
      double nearest = clear_distance;
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

std::vector<Color> image_palette(bool mostly_empty) {
  const Color faintest = mostly_empty ? Color{178, 182, 188} : Color{232, 233, 235};
  const Color darkest = mostly_empty ? Color{70, 73, 78} : Color{96, 99, 104};
  const double palest = mostly_empty ? 0.62 : 0.42;
  std::vector<Color> result{ground};
  for (int step = 1; step < DensityScale::steps; ++step) {
    result.push_back(mix(faintest, darkest, (step - 1) / double{DensityScale::steps - 2}));
  }
  for (const Color color : cluster_colors) {
    for (int step = 0; step < DensityScale::steps; ++step) {
      result.push_back(mix(mix(paper, color, palest), color, step / double{DensityScale::steps - 1}));
    }
  }
  return result;
}

bool is_mostly_empty(const std::vector<double>& density) {
  const auto occupied = std::count_if(density.begin(), density.end(), [](double value) { return value > 0; });
  return density.size() > 4096 && static_cast<double>(occupied) < 0.15 * static_cast<double>(density.size());
}

void hatch(const Box& box, std::vector<Segment>& lines) {
  const auto first = static_cast<int>(std::ceil((box.x + box.y) / hatch_apart));
  const auto last = static_cast<int>(std::floor((box.right() + box.bottom()) / hatch_apart));
  for (int i = first; i <= last; ++i) {
    const double sum = i * hatch_apart;  // x + y on the line
    const double left = std::max(box.x, sum - box.bottom()), right = std::min(box.right(), sum - box.y);
    if (right - left > 0.3) lines.push_back({left, sum - left, right, sum - right});
  }
}

}  // namespace shoal
