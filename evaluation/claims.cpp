#include "evaluation/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/criteria.hpp"
#include "evaluation/reasons.hpp"

namespace shoal::evaluation {

namespace {

class Claims {
 public:
  explicit Claims(const Evidence& evidence) : evidence_(evidence) {}

  // check(Form) gives a finding; both forms are asked.
  template <class Check>
  void both(Claim claim, const Check& check) {
    claim.ours = check(Form::ours);
    claim.letter = check(Form::letter);
    all_.push_back(std::move(claim));
  }
  // One form only.
  void one(Claim claim, Finding finding) {
    claim.ours = std::move(finding);
    all_.push_back(std::move(claim));
  }

  [[nodiscard]] const Evidence& evidence() const { return evidence_; }
  std::vector<Claim> take() { return std::move(all_); }

 private:
  const Evidence& evidence_;
  std::vector<Claim> all_;
};

const std::vector<std::string>& set_names() {
  static const std::vector<std::string> names{"DS1", "DS2", "DS3", "Gowalla"};
  return names;
}

Claim claim_of(std::string id, std::string words, std::string paper, std::string criterion) {
  return {std::move(id), std::move(words), std::move(paper), std::move(criterion), false, {}, std::nullopt};
}

// How OCM and 2CE treat points that are in no cluster: left out of the training (the paper's text), or a class of their
// own (the authors' program).
struct Reading {
  bool unclustered_class = false;
  [[nodiscard]] std::string rows(const std::string& set) const {
    return unclustered_class ? with_unclustered(set) : set;
  }
  [[nodiscard]] Claim of(Claim claim) const {
    if (!unclustered_class) return claim;
    claim.id += "-unclustered";
    claim.words += " With a class for unclustered points.";
    claim.unclustered_class = true;
    return claim;
  }
};

void add_datasets(Claims& claims) {
  const Evidence& evidence = claims.evidence();
  const auto add = [&](const std::string& set, const std::string& paper, const std::vector<Expected>& expected) {
    claims.one(claim_of("truth-" + set, fmt::format("What WaveCluster finds on {} without any noise.", set), paper,
                        "the same numbers"),
               check_truth(evidence, set, expected));
  };
  add("DS1", "15 clusters", {{"clusters_true", 15}});
  add("DS2", "3 clusters, k = 144, |Z| = 241", {{"clusters_true", 3}, {"k_true", 144}, {"nonpositive_cells", 241}});
  add("DS3", "5 clusters", {{"clusters_true", 5}});
}

struct PaperK {
  const char* technique;
  double epsilon, k;
};

void add_k_figures(Claims& claims) {
  static const std::vector<PaperK> figures{{"baseline", 1, 284.0},  {"privqt", 1, 249.2},
                                           {"privthr", 1, 141.0},   {"privthr-em", 1, 142.8},
                                           {"privthr", 0.1, 131.2}, {"privthr-em", 0.1, 82.8}};
  const Evidence& evidence = claims.evidence();
  for (const auto& [technique, epsilon, k] : figures) {
    const std::string name = technique;
    Claim claim = claim_of(fmt::format("k-DS2-{}-{}", name, epsilon),
                           fmt::format("Mean k' of {} on DS2 at epsilon {}.", display_name(name), epsilon),
                           fmt::format("{:.1f}", k), near_criterion);
    claims.both(std::move(claim), [&, e = epsilon, paper = k](Form form) {
      return check_near(evidence, "DS2", in_form(name, form), e, "k", paper);
    });
  }
  claims.both(
      claim_of("k-excess-DS2-privqt-1", "PrivQT's k' - k on DS2 at epsilon 1 is close to (1 - p)|Z|/2 = 108.45.",
               "105.2", "our mean is within 5 % of 108.45 (the paper's is 3 % off)"),
      [&](Form form) {
        return check_range(
            figures_of(evidence, "DS2", {in_form("privqt", form)}, {Epsilon::from_double(1)}, "k_excess"),
            {108.45 * 0.95, 108.45 * 1.05});
      });
}

void add_k_errors(Claims& claims) {
  const Evidence& evidence = claims.evidence();
  const std::vector<Epsilon> budgets = evidence.budgets(0.5);
  for (const std::string& set : set_names()) {
    claims.both(
        claim_of("k-error-refined-" + set,
                 fmt::format("|k' - k| / k of PrivTHR and PrivTHR_EM on {}, on average over epsilon >= 0.5.", set),
                 "below 4.7 %", "both averages are below 4.7 %"),
        [&](Form form) {
          return check_range(
              averages_of(evidence, set, {in_form("privthr", form), in_form("privthr-em", form)}, budgets, "k_error"),
              {.high = 0.047});
        });
  }
  for (const std::string& set : set_names()) {
    claims.both(claim_of("k-error-plain-" + set,
                         fmt::format("|k' - k| / k of Baseline and PrivQT on {} for epsilon >= 0.5.", set),
                         "32.2 % to 150.5 %", "every mean lies in that range"),
                [&](Form form) {
                  return check_range(figures_of(evidence, set, {in_form("baseline", form), in_form("privqt", form)},
                                                budgets, "k_error"),
                                     {0.322, 1.505});
                });
  }
  for (const std::string& set : set_names()) {
    claims.both(
        claim_of("k-sensitive-" + set,
                 fmt::format("At epsilon 0.1, k' of PrivTHR_EM is further off than that of PrivTHR on {}.", set),
                 set == "DS2" ? "42.5 % against 8.9 %" : "no figure", "our means show the same"),
        [&](Form form) {
          const Epsilon epsilon = Epsilon::from_double(0.1);
          return check_order({{evidence.figure(set, in_form("privthr", form), epsilon, "k_error"),
                               evidence.figure(set, in_form("privthr-em", form), epsilon, "k_error")}});
        });
  }
}

// Section 5.2.3: which of PrivTHR and PrivTHR_EM has the better k'.
void add_sign(Claims& claims) {
  const Evidence& evidence = claims.evidence();
  for (const std::string& set : set_names()) {
    const SetFacts* facts = evidence.facts(set);
    if (facts == nullptr || !(facts->largest > facts->threshold)) {
      claims.one(claim_of("k-sign-" + set, fmt::format("The sign of ln(W_k / (Wmax - W_k)) on {}.", set), "no figure",
                          "the rows tell"),
                 no_rows());
      continue;
    }
    const double logarithm = std::log(facts->threshold / (facts->largest - facts->threshold));
    const bool em_favoured = logarithm < 0;
    claims.both(
        claim_of(
            "k-sign-" + set,
            fmt::format("ln(W_k / (Wmax - W_k)) is {} on {} ({:.2f}), so k' is better by {}.",
                        em_favoured ? "negative" : "positive", set, logarithm, em_favoured ? "PrivTHR_EM" : "PrivTHR"),
            "no figure", "the average of |k' - k| / k over all runs and budgets is lower for this technique"),
        [&](Form form) {
          const auto averages = averages_of(evidence, set, {in_form("privthr", form), in_form("privthr-em", form)},
                                            evidence.budgets(0), "k_error_of_runs");
          return check_order({em_favoured ? Pair{averages[1], averages[0]} : Pair{averages[0], averages[1]}});
        });
  }
}

// PrivTHR and PrivTHR_EM before Baseline and PrivQT, by a measure. In rows of a set that `named` gives for it.
void add_order(Claims& claims, const std::string& quantity, const std::string& name, double least_epsilon,
               const std::string& when, const Reading& reading = {}) {
  const Evidence& evidence = claims.evidence();
  for (const std::string& set : set_names()) {
    claims.both(
        reading.of(claim_of(
            fmt::format("{}-order-{}", quantity, set),
            fmt::format("{} of PrivTHR and PrivTHR_EM is below that of Baseline and PrivQT on {} {}.", name, set, when),
            "always below", "our means show the same in every comparison; the closest is shown")),
        [&](Form form) {
          return check_order(
              refined_below_plain(evidence, reading.rows(set), form, evidence.budgets(least_epsilon), quantity));
        });
  }
}

void add_dsgc(Claims& claims) {
  const Evidence& evidence = claims.evidence();
  add_order(claims, "dsgc", "DSG_C", 0, "for every budget");
  for (const std::string& set : set_names()) {
    claims.both(
        claim_of("dsgc-privqt-flat-" + set,
                 fmt::format("On {}, unlike the others, PrivQT gains little from a larger budget.", set), "no figure",
                 "from the smallest to the largest budget PrivQT keeps at least half of its DSG_C, PrivTHR and "
                 "PrivTHR_EM less than half"),
        [&](Form form) { return check_little_use_of_budget(evidence, set, form); });
  }
}

void add_f_measure(Claims& claims) {
  const Evidence& evidence = claims.evidence();
  const auto plain = [](Form form) {
    return std::vector<std::string>{in_form("baseline", form), in_form("privqt", form)};
  };
  claims.both(claim_of("f-high-DS1", "On DS1 even Baseline and PrivQT have a high F-measure for almost all budgets.",
                       "above 0.8", "all means but at most two are above 0.8; the lowest is shown"),
              [&](Form form) {
                return check_range(figures_of(evidence, "DS1", plain(form), evidence.budgets(0), "f_measure"),
                                   {.low = 0.8, .allowed = 2});
              });
  claims.both(claim_of("f-many-clusters-DS1",
                       "Yet at epsilon 0.1 on DS1 Baseline and PrivQT find far more clusters than the 15 true ones.",
                       "more than 30 each", "our means show the same"),
              [&](Form form) {
                return check_range(figures_of(evidence, "DS1", plain(form), {Epsilon::from_double(0.1)}, "clusters"),
                                   {.low = 30});
              });
  claims.both(
      claim_of("dsgc-clear-DS1", "On DS1 DSG_C tells the techniques clearly apart where F-measure does not.",
               "no figure",
               "for epsilon >= 0.5 the mean DSG_C of Baseline and PrivQT is more than twice that of PrivTHR and "
               "PrivTHR_EM; the closest is shown"),
      [&](Form form) {
        return check_order(refined_below_plain(evidence, "DS1", form, evidence.budgets(0.5), "dsgc"), 2);
      });
}

void add_prediction(Claims& claims, const Reading& reading) {
  const Evidence& evidence = claims.evidence();
  const std::vector<Epsilon> above_half = evidence.budgets(0.500001);
  const auto add = [&](Claim claim, const auto& check) { claims.both(reading.of(std::move(claim)), check); };
  add_order(claims, "ocm", "OCM", 0.5, "for epsilon >= 0.5", reading);
  for (const std::string set : {"DS1", "DS3", "Gowalla"}) {
    add(claim_of("ocm-low-" + set, fmt::format("OCM of PrivTHR and PrivTHR_EM on {} for epsilon > 0.5.", set),
                 "below 0.15", "every mean meets the bound; the largest is shown"),
        [&](Form form) {
          return check_range(figures_of(evidence, reading.rows(set),
                                        {in_form("privthr", form), in_form("privthr-em", form)}, above_half, "ocm"),
                             {.high = 0.15});
        });
  }
  add(claim_of("ocm-DS2-privthr-em", "OCM of PrivTHR_EM on DS2 for epsilon > 0.5.", "below 0.1",
               "every mean meets the bound; the largest is shown"),
      [&](Form form) {
        return check_range(figures_of(evidence, reading.rows("DS2"), {in_form("privthr-em", form)}, above_half, "ocm"),
                           {.high = 0.1});
      });
  add(claim_of("ocm-DS2-privthr", "OCM of PrivTHR on DS2 for epsilon > 0.5.", "0.1 to 0.2",
               "every mean lies in that range"),
      [&](Form form) {
        return check_range(figures_of(evidence, reading.rows("DS2"), {in_form("privthr", form)}, above_half, "ocm"),
                           {0.1, 0.2});
      });
  for (const std::string set : {"DS2", "DS3"}) {
    add(claim_of("ocm-concave-" + set,
                 fmt::format("PrivTHR_EM is more resilient than PrivTHR on concave data ({}).", set),
                 set == "DS2" ? "OCM below 0.1 against 0.1 to 0.2" : "no figure",
                 "its OCM, averaged over epsilon > 0.5, is lower"),
        [&](Form form) {
          const auto averages = averages_of(evidence, reading.rows(set),
                                            {in_form("privthr-em", form), in_form("privthr", form)}, above_half, "ocm");
          return check_order({{averages[0], averages[1]}});
        });
  }
  add_order(claims, "two_ce", "2CE", 0.5, "for epsilon >= 0.5", reading);
  const auto four = [](Form form) {
    return std::vector<std::string>{in_form("baseline", form), in_form("privqt", form), in_form("privthr", form),
                                    in_form("privthr-em", form)};
  };
  add(claim_of("two_ce-low-DS1", "2CE of all four techniques on DS1, for every budget.", "below 0.1",
               "every mean meets the bound; the largest is shown"),
      [&](Form form) {
        return check_range(figures_of(evidence, reading.rows("DS1"), four(form), evidence.budgets(0), "two_ce"),
                           {.high = 0.1});
      });
  add(claim_of("ocm-range-DS1", "OCM of all four techniques on DS1, for every budget.", "0.05 to 0.5",
               "every mean lies in that range"),
      [&](Form form) {
        return check_range(figures_of(evidence, reading.rows("DS1"), four(form), evidence.budgets(0), "ocm"),
                           {0.05, 0.5});
      });
  add(claim_of("two_ce-below-ocm-DS1", "On DS1, OCM is much higher than 2CE.", "OCM 0.05 to 0.5, 2CE below 0.1",
               "2CE is below OCM for every technique and budget where OCM is not 0; the closest is shown"),
      [&](Form form) {
        std::vector<Pair> pairs;
        for (const std::string& technique : four(form)) {
          for (const Epsilon epsilon : evidence.budgets(0)) {
            const auto ocm = evidence.figure(reading.rows("DS1"), technique, epsilon, "ocm");
            if (ocm && ocm->value.mean == 0) continue;
            pairs.emplace_back(evidence.figure(reading.rows("DS1"), technique, epsilon, "two_ce"), ocm);
          }
        }
        return check_order(pairs);
      });
}

// Section 7.4: on DS1 by DSG_C; other measures and sets "show the similar results".
void add_budget_split(Claims& claims) {
  const Evidence& evidence = claims.evidence();
  for (const std::string& set : set_names()) {
    for (const Measure& measure : measures()) {
      const std::string quantity = measure.column;
      if (quantity != "dsgc" && quantity != "ocm" && quantity != "two_ce") continue;
      const bool first = set == "DS1" && quantity == "dsgc";
      claims.both(
          claim_of(first ? "alpha-privthr" : fmt::format("alpha-privthr-{}-{}", quantity, set),
                   fmt::format("The best share of the budget for PrivTHR's counts, by {} on {}.", measure.name, set),
                   first ? "90 %" : "similar", alpha_criterion),
          [&](Form form) { return check_alpha(evidence, set, in_form("privthr", form), 0.9, quantity); });
    }
  }
  claims.both(claim_of("alpha-privthr-em",
                       "The share of the budget for PrivTHR_EM's counts, by DSG_C on DS1; taken from earlier work, not "
                       "from a sweep.",
                       "70 %", alpha_criterion),
              [&](Form form) { return check_alpha(evidence, "DS1", in_form("privthr-em", form), 0.7, "dsgc"); });
}

// Section 4.2: only an appropriate grid size keeps the results useful.
void add_grid_sizes(Claims& claims) {
  const Evidence& evidence = claims.evidence();
  for (const std::string set : {"DS1", "DS2", "DS3"}) {
    const SetFacts* facts = evidence.facts(set);
    const std::uint64_t cells = facts == nullptr ? 0 : facts->cells;
    claims.both(
        claim_of("grid-" + set, fmt::format("Only an appropriate grid size keeps the utility high on {}.", set),
                 "no figure",
                 "at epsilon 1 the F-measure of PrivTHR and PrivTHR_EM against the clusters without noise on the "
                 "paper's grid is higher on this grid than on g/4 and on 4g; the closest is shown"),
        [&](Form form) {
          std::vector<Pair> pairs;
          for (const char* name : {"privthr", "privthr-em"}) {
            const auto on = [&](std::uint64_t size) {
              return evidence.figure(varied_grid(set, size), in_form(name, form), Epsilon::from_double(1), "f_measure");
            };
            for (const std::uint64_t other : {studied_grids(cells).front(), studied_grids(cells).back()}) {
              pairs.emplace_back(on(other), on(cells));
            }
          }
          return check_order(pairs);
        });
  }
}

std::string quantity_words(const std::string& quantity) {
  if (quantity == "k") return "k'";
  if (quantity == "k_excess") return "k' - k";
  if (quantity == "k_error") return "|k' - k| / k";
  if (quantity == "k_error_of_runs") return "mean of |k' - k| / k";
  if (quantity == "k_true") return "k";
  if (quantity == "clusters" || quantity == "clusters_true") return "clusters";
  if (quantity == "nonpositive_cells") return "|Z|";
  for (const Measure& measure : measures()) {
    if (quantity == measure.column) return measure.name;
  }
  return quantity;
}

}  // namespace

const char* words_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::reproduced:
      return "reproduced";
    case Verdict::differs:
      return "differs";
    case Verdict::not_testable:
      break;
  }
  return "not testable here";
}

