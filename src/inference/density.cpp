#include "inference/density.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/parallel.hpp"
#include "clusters/neighbours.hpp"

namespace shoal {

namespace {

// Cells that a view reaches in each direction. Wider views changed no probability of the study
// (docs/studies/confidence.md).
constexpr std::array<std::uint64_t, 4> reaches = {8, 4, 2, 1};
// Share of the exponential tail in the spread: x^2 / (2 (V + 0.3 s x)) is close to minus the logarithm of the Laplace
// density with scale s.
constexpr double tail_share = 0.3;
constexpr double least_level_share = 0.05;  // of the level: lowest rate whose sampling variance is used
// Share of the level that separates two kinds of cells. For each kind, a view counts only as far as its differences
// together exceed those by chance.
constexpr double kinds_level_share = 0.5;
constexpr std::uint64_t lines_per_part = 64;

// The window of a view along one axis.
struct Window {
  Window(const Shape& shape, std::size_t axis, std::uint64_t wanted) : extent(shape[axis]) {
    const Border border = shape.border(axis);
    circle = border == Border::circle;
    reach = border == Border::apart ? 0 : circle ? std::min(wanted, (extent - 1) / 2) : std::min(wanted, extent - 1);
    for (std::uint64_t x = 0; x < extent; ++x) {
      const std::uint64_t first = circle || x < reach ? 0 : x - reach;
      const std::uint64_t last = circle ? 2 * reach : std::min(extent - 1, x + reach);
      weights.push_back(1 / static_cast<double>(last - first + 1));
    }
  }
  std::uint64_t extent = 0, reach = 0;
  bool circle = false;
  std::vector<double> weights;  // 1 / number of cells in the window around each coordinate
};

// Replaces `count` adjacent lines, which are `inner` apart from cell to cell, by the means over the window.
void average_lines(const double* in, double* out, std::uint64_t inner, std::uint64_t count, const Window& window) {
  const auto extent = static_cast<std::int64_t>(window.extent), reach = static_cast<std::int64_t>(window.reach);
  std::vector<double> sums(count, 0);
  const auto add = [&](std::int64_t x, double sign) {
    if (window.circle) x = (x + extent) % extent;
    if (x < 0 || x >= extent) return;
    const double* line = in + static_cast<std::uint64_t>(x) * inner;
    for (std::uint64_t i = 0; i < count; ++i) sums[i] += sign * line[i];
  };
  for (std::int64_t x = -reach; x < reach; ++x) add(x, 1);
  for (std::int64_t x = 0; x < extent; ++x) {
    add(x + reach, 1);
    const double weight = window.weights[static_cast<std::size_t>(x)];
    double* line = out + static_cast<std::uint64_t>(x) * inner;
    for (std::uint64_t i = 0; i < count; ++i) line[i] = weight * sums[i];
    add(x - reach, -1);
  }
}

// Averages along the axis in the middle of [outer][extent][inner].
void average_along(const std::vector<double>& in, std::vector<double>& out, std::uint64_t inner, const Window& window,
                   unsigned threads) {
  const std::uint64_t block = window.extent * inner, parts_of_inner = (inner + lines_per_part - 1) / lines_per_part;
  const std::uint64_t blocks = in.size() / block;
  const std::uint64_t blocks_per_part = inner == 1 ? lines_per_part : 1;
  const std::uint64_t parts = (blocks + blocks_per_part - 1) / blocks_per_part;
  parallel_for(parts * parts_of_inner, threads, [&](std::uint64_t part) {
    const std::uint64_t first = part % parts_of_inner * lines_per_part;
    const std::uint64_t start = part / parts_of_inner * blocks_per_part;
    for (std::uint64_t at = start; at < std::min(blocks, start + blocks_per_part); ++at) {
      average_lines(in.data() + at * block + first, out.data() + at * block + first, inner,
                    std::min(lines_per_part, inner - first), window);
    }
  });
}

// Sums over cells of one view: squares of the differences from the estimate so far, and what chance makes of them.
struct Differences {
  std::array<double, 2> squares{}, spreads{};  // below and above kinds_level_share of the level

