// Confidence in released clusters: what it means, that it is computed from the noisy values alone, and that it is right
// about as often as it says.
#include "shoal/confidence.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "formats/release_json.hpp"
#include "inference/cluster_confidence.hpp"
#include "inference/plausible.hpp"
#include "release_examples.hpp"
#include "shoal/datasets.hpp"
#include "shoal/error.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

// A digit a cell: 0 is noise.
Clusters drawn(const std::vector<std::string>& rows) {
  std::vector<std::uint64_t> cells;
  std::vector<std::uint32_t> labels;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      if (rows[row][column] == '.') continue;
      cells.push_back(row * rows[row].size() + column);
      labels.push_back(static_cast<std::uint32_t>(rows[row][column] - '0'));
    }
  }
  return {{rows.size(), rows[0].size()}, cells, labels};
}

TEST(Comparison, AClusterIsRealWhenHalfOfItsCellsAreDense) {
  const Clusters released = drawn({"1111..22"});
  Comparison comparison(released);
  EXPECT_TRUE(comparison.with(drawn({"11......"}))[0].real);
  EXPECT_FALSE(comparison.with(drawn({"1......."}))[0].real);
  EXPECT_FALSE(comparison.with(drawn({"11......"}))[1].real);
  EXPECT_FALSE(comparison
                   .with(drawn({"...."
                                "...."}))[0]
                   .real);
}

TEST(Comparison, AClusterIsConnectedWhenNineTenthsOfItsDenseCellsAreInOne) {
  const Clusters released = drawn({"11111111111"});
  Comparison comparison(released);
  EXPECT_TRUE(comparison.with(drawn({"111111111.2"}))[0].connected);   // 9 of 10
  EXPECT_FALSE(comparison.with(drawn({"11111111.22"}))[0].connected);  // 8 of 10
}

TEST(Comparison, ClustersAreJoinedWhenTheyShareTheirMainTrueCluster) {
  const Clusters released = drawn({"111.22.3"});
  Comparison comparison(released);
  const auto verdicts = comparison.with(drawn({"111111.2"}));
  EXPECT_EQ(verdicts[0].joined_with, 2U);
  EXPECT_EQ(verdicts[1].joined_with, 1U);
  EXPECT_EQ(verdicts[2].joined_with, 0U);
}

TEST(Comparison, ACrumbBelongsToItsClusterButTheClusterDoesNotMindTheCrumb) {
  const Clusters released = drawn({"11111111111.2"});
  Comparison comparison(released);
  const auto verdicts = comparison.with(drawn({"1111111111111"}));
  EXPECT_EQ(verdicts[0].joined_with, 0U);
  EXPECT_EQ(verdicts[1].joined_with, 1U);
}

TEST(NoiseCurve, IsTheDistributionOfASumOfDiscreteLaplace) {
  for (const double rate : {0.2, 0.7}) {
    const ValueNoise one = laplace_noise(rate);
    constexpr int reach = 400;
    std::vector<double> chance(2 * reach + 1);
    const double q = std::exp(-rate);
    for (int x = -reach; x <= reach; ++x) {
      chance[static_cast<std::size_t>(x + reach)] = (1 - q) / (1 + q) * std::pow(q, std::abs(x));
    }
    const std::vector<double> single = chance;
    for (unsigned terms = 1; terms <= 4; terms *= 2) {
      const NoiseCurve curve(terms == 1 ? one : noise_of_variance(one.variance * terms), terms);
      double below = 0;
      for (int x = -reach; x < reach; ++x) {
        below += chance[static_cast<std::size_t>(x + reach)];
        EXPECT_NEAR(curve.below(x + 0.5), below, terms == 1 ? 1e-12 : 0.012) << rate << " " << terms << " " << x;
      }
      std::vector<double> twice(chance.size(), 0.0);
      for (int x = -reach; x <= reach; ++x) {
        for (int y = std::max(-reach, x - reach); y <= std::min(reach, x + reach); ++y) {
          twice[static_cast<std::size_t>(x + reach)] +=
              chance[static_cast<std::size_t>(y + reach)] * chance[static_cast<std::size_t>(x - y + reach)];
        }
      }
      chance = twice;
    }
  }
}

