#include "shoal/notices.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "chi_square.hpp"
#include "release_examples.hpp"
#include "shoal/counts.hpp"
#include "shoal/error.hpp"
#include "techniques/automatic.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool says_few(const Release& release) {
  for (const std::string& notice : notices(release)) {
    if (says(notice, "inside the bounds; check the bounds.")) return true;
  }
  return false;
}

Counts counts_of(const Grid& grid, std::int64_t records) {
  std::vector<std::int64_t> values(grid.cell_count());
  for (std::int64_t i = 0; i < records; ++i) ++values[static_cast<std::size_t>(i * 7919) % values.size()];
  return {grid, Cells<std::int64_t>::dense(grid.shape(), values), static_cast<std::uint64_t>(records), 0};
}

Release made(const std::string& technique, std::int64_t records, const char* epsilon, std::uint64_t seed,
             const Threshold& threshold = Percentile(50)) {
  const auto noise = seeded_noise_not_private(seed);
  PrivateOptions options{.cluster = {.threshold = threshold}};
  const Grid grid = examples::grid_of({32, 32});
  if (technique == "auto") {
    return automatic_release(counts_of(finest_grid(grid), records), Epsilon::parse(epsilon), options, *noise);
  }
  return run_technique(technique, {counts_of(grid, records)}, Epsilon::parse(epsilon), options, *noise);
}

TEST(Promise, IsOneSentenceWithTheFactor) {
  EXPECT_EQ(promise({}, Epsilon::parse("1")),
            "The probability of any result changes by a factor of at most e^1, about 2.72, when one record is added or "
            "removed.");
  EXPECT_EQ(promise({Neighbors::replace, "patient", 3}, Epsilon::parse("10")),
            "The probability of any result changes by a factor of at most e^10, about 22,100, when one patient with at "
            "most 3 records is replaced by another.");
  EXPECT_TRUE(says(promise({}, Epsilon::parse("100")), "e^100, about 10^44,"));
}

// Bayes: e^epsilon / (1 + e^epsilon), rounded up.
TEST(Promise, ForAPersonSaysHowSureSomeoneCanBecome) {
  const std::string of_record = for_a_person({}, Epsilon::parse("1"));
  EXPECT_TRUE(says(of_record, "knows all other records")) << of_record;
  EXPECT_TRUE(says(of_record, "more than 74 % sure that a person's record is in the data")) << of_record;
  EXPECT_TRUE(says(of_record, "A person with several records is protected for each record")) << of_record;
  const std::string of_patient = for_a_person({Neighbors::replace, "patient", 3}, Epsilon::parse("10"));
  EXPECT_TRUE(says(of_patient, "more than 99.9955 % sure that a patient has one of two values")) << of_patient;
}

// blocks: squares of 6 x 6 cells with 400 records in each cell. everywhere: records in each other cell.
Release with_blocks(const Grid& grid, std::size_t blocks, std::int64_t everywhere) {
  std::vector<std::int64_t> values(grid.cell_count(), everywhere);
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t x = 0; x < 6; ++x) {
      for (std::size_t y = 0; y < 6; ++y) values[(4 + 10 * block + x) * 32 + 8 + y] = 400;
    }
  }
  std::uint64_t records = 0;
  for (const std::int64_t value : values) records += static_cast<std::uint64_t>(value);
  const auto noise = seeded_noise_not_private(7);
  return run_technique("privqt", {Counts(grid, Cells<std::int64_t>::dense(grid.shape(), values), records, 0)},
                       Epsilon::parse("2"), {.cluster = {.threshold = Density(300)}}, *noise);
}

