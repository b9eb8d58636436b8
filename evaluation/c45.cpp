#include "evaluation/c45.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>

#include "shoal/error.hpp"

namespace shoal::evaluation {

namespace {

constexpr double slack = 1e-6;          // gains closer than this are equal
constexpr double average_slack = 1e-3;  // of the comparison with the average gain
constexpr double error_slack = 0.1;     // a simpler tree may be worse by this many errors

// The standard normal quantile of 1 - tail, 0 < tail <= 0.5.
double upper_quantile(double tail) { return std::numbers::sqrt2 * boost::math::erfc_inv(2 * tail); }

// Errors that a leaf must expect beyond the `errors` it makes among `cases`.
class Pessimism {
 public:
  explicit Pessimism(double confidence) : confidence_(confidence), z_(upper_quantile(confidence)) {}
  [[nodiscard]] double errors(std::uint32_t cases, std::uint32_t errors) const {
    if (cases == 0) return 0;
    const double n = cases;
    const double e = errors;
    if (errors == 0) return n * (1 - std::pow(confidence_, 1 / n));
    if (e + 0.5 >= n) return n;
    const double f = (e + 0.5) / n;
    const double z2 = z_ * z_;
    return n * (f + z2 / (2 * n) + z_ * std::sqrt(f / n - f * f / n + z2 / (4 * n * n))) / (1 + z2 / n);
  }

 private:
  double confidence_, z_;
};

struct Cut {
  double gain = 0;   // information gain a case, corrected for the cuts tried
  double ratio = 0;  // gain over the information of the split itself
  std::size_t left = 0;
};

// While growing and pruning a node knows its cases: cases_[begin, end).
struct Growing {
  std::size_t begin, end;
  std::uint32_t label, errors;
  std::uint32_t attribute = 0;
  double threshold = 0;
  std::uint32_t left = 0, right = 0;  // 0: a leaf (the root is not a child)
  [[nodiscard]] bool is_leaf() const { return right == 0; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(end - begin); }
};

class Builder {
 public:
  Builder(const std::vector<std::span<const double>>& columns, std::vector<std::uint32_t> classes,
          std::uint32_t class_count, const C45Options& options)
      : columns_(columns),
        classes_(std::move(classes)),
        class_count_(class_count),
        options_(options),
        pessimism_(options.confidence),
        left_(class_count),
        right_(class_count),
        goes_left_(classes_.size()),
        times_log_(classes_.size() + 1) {
    for (std::size_t x = 2; x < times_log_.size(); ++x) {
      times_log_[x] = static_cast<double>(x) * std::log2(static_cast<double>(x));
    }
    sort_cases();
  }

  const std::vector<Growing>& build() {
    grow(0, classes_.size());
    cases_ = order_.empty() ? std::vector<std::uint32_t>{} : std::move(order_.front());
    collapse(0);
    if (options_.prune) prune(0);
    return nodes_;
  }

 private:
  void sort_cases() {
    for (const auto& column : columns_) {
      std::vector<std::uint32_t> order(classes_.size());
      std::iota(order.begin(), order.end(), 0U);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return column[a] < column[b]; });
      order_.push_back(std::move(order));
      sorted_.emplace_back(column.begin(), column.end());
      std::sort(sorted_.back().begin(), sorted_.back().end());
    }
  }

  // The majority class of some cases (the lowest of equals) and how many cases are not of it.
  std::pair<std::uint32_t, std::uint32_t> majority(std::span<const std::uint32_t> cases) {
    std::uint32_t best = 0;
    std::uint32_t most = 0;
    for (const std::uint32_t at : cases) {
      const std::uint32_t label = classes_[at];
      const std::uint32_t count = ++right_[label];
      if (count > most || (count == most && label < best)) {
        best = label;
        most = count;
      }
    }
    for (const std::uint32_t at : cases) right_[classes_[at]] = 0;
    return {best, static_cast<std::uint32_t>(cases.size()) - most};
  }