Evidence noisy(const Shape& shape, std::vector<double> values, double rate) {
  Evidence w;
  w.shape = shape;
  w.values = std::move(values);
  w.whole = true;
  w.noise = laplace_noise(rate);
  w.scale = {1, 1, 1};
  return w;
}

// Of equal chances up and down, with exponential tails; whole.
double noise_of_rate(double rate, std::mt19937_64& random) {
  std::exponential_distribution<double> tail(rate);
  const double up = tail(random), down = tail(random);
  return std::round(up - down);
}

TEST(ConfidenceInWords, SaysWhatMatters) {
  EXPECT_EQ(in_words({0.99, 0.99, 0.99, 0}), "almost surely real");
  EXPECT_EQ(in_words({0.99, 0.99, 0.97, 3}), "almost surely real");
  EXPECT_EQ(in_words({0.99, 0.81, 0.81, 3}), "almost surely real");
  EXPECT_EQ(in_words({0.99, 0.79, 0.99, 3}), "almost surely real; may be several clusters");
  EXPECT_EQ(in_words({0.99, 0.99, 0.79, 3}), "almost surely real; may be part of cluster 3");
  EXPECT_EQ(in_words({0.85, 0.7, 0.7, 3}), "probably real; may be several clusters; may be part of cluster 3");
  EXPECT_EQ(in_words({0.6, 0.3, 0.2, 12}), "perhaps real; probably several clusters; probably part of cluster 12");
  EXPECT_EQ(in_words({0.3, 0.99, 0.99, 0}), "doubtful");
  EXPECT_EQ(in_words({0.1, 0.2, 0.2, 5}), "probably noise");
}

TEST(Spread, TellsHowManyCellsAreAtLeastSoDense) {
  // 1000 of 5000 cells hold 100 records, the others none; noise of deviation 14.
  std::mt19937_64 random(3);
  std::vector<double> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (i % 5 == 0 ? 100 : 0) + noise_of_rate(0.1, random);
  Evidence w = noisy({5000}, values, 0.1);
  const NoiseCurve noise(w.noise, 1);
  const Bins bins(w, noise);
  const Spread spread(w, bins, noise);
  EXPECT_NEAR(spread.at_least(50), 1000, 30);
  EXPECT_NEAR(spread.at_least(-1), 5000, 1);
  // The same from the values of at least 40, and that the others are smaller.
  w.floor = 40;
  w.values.clear();
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    if (values[i] < w.floor) continue;
    w.cells.push_back(i);
    w.values.push_back(values[i]);
  }
  w.others = static_cast<double>(values.size() - w.values.size());
  EXPECT_NEAR(Spread(w, bins, noise).at_least(50), 1000, 40);
}

TEST(Likelihoods, OfRaisedValuesAreThoseOfTheLowest) {
  Evidence w = noisy({3}, {0, 20, 90}, 1.5);
  const NoiseCurve plain(w.noise, 1);
  w.noise.censored_below = 7;
  const NoiseCurve noise(w.noise, 1);
  const Bins bins(w, noise);
  for (const double value : {5.0, 7.0, 9.0, 12.0}) {
    const Likelihood likely = likelihood(value, w.floor, bins, noise),
                     unraised = likelihood(value, w.floor, bins, plain);
    std::size_t lowest = 0;
    while (bins.high(lowest) < 7.5) ++lowest;
    ASSERT_NEAR(bins.middle(lowest), 7, 1e-9);
    ASSERT_EQ(likely.first, 0U);
    for (std::size_t bin = 0; bin < lowest + 5; ++bin) {
      const std::size_t at = std::max(bin, lowest);
      EXPECT_NEAR(likely.of_bin.at(bin), unraised.of_bin.at(at - unraised.first), 1e-12) << value << " " << bin;
    }
  }
}

TEST(Likelihood, OfAValueBelowTheFloorIsTheChanceToLieThere) {
  Evidence w = noisy({3}, {0, 20, 90}, 0.2);
  w.floor = 30;
  const NoiseCurve noise(w.noise, 1);
  const Bins bins(w, noise);
  const Likelihood likely = likelihood(below_floor, w.floor, bins, noise);
  ASSERT_EQ(likely.first, 0U);
  EXPECT_NEAR(likely.of_bin[0], noise.below(29.5), 1e-12);
  for (std::size_t bin = 1; bin < likely.of_bin.size(); ++bin) EXPECT_LE(likely.of_bin[bin], likely.of_bin[bin - 1]);
}

