#include "inference/rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace shoal {

namespace {

// Steps that people round to: these times powers of ten, and parts and multiples of minutes, hours and degrees.
constexpr std::array decimal_steps = {1.0, 2.0, 2.5, 5.0};
constexpr std::array<double, 4> parts_of_sixty = {3600, 60, 12, 6};
constexpr std::array<double, 13> times_of_sixty = {15,   30,   60,    300,   600,   900,  1800,
                                                   3600, 7200, 10800, 21600, 43200, 86400};

// Finer steps hardly show: a cell holds many of their multiples.
constexpr double least_step = 0.25;  // of a cell
// Coarser steps leave too few multiples to tell them from single places where records crowd.
constexpr double least_multiples = 4;  // along the axis
// Multiples so far apart test their step by fours wherever they lie. Finer steps share the pairs that are left.
constexpr double wide_step = 6;  // cells

constexpr double least_rounded_deviations = 3.5;  // of the records that must be rounded to explain a histogram
constexpr double most_half_ratio = 4;             // times the smaller half: a single crowded place is in one half alone
constexpr double most_unevenness = 0.5;           // of what a step explains: its multiples need not be equally dense
// Where the density is steep, neighbouring cells differ without rounding: along a Gaussian by the width of a cell over
// its deviation, on average. Inner and outer cells of a four differ by half of the square of that, because a slope
// cancels. Clusters are taken to have at least this deviation.
constexpr double least_cluster_deviation = 0.035;  // of the axis
constexpr double least_share = 0.01;               // of the records
constexpr std::size_t most_steps = 3;              // of an axis

// A marginal shows rounding if the share of rounded records is this many deviations above 0, and this large.
constexpr double clear_deviations = 6;
constexpr double clear_share = 0.05;
constexpr double clear_cells = 5;  // and how many cells must show it: not one or two where records crowd
constexpr double clear_step_share =
    0.9;  // of the deviations of the clearest step: the widest of these steps is the rounding
// It is named if it is clearer still, and if about all records are rounded to it.
constexpr double named_deviations = 8;
constexpr double least_whole_share = 0.8, most_whole_share = 1.4;
constexpr double least_named_step = 0.02;  // of a cell

// A step as a ratio, so that its multiples are the nearest doubles: 3 / 10, and not 3 * 0.1.
struct Ratio {
  double numerator, denominator;
  [[nodiscard]] double value() const { return numerator / denominator; }
};

Ratio power_of_ten(double mantissa, int exponent) {
  const double power = std::pow(10.0, std::abs(exponent));
  return exponent >= 0 ? Ratio{mantissa * power, 1} : Ratio{mantissa * 2, 2 * power};
}

std::vector<Ratio> usual_steps(double least, double most) {
  std::vector<Ratio> steps;
  const auto offer = [&](const Ratio& step) {
    if (step.value() >= least && step.value() <= most) steps.push_back(step);
  };
  const int first = static_cast<int>(std::floor(std::log10(least))),
            last = static_cast<int>(std::ceil(std::log10(most)));
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double mantissa : decimal_steps) offer(power_of_ten(mantissa, exponent));
  }
  for (const double parts : parts_of_sixty) offer({1, parts});
  for (const double times : times_of_sixty) offer({times, 1});
  std::sort(steps.begin(), steps.end(), [](const Ratio& a, const Ratio& b) { return a.value() < b.value(); });
  const auto same = [](const Ratio& a, const Ratio& b) { return std::fabs(a.value() / b.value() - 1) < 1e-9; };
  steps.erase(std::unique(steps.begin(), steps.end(), same), steps.end());
  return steps;
}

double zone_offset(const Axis& axis) {
  const auto* instants = std::get_if<Instants>(&axis.kind().scale);
  return instants == nullptr ? 0 : instants->offset;
}

std::vector<double> multiples(const Axis& axis, const Ratio& step) {
  const double offset = zone_offset(axis);
  const bool circle = axis.kind().border == Border::circle;
  std::vector<double> result;
  const double first = std::ceil((axis.lo() + offset) / step.value() - 1e-9);
  const double count = std::floor((axis.hi() - axis.lo()) / step.value()) + 2;
  if (!(std::fabs(first) + count < 0x1p52)) return result;  // doubles are too far apart there
  for (double i = 0; i < count; ++i) {
    const double x = (first + i) * step.numerator / step.denominator - offset;
    const bool inside = x >= axis.lo() && (circle ? x < axis.hi() : x <= axis.hi());  // a circle ends where it begins
    if (inside) result.push_back(x);
  }
  return result;
}