  [[nodiscard]] std::span<const std::uint32_t> ordered(std::size_t attribute, std::size_t begin,
                                                       std::size_t end) const {
    return std::span(order_[attribute]).subspan(begin, end - begin);
  }

  std::uint32_t grow(std::size_t begin, std::size_t end) {
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    const auto [label, errors] = majority(ordered(0, begin, end));
    nodes_.push_back({begin, end, label, errors});
    if (end - begin < 2 * std::size_t{options_.least_cases} || errors == 0) return number;
    const auto split = choose_split(begin, end);
    if (!split) return number;
    const auto [attribute, cut] = *split;
    const auto cases = ordered(attribute, begin, end);
    nodes_[number].attribute = attribute;
    nodes_[number].threshold =
        threshold(attribute, columns_[attribute][cases[cut.left - 1]], columns_[attribute][cases[cut.left]]);
    for (std::size_t i = 0; i < cases.size(); ++i) goes_left_[cases[i]] = i < cut.left ? 1 : 0;
    for (auto& order : order_) {
      std::stable_partition(order.begin() + static_cast<std::ptrdiff_t>(begin),
                            order.begin() + static_cast<std::ptrdiff_t>(end),
                            [&](std::uint32_t at) { return goes_left_[at] != 0; });
    }
    const std::uint32_t left = grow(begin, begin + cut.left);
    const std::uint32_t right = grow(begin + cut.left, end);
    nodes_[number].left = left;
    nodes_[number].right = right;
    return number;
  }

  // The largest value of the whole training set that is not above the middle of the gap.
  [[nodiscard]] double threshold(std::uint32_t attribute, double low, double high) const {
    const double middle = low + (high - low) / 2;
    const std::vector<double>& values = sorted_[attribute];
    return middle < high ? *(std::upper_bound(values.begin(), values.end(), middle) - 1) : low;
  }

  std::optional<std::pair<std::uint32_t, Cut>> choose_split(std::size_t begin, std::size_t end) {
    std::vector<Cut> cuts(columns_.size());
    double sum = 0;
    int valid = 0;
    for (std::size_t attribute = 0; attribute < columns_.size(); ++attribute) {
      cuts[attribute] = best_cut(columns_[attribute], ordered(attribute, begin, end));
      if (cuts[attribute].left == 0) continue;
      sum += cuts[attribute].gain;
      ++valid;
    }
    std::optional<std::pair<std::uint32_t, Cut>> best;
    double best_ratio = 0;
    for (std::uint32_t attribute = 0; attribute < cuts.size(); ++attribute) {
      const Cut& cut = cuts[attribute];
      if (cut.left == 0 || cut.gain < sum / valid - average_slack || cut.ratio <= best_ratio + slack) continue;
      best = {attribute, cut};
      best_ratio = cut.ratio;
    }
    return best;
  }

