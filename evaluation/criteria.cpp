#include "evaluation/criteria.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace shoal::evaluation {

namespace {

constexpr std::uint64_t runs_of_paper = 10;
constexpr std::uint64_t least_runs = 5;  // below, an interval says next to nothing

Finding not_testable(const std::string& why) {
  Finding finding;
  finding.why = why;
  return finding;
}

Finding no_rows() { return not_testable("The study has no runs for it."); }

double half_width(const Interval& interval) { return interval.high - interval.mean; }

std::optional<Interval> value_of(const Summary& one, const std::string& quantity) {
  const auto k_true = static_cast<double>(one.k_true);
  if (quantity == "k") return one.k;
  if (quantity == "clusters") return one.clusters;
  if (quantity == "k_excess") return Interval{one.k.mean - k_true, one.k.low - k_true, one.k.high - k_true};
  if (quantity == "k_error") {
    const double error = std::fabs(one.k.mean - k_true) / k_true;
    const double half = half_width(one.k) / k_true;
    return Interval{error, error - half, error + half};
  }
  for (std::size_t i = 0; i < measures().size(); ++i) {
    if (quantity == measures()[i].column) return one.measured[i];
  }
  return std::nullopt;
}

// half is t s / sqrt(n); of another 10 runs' mean around ours it is t s sqrt(1/n + 1/10).
bool is_near(const Interval& ours, std::uint64_t runs, double paper) {
  const double half = half_width(ours) * std::sqrt(1 + static_cast<double>(runs) / runs_of_paper);
  return std::fabs(ours.mean - paper) <= std::max(half, 0.02 * std::fabs(paper));
}

}  // namespace

std::string in_form(const std::string& technique, Form form) {
  return form == Form::ours || technique == "baseline" ? technique : technique + letter_suffix;
}

Evidence::Evidence(const std::vector<Row>& rows, const std::vector<SetFacts>& sets)
    : summaries_(summarize(rows)), sets_(sets) {
  for (const Row& row : rows) budgets_.insert(row.epsilon);
}

const SetFacts* Evidence::facts(const std::string& set) const {
  const auto found = std::find_if(sets_.begin(), sets_.end(), [&](const SetFacts& one) { return one.name == set; });
  return found == sets_.end() ? nullptr : &*found;
}

const Summary* Evidence::summary(const std::string& set, const std::string& technique, Epsilon epsilon) const {
  const auto found = std::find_if(summaries_.begin(), summaries_.end(), [&](const Summary& one) {
    return one.dataset == set && one.technique == technique && one.epsilon == epsilon;
  });
  return found == summaries_.end() ? nullptr : &*found;
}

const Summary* Evidence::any(const std::string& set) const {
  const auto found =
      std::find_if(summaries_.begin(), summaries_.end(), [&](const Summary& one) { return one.dataset == set; });
  return found == summaries_.end() ? nullptr : &*found;
}

std::optional<Figure> Evidence::figure(const std::string& set, const std::string& technique, Epsilon epsilon,
                                       const std::string& quantity) const {
  const Summary* one = summary(set, technique, epsilon);
  if (one == nullptr) return std::nullopt;
  const std::optional<Interval> value = value_of(*one, quantity);
  if (!value) return std::nullopt;
  return Figure{set, technique, quantity, {epsilon}, *value};
}

std::vector<Epsilon> Evidence::budgets(double least, double most) const {
  std::vector<Epsilon> result;
  for (const Epsilon epsilon : budgets_) {
    if (epsilon.value() >= least && epsilon.value() <= most) result.push_back(epsilon);
  }
  return result;
}

std::vector<const Summary*> Evidence::sweep(const std::string& set, const std::string& technique) const {
  std::vector<const Summary*> result;
  for (const Summary& one : summaries_) {
    if (one.dataset == set && one.technique.starts_with(technique + " alpha=")) result.push_back(&one);
  }
  return result;
}