  void add(const Differences& other) {
    for (std::size_t kind = 0; kind < squares.size(); ++kind) {
      squares[kind] += other.squares[kind];
      spreads[kind] += other.spreads[kind];
    }
  }
  // Returns the share of the differences that chance does not explain.
  [[nodiscard]] std::array<double, 2> unexplained() const {
    std::array<double, 2> result{};
    for (std::size_t kind = 0; kind < squares.size(); ++kind) {
      result[kind] = squares[kind] > spreads[kind] ? 1 - spreads[kind] / squares[kind] : 0;
    }
    return result;
  }
};

// What a view adds to the estimate so far. The estimate follows the view by the share 1 - 1 / evidence of the
// difference, as the estimator of James and Stein (1961) does, times the share that chance does not explain.
struct Refinement {
  double variance, tail, together, least_rate, kinds_level;

  Refinement(const NoisyField& field, double level)
      : variance(field.variance),
        tail(tail_share * field.scale + field.together / 3),
        together(field.together),
        least_rate(least_level_share * level),
        kinds_level(kinds_level_share * level) {}

  [[nodiscard]] std::size_t kind(double rate) const { return rate < kinds_level ? 0 : 1; }
  // weight: of one value in the mean of the view.
  [[nodiscard]] double spread(double rate, double weight) const {
    return (variance + together * std::max(rate, least_rate)) * weight;
  }
  void begin(double seen, double weight, double& rate, float& error) const {
    rate = std::max(0.0, seen);
    error = static_cast<float>((variance + together * rate) * weight);
  }
  void compare(double seen, double weight, double rate, Differences& differences) const {
    const std::size_t at = kind(rate);
    differences.squares[at] += (seen - rate) * (seen - rate);
    differences.spreads[at] += spread(rate, weight);
  }
  void refine(double seen, double weight, const std::array<double, 2>& unexplained, double& rate, float& error) const {
    const double off = seen - rate, square = off * off, by_chance = spread(rate, weight);
    const double inverse_evidence = 2 * (by_chance + weight * tail * std::fabs(off)) / (square + 1e-300);
    const double share = unexplained[kind(rate)] * std::max(0.0, 1 - inverse_evidence);
    error = static_cast<float>((1 - share) * error + share * by_chance + share * (1 - share) * square);
    rate = std::max(0.0, rate + share * off);
  }
};

class DenseEstimate {
 public:
  DenseEstimate(const NoisyField& field, double level, unsigned threads)
      : field_(field), refinement_(field, level), threads_(threads) {}

  DensityEstimate run() {
    const std::size_t count = field_.values.size();
    estimate_ = {std::vector<double>(count), std::vector<float>(count)};
    const std::uint64_t longest = *std::max_element(field_.shape.begin(), field_.shape.end());
    for (const std::uint64_t reach : reaches) {
      if (2 * reach < longest) look(reach);
    }
    look(0);
    return std::move(estimate_);
  }

 private:
  void look(std::uint64_t reach) {
    std::vector<Window> windows;
    for (std::size_t axis = 0; axis < field_.shape.size(); ++axis) windows.emplace_back(field_.shape, axis, reach);
    const std::vector<double>* seen = &field_.values;
    std::uint64_t inner = field_.values.size();
    for (std::size_t axis = 0; axis < windows.size(); ++axis) {
      inner /= windows[axis].extent;
      if (windows[axis].reach == 0) continue;
      averaged_.resize(field_.values.size());
      spare_.resize(field_.values.size());
      std::vector<double>& out = seen == &averaged_ ? spare_ : averaged_;
      average_along(*seen, out, inner, windows[axis], threads_);
      seen = &out;
    }
    refine(*seen, windows);
  }

