// When a claim of the paper counts as reproduced: figures taken from the rows of a study, and criteria on them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "evaluation/claims.hpp"

namespace shoal::evaluation {

enum class Form { ours, letter };
inline constexpr const char* letter_suffix = "-literal-not-private";
// A technique's name in that form.
std::string in_form(const std::string& technique, Form form);

// The rows of a study, or of one of its seeds, by set, technique and budget.
class Evidence {
 public:
  // all: the evidence of all seeds, where this is that of one.
  Evidence(const std::vector<Row>& rows, const std::vector<SetFacts>& sets, const Evidence* all = nullptr);

  [[nodiscard]] const Evidence& all() const { return all_ == nullptr ? *this : *all_; }
  // Null: there are no such rows.
  [[nodiscard]] const SetFacts* facts(const std::string& set) const;
  [[nodiscard]] const Summary* summary(const std::string& set, const std::string& technique, Epsilon epsilon) const;
  // Any rows of the set's own truth.
  [[nodiscard]] const Summary* any(const std::string& set) const;
  [[nodiscard]] std::vector<const Row*> runs(const std::string& set, const std::string& technique,
                                             Epsilon epsilon) const;
  [[nodiscard]] std::optional<Figure> figure(const std::string& set, const std::string& technique, Epsilon epsilon,
                                             const std::string& quantity) const;
  [[nodiscard]] std::vector<Epsilon> budgets(double least, double most = 1e9) const;
  // The techniques and the budgets of the rows named "technique alpha=...".
  struct Sweep {
    std::vector<std::string> techniques;
    std::vector<Epsilon> budgets;
  };
  [[nodiscard]] Sweep sweep(const std::string& set, const std::string& technique) const;

 private:
  using Place = std::tuple<std::string, std::string, Epsilon>;
  struct Group {
    Summary summary;
    std::vector<Row> rows;
  };
  std::vector<Group> groups_;
  std::map<Place, std::size_t> places_;
  std::vector<SetFacts> sets_;
  std::set<Epsilon> budgets_;
  const Evidence* all_;
};

// A claim without rows.
Finding no_rows();

// The value that a quantity of the truth should have.
struct Expected {
  const char* quantity;
  std::uint64_t value;
};
Finding check_truth(const Evidence& evidence, const std::string& set, const std::vector<Expected>& expected);

inline constexpr const char* near_criterion =
    "the paper's mean of 10 runs lies where the mean of 10 more of our runs would lie 95 times in 100, or within 2 % "
    "of ours";
Finding check_near(const Evidence& evidence, const std::string& set, const std::string& technique, double epsilon,
                   const std::string& quantity, double paper);

// Every mean within low .. high (inclusive), but for `allowed` of them.
inline constexpr double infinity = std::numeric_limits<double>::infinity();
struct Range {
  double low = -infinity, high = infinity;
  std::uint64_t allowed = 0;
};
Finding check_range(const std::vector<std::optional<Figure>>& figures, const Range& range);

std::vector<std::optional<Figure>> figures_of(const Evidence& evidence, const std::string& set,
                                              const std::vector<std::string>& techniques,
                                              const std::vector<Epsilon>& budgets, const std::string& quantity);
// One figure per technique: the mean over the budgets. Budgets are independent.
std::vector<std::optional<Figure>> averages_of(const Evidence& evidence, const std::string& set,
                                               const std::vector<std::string>& techniques,
                                               const std::vector<Epsilon>& budgets, const std::string& quantity);

// small.mean * factor < large.mean, for every pair.
using Pair = std::pair<std::optional<Figure>, std::optional<Figure>>;
Finding check_order(const std::vector<Pair>& pairs, double factor = 1);
// PrivTHR and PrivTHR_EM each below Baseline and PrivQT.
std::vector<Pair> refined_below_plain(const Evidence& evidence, const std::string& set, Form form,
                                      const std::vector<Epsilon>& budgets, const std::string& quantity);

// What the largest budget leaves of the smallest one's DSG_C: at least half of PrivQT's, less than half of the refined
// ones'.
Finding check_little_use_of_budget(const Evidence& evidence, const std::string& set, Form form);
// Averaged over the budgets of the sweep, `alpha` is at most 10 % or 0.01 worse than the share that is best over all
// runs.
inline constexpr const char* alpha_criterion =
    "averaged over the budgets of the sweep, it is at most 10 % or 0.01 worse than the share that is best over all "
    "runs";
Finding check_alpha(const Evidence& evidence, const std::string& set, const std::string& technique, double alpha,
                    const std::string& quantity);

}  // namespace shoal::evaluation