// On the other scales cells are not equally wide in values, or values are whole days already.
bool is_tested(const AxisKind& kind) {
  if (const auto* instants = std::get_if<Instants>(&kind.scale)) return instants->least == Instants::Least::second;
  return std::holds_alternative<Numbers>(kind.scale) || std::holds_alternative<Latitude>(kind.scale);
}

std::uint64_t mixed(std::uint64_t x) {  // public: spreads the pairs over the steps
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 32);
}

// How many records must be rounded to a step to explain the balances best.
struct Fit {
  double records = 0;
  double gain = 0;  // of the log-likelihood, times 2
  bool sure = false;
};

// Balances come in twos, one of each half. most: records that may be rounded.
Fit fitted(const std::vector<double>& expected, const std::vector<double>& balance, const std::vector<double>& doubt,
           double most) {
  double product = 0, squares = 0;
  for (std::size_t t = 0; t < balance.size(); ++t) {
    product += expected[t] * balance[t];
    squares += expected[t] * expected[t];
  }
  if (!(product > 0)) return {};
  const double rough = std::min(most, product / squares);
  std::array<double, 2> seen{}, weight{};
  double by_chance = 0;  // variance of what is seen if nothing is rounded
  for (std::size_t t = 0; t < balance.size(); ++t) {
    const double unlike = most_unevenness * rough * expected[t];
    const double weighed = expected[t] / (doubt[t] + unlike * unlike);
    seen[t % 2] += weighed * balance[t];
    weight[t % 2] += weighed * expected[t];
    by_chance += weighed * weighed * doubt[t];
  }
  if (!(weight[0] > 0 && weight[1] > 0)) return {};
  Fit fit{.records = std::clamp((seen[0] + seen[1]) / (weight[0] + weight[1]), 0.0, most)};
  for (std::size_t t = 0; t < balance.size(); ++t) {
    const double explained = fit.records * expected[t], rest = balance[t] - explained;
    const double unlike = most_unevenness * std::max(std::fabs(balance[t]), std::fabs(explained));
    fit.gain += (balance[t] * balance[t] - rest * rest) / (doubt[t] + unlike * unlike);
  }
  const double first = seen[0] / weight[0], second = seen[1] / weight[1];
  fit.sure = seen[0] + seen[1] > least_rounded_deviations * std::sqrt(by_chance) &&
             std::max(first, second) <= most_half_ratio * std::min(first, second);
  return fit;
}

}  // namespace

std::vector<double> multiples_within(const Axis& axis, double step) {
  for (const Ratio& usual : usual_steps(step / 2, step * 2)) {
    if (std::fabs(usual.value() / step - 1) < 1e-9) return multiples(axis, usual);
  }
  return multiples(axis, {step, 1});
}

RoundingTest::RoundingTest(const Axis& axis) : range_(axis.hi() - axis.lo()), bin_of_cell_(axis.cells()) {
  const std::uint64_t cells = axis.cells();
  if (!is_tested(axis.kind()) || static_cast<double>(cells) < 2 * least_multiples) return;
  const double cell = range_ / static_cast<double>(cells);
  for (const Ratio& ratio : usual_steps(least_step * cell, range_ / least_multiples)) {
    Step& step = steps_.emplace_back(Step{.size = ratio.value(), .multiples = std::vector<std::uint32_t>(cells)});
    for (const double x : multiples(axis, ratio)) {
      if (const std::int64_t at = axis.cell(x); at != outside_axis) ++step.multiples[static_cast<std::size_t>(at)];
    }
  }
  std::vector<std::size_t> tests(steps_.size());  // of each step
  std::vector<std::optional<std::size_t>> first_bin(steps_.size());
  std::vector<bool> taken(cells);
  // Gives the next half of the step's tests these cells.
  const auto give = [&](std::size_t s, std::initializer_list<std::uint64_t> more,
                        std::initializer_list<std::uint64_t> fewer) {
    if (!first_bin[s]) {
      first_bin[s] = bins_;
      bins_ += 4;
      slopes_.resize(bins_ / 2);
    }
    const std::size_t bin = *first_bin[s] + 2 * (tests[s]++ % 2);
    for (const std::uint64_t i : more) bin_of_cell_[i] = bin, taken[i] = true;
    for (const std::uint64_t i : fewer) bin_of_cell_[i] = bin + 1, taken[i] = true;
    Slopes& slopes = slopes_[bin / 2];
    slopes.tests += 1;
    const double steep = 1 / (least_cluster_deviation * static_cast<double>(cells));
    slopes.share = more.size() == 1 ? steep : steep * steep / 2;
  };

  std::size_t wide = steps_.size();
  while (wide > 0 && steps_[wide - 1].size >= wide_step * cell) --wide;
  for (std::size_t s = steps_.size(); s-- > wide;) {
    const std::vector<std::uint32_t>& held = steps_[s].multiples;
    for (std::uint64_t i = 0; i + 1 < cells; i += 2) {
      // At an end of the axis both outer cells lie on one side.
      const std::uint64_t before = i > 0 ? i - 1 : i + 3, behind = i + 2 < cells ? i + 2 : i - 2;
      if (before >= cells || taken[before] || taken[i] || taken[i + 1] || taken[behind]) continue;
      if (held[i] + held[i + 1] > held[before] + held[behind]) give(s, {i, i + 1}, {before, behind});
    }
  }
  std::vector<std::size_t> fine;
  for (std::uint64_t i = 0; i + 1 < cells; i += 2) {
    if (taken[i] || taken[i + 1]) continue;
    fine.clear();
    for (std::size_t s = 0; s < wide; ++s) {
      if (steps_[s].multiples[i] != steps_[s].multiples[i + 1]) fine.push_back(s);
    }
    if (fine.empty()) continue;
    const std::size_t chosen = fine[mixed(i) % fine.size()];
    const bool rises = steps_[chosen].multiples[i] < steps_[chosen].multiples[i + 1];
    give(chosen, {rises ? i + 1 : i}, {rises ? i : i + 1});
  }
  for (const Step& step : steps_) expected_.push_back(balances_by(step));
}

