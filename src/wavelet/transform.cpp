// The low-pass subband on dense and sparse boxes, level by level, axis by axis.
#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/parallel.hpp"
#include "base/simd.hpp"
#include "base/wide.hpp"
#include "shoal/error.hpp"
#include "shoal/wavelet.hpp"
#include "wavelet/axis_step.hpp"

namespace shoal {

namespace {

// ---- dense: every pass is a weighted sum of a few contiguous runs -------------------------------------------------

// Sets out[c] to the sum over runs r, in order, of weights[r] * runs[r][c]. Blocks of columns stay in registers.
SHOAL_CLONES void sum_runs(const double* const* runs, const double* weights, std::size_t count, double* out,
                           std::size_t columns) {
  constexpr std::size_t block = 32;
  std::size_t c = 0;
  for (; c + block <= columns; c += block) {
    double sums[block] = {};
    for (std::size_t r = 0; r < count; ++r) {
      const double* run = runs[r] + c;
      const double weight = weights[r];
      for (std::size_t i = 0; i < block; ++i) sums[i] += weight * run[i];
    }
    for (std::size_t i = 0; i < block; ++i) out[c + i] = sums[i];
  }
  for (; c < columns; ++c) {
    double sum = 0;
    for (std::size_t r = 0; r < count; ++r) sum += weights[r] * runs[r][c];
    out[c] = sum;
  }
}

// Adds first + second with wrap-around. Returns a nonzero value if some sum exceeded 64 bits; such a sum has the sign
// of neither summand.
SHOAL_CLONES std::uint64_t add_pairs(const std::int64_t* first, const std::int64_t* second, std::int64_t* out,
                                     std::size_t columns) {
  std::uint64_t overflow = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const auto a = static_cast<std::uint64_t>(first[c]);
    const auto b = static_cast<std::uint64_t>(second[c]);
    const std::uint64_t sum = a + b;
    overflow |= (a ^ sum) & (b ^ sum);
    out[c] = static_cast<std::int64_t>(sum);
  }
  return overflow >> 63;
}

// The same for Haar on integers: two runs of weight one.
void sum_runs(const std::int64_t* const* runs, const double* /*weights*/, std::size_t /*count*/, std::int64_t* out,
              std::size_t columns) {
  if (add_pairs(runs[0], runs[1], out, columns) == 0) return;
  for (std::size_t c = 0; c < columns; ++c) out[c] = within_64_bits(Int128{runs[0][c]} + runs[1][c]);
}

// Filters one contiguous line. The line is first split by the residue of the position modulo the stride, and its ends
// are wrapped around on both sides. Each tap then reads a contiguous run.
template <class T>
class LineFilter {
 public:
  explicit LineFilter(const AxisStep& step) : step_(step), runs_(step.offsets.size()) {
    for (const std::uint64_t offset : step.offsets) {
      const auto residue = static_cast<std::size_t>(offset % step.stride);
      auto shift = static_cast<std::int64_t>(offset / step.stride);
      const auto outputs = static_cast<std::int64_t>(step.outputs);
      if (2 * shift > outputs) shift -= outputs;
      before_ = std::max(before_, -shift);
      after_ = std::max(after_, shift);
      taps_.emplace_back(residue, shift);
    }
    length_ = static_cast<std::size_t>(before_ + after_) + step.outputs;
    lanes_.resize(length_ * step.stride);
    for (std::size_t t = 0; t < taps_.size(); ++t) {
      runs_[t] = lanes_.data() + taps_[t].first * length_ + static_cast<std::size_t>(before_ + taps_[t].second);
    }
  }

  void operator()(const T* line, T* out) {
    if (step_.stride == 1) {
      std::copy_n(line, step_.outputs, lanes_.data() + before_);
    } else {
      split(line, lanes_.data() + before_, lanes_.data() + length_ + before_);
    }
    for (std::size_t lane = 0; lane < step_.stride; ++lane) wrap(lanes_.data() + lane * length_);
    sum_runs(runs_.data(), step_.weights.data(), runs_.size(), out, step_.outputs);
  }