TEST(Headline, SaysMostOnlyWhereTheClustersSurelyHoldMoreThanHalf) {
  const Grid map({Axis(13, 14, 32, "lon"), Axis(52, 53, 32, "lat")});
  const std::string two = headline(with_blocks(map, 2, 0));
  EXPECT_TRUE(two.starts_with("Most records on this map are in two areas: about 14,")) << two;
  EXPECT_TRUE(says(two, " records in the largest (14,")) << two;
  const std::string one = headline(with_blocks(map, 1, 0));
  EXPECT_TRUE(one.starts_with("Most records on this map are in one area: about 14,")) << one;
  EXPECT_FALSE(says(one, "largest")) << one;
  // 28,800 records in two areas, 47,600 around them.
  const std::string few = headline(with_blocks(map, 2, 50));
  EXPECT_TRUE(few.starts_with("Two areas stand out: about 14,")) << few;
}

TEST(Headline, SpeaksOfAreasOnMapsAlone) {
  const std::string text = headline(with_blocks(examples::grid_of({32, 32}), 2, 0));
  EXPECT_TRUE(text.starts_with("Most records within the bounds are in two clusters: about 14,")) << text;
  EXPECT_EQ(headline(made("privqt", 0, "1", 3, Density(1000))), "No cluster stands out from chance and noise");
}

TEST(Headline, OfAReleaseWithoutConfidenceClaimsNoMore) {
  const std::string text = headline(Release(examples::parts_by_no_law(examples::blobs({40, 40}, 1))));
  EXPECT_TRUE(says(text, " found: about ")) << text;
  EXPECT_FALSE(says(text, "Most")) << text;
}

TEST(Publication, StaysInTheFileAndIsRefusedIfItIsLongOrHasSeveralLines) {
  const Release release = with_blocks(examples::grid_of({32, 32}), 2, 0);
  const Publication text{.title = "Visits <&>", .source = "City", .date = "May", .contact = "a@b"};
  const Release read = Release::parse(release.published(text).json(), "the text");
  EXPECT_EQ(read.parts().publication, text);
  EXPECT_EQ(reshape(read, read.parts().options).parts().publication, text);
  EXPECT_FALSE(says(release.json(), "publication"));
  EXPECT_THROW(static_cast<void>(release.published({.title = std::string(501, 'x')})), InputError);
  EXPECT_THROW(static_cast<void>(release.published({.source = "one\ntwo"})), InputError);
}

TEST(Notices, WarnOfRoundedValuesOnAGridThatDoesNotFitThem) {
  const auto released_ages = [](const AxisKind& kind, double step, std::uint64_t seed) {
    const Grid grid({Axis::fitted(0, 110, 64, "age", kind)});
    std::mt19937_64 random(seed);
    std::normal_distribution<double> age(52, 14);
    std::vector<double> column;
    for (int i = 0; i < 20000; ++i) column.push_back(step > 0 ? std::round(age(random) / step) * step : age(random));
    const Counts counts = quantize(*array_points({{column.data()}}, column.size()), grid, {.threads = 1});
    const auto noise = seeded_noise_not_private(seed);
    return run_technique("privwave", {counts}, Epsilon::parse("1"), {.cluster = {.threshold = Percentile(20)}}, *noise);
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto warned = notices(released_ages({}, 1, seed));
    ASSERT_EQ(warned.size(), 1U) << seed;
    EXPECT_TRUE(says(warned[0], "Values of age seem to be whole numbers")) << warned[0];
    EXPECT_TRUE(says(warned[0], "--bounds age=0:110:int, which gives 56 cells")) << warned[0];
    EXPECT_TRUE(notices(released_ages({}, 0, seed)).empty()) << seed;
    EXPECT_TRUE(notices(released_ages({.scale = Numbers{1}}, 1, seed)).empty()) << seed;
  }
}