// What the multiples of a step add to the balances (plus less minus) of all tests, for each record that is rounded to
// it.
std::vector<double> RoundingTest::balances_by(const Step& step) const {
  std::vector<double> result(bins_ / 2);
  double all = 0;
  for (std::size_t i = 0; i < bin_of_cell_.size(); ++i) {
    all += step.multiples[i];
    if (const auto bin = bin_of_cell_[i]) result[*bin / 2] += (*bin % 2 == 0 ? 1.0 : -1.0) * step.multiples[i];
  }
  for (double& balance : result) balance /= std::max(1.0, all);
  return result;
}

// Adds the step that explains most of the balances, as long as one does so beyond doubt.
std::vector<RoundedValues> RoundingTest::found(std::span<const std::int64_t> histogram, double variance,
                                               double records) const {
  const std::size_t balances = bins_ / 2;
  std::vector<double> left(balances), doubt(balances);  // what no step explains yet, and its variance
  for (std::size_t t = 0; t < balances; ++t) {
    const auto plus = static_cast<double>(histogram[2 * t]), minus = static_cast<double>(histogram[2 * t + 1]);
    left[t] = plus - minus;
    const double both = std::fabs(plus) + std::fabs(minus), tests = std::max(1.0, slopes_[t].tests);
    const double by_slopes = slopes_[t].share * both;
    doubt[t] = 2 * variance + std::max(1.0, both) + by_slopes * by_slopes / tests;
  }
  std::vector<RoundedValues> result;
  double unrounded = records;
  for (std::size_t round = 0; round < most_steps; ++round) {
    Fit best;
    std::size_t s = steps_.size();
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const bool again = std::any_of(result.begin(), result.end(),
                                     [&](const RoundedValues& one) { return one.step == steps_[i].size; });
      if (again) continue;
      const Fit fit = fitted(expected_[i], left, doubt, unrounded);
      if (fit.sure && fit.gain > best.gain && fit.records >= least_share * records) best = fit, s = i;
    }
    if (s == steps_.size()) break;
    result.push_back({.axis = 0, .step = steps_[s].size, .share = best.records / records});
    unrounded -= best.records;
    for (std::size_t t = 0; t < balances; ++t) {
      const double explained = best.records * expected_[s][t];
      left[t] -= explained;
      doubt[t] += most_unevenness * most_unevenness * explained * explained;
    }
  }
  std::sort(result.begin(), result.end(),
            [](const RoundedValues& a, const RoundedValues& b) { return a.step < b.step; });
  return result;
}

std::vector<RoundingTest> rounding_tests(const Grid& grid) {
  std::vector<RoundingTest> tests;
  for (const Axis& axis : grid.axes()) tests.emplace_back(axis);
  return tests;
}

std::vector<RoundedValues> rounded_values(const Grid& grid, std::span<const std::int64_t> histograms, double variance,
                                          double records) {
  std::vector<RoundedValues> result;
  std::size_t first = 0;
  const std::vector<RoundingTest> tests = rounding_tests(grid);
  for (std::size_t axis = 0; axis < tests.size(); ++axis) {
    for (RoundedValues found : tests[axis].found(histograms.subspan(first, tests[axis].bins()), variance, records)) {
      found.axis = axis;
      result.push_back(found);
    }
    first += tests[axis].bins();
  }
  return result;
}

