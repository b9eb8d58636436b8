#include "drawing/report.hpp"

#include <gtest/gtest.h>

#include "release_examples.hpp"

namespace shoal {
namespace {

bool says(const std::string& page, const std::string& text) { return page.find(text) != std::string::npos; }

TEST(Report, OfAReleaseSaysHowSureEachClusterIs) {
  const Release release(examples::parts(examples::blobs({40, 40}, 1)));
  const std::string page = release.html();
  EXPECT_TRUE(says(page, "Confidence is about the population"));
  EXPECT_TRUE(says(page, in_words(release.confidence()[0])));
  ReleaseParts unknown = examples::parts_by_no_law(examples::blobs({40, 40}, 1));
  EXPECT_FALSE(says(Release(unknown).html(), "Confidence is about the population"));
  EXPECT_TRUE(says(Release(unknown).html(), "Confidence unavailable: "));
  unknown.technique = "baseline";
  EXPECT_TRUE(says(Release(unknown).html(), without_confidence("baseline")));
}

TEST(ReleaseReport, StatesThePromiseTheSpendingAndTheNextStep) {
  ReleaseParts parts = examples::parts_with_answer(examples::blobs({20, 20}, 2), Question::nonpositive, 30);
  parts.is_private = true;
  parts.unit = {Neighbors::add_remove, "patient", 3};
  const std::string page = Release(parts).html();
  EXPECT_TRUE(says(page, "Private release"));
  EXPECT_FALSE(says(page, "NOT PRIVATE"));
  EXPECT_TRUE(says(page, "epsilon = 0.3"));
  EXPECT_TRUE(says(page, "one patient with at most 3 records"));
  EXPECT_TRUE(says(page, "<td>counts: records in each cell</td><td class=\"n\">1</td><td class=\"n\">0.2</td>"));
  EXPECT_TRUE(says(page, "shoal reshape"));
  EXPECT_TRUE(says(page, "<svg"));
}

TEST(ReleaseReport, HasTheTitleOfTheOwnerAndThenWhatWasFound) {
  const Release plain(examples::parts(examples::blobs({20, 20}, 2)));
  EXPECT_TRUE(says(plain.html(), "<h1 id=\"headline\">"));
  const std::string page = plain.published({.title = "Visits <1>", .source = "A & B", .contact = "a@b"}).html();
  EXPECT_TRUE(says(page, "<h1>Visits &lt;1&gt;</h1>\n<p class=\"lead\" id=\"headline\">"));
  EXPECT_TRUE(says(page, "<span>Source: A &amp; B</span> \u00b7 <span>Contact: a@b</span>"));
  EXPECT_FALSE(says(page, "Date:"));
}

TEST(ReleaseReport, LinksTheLineOfPrivacyToTheWholeStatement) {
  ReleaseParts parts = examples::parts(examples::blobs({20, 20}, 2));
  parts.is_private = true;
  const std::string page = Release(parts).html();
  EXPECT_TRUE(says(page, "<a href=\"#privacy-guarantee\">"));
  EXPECT_TRUE(says(page, "<section id=\"privacy-guarantee\">"));
}

TEST(ReleaseReport, OfAStudySaysThatItIsNotPrivateAndPromisesNothing) {
  const Release release(examples::parts(examples::blobs({20, 20}, 2)));
  EXPECT_TRUE(says(release.html(), "NOT PRIVATE"));
  EXPECT_FALSE(says(release.html(), "Privacy guarantee"));
  EXPECT_TRUE(says(release_picture(release).svg(), "NOT PRIVATE"));
}

TEST(ReleaseReport, WithoutNoisyValuesDoesNotOfferReshaping) {
  const Release release(examples::parts(examples::blobs({20, 20}, 2)));
  EXPECT_FALSE(says(release_report(release.without_noisy_values()), "shoal reshape"));
}

TEST(ReleaseReport, NeverLoadsAnythingNorRunsScripts) {
  const std::string page = release_report(Release(examples::parts(examples::blobs({150, 150}, 2))));
  for (const char* part : {"<script", "<link", "<iframe", "src=", "@import", "url(http", "onclick"}) {
    EXPECT_FALSE(says(page, part)) << part;
  }
}

}  // namespace
}  // namespace shoal