  // left == 0 when no cut is allowed or none gains.
  Cut best_cut(std::span<const double> column, std::span<const std::uint32_t> cases) {
    const std::size_t n = cases.size();
    const double least =
        std::max<double>(options_.least_cases, std::min(25.0, 0.1 * static_cast<double>(n) / class_count_));
    double right_sum = 0;  // sum over the classes of x log2 x, cases right of the cut
    double left_sum = 0;
    for (const std::uint32_t at : cases) ++right_[classes_[at]];
    for (const std::uint32_t at : cases) {  // each class once: left_ marks it as seen
      if (left_[classes_[at]]++ == 0) right_sum += times_log_[right_[classes_[at]]];
    }
    for (const std::uint32_t at : cases) left_[classes_[at]] = 0;
    const double before = times_log_[n] - right_sum;  // n times the entropy
    Cut best;
    std::size_t tried = 0;
    for (std::size_t i = 1; i < n; ++i) {
      const std::uint32_t label = classes_[cases[i - 1]];
      left_sum += times_log_[left_[label] + 1] - times_log_[left_[label]];
      right_sum += times_log_[right_[label] - 1] - times_log_[right_[label]];
      ++left_[label];
      --right_[label];
      if (column[cases[i - 1]] == column[cases[i]]) continue;
      if (static_cast<double>(i) < least - slack || static_cast<double>(n - i) < least - slack) continue;
      ++tried;
      const double after = times_log_[i] - left_sum + times_log_[n - i] - right_sum;
      const double gain = before - after < slack ? 0 : (before - after) / static_cast<double>(n);
      if (gain > best.gain + slack) best = {gain, 0, i};
    }
    for (const std::uint32_t at : cases) left_[classes_[at]] = right_[classes_[at]] = 0;
    if (best.left == 0) return best;
    best.gain -= std::log2(static_cast<double>(tried)) / static_cast<double>(n);
    if (best.gain <= slack) return {};
    const double split = times_log_[n] - times_log_[best.left] - times_log_[n - best.left];
    best.ratio = best.gain / (split / static_cast<double>(n));
    return best;
  }

  // Returns the training errors of the subtree.
  std::uint32_t collapse(std::uint32_t number) {
    if (nodes_[number].is_leaf()) return nodes_[number].errors;
    const std::uint32_t errors = collapse(nodes_[number].left) + collapse(nodes_[number].right);
    if (errors >= nodes_[number].errors) make_leaf(number);
    return errors;
  }

  void make_leaf(std::uint32_t number) { nodes_[number].left = nodes_[number].right = 0; }

  void prune(std::uint32_t number) {
    if (nodes_[number].is_leaf()) return;
    prune(nodes_[number].left);
    prune(nodes_[number].right);
    const Growing node = nodes_[number];
    const std::uint32_t largest = nodes_[node.right].size() >= nodes_[node.left].size() ? node.right : node.left;
    const double as_leaf = pessimism_.errors(node.size(), node.errors);
    const double as_tree = tree_errors(number);
    double as_branch = std::numeric_limits<double>::infinity();
    if (options_.raise) {
      std::vector<std::uint32_t> cases(cases_.begin() + static_cast<std::ptrdiff_t>(node.begin),
                                       cases_.begin() + static_cast<std::ptrdiff_t>(node.end));
      as_branch = branch_errors(largest, cases);
    }
    if (as_leaf <= as_tree + error_slack + slack && as_leaf <= as_branch + error_slack + slack) {
      make_leaf(number);
    } else if (as_branch <= as_tree + error_slack + slack) {
      nodes_[number] = nodes_[largest];
      redistribute(number, node.begin, node.end);
      prune(number);
    }
  }

  [[nodiscard]] double tree_errors(std::uint32_t number) const {
    const Growing& node = nodes_[number];
    if (node.is_leaf()) return pessimism_.errors(node.size(), node.errors);
    return tree_errors(node.left) + tree_errors(node.right);
  }

  // As tree_errors, if these cases came to the node. Reorders them.
  double branch_errors(std::uint32_t number, std::span<std::uint32_t> cases) {
    const Growing& node = nodes_[number];
    if (node.is_leaf()) {
      return pessimism_.errors(static_cast<std::uint32_t>(cases.size()), majority(cases).second);
    }
    const std::size_t left = partition(node, cases);
    return branch_errors(node.left, cases.first(left)) + branch_errors(node.right, cases.subspan(left));
  }

  // Gives a subtree the cases of [begin, end) anew.
  void redistribute(std::uint32_t number, std::size_t begin, std::size_t end) {
    Growing& node = nodes_[number];
    const auto cases = std::span(cases_).subspan(begin, end - begin);
    node.begin = begin;
    node.end = end;
    std::tie(node.label, node.errors) = majority(cases);
    if (node.is_leaf()) return;
    const std::size_t middle = begin + partition(node, cases);
    redistribute(node.left, begin, middle);
    redistribute(node.right, middle, end);
  }