  void refine(const std::vector<double>& seen, const std::vector<Window>& windows) {
    double* rates = estimate_.rates.data();
    float* errors = estimate_.variances.data();
    if (is_first_) {
      for_cells(windows, [&](std::uint64_t /*part*/, std::uint64_t cell, double weight) {
        refinement_.begin(seen[cell], weight, rates[cell], errors[cell]);
      });
      is_first_ = false;
      return;
    }
    std::vector<Differences> differences(parts_of(windows));
    for_cells(windows, [&](std::uint64_t part, std::uint64_t cell, double weight) {
      refinement_.compare(seen[cell], weight, rates[cell], differences[part]);
    });
    Differences all;
    for (const Differences& of_part : differences) all.add(of_part);
    const std::array<double, 2> unexplained = all.unexplained();
    for_cells(windows, [&](std::uint64_t /*part*/, std::uint64_t cell, double weight) {
      refinement_.refine(seen[cell], weight, unexplained, rates[cell], errors[cell]);
    });
  }

  [[nodiscard]] std::uint64_t parts_of(const std::vector<Window>& windows) const {
    const std::uint64_t lines = field_.values.size() / windows.back().extent;
    return (lines + lines_per_part - 1) / lines_per_part;
  }

  // Calls visit(part, cell, weight of one value in the mean over the windows) for all cells, a part per call of a
  // thread.
  template <class Visit>
  void for_cells(const std::vector<Window>& windows, const Visit& visit) const {
    const Window& last = windows.back();
    const std::uint64_t lines = field_.values.size() / last.extent;
    parallel_for(parts_of(windows), threads_, [&](std::uint64_t part) {
      for (std::uint64_t line = part * lines_per_part; line < std::min(lines, (part + 1) * lines_per_part); ++line) {
        double others = field_.overlap;
        for (std::uint64_t axis = windows.size() - 1, rest = line; axis-- > 0; rest /= windows[axis].extent) {
          others *= windows[axis].weights[rest % windows[axis].extent];
        }
        for (std::uint64_t x = 0; x < last.extent; ++x) {
          visit(part, line * last.extent + x, std::min(1.0, others * last.weights[x]));
        }
      }
    });
  }

  const NoisyField& field_;
  Refinement refinement_;
  unsigned threads_;
  bool is_first_ = true;
  DensityEstimate estimate_;
  std::vector<double> averaged_, spare_;
};

// Two views: a cell with all its neighbours, and the cell alone.
DensityEstimate estimate_listed(const NoisyField& field, double level) {
  const Refinement refinement(field, level);
  const Neighbours neighbours(field.shape, Adjacency::full);
  DensityEstimate result{std::vector<double>(field.values.size()), std::vector<float>(field.values.size())};
  Differences differences;
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    double sum = field.values[i], count = 1;
    neighbours.visit(field.cells[i], [&](std::uint64_t other) {
      const std::size_t at = field.place(other);
      if (at < field.cells.size() && field.cells[at] == other) sum += field.values[at];
      ++count;
    });
    refinement.begin(sum / count, 1 / count, result.rates[i], result.variances[i]);
    refinement.compare(field.values[i], 1, result.rates[i], differences);
  }
  const std::array<double, 2> unexplained = differences.unexplained();
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    refinement.refine(field.values[i], 1, unexplained, result.rates[i], result.variances[i]);
  }
  return result;
}

}  // namespace

std::size_t NoisyField::place(std::uint64_t cell) const {
  if (cells.empty()) return cell;
  return static_cast<std::size_t>(std::lower_bound(cells.begin(), cells.end(), cell) - cells.begin());
}

DensityEstimate estimate_density(const NoisyField& field, double level, unsigned threads) {
  return field.cells.empty() ? DenseEstimate(field, level, threads).run() : estimate_listed(field, level);
}

}  // namespace shoal
