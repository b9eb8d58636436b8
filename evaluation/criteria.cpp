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
// By how much a pair of figures misses an order, and by how much a figure a range; larger is worse.
struct Missed {
  double by;
  std::vector<Figure> figures;
};

std::vector<Figure> worst_first(std::vector<Missed> missed) {
  std::stable_sort(missed.begin(), missed.end(), [](const Missed& a, const Missed& b) { return a.by > b.by; });
  std::vector<Figure> figures;
  for (const Missed& one : missed) figures.insert(figures.end(), one.figures.begin(), one.figures.end());
  return figures;
}

bool is_near(const Interval& ours, std::uint64_t runs, double paper) {
  const double half = half_width(ours) * std::sqrt(1 + static_cast<double>(runs) / runs_of_paper);
  return std::fabs(ours.mean - paper) <= std::max(half, 0.02 * std::fabs(paper));
}

}  // namespace

Finding no_rows() { return not_testable("The study has no runs for it."); }

std::string in_form(const std::string& technique, Form form) {
  return form == Form::ours ? technique : technique + letter_suffix;
}

Evidence::Evidence(const std::vector<Row>& rows, const std::vector<SetFacts>& sets, const Evidence* all)
    : sets_(sets), all_(all) {
  for (Summary& summary : summarize(rows)) {
    places_.emplace(Place{summary.dataset, summary.technique, summary.epsilon}, groups_.size());
    groups_.push_back({std::move(summary), {}});
  }
  for (const Row& row : rows) {
    budgets_.insert(row.epsilon);
    groups_[places_.at({row.dataset, row.technique, row.epsilon})].rows.push_back(row);
  }
}

const SetFacts* Evidence::facts(const std::string& set) const {
  const std::string name = set.substr(0, set.find(' '));
  const auto found = std::find_if(sets_.begin(), sets_.end(), [&](const SetFacts& one) { return one.name == name; });
  return found == sets_.end() ? nullptr : &*found;
}

const Summary* Evidence::summary(const std::string& set, const std::string& technique, Epsilon epsilon) const {
  const auto found = places_.find({set, technique, epsilon});
  return found == places_.end() ? nullptr : &groups_[found->second].summary;
}

const Summary* Evidence::any(const std::string& set) const {
  const auto found =
      std::find_if(groups_.begin(), groups_.end(), [&](const Group& one) { return one.summary.dataset == set; });
  return found == groups_.end() ? nullptr : &found->summary;
}

std::vector<const Row*> Evidence::runs(const std::string& set, const std::string& technique, Epsilon epsilon) const {
  std::vector<const Row*> result;
  const auto found = places_.find({set, technique, epsilon});
  if (found == places_.end()) return result;
  for (const Row& row : groups_[found->second].rows) result.push_back(&row);
  return result;
}

std::optional<Figure> Evidence::figure(const std::string& set, const std::string& technique, Epsilon epsilon,
                                       const std::string& quantity) const {
  const Summary* one = summary(set, technique, epsilon);
  if (one == nullptr) return std::nullopt;
  if (quantity == "k_error_of_runs") {
    std::vector<double> errors;
    for (const Row* row : runs(set, technique, epsilon)) {
      errors.push_back(std::fabs(static_cast<double>(row->k) - static_cast<double>(row->k_true)) /
                       static_cast<double>(row->k_true));
    }
    return Figure{set, technique, quantity, {epsilon}, mean_interval(errors)};
  }
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

Evidence::Sweep Evidence::sweep(const std::string& set, const std::string& technique) const {
  Sweep result;
  std::set<Epsilon> budgets;
  for (const Group& group : groups_) {
    const Summary& one = group.summary;
    if (one.dataset != set || !one.technique.starts_with(technique + " alpha=")) continue;
    if (budgets.empty() || one.technique != result.techniques.back()) result.techniques.push_back(one.technique);
    budgets.insert(one.epsilon);
  }
  result.budgets.assign(budgets.begin(), budgets.end());
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
    ++finding.compared;
    if (ours == static_cast<double>(value)) ++finding.held;
  }
  finding.verdict = finding.held == finding.compared ? Verdict::reproduced : Verdict::differs;
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
    if (finding.verdict == Verdict::differs) finding.misses = finding.figures;
  }
  return finding;
}