 private:
  void split(const T* line, T* even, T* odd) const {
    const std::size_t pairs = step_.size / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      even[i] = line[2 * i];
      odd[i] = line[2 * i + 1];
    }
    if (pairs < step_.outputs) even[pairs] = odd[pairs] = line[2 * pairs];
  }

  void wrap(T* lane) const {
    const auto before = static_cast<std::size_t>(before_);
    std::copy_n(lane + step_.outputs, before, lane);
    std::copy_n(lane + before, static_cast<std::size_t>(after_), lane + before + step_.outputs);
  }

  const AxisStep& step_;
  std::vector<std::pair<std::size_t, std::int64_t>> taps_;  // lane and signed shift, |shift| <= outputs / 2
  std::int64_t before_ = 0, after_ = 0;
  std::size_t length_ = 0;
  std::vector<T> lanes_;
  std::vector<const T*> runs_;
};

// Finds the input rows that output `o` reads. Rows start at `base` and are `row` elements apart.
template <class T>
void point_runs(const AxisStep& step, std::uint64_t o, const T* base, std::uint64_t row, std::vector<const T*>& runs) {
  runs.resize(step.offsets.size());
  for (std::size_t t = 0; t < runs.size(); ++t) {
    std::uint64_t position = step.stride * o + step.offsets[t];
    if (position >= step.period) position -= step.period;
    runs[t] = base + std::min(position, step.size - 1) * row;
  }
}

constexpr std::uint64_t rows_a_part = 16;
constexpr std::uint64_t columns_a_part = 2048;

std::uint64_t parts_of(std::uint64_t total, std::uint64_t part) { return (total + part - 1) / part; }

// Filters the middle axis of a box of outer x step.size x inner values.
template <class T>
void filter_columns(const T* in, T* out, std::uint64_t outer, const AxisStep& step, std::uint64_t inner,
                    unsigned threads) {
  const std::uint64_t row_parts = parts_of(step.outputs, rows_a_part);
  const std::uint64_t column_parts = parts_of(inner, columns_a_part);
  parallel_for(outer * row_parts * column_parts, threads, [&](std::uint64_t part) {
    const std::uint64_t column = part % column_parts * columns_a_part;
    const std::uint64_t first = part / column_parts % row_parts * rows_a_part;
    const std::uint64_t box = part / column_parts / row_parts;
    const std::uint64_t columns = std::min(columns_a_part, inner - column);
    std::vector<const T*> runs;
    for (std::uint64_t o = first; o < std::min(first + rows_a_part, step.outputs); ++o) {
      point_runs(step, o, in + box * step.size * inner + column, inner, runs);
      sum_runs(runs.data(), step.weights.data(), runs.size(), out + (box * step.outputs + o) * inner + column, columns);
    }
  });
}

// Filters the last two axes of a box of outer x rows.size x columns.size values in one pass: a row that was filtered
// across is still in the cache when it is filtered along itself.
template <class T>
void filter_planes(const T* in, T* out, std::uint64_t outer, const AxisStep& rows, const AxisStep& columns,
                   unsigned threads) {
  const std::uint64_t row_parts = parts_of(rows.outputs, rows_a_part);
  parallel_for(outer * row_parts, threads, [&](std::uint64_t part) {
    const std::uint64_t first = part % row_parts * rows_a_part;
    const std::uint64_t plane = part / row_parts;
    LineFilter<T> line(columns);
    std::vector<T> row(columns.size);
    std::vector<const T*> runs;
    for (std::uint64_t o = first; o < std::min(first + rows_a_part, rows.outputs); ++o) {
      point_runs(rows, o, in + plane * rows.size * columns.size, columns.size, runs);
      sum_runs(runs.data(), rows.weights.data(), runs.size(), row.data(), columns.size);
      line(row.data(), out + (plane * rows.outputs + o) * columns.outputs);
    }
  });
}