TEST(Surroundings, MeansOfListedCellsAreThoseOfABoxThatIsEmptyElsewhere) {
  const Shape shape{6, 5, 4};
  std::mt19937_64 random(8);
  Evidence listed = noisy(shape, {}, 1), all = noisy(shape, std::vector<double>(120, 0.0), 1);
  for (std::uint64_t cell = 0; cell < 120; ++cell) {
    const std::vector<std::uint64_t> at = coordinates(cell, shape);
    if (random() % 3 == 0) continue;
    listed.cells.push_back(cell);
    listed.values.push_back(static_cast<double>(random() % 50));
    all.values[cell] = listed.values.back();
  }
  const std::vector<double> here = Surroundings(listed).means(listed.values),
                            there = Surroundings(all).means(all.values);
  std::size_t inner = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const std::vector<std::uint64_t> at = coordinates(listed.cells[i], shape);
    bool is_inner = true;  // at the border the whole box divides by fewer neighbours
    for (std::size_t axis = 0; axis < 3; ++axis) is_inner = is_inner && at[axis] > 0 && at[axis] + 1 < shape[axis];
    if (!is_inner) {
      EXPECT_LE(here[i], there[listed.cells[i]] + 1e-12);
      continue;
    }
    ++inner;
    EXPECT_NEAR(here[i], there[listed.cells[i]], 1e-12);
  }
  EXPECT_GT(inner, 8U);
}

// The same by its definition.
double between_at(const Shape& shape, const std::vector<double>& values, std::uint64_t cell) {
  const std::vector<std::uint64_t> at = coordinates(cell, shape);
  double result = 0;
  const auto value = [&](const std::vector<int>& way, int times) {
    std::uint64_t there = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const auto x = static_cast<std::int64_t>(at[axis]) + times * way[axis];
      if (x < 0 || x >= static_cast<std::int64_t>(shape[axis])) return 0.0;
      there = there * shape[axis] + static_cast<std::uint64_t>(x);
    }
    return values[there];
  };
  std::vector<int> way(shape.size(), -1);
  for (std::size_t turned = 0; turned < way.size();) {
    const auto zeros = std::count(way.begin(), way.end(), 0);
    const bool goes = zeros < std::ssize(way) && (shape.size() <= 3 || zeros + 1 == std::ssize(way));
    if (goes) result = std::max(result, std::min(value(way, 1), value(way, -1)));
    turned = 0;
    while (turned < way.size() && ++way[turned] > 1) way[turned++] = -1;
  }
  return result;
}

TEST(Surroundings, BetweenIsTheBestOfTheLesserOfOppositeNeighbours) {
  std::mt19937_64 random(9);
  for (const Shape& shape : {Shape{9}, Shape{7, 2}, Shape{6, 5}, Shape{1, 8}, Shape{4, 3, 5}, Shape{3, 4, 3, 3}}) {
    Evidence listed = noisy(shape, {}, 1), all = noisy(shape, std::vector<double>(cell_count(shape), 0.0), 1);
    for (std::uint64_t cell = 0; cell < all.values.size(); ++cell) {
      if (random() % 4 == 0) continue;
      listed.cells.push_back(cell);
      listed.values.push_back(static_cast<double>(random() % 50));
      all.values[cell] = listed.values.back();
    }
    const std::vector<double> here = Surroundings(listed).between(listed.values);
    const std::vector<double> there = Surroundings(all).between(all.values);
    for (std::uint64_t cell = 0; cell < all.values.size(); ++cell) {
      EXPECT_EQ(there[cell], between_at(shape, all.values, cell)) << shape.size() << " axes, cell " << cell;
    }
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_EQ(here[i], there[listed.cells[i]]) << shape.size();
  }
}