std::string varied_technique(const std::string& technique, double alpha) {
  return fmt::format("{} alpha={}", technique, alpha);
}

std::string varied_set(const std::string& set, const std::string& wavelet) {
  return wavelet == "haar" ? set : set + " " + wavelet;
}

std::string varied_grid(const std::string& set, std::uint64_t cells) { return fmt::format("{} g={}", set, cells); }

std::string with_unclustered(const std::string& set) { return set + " unclustered"; }

std::vector<std::uint64_t> studied_grids(std::uint64_t cells) {
  return {cells / 4, cells / 2, cells, 2 * cells, 4 * cells};
}

namespace {

std::vector<Claim> claims_of(const Evidence& evidence) {
  Claims claims(evidence);
  add_datasets(claims);
  add_k_figures(claims);
  add_k_errors(claims);
  add_sign(claims);
  add_dsgc(claims);
  add_f_measure(claims);
  add_prediction(claims, {});
  add_budget_split(claims);
  add_grid_sizes(claims);
  add_prediction(claims, {.unclustered_class = true});
  return claims.take();
}

// Turns the finding of all runs into one over the seeds. Returns whether the runs of all seeds meet the criterion.
bool decide(Finding& all, const std::vector<const Finding*>& seeds) {
  const bool met = all.verdict == Verdict::reproduced;
  for (const Finding* one : seeds) {
    if (one->verdict == Verdict::not_testable) continue;
    ++all.seeds;
    if (one->verdict == Verdict::reproduced) ++all.seeds_held;
  }
  if (all.seeds == 0) {
    all.verdict = Verdict::not_testable;
    if (!seeds.empty()) all.why = seeds.front()->why;
  } else if (all.verdict != Verdict::not_testable) {
    all.verdict = 2 * all.seeds_held > all.seeds ? Verdict::reproduced : Verdict::differs;
  }
  return met;
}

}  // namespace