// One level where some axes are not filtered, axis by axis. An axis without a step is left unchanged.
template <class T>
Values<T> dense_level_of_some(std::span<const T> values, const Shape& shape,
                              const std::vector<std::optional<AxisStep>>& steps, unsigned threads) {
  Values<T> result(values.begin(), values.end());
  std::uint64_t before = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!steps[axis]) {
      before *= shape[axis];
      continue;
    }
    const std::uint64_t after = result.size() / before / shape[axis];
    Values<T> next(before * steps[axis]->outputs * after);
    filter_columns(result.data(), next.data(), before, *steps[axis], after, threads);
    result = std::move(next);
    before *= steps[axis]->outputs;
  }
  return result;
}

// One level on all axes of a dense box.
template <class T>
Values<T> dense_level(std::span<const T> values, const std::vector<AxisStep>& steps, unsigned threads) {
  const std::size_t n = steps.size();
  Values<T> result;
  std::uint64_t before = 1;
  std::uint64_t after = values.size();
  for (std::size_t axis = 0; axis + 2 < n; ++axis) {
    after /= steps[axis].size;
    Values<T> next(before * steps[axis].outputs * after);
    filter_columns(axis == 0 ? values.data() : result.data(), next.data(), before, steps[axis], after, threads);
    result = std::move(next);
    before *= steps[axis].outputs;
  }
  const T* in = n > 2 ? result.data() : values.data();
  const AxisStep& last = steps[n - 1];
  Values<T> out(before * (n > 1 ? steps[n - 2].outputs : 1) * last.outputs);
  if (n > 1) {
    filter_planes(in, out.data(), before, steps[n - 2], last, threads);
  } else {
    LineFilter<T>{last}(in, out.data());
  }
  return out;
}

// ---- sparse -------------------------------------------------------------------------------------------------------

double weighted(double value, double weight) { return value * weight; }
std::int64_t weighted(std::int64_t value, double /*weight*/) { return value; }

void add(double& sum, double value) { sum += value; }
void add(std::int64_t& sum, std::int64_t value) { sum = sum_within_64_bits(sum, value); }

// What one tap of one output reads. Sorted by output, then by tap, the contributions come in the same order as in the
// dense code.
template <class T>
struct Contribution {
  std::uint64_t output;
  std::uint32_t tap;
  T value;
};

template <class T>
Cells<T> sum_contributions(Shape shape, std::vector<Contribution<T>>& contributions) {
  const auto earlier = [](const Contribution<T>& a, const Contribution<T>& b) {
    return a.output != b.output ? a.output < b.output : a.tap < b.tap;
  };
  if (!std::is_sorted(contributions.begin(), contributions.end(), earlier))
    std::sort(contributions.begin(), contributions.end(), earlier);
  std::vector<std::uint64_t> index;
  Values<T> values;
  for (std::size_t i = 0; i < contributions.size();) {
    const std::uint64_t output = contributions[i].output;
    T sum{};
    for (; i < contributions.size() && contributions[i].output == output; ++i) add(sum, contributions[i].value);
    if (sum == T{}) continue;
    index.push_back(output);
    values.push_back(sum);
  }
  return Cells<T>::sparse(std::move(shape), std::move(index), std::move(values));
}

template <class T>
Cells<T> sparse_axis(const Cells<T>& cells, std::size_t axis, const AxisStep& step) {
  const std::uint64_t inner = strides(cells.shape())[axis];
  std::vector<Contribution<T>> contributions;
  for (std::size_t i = 0; i < cells.stored(); ++i) {
    const T value = cells.values()[i];
    if (value == T{}) continue;
    const std::uint64_t cell = cells.index_of(i);
    const std::uint64_t within = cell % inner;
    const std::uint64_t outer = cell / inner / step.size;
    for_each_reader(step, cell / inner % step.size, [&](std::uint64_t output, std::size_t tap) {
      contributions.push_back({(outer * step.outputs + output) * inner + within, static_cast<std::uint32_t>(tap),
                               weighted(value, step.weights[tap])});
    });
  }
  Shape shape = cells.shape();
  shape[axis] = step.outputs;
  return sum_contributions(std::move(shape), contributions);
}