Finding check_truth(const Evidence& evidence, const std::string& set, const std::vector<Expected>& expected) {
  const SetFacts* facts = evidence.facts(set);
  const Summary* one = evidence.any(set);
  if (facts == nullptr || one == nullptr) return no_rows();
  Finding finding;
  for (const auto& [quantity, value] : expected) {
    const std::string name = quantity;
    const auto ours = static_cast<double>(name == "k_true"          ? one->k_true
                                          : name == "clusters_true" ? one->clusters_true
                                                                    : facts->nonpositive);
    finding.figures.push_back({set, "", name, {}, {ours, ours, ours}});
    ++finding.of;
    if (ours == static_cast<double>(value)) ++finding.held;
  }
  finding.verdict = finding.held == finding.of ? Verdict::reproduced : Verdict::differs;
  if (!facts->is_authors) {
    finding.verdict = Verdict::not_testable;
    finding.why = "These are generated points like the paper's, not the paper's own.";
  }
  return finding;
}

Finding check_near(const Evidence& evidence, const std::string& set, const std::string& technique, double epsilon,
                   const std::string& quantity, double paper) {
  const Epsilon budget = Epsilon::from_double(epsilon);
  const std::optional<Figure> figure = evidence.figure(set, technique, budget, quantity);
  if (!figure) return no_rows();
  Finding finding;
  finding.figures = {*figure};
  const SetFacts* facts = evidence.facts(set);
  const std::uint64_t runs = evidence.summary(set, technique, budget)->runs;
  if (facts == nullptr || !facts->is_authors) {
    finding.why = "The figure belongs to the paper's own points; these are generated.";
  } else if (runs < least_runs) {
    finding.why = fmt::format("{} runs are too few to tell; make {} at least.", runs, least_runs);
  } else {
    finding.verdict = is_near(figure->value, runs, paper) ? Verdict::reproduced : Verdict::differs;
  }
  return finding;
}

Finding check_range(const std::vector<std::optional<Figure>>& figures, const Range& range) {
  Finding finding;
  const Figure* least = nullptr;
  const Figure* most = nullptr;
  std::uint64_t reaching = 0;
  for (const auto& figure : figures) {
    if (!figure) return no_rows();
    ++finding.of;
    if (figure->value.mean >= range.low && figure->value.mean <= range.high) ++finding.held;
    if (figure->value.high >= range.low && figure->value.low <= range.high) ++reaching;
    if (least == nullptr || figure->value.mean < least->value.mean) least = &*figure;
    if (most == nullptr || figure->value.mean > most->value.mean) most = &*figure;
  }
  if (least == nullptr || most == nullptr) return no_rows();
  if (std::isfinite(range.low)) finding.figures.push_back(*least);
  if (std::isfinite(range.high) && (finding.figures.empty() || most != least)) finding.figures.push_back(*most);
  finding.verdict = finding.held + range.allowed >= finding.of ? Verdict::reproduced : Verdict::differs;
  finding.within_scatter = finding.verdict == Verdict::differs && reaching + range.allowed >= finding.of;
  return finding;
}

std::vector<std::optional<Figure>> figures_of(const Evidence& evidence, const std::string& set,
                                              const std::vector<std::string>& techniques,
                                              const std::vector<Epsilon>& budgets, const std::string& quantity) {
  std::vector<std::optional<Figure>> figures;
  for (const std::string& technique : techniques) {
    for (const Epsilon epsilon : budgets) figures.push_back(evidence.figure(set, technique, epsilon, quantity));
  }
  return figures;
}

std::vector<std::optional<Figure>> averages_of(const Evidence& evidence, const std::string& set,
                                               const std::vector<std::string>& techniques,
                                               const std::vector<Epsilon>& budgets, const std::string& quantity) {
  std::vector<std::optional<Figure>> averages;
  for (const std::string& technique : techniques) {
    double sum = 0;
    double squares = 0;
    bool complete = !budgets.empty();
    for (const Epsilon epsilon : budgets) {
      const auto figure = evidence.figure(set, technique, epsilon, quantity);
      complete = complete && figure;
      if (!figure) break;
      sum += figure->value.mean;
      squares += half_width(figure->value) * half_width(figure->value);
    }
    if (!complete) {
      averages.emplace_back();
      continue;
    }
    const auto count = static_cast<double>(budgets.size());
    const double half = std::sqrt(squares) / count;
    averages.push_back(
        Figure{set, technique, quantity, budgets, {sum / count, sum / count - half, sum / count + half}});
  }
  return averages;
}