std::vector<Claim> check_claims(const std::vector<Row>& rows, const std::vector<SetFacts>& sets, std::uint64_t runs) {
  const Evidence evidence(rows, sets);
  std::vector<Claim> claims = claims_of(evidence);
  std::vector<std::vector<Row>> by_seed;
  for (const Row& row : rows) {
    const std::uint64_t seed = (row.run - 1) / runs;
    if (by_seed.size() <= seed) by_seed.resize(seed + 1);
    by_seed[seed].push_back(row);
  }
  std::vector<std::vector<Claim>> of_seeds;
  for (const std::vector<Row>& some : by_seed) of_seeds.push_back(claims_of(Evidence(some, sets, &evidence)));
  for (std::size_t i = 0; i < claims.size(); ++i) {
    Claim& claim = claims[i];
    std::vector<const Finding*> ours, letter;
    for (const std::vector<Claim>& of_seed : of_seeds) {
      ours.push_back(&of_seed[i].ours);
      if (claim.letter) letter.push_back(&*of_seed[i].letter);
    }
    const bool ours_met = decide(claim.ours, ours);
    if (claim.letter) {
      const bool letter_met = decide(*claim.letter, letter);
      if (claim.letter->verdict == Verdict::differs) {
        claim.letter->why = reason_of(evidence, *claim.letter, letter_met, nullptr);
      }
    }
    if (claim.ours.verdict == Verdict::differs) {
      claim.ours.why = reason_of(evidence, claim.ours, ours_met, claim.letter ? &*claim.letter : nullptr);
    }
  }
  return claims;
}

