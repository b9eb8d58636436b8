#include "shoal/notices.hpp"

#include <gtest/gtest.h>

#include "release_examples.hpp"
#include "shoal/counts.hpp"
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
            "The probability of any result changes by a factor of at most e^10, about 22,000, when one patient with at "
            "most 3 records is replaced by another.");
  EXPECT_TRUE(says(promise({}, Epsilon::parse("100")), "e^100, about 10^43,"));
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

TEST(Notices, OfAReleaseAreOnItsPageInAmber) {
  ReleaseParts parts = examples::parts(examples::blobs({20, 20}, 2));
  parts.is_private = true;
  const std::string usual = Release(parts).html();
  EXPECT_TRUE(says(usual, "class=\"banner good\""));
  EXPECT_FALSE(says(usual, "class=\"banner amber\""));
  parts = examples::parts(examples::blobs({20, 20}, 2), 60, "10.5");
  parts.is_private = true;
  const std::string weak = Release(parts).html();
  EXPECT_FALSE(says(weak, "class=\"banner good\""));
  EXPECT_TRUE(says(weak, "class=\"banner amber\""));
  EXPECT_TRUE(says(weak, "Epsilon 10.5 is a weak guarantee"));
}

// Both rates of the header, over all ways to know the number of records. Of 200 runs per rate below 1 in 100 shows more
// than 12 with a chance below 1e-6, and the seeds are fixed.
TEST(Notices, SayWhenNothingLiesInsideTheBoundsAndHardlyEverElse) {
  const std::vector<std::tuple<std::string, const char*, Threshold>> cases = {
      {"privwave", "1", Percentile(50)},   {"privwave", "1", Coverage(80)}, {"privwave", "0.3", Top(20)},
      {"privqt", "1", Percentile(50)},     {"privqt", "8", Percentile(50)}, {"privthr", "1", Percentile(50)},
      {"privthr-em", "2", Percentile(50)}, {"auto", "0.5", Percentile(50)}};
  constexpr std::uint64_t runs = 200;
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

TEST(Notices, KnowTheNumberOfRecordsWithinTheStatedDeviation) {
  for (const char* technique : {"privwave", "privqt", "privthr", "auto"}) {
    for (std::uint64_t run = 0; run < 20; ++run) {
      const std::optional<Estimate> inside = records_inside(made(technique, 5000, "1", run));
      ASSERT_TRUE(inside.has_value());
      EXPECT_LT(std::abs(inside->mean - 5000), 6 * inside->deviation) << technique;
    }
  }
}

TEST(Notices, SayNothingOfRecordsWhereTheNoiseIsNotKnown) {
  ReleaseParts parts = examples::parts_by_no_law(examples::blobs({20, 20}, 2, 0));
  parts.technique = "baseline";
  EXPECT_FALSE(records_inside(Release(parts)).has_value());
  EXPECT_TRUE(notices(Release(parts)).empty());
}

}  // namespace
}  // namespace shoal