TEST(NoiseLinks, AreThoseOfTheFilter) {
  ClusterOptions options{.threshold = Percentile(0)};
  EXPECT_FALSE(noise_links({64, 64}, options).any());  // Haar's blocks share no cell
  // bior2.2 reads -1 2 6 2 -1 (over 8): two apart 2 (-1 6) + 2 2 = -8, of 46.
  options.wavelet = Wavelet::named("bior2.2");
  const NoiseLinks links = noise_links({64, 64}, options);
  const double next = -8.0 / 46, after = 1.0 / 46, weight = next / (1 + after);
  EXPECT_NEAR(links.weight[0], weight, 1e-9);
  EXPECT_NEAR(links.weight[1], weight, 1e-9);
  EXPECT_NEAR(links.left, std::pow(1 - 2 * next * weight, 2), 1e-9);
  // Stationary Haar: each value shares one of two cells with the next.
  options = {.threshold = Percentile(0), .transform = Transform::stationary};
  EXPECT_NEAR(noise_links({64}, options).weight[0], 0.5, 1e-9);
}

// How often each cell reaches d over the draws.
std::vector<double> chances(const Evidence& w, double level, double d, int draws) {
  PlausibleFields fields(w, {std::vector<double>(w.shape.size(), 0.0)}, level);
  fields.learn(60);
  std::vector<double> result(w.values.size());
  for (int draw = 0; draw < draws; ++draw) {
    const std::vector<double>& field = fields.next();
    for (std::size_t i = 0; i < field.size(); ++i) result[i] += (field[i] >= d ? 1.0 : 0.0) / draws;
  }
  return result;
}

TEST(PlausibleFields, DoNotLetTheLargestOfManyNoisyValuesVouchForThemselves) {
  // Nothing but noise: what stands out is noise.
  std::mt19937_64 random(11);
  std::vector<double> values(4096);
  for (double& value : values) value = noise_of_rate(0.1, random);
  const Evidence w = noisy({64, 64}, values, 0.1);
  const std::vector<double> chance = chances(w, 40, 30, 60);
  double expected = 0;
  for (const double of : chance) expected += of;
  EXPECT_LT(expected, 4);  // of 4096, of which about 100 are at least 30
}

TEST(PlausibleFields, KnowTheNeighbours) {
  // A block of 12 x 12 cells of 60 in an empty plain; noise of deviation 28.
  std::mt19937_64 random(12);
  std::vector<double> values(4096), truth(4096);
  for (std::size_t i = 0; i < values.size(); ++i) {
    truth[i] = i / 64 >= 20 && i / 64 < 32 && i % 64 >= 20 && i % 64 < 32 ? 60 : 0;
    values[i] = truth[i] + noise_of_rate(0.05, random);
  }
  const Evidence w = noisy({64, 64}, values, 0.05);
  const std::vector<double> chance = chances(w, 60, 40, 60);
  // The same noisy value means something else inside and far away.
  double inside = 0, outside = 0, in_count = 0, out_count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 45 || values[i] > 80) continue;
    (truth[i] > 0 ? inside : outside) += chance[i];
    (truth[i] > 0 ? in_count : out_count) += 1;
  }
  EXPECT_GT(inside / in_count, 0.85);
  EXPECT_LT(outside / out_count, 0.1);
}

TEST(PlausibleFields, HaveAsManyPositiveCellsAsAreKnown) {
  // 300 of 4096 cells hold something, 1 to 12, under noise of deviation 7, which alone would allow of far more.
  std::mt19937_64 random(13);
  std::vector<double> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (i % 64 < 5 && i < 3840 ? 1 + static_cast<double>(random() % 12) : 0) + noise_of_rate(0.2, random);
  }
  const Evidence w = noisy({64, 64}, values, 0.2);
  for (const double known : {150.0, 300.0, 900.0}) {
    PlausibleFields fields(w, {{0, 0}}, 6);
    fields.learn(60, known);
    double positive = 0;
    for (int draw = 0; draw < 40; ++draw) {
      for (const double value : fields.next()) positive += value > 0 ? 1.0 / 40 : 0;
    }
    EXPECT_NEAR(positive, known, 0.25 * known);
  }
}