std::string display_name(const std::string& technique) {
  const std::size_t space = technique.find(' ');
  const std::string variation = space == std::string::npos ? "" : technique.substr(space);
  std::string name = technique.substr(0, space);
  const bool letter = name.ends_with(letter_suffix);
  if (letter) name.resize(name.size() - std::string(letter_suffix).size());
  if (name == "baseline") name = "Baseline";
  if (name == "privqt") name = "PrivQT";
  if (name == "privthr") name = "PrivTHR";
  if (name == "privthr-em") name = "PrivTHR_EM";
  return name + (letter ? " as published" : "") + variation;
}

std::string figure_words(const Figure& figure) {
  const double half = figure.value.high - figure.value.mean;
  const std::string quantity = quantity_words(figure.quantity);
  if (figure.epsilons.empty()) return fmt::format("{} {:.0f}", quantity, figure.value.mean);
  const std::string where =
      figure.epsilons.size() == 1
          ? fmt::format("at epsilon {}", figure.epsilons.front().text())
          : fmt::format("over epsilon {} to {}", figure.epsilons.front().text(), figure.epsilons.back().text());
  std::string value;
  if (figure.quantity == "k_error" || figure.quantity == "k_error_of_runs") {
    value = fmt::format("{:.1f} % \u00b1 {:.1f}", 100 * figure.value.mean, 100 * half);
  } else if (figure.quantity == "k" || figure.quantity == "k_excess" || figure.quantity == "clusters") {
    value = fmt::format("{:.1f} \u00b1 {:.1f}", figure.value.mean, half);
  } else {
    value = fmt::format("{:.3f} \u00b1 {:.3f}", figure.value.mean, half);
  }
  const std::size_t grid = figure.dataset.find(" g=");
  const std::string on = grid == std::string::npos ? "" : fmt::format(" with{}", figure.dataset.substr(grid));
  return fmt::format("{}{} {}: {} {}", display_name(figure.technique), on, where, quantity, value);
}

}  // namespace shoal::evaluation