TEST(Notices, WarnOfTimesThatAreRounded) {
  constexpr std::int32_t offset = 5400;  // of the zone: not a multiple of an hour
  const auto warned = [](double step, std::uint64_t cells) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> time(43200, 10000);
    std::vector<double> column;
    for (int i = 0; i < 20000; ++i) column.push_back(std::round(time(random) / step) * step - offset);
    const Grid grid({Axis(-offset, 86400 - offset, cells, "t", {.scale = Instants{.offset = offset}})});
    const Counts counts = quantize(*array_points({{column.data()}}, column.size()), grid, {.threads = 1});
    const auto noise = seeded_noise_not_private(4);
    return notices(
        run_technique("privwave", {counts}, Epsilon::parse("1"), {.cluster = {.threshold = Percentile(20)}}, *noise));
  };
  const auto said = warned(900, 240);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(says(said[0], "Values of t seem to be multiples of 15 min")) << said[0];
  EXPECT_TRUE(says(said[0], "Choose 96 cells for this axis, or use --auto.")) << said[0];
  EXPECT_TRUE(warned(900, 96).empty());
  EXPECT_TRUE(warned(1, 240).empty());
}

TEST(Notices, CallAnEpsilonOfTenOrMoreWeak) {
  EXPECT_FALSE(is_weak(Epsilon::parse("9.999999999999")));
  EXPECT_TRUE(is_weak(Epsilon::parse("10")));
  EXPECT_TRUE(notices({}, Epsilon::parse("9.9")).empty());
  ASSERT_EQ(notices({}, Epsilon::parse("12")).size(), 1U);
  EXPECT_TRUE(
      says(notices({}, Epsilon::parse("12"))[0],
           "Epsilon 12 is a weak guarantee: the probability of any result may change by a factor of up to e^12, "
           "about 163,000, when one record is added or removed."));
}

TEST(Notices, SayInWhichGroupsAUnitCounts) {
  EXPECT_FALSE(counted_in_groups({.column = "user", .share = true}).has_value());
  PrivacyUnit unit{.column = "user", .share = true, .groups = CountedGroups{"week", 1, 12}};
  const std::string one = *counted_in_groups(unit);
  EXPECT_TRUE(says(one, "Each user counts in one of the weeks in which it has records")) << one;
  EXPECT_TRUE(says(one, "use --max-groups 12, which costs epsilon 12 times")) << one;
  unit.groups->most = 3;
  EXPECT_TRUE(says(*counted_in_groups(unit), "counts in at most 3 of the weeks"));
}