namespace {

// The density that a marginal would have without rounding: its mean over the width of a step.
class Smoothed {
 public:
  explicit Smoothed(std::span<const double> marginal) : marginal_(marginal), before_(marginal.size() + 1) {
    for (std::size_t i = 0; i < marginal.size(); ++i) before_[i + 1] = before_[i] + marginal[i];
  }
  // width: in cells. Requires a cell that is neither the first nor the last.
  [[nodiscard]] double around(std::size_t cell, double width) const {
    const auto half = static_cast<std::size_t>(std::max(1.0, std::floor(width / 2)));
    if (half == 1) return std::max(0.0, (marginal_[cell - 1] + 2 * marginal_[cell] + marginal_[cell + 1]) / 4);
    const std::size_t first = cell - std::min(cell, half), end = std::min(marginal_.size(), cell + half + 1);
    return std::max(0.0, (before_[end] - before_[first]) / static_cast<double>(end - first));
  }

 private:
  std::span<const double> marginal_;
  std::vector<double> before_;  // sums of the cells before each
};

// How well a step explains a marginal: the share of records that would be rounded to it, and how many deviations it is
// above 0.
struct Explained {
  double step, share, sure;
};

std::optional<Explained> explained(const Axis& axis, std::span<const double> marginal, const Smoothed& smoothed,
                                   const Ratio& ratio) {
  const std::size_t cells = marginal.size();
  const double cell = (axis.hi() - axis.lo()) / static_cast<double>(cells);
  std::vector<double> held(cells);  // multiples in a cell, over their average
  for (const double x : multiples(axis, ratio)) {
    if (const std::int64_t at = axis.cell(x); at != outside_axis) {
      held[static_cast<std::size_t>(at)] += ratio.value() / cell;
    }
  }
  // Each cell less the mean of its neighbours: slopes cancel.
  double both = 0, squares = 0, expected = 0, seen = 0;
  for (std::size_t i = 1; i + 1 < cells; ++i) {
    const double x = smoothed.around(i, ratio.value() / cell) * (held[i] - (held[i - 1] + held[i + 1]) / 2);
    const double y = marginal[i] - (marginal[i - 1] + marginal[i + 1]) / 2;
    both += x * y;
    squares += x * y * x * y;
    expected += x * x;
    seen += y * y;
  }
  if (!(expected > 0)) return std::nullopt;
  const double share = both / expected, rest = std::max(0.0, seen - share * both) / static_cast<double>(cells - 3);
  const double sure = share * std::sqrt(expected / std::max(rest, 1e-9));
  if (share < clear_share || sure <= clear_deviations || both * both < clear_cells * squares) return std::nullopt;
  return Explained{ratio.value(), share, sure};
}

bool is_multiple(double value, double step) { return std::fabs(value / step - std::round(value / step)) < 1e-6; }

}  // namespace

std::optional<SeenRounding> rounding_in_marginal(const Axis& axis, std::span<const double> marginal) {
  const auto cells = static_cast<double>(marginal.size());
  if (cells < 2 * least_multiples) return std::nullopt;
  const double range = axis.hi() - axis.lo(), cell = range / cells;
  const Smoothed smoothed(marginal);
  const auto found_from = [&](double least, double most) {
    std::vector<Explained> found;
    for (const Ratio& ratio : usual_steps(least, most)) {
      if (const auto one = explained(axis, marginal, smoothed, ratio)) found.push_back(*one);
    }
    return found;
  };
  std::vector<Explained> found = found_from(least_step * cell, range / least_multiples);
  if (found.empty()) return std::nullopt;
  // A step that all values have explains the stripes. So do others, to which only a part would be rounded: the cells of
  // width 0.125 hold 12 or 13 multiples of 0.01, in the pattern of 1 or 2 multiples of 1/12. Finer steps are therefore
  // tried as well, and a step is named only if all records have it and no other explains as much.
  for (const Explained& finer : found_from(least_named_step * cell, least_step * cell)) found.push_back(finer);
  double most = 0, widest = 0;
  for (const Explained& one : found) most = std::max(most, one.sure);
  std::erase_if(found, [most](const Explained& one) {
    return one.sure < clear_step_share * most || one.share < least_whole_share || one.share > most_whole_share;
  });
  for (const Explained& one : found) widest = std::max(widest, one.step);
  // Where all values are multiples of 0.01, they are multiples of 0.005 as well, which explain the marginal as well.
  const bool known =
      most >= named_deviations && !found.empty() &&
      std::all_of(found.begin(), found.end(), [widest](const Explained& one) { return is_multiple(widest, one.step); });
  return SeenRounding{known ? std::optional(widest) : std::nullopt};
}

}  // namespace shoal
