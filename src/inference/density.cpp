#include "inference/density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/parallel.hpp"
#include "base/simd.hpp"
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
constexpr std::uint64_t cells_per_part = std::uint64_t{1} << 14;

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

constexpr std::uint64_t most_lines = 256;  // averaged together

// A step of a sliding sum: adds `next`, writes the weighted sums, subtracts `old`.
template <class In>
[[gnu::always_inline]] inline void slide(const In* next, const In* old, double weight, double* sums, float* out,
                                         std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const double sum = sums[i] + static_cast<double>(next[i]);
    out[i] = static_cast<float>(weight * sum);
    sums[i] = sum - static_cast<double>(old[i]);
  }
}
SHOAL_CLONES void slide_doubles(const double* next, const double* old, double weight, double* sums, float* out,
                                std::uint64_t count) {
  slide(next, old, weight, sums, out, count);
}
SHOAL_CLONES void slide_floats(const float* next, const float* old, double weight, double* sums, float* out,
                               std::uint64_t count) {
  slide(next, old, weight, sums, out, count);
}
void slide_lines(const double* next, const double* old, double weight, double* sums, float* out, std::uint64_t count) {
  slide_doubles(next, old, weight, sums, out, count);
}
void slide_lines(const float* next, const float* old, double weight, double* sums, float* out, std::uint64_t count) {
  slide_floats(next, old, weight, sums, out, count);
}

// Replaces coordinates [begin, end) of `count` adjacent lines, which are `inner` apart from cell to cell, by the means
// over the window.
template <class In>
void average_lines(const In* in, float* out, std::uint64_t inner, std::uint64_t count, const Window& window,
                   std::uint64_t begin, std::uint64_t end) {
  const auto extent = static_cast<std::int64_t>(window.extent), reach = static_cast<std::int64_t>(window.reach);
  static constexpr std::array<In, most_lines> zeros{};
  const auto line = [&](std::int64_t x) {
    if (window.circle) x = (x + extent) % extent;
    return x < 0 || x >= extent ? zeros.data() : in + static_cast<std::uint64_t>(x) * inner;
  };
  std::array<double, most_lines> sums{};
  const auto first = static_cast<std::int64_t>(begin);
  for (std::int64_t x = first - reach; x < first + reach; ++x) {
    const In* const values = line(x);
    for (std::uint64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(values[i]);
  }
  for (std::int64_t x = first; x < static_cast<std::int64_t>(end); ++x) {
    slide_lines(line(x + reach), line(x - reach), window.weights[static_cast<std::size_t>(x)], sums.data(),
                out + static_cast<std::uint64_t>(x) * inner, count);
  }
}

// Averages along the axis in the middle of [outer][extent][inner]. The parts do not depend on the number of threads.
template <class In>
void average_along(std::span<const In> in, std::span<float> out, std::uint64_t inner, const Window& window,
                   unsigned threads) {
  constexpr std::uint64_t most_steps = 256;  // along the axis, in a part
  const std::uint64_t block = window.extent * inner, blocks = in.size() / block;
  const std::uint64_t across = (inner + most_lines - 1) / most_lines;
  const std::uint64_t along = (window.extent + most_steps - 1) / most_steps;
  parallel_for(blocks * across * along, threads, [&](std::uint64_t part) {
    const std::uint64_t first = part % across * most_lines, begin = part / across % along * most_steps;
    const std::uint64_t at = part / across / along * block + first;
    average_lines(in.data() + at, out.data() + at, inner, std::min(most_lines, inner - first), window, begin,
                  std::min(window.extent, begin + most_steps));
  });
}

// Halves of a window are added to wholes: in[i] becomes in[i] + in[i + half].
SHOAL_CLONES void add_shifted(double* in, std::uint64_t half, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) in[i] += in[i + half];
}
SHOAL_CLONES void add_to(double* sums, const double* more, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) sums[i] += more[i];
}
SHOAL_CLONES void multiply(double* sums, const double* weights, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) sums[i] *= weights[i];
}

// Averages rows along the last axis, where all cells of a row lie side by side.
class RowMeans {
 public:
  explicit RowMeans(const Window& window)
      : window_(window), padded_(window.extent + 2 * window.reach), means_(window.extent) {}