TEST(Notices, AGridTooFineForAnyClusterIsSaid) {
  const auto says_fine = [](const Release& release) {
    const std::optional<std::string> nothing = notice_of_nothing(release);
    return nothing && says(*nothing, "No cluster is surely real");
  };
  const auto released = [](std::uint64_t side, std::int64_t records) {
    const auto noise = seeded_noise_not_private(1);
    const PrivateOptions options{.cluster = {.threshold = Percentile(20)}};
    return run_technique("privwave", {counts_of(examples::grid_of({side, side}), records)}, Epsilon::parse("1"),
                         options, *noise);
  };
  EXPECT_TRUE(says_fine(released(1024, 3000)));
  EXPECT_FALSE(says_fine(released(16, 30'000)));
}

TEST(Notices, OfAReleaseAreOnItsPageInAmber) {
  ReleaseParts parts = examples::parts(examples::blobs({20, 20}, 2));
  parts.is_private = true;
  const std::string usual = Release(parts).html();
  EXPECT_TRUE(says(usual, "class=\"privacy good\""));
  EXPECT_FALSE(says(usual, "class=\"privacy amber\""));
  parts = examples::parts(examples::blobs({20, 20}, 2), 60, "10.5");
  parts.is_private = true;
  const std::string weak = Release(parts).html();
  EXPECT_FALSE(says(weak, "class=\"privacy good\""));
  EXPECT_TRUE(says(weak, "class=\"privacy amber\""));
  EXPECT_TRUE(says(weak, "Epsilon 10.5 is a weak guarantee"));
}

// Both rates of the header, over all ways to know the number of records. Of 200 runs per rate below 1 in 100 shows more
// than 12 with a chance below 1e-6, and the seeds are fixed.
TEST(Notices, SayWhenNothingLiesInsideTheBoundsAndHardlyEverElse) {
  const std::vector<std::tuple<std::string, const char*, Threshold>> cases = {
      {"privwave", "1", Percentile(50)},   {"privwave", "1", Coverage(80)}, {"privwave", "0.3", Top(20)},
      {"privqt", "1", Percentile(50)},     {"privqt", "8", Percentile(50)}, {"privthr", "1", Percentile(50)},
      {"privthr-em", "2", Percentile(50)}, {"auto", "0.5", Percentile(50)}};
  const std::uint64_t runs = testing::quick() ? 5 : 200;
  for (const auto& [technique, epsilon, threshold] : cases) {
    std::uint64_t missed = 0, wrong = 0;
    for (std::uint64_t run = 0; run < runs; ++run) {
      const Release empty = made(technique, 0, epsilon, run, threshold);
      missed += says_few(empty) ? 0U : 1U;
      const double enough = 2 * by_noise_alone(*records_inside(empty));
      wrong +=
          says_few(made(technique, static_cast<std::int64_t>(enough) + 1, epsilon, runs + run, threshold)) ? 1U : 0U;
    }
    EXPECT_LE(missed, 12U) << technique << ' ' << epsilon;
    EXPECT_LE(wrong, 12U) << technique << ' ' << epsilon;
  }
}

TEST(Notices, SayThatNoCellReachesADrawnThresholdOnlyThen) {
  for (std::uint64_t run = 0; run < 20; ++run) {
    for (const char* epsilon : {"0.05", "2"}) {
      const Release release = made("privthr-em", 5000, epsilon, run);
      bool said = false;
      for (const std::string& notice : notices(release)) said = said || says(notice, "No cell reaches the threshold");
      EXPECT_EQ(said, release.k_source() == KSource::threshold && release.cluster_cells().count() == 0);
    }
  }
}

TEST(Notices, KnowTheNumberOfRecordsWithinTheStatedDeviation) {
  for (const char* technique : {"privwave", "privqt", "privthr", "auto"}) {
    for (std::uint64_t run = 0; run < 20; ++run) {
      const std::optional<Estimate> inside = records_inside(made(technique, 5000, "1", run));
      ASSERT_TRUE(inside.has_value());
      EXPECT_LT(std::abs(inside->mean - 5000), 6 * inside->deviation) << technique;
    }
  }
}

TEST(Notices, SayWhenAFilterReadsMoreCellsThanAnAxisHas) {
  const Grid grid({Axis(0, 1, 64, "x"), Axis(0, 1, 20, "y")});
  ClusterOptions options{.threshold = Percentile(50)};
  const auto said = [&](const char* name, unsigned level) {
    options.wavelet = Wavelet::named(name);
    options.level = level;
    return notice_of_long_filter(grid, options).value_or("");
  };
  EXPECT_EQ(said("haar", 6), "");
  EXPECT_EQ(said("db10", 1), "");
  EXPECT_EQ(
      said("db4", 2),
      "Wavelet db4 at level 2 reads 22 cells, and axis y has 20: its values describe the whole axis, not a place on "
      "it. Use a shorter wavelet, a lower level, or a finer grid.");
  ReleaseParts parts = examples::parts(examples::blobs({24, 24}, 1));
  parts.options.wavelet = Wavelet::named("db13");
  const std::vector<std::string> shown = notices(Release(parts));
  EXPECT_NE(std::find_if(shown.begin(), shown.end(),
                         [](const std::string& line) { return line.starts_with("Wavelet db13"); }),
            shown.end());
}

TEST(Notices, SayNothingOfRecordsWhereTheNoiseIsNotKnown) {
  ReleaseParts parts = examples::parts_by_no_law(examples::blobs({20, 20}, 2, 0));
  parts.technique = "baseline";
  EXPECT_FALSE(records_inside(Release(parts)).has_value());
  EXPECT_TRUE(notices(Release(parts)).empty());
}

}  // namespace
}  // namespace shoal
