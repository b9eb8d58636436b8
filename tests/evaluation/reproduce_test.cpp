// The verdicts on the paper's claims, on rows made up so that each must come out one way.
#include "evaluation/reproduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "evaluation/reasons.hpp"
#include "evaluation/reproduce_report.hpp"
#include "shoal/error.hpp"

namespace shoal::evaluation {
namespace {

const std::vector<double> budgets{0.1, 0.5, 1, 2};
const std::vector<double> alphas{0.1, 0.5, 0.7, 0.9};

// What a technique gives on a set at a budget; runs scatter around it by `spread` times a sixth.
struct World {
  std::uint64_t runs = 10;  // with each seed
  bool authors = true;
  std::uint64_t seeds = 1;
  std::function<void(Row&)> change = [](Row&) {};  // called on every row before it scatters

  [[nodiscard]] static bool is(const Row& row, const std::string& technique) {
    return row.technique == technique || row.technique.starts_with(technique + "-literal") ||
           row.technique.starts_with(technique + " ");
  }

  // All that the paper says.
  static void agree(Row& row) {
    const bool plain = is(row, "baseline") || is(row, "privqt");
    const double epsilon = row.epsilon.value();
    row.k_true = 144;
    const std::string set = row.dataset.substr(0, row.dataset.find(' '));
    row.clusters_true = set == "DS1" ? 15 : set == "DS2" ? 3 : 5;
    row.k = is(row, "baseline") ? 284 : is(row, "privqt") ? 249 : is(row, "privthr") ? 141 : 143;
    if (epsilon < 0.2 && is(row, "privthr")) row.k = 131;
    if (epsilon < 0.2 && is(row, "privthr-em")) row.k = 83;
    row.clusters = plain && epsilon < 0.2 ? 36 : row.clusters_true;
    row.dsgc = plain ? 1.2 : 0.1 / epsilon;
    row.f_measure = row.dataset.ends_with(" g=4") || row.dataset.ends_with(" g=64") ? 0.6 : 0.9;
    row.ocm = plain ? 0.3 : set == "DS2" && is(row, "privthr") ? 0.15 : is(row, "privthr") ? 0.08 : 0.07;
    row.two_ce = plain ? 0.09 : 0.05;
    const std::size_t at = row.technique.find("alpha=");
    if (at == std::string::npos) return;
    const double best = is(row, "privthr") ? 0.9 : 0.7;
    row.dsgc = 0.1 + std::abs(std::stod(row.technique.substr(at + 6)) - best);
    row.ocm = row.two_ce = row.dsgc;
  }

  void add(std::vector<Row>& rows, const std::string& set, const std::string& technique) const {
    for (const double epsilon : budgets) {
      for (std::uint64_t run = 1; run <= seeds * runs; ++run) {
        Row row;
        row.dataset = set;
        row.technique = technique;
        row.epsilon = Epsilon::from_double(epsilon);
        row.run = run;
        agree(row);
        change(row);
        row.dsgc *= run % 2 == 0 ? 1.01 : 0.99;
        row.k += run % 2;
        rows.push_back(row);
      }
    }
  }