  // Moves the cases that pass the node's test to the front; how many they are.
  std::size_t partition(const Growing& node, std::span<std::uint32_t> cases) const {
    const auto& column = columns_[node.attribute];
    const auto middle =
        std::partition(cases.begin(), cases.end(), [&](std::uint32_t at) { return column[at] <= node.threshold; });
    return static_cast<std::size_t>(middle - cases.begin());
  }

  const std::vector<std::span<const double>>& columns_;
  std::vector<std::uint32_t> classes_;
  std::uint32_t class_count_;
  C45Options options_;
  Pessimism pessimism_;
  std::vector<std::uint32_t> left_, right_;  // counts of each class; all zero between calls
  std::vector<char> goes_left_;
  std::vector<double> times_log_;                  // x log2 x
  std::vector<std::vector<std::uint32_t>> order_;  // of each attribute: the cases of a node ascending by value
  std::vector<std::vector<double>> sorted_;        // of each attribute: all values ascending
  std::vector<std::uint32_t> cases_;               // while pruning
  std::vector<Growing> nodes_;
};

void check(const std::vector<std::span<const double>>& columns, std::size_t cases, const C45Options& options) {
  if (columns.empty()) throw InputError("a decision tree needs at least one attribute");
  for (const auto& column : columns) {
    if (column.size() != cases)
      throw InputError("a decision tree needs one value per attribute and one class per case");
    for (const double value : column) {
      if (!std::isfinite(value)) throw InputError("a decision tree is trained on finite values only");
    }
  }
  if (cases >= UINT32_MAX) throw InputError("a decision tree is trained on fewer than 2^32 cases");
  if (!(options.confidence > 0 && options.confidence <= 0.5) || options.least_cases < 1) {
    throw InputError(fmt::format("a confidence of {} and at least {} cases a leaf: choose (0, 0.5] and 1 or more",
                                 options.confidence, options.least_cases));
  }
}

}  // namespace

C45::C45(const std::vector<std::span<const double>>& columns, std::span<const std::uint32_t> classes,
         const C45Options& options) {
  check(columns, classes.size(), options);
  std::vector<std::uint32_t> labels(classes.begin(), classes.end());
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  if (labels.empty()) labels.push_back(0);
  std::vector<std::uint32_t> numbered(classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    numbered[i] =
        static_cast<std::uint32_t>(std::lower_bound(labels.begin(), labels.end(), classes[i]) - labels.begin());
  }
  Builder builder(columns, std::move(numbered), static_cast<std::uint32_t>(labels.size()), options);
  const std::vector<Growing>& grown = builder.build();
  // What is left of the tree, parents before children, left before right.
  const auto keep = [&](const auto& self, std::uint32_t number) -> std::uint32_t {
    const auto place = static_cast<std::uint32_t>(nodes_.size());
    const Growing& node = grown[number];
    nodes_.push_back({node.threshold, node.attribute, 0, labels[node.label]});
    if (!node.is_leaf()) {
      self(self, node.left);
      const std::uint32_t right = self(self, node.right);
      nodes_[place].right = right;
    }
    return place;
  };
  keep(keep, 0);
}

std::uint32_t C45::predict(std::span<const double> sample) const {
  std::uint32_t at = 0;
  while (nodes_[at].right != 0) at = sample[nodes_[at].attribute] <= nodes_[at].threshold ? at + 1 : nodes_[at].right;
  return nodes_[at].label;
}

void C45::predict(const std::vector<std::span<const double>>& columns, std::span<std::uint32_t> classes) const {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    std::uint32_t at = 0;
    while (nodes_[at].right != 0) {
      at = columns[nodes_[at].attribute][i] <= nodes_[at].threshold ? at + 1 : nodes_[at].right;
    }
    classes[i] = nodes_[at].label;
  }
}

}  // namespace shoal::evaluation