  const double* of(const auto* row) {
    const std::uint64_t extent = window_.extent, reach = window_.reach;
    if (reach == 0) {
      std::copy(row, row + extent, means_.begin());
      return means_.data();
    }
    std::copy(row, row + extent, padded_.begin() + static_cast<std::ptrdiff_t>(reach));
    for (std::uint64_t i = 0; i < reach; ++i) {
      padded_[i] = window_.circle ? static_cast<double>(row[extent - reach + i]) : 0;
      padded_[reach + extent + i] = window_.circle ? static_cast<double>(row[i]) : 0;
    }
    std::fill(means_.begin(), means_.end(), 0.0);
    // Sums over 1, 2, 4, ... cells; those that the width is made of are added one after the other.
    const std::uint64_t width = 2 * reach + 1;
    std::uint64_t done = 0;
    for (std::uint64_t part = 1;; part *= 2) {
      if ((width & part) != 0) {
        add_to(means_.data(), padded_.data() + done, extent);
        done += part;
      }
      if (2 * part > width) break;
      add_shifted(padded_.data(), part, padded_.size() - 2 * part + 1);
    }
    multiply(means_.data(), window_.weights.data(), extent);
    return means_.data();
  }

 private:
  const Window& window_;
  std::vector<double> padded_, means_;
};

// Sums over cells of one view: squares of the differences from the estimate so far, and what chance makes of them.
struct Differences {
  std::array<double, 2> squares{}, spreads{};  // below and above half_of_level

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
        kinds_level(half_of_level * level) {}

  // weight: of one value in the mean of the view.
  [[nodiscard, gnu::always_inline]] double spread(double rate, double weight) const {
    return (variance + together * std::max(rate, least_rate)) * weight;
  }
  [[gnu::always_inline]] void begin(double seen, double weight, float& rate, float& error) const {
    const double first = std::max(0.0, seen);
    rate = static_cast<float>(first);
    error = static_cast<float>((variance + together * first) * weight);
  }
  [[gnu::always_inline]] void refine(double seen, double weight, const std::array<double, 2>& unexplained, float& rate,
                                     float& error) const {
    const double off = seen - rate, square = off * off, by_chance = spread(rate, weight);
    const double inverse_evidence = 2 * (by_chance + weight * tail * std::fabs(off)) / (square + 1e-300);
    const double share = (rate < kinds_level ? unexplained[0] : unexplained[1]) * std::max(0.0, 1 - inverse_evidence);
    error = static_cast<float>((1 - share) * error + share * by_chance + share * (1 - share) * square);
    rate = static_cast<float>(std::max(0.0, rate + share * off));
  }
};

// A row of a view. The weight of one value in a mean is others * along[x], at most 1.
struct SeenRow {
  const double* seen;
  const double* along;
  double others;
  std::uint64_t count;
  [[nodiscard, gnu::always_inline]] double weight(std::uint64_t x) const { return std::min(1.0, others * along[x]); }
};

SHOAL_CLONES void begin_row(const Refinement& by, const SeenRow& row, float* rates, float* errors) {
  for (std::uint64_t x = 0; x < row.count; ++x) by.begin(row.seen[x], row.weight(x), rates[x], errors[x]);
}

SHOAL_CLONES void refine_row(const Refinement& by, const SeenRow& row, const std::array<double, 2>& unexplained,
                             float* rates, float* errors) {
  for (std::uint64_t x = 0; x < row.count; ++x) by.refine(row.seen[x], row.weight(x), unexplained, rates[x], errors[x]);
}

// Sums go round a few places, so that several can be added at once, always in the same order.
SHOAL_CLONES Differences differences_of_row(const Refinement& by, const SeenRow& row, const float* rates) {
  constexpr std::uint64_t lanes = 8;
  double squares[2][lanes] = {}, spreads[2][lanes] = {};
  const auto add = [&](std::uint64_t x, std::uint64_t lane) __attribute__((always_inline)) {
    const double rate = rates[x], off = row.seen[x] - rate, square = off * off;
    const double spread = by.spread(rate, row.weight(x));
    const double low = rate < by.kinds_level ? 1 : 0, high = 1 - low;
    squares[0][lane] += low * square;
    squares[1][lane] += high * square;
    spreads[0][lane] += low * spread;
    spreads[1][lane] += high * spread;
  };
  std::uint64_t x = 0;
  for (; x + lanes <= row.count; x += lanes) {
    for (std::uint64_t lane = 0; lane < lanes; ++lane) add(x + lane, lane);
  }
  for (; x < row.count; ++x) add(x, 0);
  Differences result;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      result.squares[kind] += squares[kind][lane];
      result.spreads[kind] += spreads[kind][lane];
    }
  }
  return result;
}

class DenseEstimate {
 public:
  DenseEstimate(const NoisyField& field, double level, unsigned threads)
      : field_(field), refinement_(field, level), threads_(threads) {}

  DensityEstimate run() {
    const std::size_t count = field_.values.size();
    estimate_ = {Values<float>(count), Values<float>(count)};
    const std::uint64_t longest = *std::max_element(field_.shape.begin(), field_.shape.end());
    for (const std::uint64_t reach : reaches) {
      if (2 * reach < longest) look(reach);
    }
    look(0);
    return std::move(estimate_);
  }