Finding check_order(const std::vector<Pair>& pairs, double factor) {
  Finding finding;
  const Pair* closest = nullptr;
  double closest_ratio = -1;
  std::uint64_t reaching = 0;
  for (const Pair& pair : pairs) {
    if (!pair.first || !pair.second) return no_rows();
    const double small = pair.first->value.mean;
    const double large = pair.second->value.mean;
    ++finding.of;
    if (small * factor < large) ++finding.held;
    if (pair.first->value.low * factor < pair.second->value.high) ++reaching;
    const double ratio = large > 0 ? small / large : infinity;
    if (closest == nullptr || ratio > closest_ratio) {
      closest = &pair;
      closest_ratio = ratio;
    }
  }
  if (closest == nullptr) return no_rows();
  finding.figures = {*closest->first, *closest->second};
  finding.verdict = finding.held == finding.of ? Verdict::reproduced : Verdict::differs;
  finding.within_scatter = finding.verdict == Verdict::differs && reaching == finding.of;
  return finding;
}

std::vector<Pair> refined_below_plain(const Evidence& evidence, const std::string& set, Form form,
                                      const std::vector<Epsilon>& budgets, const std::string& quantity) {
  std::vector<Pair> pairs;
  for (const Epsilon epsilon : budgets) {
    for (const char* refined : {"privthr", "privthr-em"}) {
      for (const char* plain : {"baseline", "privqt"}) {
        pairs.emplace_back(evidence.figure(set, in_form(refined, form), epsilon, quantity),
                           evidence.figure(set, in_form(plain, form), epsilon, quantity));
      }
    }
  }
  return pairs;
}

Finding check_little_use_of_budget(const Evidence& evidence, const std::string& set, Form form) {
  const std::vector<Epsilon> budgets = evidence.budgets(0);
  if (budgets.size() < 2) return no_rows();
  Finding finding;
  for (const char* name : {"privqt", "privthr", "privthr-em"}) {
    const auto first = evidence.figure(set, in_form(name, form), budgets.front(), "dsgc");
    const auto last = evidence.figure(set, in_form(name, form), budgets.back(), "dsgc");
    if (!first || !last) return no_rows();
    const bool kept = last->value.mean >= 0.5 * first->value.mean;
    ++finding.of;
    if (kept == (std::string(name) == "privqt")) ++finding.held;
    finding.figures.push_back(*first);
    finding.figures.push_back(*last);
  }
  finding.verdict = finding.held == finding.of ? Verdict::reproduced : Verdict::differs;
  return finding;
}

Finding check_alpha(const Evidence& evidence, const std::string& set, const std::string& technique, double alpha) {
  const std::vector<const Summary*> sweep = evidence.sweep(set, technique);
  std::set<Epsilon> budgets;
  for (const Summary* one : sweep) budgets.insert(one->epsilon);
  Finding finding;
  for (const Epsilon epsilon : budgets) {
    const auto chosen = evidence.figure(set, varied_technique(technique, alpha), epsilon, "dsgc");
    if (!chosen) return no_rows();
    Figure best = *chosen;
    for (const Summary* one : sweep) {
      if (one->epsilon != epsilon || one->measured.front()->mean >= best.value.mean) continue;
      best = {set, one->technique, "dsgc", {epsilon}, *one->measured.front()};
    }
    ++finding.of;
    if (chosen->value.low <= best.value.high) ++finding.held;
    finding.figures.push_back(*chosen);
    if (best.technique != chosen->technique) finding.figures.push_back(best);
  }
  if (finding.of == 0) return no_rows();
  finding.verdict = finding.held == finding.of ? Verdict::reproduced : Verdict::differs;
  return finding;
}

}  // namespace shoal::evaluation