TEST(PlausibleFields, KnowTheGapsBetweenDenseCells) {
  // Stripes of 100, each with an edge of about 8 on one side of its ends, and gaps that hold nothing. In a gap noise of
  // deviation 3 once makes 9 of it: elsewhere faint cells are common, between two stripes they never are.
  std::mt19937_64 random(14);
  std::vector<double> truth(40 * 40, 0.0);
  for (std::size_t y = 0; y < 40; ++y) {
    for (std::size_t x = 4; x < 36; ++x) {
      if (y % 2 == 0 && y >= 10 && y < 30) truth[y * 40 + x] = 100;
      if (y == 9 || y == 29) truth[y * 40 + x] = x % 2 == 0 ? 8 : 0;
    }
  }
  std::vector<double> values = truth;
  for (double& value : values) value += noise_of_rate(0.5, random);
  const std::size_t in_gap = 19 * 40 + 20, at_edge = 9 * 40 + 20;
  values[in_gap] = values[at_edge] = 9;
  const std::vector<double> chance = chances(noisy({40, 40}, values, 0.5), 20, 5, 100);
  EXPECT_LT(chance[in_gap], 0.15);
  EXPECT_GT(chance[at_edge], 0.9);
}

// ---- whole releases -----------------------------------------------------------------------------------------------

Grid unit_grid(const Shape& shape) {
  std::vector<Axis> axes;
  for (const std::uint64_t extent : shape) axes.emplace_back(0, 1, extent);
  return Grid(std::move(axes));
}

// Hills of different heights, some close to each other, on a plain of few records.
Cells<std::int64_t> hills(const Shape& shape, unsigned seed, int count) {
  std::mt19937_64 random(seed);
  std::vector<std::array<double, 4>> hill;
  for (int i = 0; i < count; ++i) {
    const auto below = [&random](double most) { return most * static_cast<double>(random() >> 11) * 0x1p-53; };
    hill.push_back({below(static_cast<double>(shape[0])), below(static_cast<double>(shape.back())), 1.5 + below(3),
                    10 + below(60)});
  }
  std::vector<std::int64_t> values(cell_count(shape));
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    const auto at = coordinates(i, shape);
    double height = 0.3;
    for (const auto& [x, y, width, top] : hill) {
      const double dx = static_cast<double>(at.front()) - x, dy = static_cast<double>(at.back()) - y;
      height += top * std::exp(-(dx * dx + dy * dy) / (2 * width * width));
    }
    values[i] = static_cast<std::int64_t>(std::poisson_distribution<int>(height)(random));
  }
  return Cells<std::int64_t>::dense(shape, std::move(values));
}

Release seeded(const std::string& technique, const Cells<std::int64_t>& counts, const char* epsilon, unsigned seed,
               const Threshold& threshold = Percentile(60), std::uint64_t most_dense = dense_limit,
               const char* wavelet = "haar") {
  PrivateOptions options{.cluster = {.threshold = threshold, .wavelet = Wavelet::named(wavelet)}};
  options.dense_limit = most_dense;
  const auto noise = seeded_noise_not_private(seed);
  return run_technique(technique, {Counts(unit_grid(counts.shape()), counts, 0, 0)}, Epsilon::parse(epsilon), options,
                       *noise);
}

Clusters true_clusters(const Cells<std::int64_t>& counts, const ClusterOptions& options) {
  return segment(transform(counts, options), options).clusters;
}

struct Case {
  double said;
  bool was;
};

struct Study {
  std::vector<Case> real, connected, separate;
};

void add(Study& study, const Release& release, const Cells<std::int64_t>& counts) {
  Comparison comparison(release.cluster_cells());
  const auto& verdicts = comparison.with(true_clusters(counts, release.parts().options));
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const ClusterConfidence& says = release.confidence()[i];
    study.real.push_back({says.real, verdicts[i].real});
    if (!verdicts[i].real) continue;
    study.connected.push_back({says.connected, verdicts[i].connected});
    study.separate.push_back({says.separate, verdicts[i].joined_with == 0});
  }
}

double share(const std::vector<Case>& cases, double low, double high, std::size_t least = 30) {
  double was = 0, count = 0;
  for (const Case& of : cases) {
    if (of.said < low || of.said >= high) continue;
    was += of.was ? 1 : 0;
    count += 1;
  }
  EXPECT_GE(count, static_cast<double>(least)) << "too few cases from " << low << " to " << high;
  return was / count;
}