 private:
  // Averages along all axes but the last, whose rows are averaged when they are visited.
  void look(std::uint64_t reach) {
    std::vector<Window> windows;
    for (std::size_t axis = 0; axis < field_.shape.size(); ++axis) windows.emplace_back(field_.shape, axis, reach);
    std::uint64_t inner = field_.values.size();
    const Values<float>* seen = nullptr;  // null: the values themselves
    for (std::size_t axis = 0; axis + 1 < windows.size(); ++axis) {
      inner /= windows[axis].extent;
      if (windows[axis].reach == 0) continue;
      Values<float>& out = seen == &averaged_ ? spare_ : averaged_;
      if (out.empty()) out = Values<float>(field_.values.size());
      if (seen == nullptr) {
        average_along(std::span(field_.values), std::span(out), inner, windows[axis], threads_);
      } else {
        average_along(std::span(*seen), std::span(out), inner, windows[axis], threads_);
      }
      seen = &out;
    }
    if (seen == nullptr) {
      refine(field_.values.data(), windows);
    } else {
      refine(seen->data(), windows);
    }
  }

  void refine(const auto* seen, const std::vector<Window>& windows) {
    float* const rates = estimate_.rates.data();
    float* const errors = estimate_.variances.data();
    if (is_first_) {
      for_rows(seen, windows, [&](std::uint64_t /*part*/, std::uint64_t at, const SeenRow& row) {
        begin_row(refinement_, row, rates + at, errors + at);
      });
      is_first_ = false;
      return;
    }
    std::vector<Differences> differences(parts_of(windows));
    for_rows(seen, windows, [&](std::uint64_t part, std::uint64_t at, const SeenRow& row) {
      differences[part].add(differences_of_row(refinement_, row, rates + at));
    });
    Differences all;
    for (const Differences& of_part : differences) all.add(of_part);
    const std::array<double, 2> unexplained = all.unexplained();
    for_rows(seen, windows, [&](std::uint64_t /*part*/, std::uint64_t at, const SeenRow& row) {
      refine_row(refinement_, row, unexplained, rates + at, errors + at);
    });
  }

  [[nodiscard]] static std::uint64_t rows_per_part(const Window& last) {
    return std::max<std::uint64_t>(1, cells_per_part / last.extent);
  }
  [[nodiscard]] std::uint64_t parts_of(const std::vector<Window>& windows) const {
    const std::uint64_t rows = field_.values.size() / windows.back().extent, each = rows_per_part(windows.back());
    return (rows + each - 1) / each;
  }

  // Calls visit(part, first cell, row) for all rows, a part per call of a thread.
  void for_rows(const auto* seen, const std::vector<Window>& windows, const auto& visit) const {
    const Window& last = windows.back();
    const std::uint64_t rows = field_.values.size() / last.extent, each = rows_per_part(last);
    parallel_for(parts_of(windows), threads_, [&](std::uint64_t part) {
      RowMeans means(last);
      for (std::uint64_t row = part * each; row < std::min(rows, (part + 1) * each); ++row) {
        double others = field_.overlap;
        for (std::uint64_t axis = windows.size() - 1, rest = row; axis-- > 0; rest /= windows[axis].extent) {
          others *= windows[axis].weights[rest % windows[axis].extent];
        }
        const std::uint64_t at = row * last.extent;
        visit(part, at, SeenRow{means.of(seen + at), last.weights.data(), others, last.extent});
      }
    });
  }

  const NoisyField& field_;
  Refinement refinement_;
  unsigned threads_;
  bool is_first_ = true;
  DensityEstimate estimate_;
  Values<float> averaged_, spare_;
};

// Two views: a cell with all its neighbours, and the cell alone.
DensityEstimate estimate_listed(const NoisyField& field, double level) {
  const Refinement refinement(field, level);
  const Neighbours neighbours(field.shape, Adjacency::full);
  DensityEstimate result{Values<float>(field.values.size()), Values<float>(field.values.size())};
  Differences differences;
  constexpr double weight_of_cell = 1;
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    double sum = field.values[i], count = 1;
    neighbours.visit(field.cells[i], [&](std::uint64_t other) {
      const std::size_t at = field.place(other);
      if (at < field.cells.size() && field.cells[at] == other) sum += field.values[at];
      ++count;
    });
    refinement.begin(sum / count, 1 / count, result.rates[i], result.variances[i]);
    differences.add(differences_of_row(refinement, {&field.values[i], &weight_of_cell, 1, 1}, &result.rates[i]));
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