// ---- both ---------------------------------------------------------------------------------------------------------

// Returns the steps by axis, then by level. An axis that is not pooled has no steps.
std::vector<std::vector<AxisStep>> steps_of_axes(const Shape& shape, std::span<const double> low_pass, unsigned level,
                                                 Transform transform) {
  std::vector<std::vector<AxisStep>> steps(shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape.side(axis).pooled) steps[axis] = axis_steps(low_pass, shape[axis], level, transform);
  }
  return steps;
}

template <class T>
Cells<T> dense_subband(const Shape& input_shape, std::span<const T> input, std::span<const double> low_pass,
                       unsigned level, Transform transform, unsigned threads) {
  Shape shape = input_shape;
  Values<T> current;
  const auto steps = steps_of_axes(shape, low_pass, level, transform);
  const bool all = shape.pooled_axes() == shape.size();
  for (unsigned q = 1; q <= level; ++q) {
    const std::span<const T> from = q == 1 ? input : std::span<const T>(current);
    std::vector<AxisStep> all_steps;
    std::vector<std::optional<AxisStep>> some_steps;
    for (const std::vector<AxisStep>& axis : steps) {
      if (all) {
        all_steps.push_back(axis[q - 1]);
      } else {
        some_steps.push_back(axis.empty() ? std::nullopt : std::optional(axis[q - 1]));
      }
    }
    current = all ? dense_level<T>(from, all_steps, threads) : dense_level_of_some<T>(from, shape, some_steps, threads);
    shape = transformed_shape(shape, 1, transform);
  }
  return Cells<T>::dense(std::move(shape), std::move(current));
}

template <class T>
Cells<T> sparse_subband(const Cells<T>& input, std::span<const double> low_pass, unsigned level, Transform transform) {
  std::optional<Cells<T>> current;
  const auto steps = steps_of_axes(input.shape(), low_pass, level, transform);
  for (unsigned q = 1; q <= level; ++q) {
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
      if (!steps[axis].empty()) current = sparse_axis(current ? *current : input, axis, steps[axis][q - 1]);
    }
  }
  return current ? *std::move(current) : input;
}

void check_input(const Shape& shape, unsigned level, std::size_t values) {
  check_level(level);
  if (values != cell_count(shape)) throw Error(ErrorKind::internal, "a dense box needs one value per cell");
}

constexpr double haar_pair[] = {1, 1};

}  // namespace

Cells<double> average_subband(const Shape& shape, std::span<const double> values, const Wavelet& wavelet,
                              unsigned level, Transform transform, unsigned threads) {
  check_input(shape, level, values.size());
  return dense_subband(shape, values, wavelet.low_pass(), level, transform, threads);
}

Cells<double> average_subband(const Cells<double>& values, const Wavelet& wavelet, unsigned level, Transform transform,
                              unsigned threads) {
  if (values.is_dense()) {
    return average_subband(values.shape(), values.values(), wavelet, level, transform, threads);
  }
  check_input(values.shape(), level, values.cell_count());
  return sparse_subband(values, wavelet.low_pass(), level, transform);
}

Cells<std::int64_t> haar_sums(const Shape& shape, std::span<const std::int64_t> values, unsigned level,
                              Transform transform, unsigned threads) {
  check_input(shape, level, values.size());
  return dense_subband(shape, values, haar_pair, level, transform, threads);
}

Cells<std::int64_t> haar_sums(const Cells<std::int64_t>& values, unsigned level, Transform transform,
                              unsigned threads) {
  if (values.is_dense()) return haar_sums(values.shape(), values.values(), level, transform, threads);
  check_input(values.shape(), level, values.cell_count());
  return sparse_subband<std::int64_t>(values, haar_pair, level, transform);
}

}  // namespace shoal