// Mean squared error of what is said, over that of always saying how often it is so: any constant gives at least 1.
double error_over_constant(const std::vector<Case>& cases) {
  double mean = 0, error = 0;
  for (const Case& of : cases) mean += (of.was ? 1.0 : 0.0) / static_cast<double>(cases.size());
  for (const Case& of : cases) {
    const double off = of.said - (of.was ? 1 : 0);
    error += off * off / static_cast<double>(cases.size());
  }
  return error / (mean * (1 - mean));
}

// Mean of |said - was|, each averaged over a fifth of the scale.
double calibration_error(const std::vector<Case>& cases) {
  std::array<double, 5> off{};
  for (const Case& of : cases)
    off[std::min<std::size_t>(4, static_cast<std::size_t>(5 * of.said))] += of.said - (of.was ? 1 : 0);
  double sum = 0;
  for (const double part : off) sum += std::fabs(part);
  return sum / static_cast<double>(cases.size());
}

TEST(Confidence, IsRightAboutAsOftenAsItSays) {
  Study study;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Cells<std::int64_t> counts = hills({64, 64}, seed, 24);
    for (const char* epsilon : {"0.05", "0.2", "1"}) {
      for (const char* technique : {"privwave", "privthr", "privqt"}) {
        const double percentile = seed % 2 == 0 ? 60 : 85;
        add(study, seeded(technique, counts, epsilon, 100 + seed, Percentile(percentile)), counts);
      }
    }
  }
  EXPECT_GT(share(study.real, 0.9, 1), 0.98);
  EXPECT_LT(share(study.real, 0, 0.2), 0.12);
  EXPECT_LT(error_over_constant(study.real), 0.35);
  EXPECT_GT(share(study.connected, 0.9, 1), 0.98);
  EXPECT_LT(calibration_error(study.real), 0.04);
  EXPECT_LT(calibration_error(study.connected), 0.04);
  EXPECT_LT(calibration_error(study.separate), 0.045);
  EXPECT_GT(share(study.separate, 0.9, 1), 0.95);
  EXPECT_LT(share(study.separate, 0, 0.4), 0.2);
  EXPECT_LT(error_over_constant(study.separate), 0.48);
}

TEST(Confidence, CountsCellsThatHoldAPartOfARecord) {
  // Under such a wavelet many cells do, and a profile tells of them only in part.
  Study study;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Cells<std::int64_t> counts = hills({64, 64}, seed, 24);
    for (const char* epsilon : {"0.5", "2"}) {
      add(study, seeded("privwave", counts, epsilon, 100 + seed, Percentile(40), dense_limit, "bior2.2"), counts);
    }
  }
  EXPECT_LT(calibration_error(study.separate), 0.12);
  EXPECT_LT(error_over_constant(study.separate), 0.54);
}

TEST(Confidence, OfSpiralsSaysThatTheyAreSeparate) {
  // Three arms of 31,200 points; faint cells beside them are few, and none lies between two of them.
  const Dataset spirals = make_dataset("ds2", 1);
  std::vector<std::int64_t> values(40 * 40);
  for (std::size_t i = 0; i < spirals.columns[0].size(); ++i) {
    const auto x = static_cast<std::size_t>(40 * spirals.columns[0][i]);
    const auto y = static_cast<std::size_t>(40 * spirals.columns[1][i]);
    ++values[x * 40 + y];
  }
  const Cells<std::int64_t> counts = Cells<std::int64_t>::dense({40, 40}, values);
  Study study;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    add(study, seeded("privwave", counts, "1", seed, Percentile(10)), counts);
  }
  double said = 0, in_words_too = 0;
  for (const Case& of : study.separate) {
    EXPECT_TRUE(of.was);
    said += of.said / static_cast<double>(study.separate.size());
    in_words_too += of.said >= 0.8 ? 1 / static_cast<double>(study.separate.size()) : 0;
  }
  EXPECT_GT(said, 0.93);
  EXPECT_GT(in_words_too, 0.9);
}

