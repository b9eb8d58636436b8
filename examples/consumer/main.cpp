// Points in memory -> one private release, with the installed library.
#include <cstdio>
#include <vector>

#include "shoal/counts.hpp"
#include "shoal/datasets.hpp"
#include "shoal/error.hpp"
#include "techniques/techniques.hpp"

int main() {
  try {
    const shoal::Dataset spirals = shoal::make_dataset("ds2", 1);
    const auto points =
        shoal::array_points({{spirals.columns[0].data()}, {spirals.columns[1].data()}}, spirals.columns[0].size());
    const shoal::Grid grid({{0, 1, 40, "x"}, {0, 1, 40, "y"}});
    const shoal::Counts counts = shoal::quantize(*points, grid);

    shoal::PrivateOptions options;
    options.cluster.threshold.percentile = 10;
    const auto noise = shoal::secure_noise();
    const shoal::Release release = shoal::privthr({counts}, shoal::Epsilon::parse("1"), options, *noise);
    std::printf("%zu clusters, epsilon %s\n", release.clusters().size(), release.parts().epsilon.text().c_str());
  } catch (const shoal::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_code();
  }
}
