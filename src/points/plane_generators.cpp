// Sets in the unit square, and mixtures in the unit cube of any dimension.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "points/generators.hpp"

namespace shoal {

namespace {
DatasetSettings unit_square(std::uint64_t cells, double percentile, std::uint64_t points) {
  return {{"x", "y"}, {{0, 1}, {0, 1}}, {cells, cells}, percentile, points};
}

struct Gaussian {
  double x, y, spread;
};
constexpr std::array<Gaussian, 15> gaussians = {{
    {.10, .12, .028},
    {.33, .10, .034},
    {.55, .13, .039},
    {.80, .10, .031},
    {.20, .32, .036},
    {.44, .33, .030},
    {.68, .34, .033},
    {.90, .32, .032},
    {.09, .54, .034},
    {.33, .56, .038},
    {.57, .55, .029},
    {.80, .56, .037},
    {.20, .80, .039},
    {.47, .82, .035},
    {.76, .84, .041},
}};

class OverlappingGaussians final : public Generator {
 public:
  [[nodiscard]] DatasetSettings settings() const override { return unit_square(64, 58, 30'000); }
  int point(Random& random, double* at) const override {
    const std::uint64_t which = random.below(gaussians.size());
    const auto& [x, y, spread] = gaussians[which];
    at[0] = x + spread * random.normal();
    at[1] = y + spread * random.normal();
    return static_cast<int>(which) + 1;
  }
};

// Arms wind outwards by 3/4 of a turn. The square root spreads the points evenly along an arm.
class InterleavedSpirals final : public Generator {
 public:
  [[nodiscard]] DatasetSettings settings() const override { return unit_square(40, 10, 31'200); }
  int point(Random& random, double* at) const override {
    const std::uint64_t arm = random.below(3);
    const double along = std::sqrt(random.uniform());
    const double radius = 0.08 + 0.39 * along;
    const auto [sine, cosine] = portable_turn(static_cast<double>(arm) / 3 + 0.75 * along);
    at[0] = 0.5 + radius * cosine + random.uniform(-0.007, 0.007);
    at[1] = 0.5 + radius * sine + random.uniform(-0.007, 0.007);
    return static_cast<int>(arm) + 1;
  }
};

// An ellipse, or a rectangle; minus a disc, when one is given.
struct Shape2d {
  int cluster;
  bool round;
  double x, y, half_width, half_height;
  double hole_x = 0, hole_y = 0, hole_radius = 0;

  [[nodiscard]] bool contains(double px, double py) const {
    const double u = (px - x) / half_width;
    const double v = (py - y) / half_height;
    const double p = px - hole_x;
    const double q = py - hole_y;
    return (!round || u * u + v * v <= 1) && p * p + q * q >= hole_radius * hole_radius;
  }
};
constexpr std::array<Shape2d, 9> shapes = {{
    {1, true, .22, .74, .17, .18},                 // an ellipse,
    {1, true, .57, .80, .10, .10},                 // a disc,
    {1, false, .425, .806, .065, .022},            // and the bridge between them
    {2, true, .24, .22, .17, .15},                 //
    {2, true, .57, .19, .11, .11},                 //
    {2, false, .425, .195, .065, .022},            //
    {3, true, .79, .49, .18, .18, .70, .49, .13},  // a crescent
    {4, true, .87, .87, .07, .07},                 //
    {5, true, .88, .12, .06, .06},                 //
}};

// Points are uniform over the shapes: drawn from the square until one hits.
class BridgedShapes final : public Generator {
 public:
  [[nodiscard]] DatasetSettings settings() const override { return unit_square(36, 23, 31'520); }
  int point(Random& random, double* at) const override {
    for (;;) {
      at[0] = random.uniform();
      at[1] = random.uniform();
      for (const Shape2d& shape : shapes) {
        const bool near =
            std::fabs(at[0] - shape.x) <= shape.half_width && std::fabs(at[1] - shape.y) <= shape.half_height;
        if (near && shape.contains(at[0], at[1])) return shape.cluster;
      }
    }
  }
};

// Five Gaussians whose centres share no coordinate: on every axis they take the places 1/10, 3/10, ..., 9/10 in an
// order of their own, which the seed shuffles.
class GaussianMixture final : public Generator {
 public:
  GaussianMixture(std::size_t dimensions, std::uint64_t seed) : dimensions_(dimensions), places_(dimensions) {
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      Random random(seed, ~std::uint64_t{axis});  // no row has such a number
      std::iota(places_[axis].begin(), places_[axis].end(), 0U);
      for (std::uint64_t i = components; i > 1; --i) std::swap(places_[axis][i - 1], places_[axis][random.below(i)]);
    }
  }

  [[nodiscard]] DatasetSettings settings() const override {
    DatasetSettings settings;
    for (std::size_t axis = 1; axis <= dimensions_; ++axis) settings.names.push_back(fmt::format("x{}", axis));
    settings.bounds.assign(dimensions_, {0, 1});
    settings.cells.assign(dimensions_, dimensions_ <= 2 ? 64 : dimensions_ <= 4 ? 32 : dimensions_ <= 6 ? 16 : 8);
    settings.percentile = dimensions_ <= 2 ? 50 : 80;
    settings.points = 50'000;
    return settings;
  }

  int point(Random& random, double* at) const override {
    const std::uint64_t which = random.below(components);
    for (std::size_t axis = 0; axis < dimensions_; ++axis) {
      at[axis] = 0.1 + 0.2 * places_[axis][which] + 0.025 * random.normal();
    }
    return static_cast<int>(which) + 1;
  }

 private:
  static constexpr std::size_t components = 5;
  std::size_t dimensions_;
  std::vector<std::array<unsigned, components>> places_;
};

// Six weeks of visits, starting on Monday 29 December 2025, to places among scattered visits: a market; a park that is
// deserted after the third week; a harbour that draws more visitors after the second week; a fair in the fifth week
// only.
class Visits final : public Generator {
 public:
  [[nodiscard]] DatasetSettings settings() const override {
    return {{"day", "x", "y"}, {{first, first + weeks * 7 * day}, {0, 1}, {0, 1}}, {weeks, 40, 40}, 60, 24'000};
  }
  int point(Random& random, double* at) const override {
    std::uint64_t left = random.below(all());
    for (std::uint64_t week = 0;; ++week) {
      for (int place = 0; place < places; ++place) {
        const std::uint64_t here = visitors(week, place);
        if (left < here) {
          at[0] = first + day * static_cast<double>(7 * week + random.below(7));
          return visit(random, week, place, at + 1);
        }
        left -= here;
      }
    }
  }

 private:
  static constexpr int places = 5;  // 0: anywhere
  static constexpr std::uint64_t visitors(std::uint64_t week, int place) {
    return place == 0   ? 300
           : place == 1 ? 1200
           : place == 2 ? 1000
           : place == 3 ? (week < 2 ? 700 : 1100)
                        : (week == 4 ? 500 : 0);
  }
  static constexpr std::uint64_t all() {
    std::uint64_t sum = 0;
    for (std::uint64_t week = 0; week < weeks; ++week) {
      for (int place = 0; place < places; ++place) sum += visitors(week, place);
    }
    return sum;
  }
  static int visit(Random& random, std::uint64_t week, int place, double* at) {
    const Gaussian shape = place == 1   ? Gaussian{.25, .30, .040}
                           : place == 2 ? Gaussian{week < 3 ? .68 : .74, .30, .045}
                           : place == 3 ? Gaussian{.35, .78, .045}
                                        : Gaussian{.85, .82, .025};
    at[0] = place == 0 ? random.uniform() : shape.x + shape.spread * random.normal();
    at[1] = place == 0 ? random.uniform() : shape.y + shape.spread * random.normal();
    return place;
  }

  static constexpr std::uint64_t weeks = 6;
  static constexpr double day = 86'400, first = 1'766'966'400;
};
}  // namespace

std::unique_ptr<Generator> visits() { return std::make_unique<Visits>(); }
std::unique_ptr<Generator> overlapping_gaussians() { return std::make_unique<OverlappingGaussians>(); }
std::unique_ptr<Generator> interleaved_spirals() { return std::make_unique<InterleavedSpirals>(); }
std::unique_ptr<Generator> bridged_shapes() { return std::make_unique<BridgedShapes>(); }
std::unique_ptr<Generator> gaussian_mixture(std::size_t dimensions, std::uint64_t seed) {
  return std::make_unique<GaussianMixture>(dimensions, seed);
}

}  // namespace shoal