TEST(Confidence, OfReleasesWithAFloorIsRightAboutAsOftenAsItSays) {
  Study study;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Cells<std::int64_t> counts = hills({96, 96}, seed, 24);
    for (const char* epsilon : {"0.1", "0.3", "1"}) {
      for (const char* technique : {"privwave", "privthr"}) {
        const double percentile = seed % 2 == 0 ? 80 : 90;
        const Release release = seeded(technique, counts, epsilon, 100 + seed, Percentile(percentile), 100);
        ASSERT_TRUE(release.parts().has_floor());
        add(study, release, counts);
      }
    }
  }
  EXPECT_GT(share(study.real, 0.9, 1), 0.95);
  EXPECT_LT(share(study.real, 0, 0.4), 0.25);
  EXPECT_LT(error_over_constant(study.real), 0.45);
  EXPECT_LT(calibration_error(study.real), 0.04);
  EXPECT_LT(calibration_error(study.connected), 0.02);
  EXPECT_LT(calibration_error(study.separate), 0.095);
}

TEST(Confidence, TakesForNoiseWhatNoiseAloneCarriesToAFloor) {
  // A record in each of a few hundred cells: none of the values that reach the floor says anything.
  std::vector<std::int64_t> values(256 * 256, 0);
  for (std::size_t i = 0; i < values.size(); i += 199) values[i] = 1;
  const Cells<std::int64_t> counts = Cells<std::int64_t>::dense({256, 256}, values);
  const Release release = seeded("privthr", counts, "0.5", 3, Percentile(80), 100);
  ASSERT_TRUE(release.parts().has_floor());
  ASSERT_GT(release.confidence().size(), 20U);
  double said = 0;
  for (const ClusterConfidence& of : release.confidence()) said += of.real;
  EXPECT_LT(said / static_cast<double>(release.confidence().size()), 0.2);
}

TEST(Confidence, OfALargeGridIsLikeThatOfASmallOneInIt) {
  // Hills in a corner of so many cells that only the large values are drawn one by one.
  const Cells<std::int64_t> small = hills({64, 64}, 6, 12);
  std::vector<std::int64_t> values(1100 * 1100, 0);
  for (std::uint64_t i = 0; i < small.stored(); ++i) values[i / 64 * 1100 + i % 64] = small.values()[i];
  const Cells<std::int64_t> large = Cells<std::int64_t>::dense({1100, 1100}, values);
  Study study;
  add(study, seeded("privwave", large, "0.5", 1, Top(300)), large);
  EXPECT_GT(share(study.real, 0.8, 1, 4), 0.7);
  EXPECT_LT(calibration_error(study.real), 0.2);
}

TEST(Confidence, MoreBudgetMakesItSurer) {
  const Cells<std::int64_t> counts = hills({64, 64}, 7, 10);
  double before = 0;
  for (const char* epsilon : {"0.02", "0.1", "0.5", "5"}) {
    double real = 0, all = 0;
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const Release release = seeded("privqt", counts, epsilon, seed);
      for (std::size_t i = 0; i < release.clusters().size(); ++i) {
        const auto cells = static_cast<double>(release.clusters()[i].cells);
        real += release.confidence()[i].real * cells;
        all += cells;
      }
    }
    EXPECT_GT(real / all, before) << epsilon;
    before = real / all;
  }
  EXPECT_GT(before, 0.99);
}

TEST(Confidence, IsTheSameForTheSameReleaseAndSurvivesItsFile) {
  const Release release = seeded("privwave", hills({48, 40}, 3, 8), "0.3", 9);
  ASSERT_FALSE(release.confidence().empty());
  const Release again = Release::parse(release.json(), "the text");
  EXPECT_EQ(again.confidence(), release.confidence());
  EXPECT_EQ(again.json(), release.json());
  const Release small = seeded("privwave", hills({48, 40}, 3, 8), "0.3", 9).without_noisy_values();
  EXPECT_EQ(small.confidence(), release.confidence());
  EXPECT_EQ(Release::parse(small.json(), "the text").confidence(), release.confidence());
}

