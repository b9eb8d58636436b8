// Check-ins all over the world: most in or around a city, the others somewhere on land.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "points/generators.hpp"

namespace shoal {

namespace {
struct Place {
  double longitude, latitude;
};

struct City {
  Place place;
  double weight;
};

// Rounded to about ten kilometres; the weights are rough.
constexpr std::array<City, 64> cities = {{
    {{-74.0, 40.7}, 19},  {{-118.2, 34.1}, 14}, {{-87.6, 41.9}, 9},  {{-95.4, 29.8}, 7},  {{-97.7, 30.3}, 8},
    {{-122.4, 37.8}, 11}, {{-122.3, 47.6}, 7},  {{-104.9, 39.7}, 4}, {{-84.4, 33.7}, 6},  {{-80.2, 25.8}, 6},
    {{-77.0, 38.9}, 7},   {{-71.1, 42.4}, 6},   {{-79.4, 43.7}, 6},  {{-73.6, 45.5}, 4},  {{-123.1, 49.3}, 3},
    {{-99.1, 19.4}, 12},  {{-103.3, 20.7}, 4},  {{-74.1, 4.7}, 6},   {{-77.0, -12.0}, 5}, {{-70.6, -33.5}, 5},
    {{-58.4, -34.6}, 8},  {{-46.6, -23.6}, 13}, {{-43.2, -22.9}, 8}, {{-38.5, -3.7}, 3},  {{-0.1, 51.5}, 14},
    {{2.3, 48.9}, 11},    {{4.9, 52.4}, 6},     {{13.4, 52.5}, 8},   {{11.6, 48.1}, 4},   {{18.1, 59.3}, 8},
    {{10.7, 59.9}, 5},    {{12.6, 55.7}, 4},    {{24.9, 60.2}, 3},   {{21.0, 52.2}, 4},   {{16.4, 48.2}, 3},
    {{12.5, 41.9}, 5},    {{9.2, 45.5}, 5},     {{2.2, 41.4}, 5},    {{-3.7, 40.4}, 6},   {{-9.1, 38.7}, 3},
    {{23.7, 38.0}, 3},    {{29.0, 41.0}, 10},   {{37.6, 55.8}, 11},  {{30.3, 59.9}, 5},   {{31.2, 30.0}, 8},
    {{3.4, 6.5}, 7},      {{36.8, -1.3}, 4},    {{28.0, -26.2}, 6},  {{18.4, -33.9}, 3},  {{-7.6, 33.6}, 3},
    {{46.7, 24.7}, 5},    {{55.3, 25.3}, 5},    {{51.4, 35.7}, 6},   {{72.9, 19.1}, 11},  {{77.2, 28.6}, 12},
    {{77.6, 13.0}, 6},    {{100.5, 13.8}, 9},   {{101.7, 3.1}, 6},   {{106.8, -6.2}, 12}, {{121.5, 31.2}, 12},
    {{116.4, 39.9}, 11},  {{127.0, 37.6}, 11},  {{139.7, 35.7}, 18}, {{151.2, -33.9}, 6},
}};

// Land, coarsely: one polygon a region, and its share of the check-ins that are not near a city.
constexpr std::array north_america = {Place{-165, 62}, Place{-140, 69}, Place{-95, 68}, Place{-80, 55},
                                      Place{-60, 50},  Place{-70, 43},  Place{-76, 36}, Place{-81, 31},
                                      Place{-90, 30},  Place{-97, 26},  Place{-96, 17}, Place{-106, 22},
                                      Place{-117, 32}, Place{-124, 42}, Place{-135, 58}};
constexpr std::array south_america = {Place{-77, 8},   Place{-60, 8},   Place{-50, 0},   Place{-36, -7},
                                      Place{-40, -20}, Place{-55, -34}, Place{-65, -42}, Place{-70, -52},
                                      Place{-73, -40}, Place{-71, -18}, Place{-80, -4}};
constexpr std::array europe = {Place{-9, 37}, Place{-9, 43}, Place{-1, 44}, Place{-4, 48}, Place{4, 52},
                               Place{9, 57},  Place{6, 62},  Place{18, 69}, Place{28, 70}, Place{40, 66},
                               Place{55, 66}, Place{50, 48}, Place{38, 46}, Place{28, 43}, Place{23, 38},
                               Place{16, 40}, Place{8, 44},  Place{-1, 38}};
constexpr std::array africa = {Place{-16, 15}, Place{-9, 32},  Place{10, 36}, Place{32, 31},
                               Place{42, 12},  Place{50, 11},  Place{40, -5}, Place{35, -23},
                               Place{20, -34}, Place{12, -16}, Place{9, 4},   Place{-8, 5}};
constexpr std::array asia = {Place{36, 37},  Place{50, 48},  Place{55, 66},  Place{90, 72},  Place{140, 70},
                             Place{160, 62}, Place{135, 45}, Place{122, 38}, Place{121, 28}, Place{108, 20},
                             Place{104, 10}, Place{98, 14},  Place{90, 22},  Place{80, 14},  Place{77, 9},
                             Place{72, 20},  Place{60, 26},  Place{48, 30}};
constexpr std::array islands = {Place{96, 4},   Place{104, 0},  Place{118, 5}, Place{126, 8},
                                Place{140, -4}, Place{115, -8}, Place{105, -6}};
constexpr std::array australia = {Place{114, -22}, Place{130, -12}, Place{136, -12}, Place{142, -11}, Place{153, -27},
                                  Place{148, -38}, Place{138, -34}, Place{128, -32}, Place{115, -34}};

struct Region {
  std::span<const Place> outline;
  double weight;
};
constexpr std::array<Region, 7> regions = {
    {{north_america, 26}, {south_america, 12}, {europe, 14}, {africa, 9}, {asia, 18}, {islands, 5}, {australia, 3}}};

// By the rule that a ray from inside crosses the outline an odd number of times.
bool contains(std::span<const Place> outline, Place p) {
  bool inside = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++) {
    const Place a = outline[i];
    const Place b = outline[j];
    if ((a.latitude > p.latitude) == (b.latitude > p.latitude)) continue;
    const double at = a.longitude + (p.latitude - a.latitude) * (b.longitude - a.longitude) / (b.latitude - a.latitude);
    inside = inside != (p.longitude < at);
  }
  return inside;
}

// Index drawn by weight, from running sums.
template <class Item, std::size_t count>
class Weighted {
 public:
  explicit Weighted(const std::array<Item, count>& items) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sums_[i] = sum += items[i].weight;
  }
  [[nodiscard]] std::size_t draw(Random& random) const {
    const auto found = std::upper_bound(sums_.begin(), sums_.end() - 1, random.uniform() * sums_.back());
    return static_cast<std::size_t>(found - sums_.begin());
  }

