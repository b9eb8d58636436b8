// privwave on a few thousand records, at small budgets and low percentiles: it keeps about the cells that it says.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "shoal/wavecluster.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

using Columns = std::vector<std::vector<double>>;

const std::vector<std::string> families = {"blobs", "blobs and background", "mixture", "repeated", "rounded", "rings"};

Columns points_of(const std::string& family, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<std::pair<double, double>> centres, places;
  // Braces fix the order of the draws, so that every compiler makes the same points.
  for (int i = 0; i < 6; ++i) centres.push_back({0.15 + 0.7 * uniform(random), 0.15 + 0.7 * uniform(random)});
  for (std::size_t i = 0; i < 300; ++i) {
    places.push_back({centres[i % 6].first + 0.05 * normal(random), centres[i % 6].second + 0.05 * normal(random)});
  }
  Columns columns(2);
  for (std::size_t i = 0; i < count; ++i) {
    const auto [cx, cy] = centres[i % 6];
    double x = cx + 0.05 * normal(random), y = cy + 0.05 * normal(random);
    if (family.starts_with("blobs")) {
      const bool stray = family != "blobs" && i % 11 == 0;
      const double spread = family == "blobs" ? 0.03 : 0.04;
      x = stray ? uniform(random) : (i % 2 == 0 ? 0.25 : 0.75) + spread * normal(random);
      y = stray ? uniform(random) : (i % 4 < 2 ? 0.25 : 0.75) + spread * normal(random);
    } else if (family == "mixture") {
      const double spread = 0.03 * static_cast<double>(1 + i % 3);
      x = cx + spread * normal(random);
      y = cy + spread * normal(random);
    } else if (family == "repeated") {
      std::tie(x, y) = places[random() % places.size()];
    } else if (family == "rounded") {
      x = std::round(x * 40) / 40;
      y = std::round(y * 40) / 40;
    } else if (family == "rings") {
      const double angle = 2 * std::numbers::pi * uniform(random), radius = i % 2 == 0 ? 0.2 : 0.4;
      x = 0.5 + radius * std::cos(angle) + 0.01 * normal(random);
      y = 0.5 + radius * std::sin(angle) + 0.01 * normal(random);
    }
    columns[0].push_back(x);
    columns[1].push_back(y);
  }
  return columns;
}

TEST(FewRecords, AboutAsManyCellsAreKeptAsAreTrueAndAsTheFileSays) {
  const Grid grid({Axis(0, 1, 64, "x"), Axis(0, 1, 64, "y")});
  std::size_t releases = 0, within = 0, says_otherwise = 0;
  for (unsigned set = 1; set <= 20; ++set) {
    for (const std::string& family : families) {
      for (const std::size_t count : {2000U, 5000U, 12863U}) {
        const Columns points = points_of(family, count, set);
        const Counts counts =
            quantize(*array_points({{points[0].data()}, {points[1].data()}}, count), grid, {.threads = 1});
        for (const double percentile : {0.0, 5.0, 20.0, 40.0, 60.0}) {
          const ClusterOptions cluster{.threshold = Percentile(percentile), .threads = 1};
          const auto truth = static_cast<double>(wavecluster(counts, cluster).k);
          for (const char* epsilon : {"0.1", "0.2", "0.3", "0.5"}) {
            const auto noise = seeded_noise_not_private(static_cast<std::uint64_t>(percentile) + 100 * set);
            const Release release =
                run_technique("privwave", {counts}, Epsilon::parse(epsilon), {.cluster = cluster}, *noise);
            const auto kept = static_cast<double>(release.cluster_cells().cells().size());
            ++releases;
            within += kept >= truth / 2 && kept <= 2 * truth ? 1 : 0;
            says_otherwise += kept < 0.6 * static_cast<double>(release.k()) ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GE(static_cast<double>(within), 0.95 * static_cast<double>(releases)) << within << " of " << releases;
  EXPECT_EQ(says_otherwise, 0U) << " of " << releases;
}

}  // namespace
}  // namespace shoal