Finding check_range(const std::vector<std::optional<Figure>>& figures, const Range& range) {
  Finding finding;
  const Figure* least = nullptr;
  const Figure* most = nullptr;
  std::uint64_t reaching = 0;
  std::vector<Missed> missed;
  for (const auto& figure : figures) {
    if (!figure) return no_rows();
    ++finding.compared;
    if (figure->value.mean >= range.low && figure->value.mean <= range.high) {
      ++finding.held;
    } else {
      missed.push_back({std::max(range.low - figure->value.mean, figure->value.mean - range.high), {*figure}});
    }
    if (figure->value.high >= range.low && figure->value.low <= range.high) ++reaching;
    if (least == nullptr || figure->value.mean < least->value.mean) least = &*figure;
    if (most == nullptr || figure->value.mean > most->value.mean) most = &*figure;
  }
  if (least == nullptr || most == nullptr) return no_rows();
  finding.misses = worst_first(std::move(missed));
  if (std::isfinite(range.low)) finding.figures.push_back(*least);
  if (std::isfinite(range.high) && (finding.figures.empty() || most != least)) finding.figures.push_back(*most);
  finding.verdict = finding.held + range.allowed >= finding.compared ? Verdict::reproduced : Verdict::differs;
  finding.within_scatter = finding.verdict == Verdict::differs && reaching + range.allowed >= finding.compared;
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
  std::vector<Missed> missed;
  for (const Pair& pair : pairs) {
    if (!pair.first || !pair.second) return no_rows();
    const double small = pair.first->value.mean;
    const double large = pair.second->value.mean;
    ++finding.compared;
    const double ratio = large > 0 ? small / large : infinity;
    if (small * factor < large) {
      ++finding.held;
    } else {
      missed.push_back({ratio, {*pair.first}});
    }
    if (pair.first->value.low * factor < pair.second->value.high) ++reaching;
    if (closest == nullptr || ratio > closest_ratio) {
      closest = &pair;
      closest_ratio = ratio;
    }
  }
  if (closest == nullptr) return no_rows();
  finding.figures = {*closest->first, *closest->second};
  finding.misses = worst_first(std::move(missed));
  finding.verdict = finding.held == finding.compared ? Verdict::reproduced : Verdict::differs;
  finding.within_scatter = finding.verdict == Verdict::differs && reaching == finding.compared;
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
    ++finding.compared;
    if (kept == (std::string(name) == "privqt")) {
      ++finding.held;
    } else {
      finding.misses.push_back(*last);
    }
    finding.figures.push_back(*first);
    finding.figures.push_back(*last);
  }
  finding.verdict = finding.held == finding.compared ? Verdict::reproduced : Verdict::differs;
  return finding;
}

namespace {

// The technique with the least average over the budgets; of a measure where less is better.
std::string best_of(const Evidence& evidence, const std::string& set, const Evidence::Sweep& sweep,
                    const std::string& quantity) {
  std::string best;
  double least = infinity;
  for (const std::string& technique : sweep.techniques) {
    const auto average = averages_of(evidence, set, {technique}, sweep.budgets, quantity).front();
    if (!average || average->value.mean >= least) continue;
    least = average->value.mean;
    best = technique;
  }
  return best;
}

}  // namespace

Finding check_alpha(const Evidence& evidence, const std::string& set, const std::string& technique, double alpha,
                    const std::string& quantity) {
  const auto as_good = [](double one, double best) { return one <= std::max(1.1 * best, best + 0.01); };
  const Evidence::Sweep sweep = evidence.all().sweep(set, technique);
  const std::string best_share = best_of(evidence.all(), set, sweep, quantity);
  if (best_share.empty()) return no_rows();
  const std::string chosen_share = varied_technique(technique, alpha);
  const auto chosen = averages_of(evidence, set, {chosen_share}, sweep.budgets, quantity).front();
  const auto best = averages_of(evidence, set, {best_share}, sweep.budgets, quantity).front();
  if (!chosen || !best) return no_rows();
  Finding finding;
  finding.figures = {*chosen};
  if (best_share != chosen_share) finding.figures.push_back(*best);
  const bool holds = as_good(chosen->value.mean, best->value.mean);
  finding.verdict = holds ? Verdict::reproduced : Verdict::differs;
  finding.within_scatter = !holds && as_good(chosen->value.low, best->value.high);
  if (holds) return finding;
  for (const Epsilon epsilon : sweep.budgets) {
    const auto here = evidence.figure(set, chosen_share, epsilon, quantity);
    const auto there = evidence.figure(set, best_share, epsilon, quantity);
    if (here && there && !as_good(here->value.mean, there->value.mean)) finding.misses.push_back(*here);
  }
  return finding;
}

}  // namespace shoal::evaluation