 private:
  std::array<double, count> sums_;
};

class WorldOfCheckIns final : public Generator {
 public:
  [[nodiscard]] DatasetSettings settings() const override {
    return {{"lon", "lat"}, {{-180, 180}, {-90, 90}}, {720, 360}, 93, 1'000'000};
  }

  int point(Random& random, double* at) const override {
    const bool in_city = random.uniform() < 0.85;
    if (!in_city) {
      const Place place = on_land(random);
      at[0] = place.longitude;
      at[1] = place.latitude;
      return 0;
    }
    // Centre, suburbs, surroundings: in degrees of latitude.
    const double which = random.uniform();
    const double spread = which < 0.5 ? 0.06 : which < 0.85 ? 0.25 : 0.9;
    const std::size_t city = by_city_.draw(random);
    const auto [longitude, latitude] = cities[city].place;
    const double narrowing = portable_turn(latitude / 360).cosine;  // a degree of longitude is shorter up north
    at[0] = std::clamp(longitude + spread * random.normal() / narrowing, -180.0, 180.0);
    at[1] = std::clamp(latitude + spread * random.normal(), -90.0, 90.0);
    return static_cast<int>(city) + 1;
  }

 private:
  [[nodiscard]] Place on_land(Random& random) const {
    const std::size_t region = by_region_.draw(random);
    const auto& outline = regions[region].outline;
    const auto [west, east] =
        std::minmax_element(outline.begin(), outline.end(), [](Place a, Place b) { return a.longitude < b.longitude; });
    const auto [south, north] =
        std::minmax_element(outline.begin(), outline.end(), [](Place a, Place b) { return a.latitude < b.latitude; });
    for (;;) {
      const double longitude = random.uniform(west->longitude, east->longitude);
      const Place place{longitude, random.uniform(south->latitude, north->latitude)};
      if (contains(outline, place)) return place;
    }
  }

  Weighted<City, cities.size()> by_city_{cities};
  Weighted<Region, regions.size()> by_region_{regions};
};
}  // namespace

std::unique_ptr<Generator> world_of_check_ins() { return std::make_unique<WorldOfCheckIns>(); }

}  // namespace shoal