TEST(Confidence, FollowsTheRuleAfterAReshape) {
  const Release release = seeded("privwave", hills({48, 40}, 4, 8), "0.5", 2);
  for (const Threshold& rule : std::vector<Threshold>{Top(40), Density(20)}) {
    ClusterOptions options = release.parts().options;
    options.threshold = rule;
    const Release other = reshape(release, options);
    ASSERT_EQ(other.confidence().size(), other.clusters().size());
    for (const ClusterConfidence& of : other.confidence()) {
      EXPECT_GT(of.real, 0);
      EXPECT_LT(of.real, 1);
    }
  }
}

TEST(Confidence, HoldsForEveryWaveletTransformAndDimension) {
  for (const Shape& shape : {Shape{200}, Shape{24, 20}, Shape{12, 10, 14}}) {
    const Release release = seeded("privqt", hills(shape, 5, 6), "0.3", 4);
    for (const char* wavelet : {"haar", "db2", "bior2.2"}) {
      for (const Transform transform : {Transform::decimated, Transform::stationary}) {
        ClusterOptions options = release.parts().options;
        options.wavelet = Wavelet::named(wavelet);
        options.transform = transform;
        const Release other = reshape(release, options);
        EXPECT_EQ(other.confidence().size(), other.clusters().size());
        for (const ClusterConfidence& of : other.confidence()) {
          for (const double chance : {of.real, of.connected, of.separate}) EXPECT_TRUE(chance > 0 && chance < 1);
        }
      }
    }
  }
}

TEST(Confidence, OfDegenerateReleasesIsStillInRange) {
  // No cluster; one cell; all cells equal.
  EXPECT_TRUE(Release(examples::parts(Cells<std::int64_t>::dense({8, 8}, std::vector<std::int64_t>(64, -5))))
                  .confidence()
                  .empty());
  const Release one(examples::parts(Cells<std::int64_t>::dense({1}, {50}), 0));
  ASSERT_EQ(one.confidence().size(), 1U);
  EXPECT_GT(one.confidence()[0].real, 0.5);
  const Release equal(examples::parts(Cells<std::int64_t>::dense({8, 8}, std::vector<std::int64_t>(64, 90))));
  ASSERT_EQ(equal.confidence().size(), 1U);
  EXPECT_EQ(equal.confidence()[0].joined_with, 0U);
}

TEST(Confidence, IsLeftOutWhereTheNoiseIsNotKnown) {
  const Release release(examples::parts_by_no_law(examples::blobs({20, 20}, 1)));
  EXPECT_TRUE(release.confidence().empty());
  EXPECT_EQ(release.json().find("confidence"), std::string::npos);
  EXPECT_TRUE(Release::parse(release.json(), "the text").confidence().empty());
}

TEST(Confidence, InAFileIsCheckedForItsForm) {
  const Release release = seeded("privqt", hills({32, 32}, 2, 6), "1", 3);
  const auto refused = [&](const auto& change) {
    nlohmann::json document = nlohmann::json::parse(release.json());
    change(document["clusters"]);
    document["checksum"] = checksum(document);
    try {
      Release::parse(document.dump(), "the text");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("was read");
  };
  ASSERT_GE(release.clusters().size(), 2U);
  EXPECT_NE(refused([](auto& list) { list[0]["confidence"]["real"] = 1.5; }).find("/clusters/0/confidence/real"),
            std::string::npos);
  EXPECT_NE(refused([](auto& list) { list[1].erase("confidence"); }).find("in all clusters or in none"),
            std::string::npos);
  EXPECT_NE(refused([](auto& list) { list[0]["confidence"]["surely"] = 1; }).find("surely"), std::string::npos);
  EXPECT_NE(refused([](auto& list) { list[0]["confidence"]["joined_with"] = list.size() + 1; }).find("joined_with"),
            std::string::npos);
}

TEST(Confidence, InAFileWithNoisyValuesIsComputedAgain) {
  const Release release = seeded("privqt", hills({32, 32}, 2, 6), "1", 3);
  nlohmann::json document = nlohmann::json::parse(release.json());
  document["clusters"][0]["confidence"]["real"] = 0.123;
  document["checksum"] = checksum(document);
  EXPECT_EQ(Release::parse(document.dump(), "the text").confidence(), release.confidence());
}

}  // namespace
}  // namespace shoal