  [[nodiscard]] std::vector<Claim> claims() const {
    std::vector<Row> rows;
    std::vector<SetFacts> facts;
    for (const std::string set : {"DS1", "DS2", "DS3", "Gowalla"}) {
      facts.push_back({.name = set,
                       .is_authors = authors && set != "Gowalla",
                       .cells = 16,
                       .positive = 159,
                       .nonpositive = 241,
                       .kept_share = 0.9,
                       .threshold = 10,
                       .largest = 15});
      for (const std::string& technique : paper_techniques()) {
        add(rows, set, technique);
        add(rows, with_unclustered(set), technique);
      }
      for (const std::string technique : {"privthr", "privthr-em"}) {
        for (const std::string form : {"", "-literal-not-private"}) {
          for (const double alpha : alphas) add(rows, set, varied_technique(technique + form, alpha));
          for (const std::uint64_t cells : studied_grids(16)) add(rows, varied_grid(set, cells), technique + form);
        }
      }
    }
    return check_claims(rows, facts, runs);
  }
};

const Claim& claim(const std::vector<Claim>& claims, const std::string& id) {
  const auto found = std::find_if(claims.begin(), claims.end(), [&](const Claim& one) { return one.id == id; });
  if (found == claims.end()) throw Error(ErrorKind::internal, "no claim " + id);
  return *found;
}

std::vector<std::string> differing(const std::vector<Claim>& claims) {
  std::vector<std::string> ids;
  for (const Claim& one : claims) {
    if (one.ours.verdict == Verdict::differs) ids.push_back(one.id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

TEST(Claims, EveryClaimIsReproducedByRowsThatAgreeWithThePaper) {
  for (const Claim& one : World{}.claims()) {
    EXPECT_EQ(one.ours.verdict, Verdict::reproduced) << one.id << ": " << one.ours.why;
    EXPECT_EQ(one.letter.value_or(one.ours).verdict, Verdict::reproduced) << one.id;
    EXPECT_TRUE(one.ours.why.empty()) << one.id;
  }
}

TEST(Claims, IdsAreDifferent) {
  Ids ids;
  for (const Claim& one : World{}.claims()) ids.push_back(one.id);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST(Claims, AWrongNumberOfTrueClustersDiffers) {
  const World world{.change = [](Row& row) { row.clusters_true = row.dataset == "DS3" ? 6 : row.clusters_true; }};
  EXPECT_EQ(differing(world.claims()), Ids{"truth-DS3"});
}

TEST(Claims, AFigureFarFromThePapersDiffers) {
  const World world{.change = [](Row& row) {
    if (row.dataset == "DS2" && row.technique == "privqt") row.k = 233;
  }};
  const auto claims = world.claims();
  EXPECT_EQ(differing(claims), (Ids{"k-DS2-privqt-1", "k-excess-DS2-privqt-1"}));
  EXPECT_EQ(claim(claims, "k-DS2-privqt-1").letter->verdict, Verdict::reproduced) << "the letter has rows of its own";
  EXPECT_FALSE(claim(claims, "k-DS2-privqt-1").ours.why.empty());
  EXPECT_NEAR(claim(claims, "k-DS2-privqt-1").ours.figures.at(0).value.mean, 233.5, 1e-9);
}

TEST(Claims, AFigureWithinTheScatterOfTenRunsIsReproduced) {
  // 6 off, but runs scatter by +-8: a mean of 10 runs scatters by 3.8 in 95 of 100 cases, the difference of two by 8.5.
  const World world{.change = [](Row& row) {
    if (row.dataset == "DS2" && row.technique == "privqt") row.k = row.run % 2 == 0 ? 247 : 263;
  }};
  EXPECT_EQ(claim(world.claims(), "k-DS2-privqt-1").ours.verdict, Verdict::reproduced);
  const World narrow{.change = [](Row& row) {
    if (row.dataset == "DS2" && row.technique == "privqt") row.k = 255;
  }};
  EXPECT_EQ(claim(narrow.claims(), "k-DS2-privqt-1").ours.verdict, Verdict::differs);
}

TEST(Claims, FiguresOfThePapersPointsNeedThePapersPointsAndEnoughRuns) {
  for (const World& world : {World{.authors = false}, World{.runs = 4}}) {
    const auto claims = world.claims();
    EXPECT_EQ(claim(claims, "k-DS2-privthr-1").ours.verdict, Verdict::not_testable);
    EXPECT_FALSE(claim(claims, "k-DS2-privthr-1").ours.why.empty());
    EXPECT_EQ(claim(claims, "dsgc-order-DS2").ours.verdict, Verdict::reproduced);
  }
  EXPECT_EQ(claim(World{.authors = false}.claims(), "truth-DS1").ours.verdict, Verdict::not_testable);
}

TEST(Claims, OneComparisonThatFailsIsEnoughToDiffer) {
  const World world{.change = [](Row& row) {
    if (row.dataset == "DS3" && row.technique == "privthr-em" && row.epsilon == Epsilon::parse("0.1")) row.dsgc = 1.5;
  }};
  const auto claims = world.claims();
  EXPECT_EQ(differing(claims), Ids{"dsgc-order-DS3"});
  const Finding& finding = claim(claims, "dsgc-order-DS3").ours;
  EXPECT_EQ(finding.held, 14);  // Baseline and PrivQT are both below it
  EXPECT_EQ(finding.compared, 16);
  EXPECT_EQ(finding.figures.at(0).technique, "privthr-em");
  EXPECT_EQ(finding.figures.at(0).epsilons, std::vector{Epsilon::parse("0.1")});
}

TEST(Claims, BoundsOnRangesAreHeld) {
  const auto with = [](const std::string& set, const std::string& technique, const std::function<void(Row&)>& change) {
    return differing(World{.change = [=](Row& row) {
                       if (row.dataset == set && row.technique == technique) change(row);
                     }}.claims());
  };
  EXPECT_EQ(with("DS1", "privthr", [](Row& row) { row.ocm = row.epsilon.value() > 0.5 ? 0.16 : 0.08; }),
            Ids{"ocm-low-DS1"});
  EXPECT_EQ(with("DS2", "privthr", [](Row& row) { row.ocm = 0.02; }), (Ids{"ocm-DS2-privthr", "ocm-concave-DS2"}));
  EXPECT_EQ(with("DS3", "privthr-em", [](Row& row) { row.ocm = 0.09; }), Ids{"ocm-concave-DS3"});
  EXPECT_EQ(with("DS1", "baseline", [](Row& row) { row.ocm = 0.51; }), Ids{"ocm-range-DS1"});
  EXPECT_EQ(with("DS2", "privthr-em", [](Row& row) { row.ocm = 0.12; }), Ids{"ocm-DS2-privthr-em"});
  EXPECT_EQ(with("DS1", "baseline", [](Row& row) { row.two_ce = 0.11; }), Ids{"two_ce-low-DS1"});
  EXPECT_EQ(with("DS1", "privqt", [](Row& row) { row.two_ce = *row.ocm = 0.06; }),
            (Ids{"ocm-order-DS1", "two_ce-below-ocm-DS1"}));
  EXPECT_EQ(with("DS1", "privqt", [](Row& row) { row.f_measure = 0.7; }), Ids{"f-high-DS1"});
  EXPECT_EQ(with("DS1", "privqt", [](Row& row) { row.f_measure = row.epsilon.value() < 0.2 ? 0.7 : 0.9; }), Ids{})
      << "almost all budgets";
  EXPECT_EQ(with("DS1", "privqt", [](Row& row) { row.clusters = 20; }), Ids{"f-many-clusters-DS1"});
  EXPECT_EQ(with("DS3", "privqt", [](Row& row) { row.k = 170; }), Ids{"k-error-plain-DS3"});
  EXPECT_EQ(with("DS3", "privthr", [](Row& row) { row.k = 132; }), Ids{"k-error-refined-DS3"});
  EXPECT_EQ(with("Gowalla", "privthr-em", [](Row& row) { row.k = 143; }),
            (Ids{"k-sensitive-Gowalla", "k-sign-Gowalla"}));
  EXPECT_EQ(with("DS3 g=64", "privthr", [](Row& row) { row.f_measure = 0.95; }), Ids{"grid-DS3"});
  EXPECT_EQ(with("DS3 g=8", "privthr", [](Row& row) { row.f_measure = 0.95; }), Ids{}) << "only the ends count";
  EXPECT_EQ(with("DS2", "privqt", [](Row& row) { row.dsgc = row.epsilon.value() > 1 ? 0.4 : 1.3; }),
            Ids{"dsgc-privqt-flat-DS2"});
  EXPECT_EQ(with("DS1", "baseline", [](Row& row) { row.dsgc = row.epsilon.value() == 0.5 ? 0.3 : 1.3; }),
            Ids{"dsgc-clear-DS1"});
}

TEST(Claims, TheBestShareIsHeldAgainstTheWholeSweep) {
  // Over four budgets 90 % averages 0.1; 50 % averages 0.0875 once it has 0.05 at the budgets from 0.5 on, and 0.2 at
  // 0.1.
  const World world{.change = [](Row& row) {
    if (row.technique == "privthr alpha=0.5" && row.dataset == "DS3") row.dsgc = row.epsilon.value() < 0.2 ? 0.2 : 0.05;
  }};
  const auto claims = world.claims();
  EXPECT_EQ(differing(claims), Ids{"alpha-privthr-dsgc-DS3"});
  const Finding& finding = claim(claims, "alpha-privthr-dsgc-DS3").ours;
  ASSERT_EQ(finding.figures.size(), 2U);
  EXPECT_EQ(finding.figures[1].technique, "privthr alpha=0.5");
  EXPECT_NE(finding.why.find("epsilon 0.5, 1, 2"), std::string::npos) << finding.why;
  const World same{.change = [](Row& row) {
    if (row.technique == "privthr alpha=0.5") row.dsgc = 0.095;  // 90 % is less than a tenth worse
  }};
  EXPECT_EQ(claim(same.claims(), "alpha-privthr").ours.verdict, Verdict::reproduced);
}

TEST(Claims, TheShareThatIsBestOverAllSeedsIsWhatEachSeedIsHeldAgainst) {
  // 50 % is best in the runs of the third seed alone, which does not make it the best share.
  const World world{.seeds = 3, .change = [](Row& row) {
                      if (row.technique == "privthr alpha=0.5" && row.run > 20) row.dsgc = 0.05;
                    }};
  const Finding finding = claim(world.claims(), "alpha-privthr").ours;
  EXPECT_EQ(finding.seeds_held, 3U);
}

// Rows in which the first seeds miss the order of DSG_C on DS3 at one budget.
Finding with_bad_seeds(std::uint64_t bad, const std::string& epsilon) {
  const World world{.seeds = 3, .change = [=](Row& row) {
                      if (row.dataset != "DS3" || row.technique != "privthr-em" || row.run > 10 * bad) return;
                      if (row.epsilon == Epsilon::parse(epsilon)) row.dsgc = 1.5;
                    }};
  return claim(world.claims(), "dsgc-order-DS3").ours;
}

TEST(Claims, AVerdictIsThatOfMostSeeds) {
  const Finding one = with_bad_seeds(1, "0.1");
  EXPECT_EQ(one.seeds_held, 2U);
  EXPECT_EQ(one.seeds, 3U);
  EXPECT_EQ(one.verdict, Verdict::reproduced);
  EXPECT_TRUE(one.why.empty());
  const Finding two = with_bad_seeds(2, "0.1");
  EXPECT_EQ(two.seeds_held, 1U);
  EXPECT_EQ(two.verdict, Verdict::differs);
  EXPECT_NE(two.why.find("Missed by PrivTHR_EM at epsilon 0.1."), std::string::npos) << two.why;
}

TEST(Reasons, SaySoWhereOnlyTheRunsOfSingleSeedsMiss) {
  const Finding two = with_bad_seeds(2, "2");  // on average 1.02, below the 1.2 of the others
  EXPECT_EQ(two.verdict, Verdict::differs);
  EXPECT_EQ(two.why, "The runs of all 3 seeds together meet the criterion; those of one seed scatter around it.");
}

TEST(Claims, TheReadingWithAClassForUnclusteredPointsHasRowsOfItsOwn) {
  const World world{.change = [](Row& row) {
    if (row.dataset == "DS1 unclustered" && row.technique == "privthr") row.ocm = 0.2;
  }};
  const auto claims = world.claims();
  EXPECT_EQ(differing(claims), Ids{"ocm-low-DS1-unclustered"});
  EXPECT_NE(verdict_words(claims).find("with a class for unclustered points, 17 and 18."), std::string::npos)
      << verdict_words(claims);
}

TEST(Claims, TheSignOfTheLogarithmNamesTheBetterTechnique) {
  std::vector<Row> rows;
  const World world;
  for (const std::string& technique : paper_techniques()) world.add(rows, "DS1", technique);
  const auto verdict = [&](double threshold, double largest) {
    const SetFacts facts{.name = "DS1", .is_authors = true, .cells = 16, .threshold = threshold, .largest = largest};
    return claim(check_claims(rows, {facts}, 10), "k-sign-DS1");
  };
  EXPECT_EQ(verdict(10, 15).ours.verdict, Verdict::reproduced) << "PrivTHR has the better k' here";
  EXPECT_EQ(verdict(10, 25).ours.verdict, Verdict::differs);
  EXPECT_NE(verdict(10, 25).words.find("negative on DS1 (-0.41), so k' is better by PrivTHR_EM"), std::string::npos);
}

// ---- reasons ---------------------------------------------------------------------------------------------------

TEST(Reasons, SayWhichTechniquesAndBudgetsMissAndWhatTheirRunsHaveInCommon) {
  const World world{.change = [](Row& row) {
    if (row.dataset != "DS3" || row.technique != "privthr-em" || row.epsilon != Epsilon::parse("0.1")) return;
    row.clusters = row.run <= 4 ? 5 : 2;
    row.dsgc = row.run <= 4 ? 0.4 : 2;
  }};
  const std::string why = claim(world.claims(), "dsgc-order-DS3").ours.why;
  EXPECT_NE(why.find("Missed by PrivTHR_EM at epsilon 0.1."), std::string::npos) << why;
  EXPECT_NE(why.find("4 of 10 runs find 5 clusters: these average 0.400, the others 2.000."), std::string::npos) << why;
  EXPECT_NE(why.find("As published it is reproduced."), std::string::npos) << why;
}

TEST(Reasons, TellWhatIntegerNoiseLeavesAtZero) {
  const World world{.change = [](Row& row) {
    if (row.dataset == "DS2" && row.technique == "privqt") row.k = 233;
  }};
  const std::string why = claim(world.claims(), "k-DS2-privqt-1").ours.why;
  // |L| = 159, |Z| = 241, 1 - p = 0.9; the sum of four noises at epsilon 1 is zero with probability 0.174.
  EXPECT_NE(why.find("leaves 17 % of the empty cells of W at exactly zero: a k' of 233 is expected, not (1 - p)(|L| + "
                     "|Z|/2) = 252."),
            std::string::npos)
      << why;
}

TEST(Reasons, TheProbabilityOfAZeroSumIsThatOfAllFourNoises) {
  for (const double epsilon : {0.5, 1.0, 2.0}) {
    constexpr int reach = 60;
    const double q = std::exp(-epsilon);
    const auto probability = [&](int x) { return (1 - q) / (1 + q) * std::pow(q, std::abs(x)); };
    std::vector<double> two(4 * reach + 1);
    for (int a = -reach; a <= reach; ++a) {
      for (int b = -reach; b <= reach; ++b) two[a + b + 2 * reach] += probability(a) * probability(b);
    }
    double zero = 0;
    for (const double each : two) zero += each * each;
    EXPECT_NEAR(zero_sum_probability(epsilon), zero, 1e-9) << epsilon;
  }
}

// ---- Gowalla -----------------------------------------------------------------------------------------------------

class CheckIns : public ::testing::Test {
 protected:
  std::string path = (std::filesystem::temp_directory_path() / "shoal_check_ins.csv").string();
  void write(const std::string& text) const { std::ofstream(path) << text; }
  ~CheckIns() override { std::filesystem::remove(path); }
  // How many points lie in a cell of 256 x 256.
  static std::uint64_t in_cell(const PointTable& points, int row, int column) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      const int x = static_cast<int>((points.columns[0][i] + 180) * 256 / 360);
      const int y = static_cast<int>((points.columns[1][i] + 90) * 256 / 180);
      count += x == column && y == row ? 1 : 0;
    }
    return count;
  }
};

TEST_F(CheckIns, AreDrawnWithoutReplacementAndLieInTheirCells) {
  write("row,col,count\n0,255,3\n10,20,1000\n255,0,500\n");
  const PointTable all = draw_check_ins(path, 1503, 1);
  EXPECT_EQ(all.rows(), 1503U);
  EXPECT_EQ(in_cell(all, 0, 255), 3U);
  EXPECT_EQ(in_cell(all, 10, 20), 1000U);
  EXPECT_EQ(in_cell(all, 255, 0), 500U);
  const PointTable some = draw_check_ins(path, 600, 1);
  EXPECT_EQ(some.rows(), 600U);
  EXPECT_EQ(in_cell(some, 0, 255) + in_cell(some, 10, 20) + in_cell(some, 255, 0), 600U);
  // Hypergeometric with mean 399.2 and deviation 8.9.
  EXPECT_NEAR(static_cast<double>(in_cell(some, 10, 20)), 399.2, 45);
  EXPECT_EQ(draw_check_ins(path, 600, 1).columns, some.columns) << "the same seed";
  EXPECT_NE(draw_check_ins(path, 600, 2).columns, some.columns);
}

TEST_F(CheckIns, RefuseFilesThatHoldNoneOrTooFew) {
  write("row,col,count\n0,256,3\n");
  EXPECT_THROW(draw_check_ins(path, 1, 1), InputError);
  write("row,col,count\n0,25,3\n");
  EXPECT_THROW(draw_check_ins(path, 4, 1), InputError);
}

TEST(Claims, WithoutRowsNothingIsTestable) {
  for (const Claim& one : check_claims({}, {}, 10)) {
    EXPECT_EQ(one.ours.verdict, Verdict::not_testable) << one.id;
    EXPECT_FALSE(one.ours.why.empty()) << one.id;
  }
}

TEST(Claims, FiguresAreWrittenInWords) {
  Figure figure{"DS2", "privthr-em-literal-not-private", "k_error", {Epsilon::parse("1")}, {0.021, 0.011, 0.031}};
  EXPECT_EQ(figure_words(figure), "PrivTHR_EM as published at epsilon 1: |k' - k| / k 2.1 % \u00b1 1.0");
  figure = {"DS1", "privthr alpha=0.9", "dsgc", {Epsilon::parse("0.5")}, {0.25, 0.2, 0.3}};
  EXPECT_EQ(figure_words(figure), "PrivTHR alpha=0.9 at epsilon 0.5: DSG_C 0.250 \u00b1 0.050");
  figure = {"DS1 g=16", "privthr", "f_measure", {Epsilon::parse("1")}, {0.25, 0.2, 0.3}};
  EXPECT_EQ(figure_words(figure), "PrivTHR with g=16 at epsilon 1: F-measure 0.250 \u00b1 0.050");
}

TEST(Reproduce, IsTheSameOnAnyNumberOfThreads) {
  const auto rows = [](unsigned threads) {
    std::vector<Row> result = reproduce({.runs = 1, .seeds = 1, .quick = true, .threads = threads}).rows;
    for (Row& row : result) row.seconds = 0;
    return result;
  };
  EXPECT_EQ(rows(1), rows(3));
}

TEST(Reproduce, TheSecondSeedIsTheFirstOfAStudyThatStartsThere) {
  const auto study = [](std::uint64_t seed, std::uint64_t seeds) {
    return reproduce({.runs = 1, .seeds = seeds, .quick = true, .seed = seed});
  };
  const Study of_both = study(1, 2);
  const std::vector<Row>& both = of_both.rows;
  const std::vector<Row> second = study(2, 1).rows;
  for (const Row& row : both) {  // what a picture shows is the run that the rows name
    if (row.dataset != "DS3" || row.technique != "baseline-literal-not-private") continue;
    EXPECT_EQ(studied_result(of_both, 2, row.technique, row.epsilon, row.run).k, row.k) << row.run;
  }
  ASSERT_EQ(both.size(), 2 * second.size());
  for (std::size_t i = 0; i < second.size(); ++i) {
    Row expected = second[i];
    expected.run = 2;
    expected.seconds = both[second.size() + i].seconds;
    EXPECT_EQ(both[second.size() + i], expected) << i;
  }
}

TEST(Reproduce, StopsWhenItIsTold) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW(reproduce({.quick = true, .stop = &stop}), Error);
}

TEST(Reproduce, RefusesAFolderThatIsNotThere) {
  EXPECT_THROW(reproduce({.data = "/nowhere/at/all", .quick = true}), InputError);
}

}  // namespace
}  // namespace shoal::evaluation
