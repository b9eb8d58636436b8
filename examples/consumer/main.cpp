// The shortest release, with the installed library: points, bounds, epsilon, a threshold.
#include <cstdio>

#include "shoal/shoal.hpp"

int main() {
  try {
    const auto points = shoal::dataset_points("ds2", 1);
    const shoal::Grid grid({{0, 1, 40, "x"}, {0, 1, 40, "y"}});
    const shoal::ReleaseSet release = shoal::private_release(
        *points, {.grid = grid, .epsilon = shoal::Epsilon::parse("1"), .options = {{shoal::Percentile(10)}}});
    std::printf("%zu clusters, epsilon %s\n", release.first().clusters().size(), release.epsilon().text().c_str());
  } catch (const shoal::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
