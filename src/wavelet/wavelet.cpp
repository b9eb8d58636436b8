#include "shoal/wavelet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/nearest.hpp"
#include "shoal/error.hpp"
#include "wavelet/axis_step.hpp"
#include "wavelet/coefficients.hpp"

namespace shoal {

namespace {

constexpr unsigned most_levels = 60;

// Two equal taps in the middle, zeros around: sums of pairs. Some names share this filter (rbio1.3 pads it with zeros).
bool is_haar_filter(const std::vector<double>& taps) {
  const std::size_t middle = taps.size() / 2;
  for (std::size_t j = 0; j < taps.size(); ++j) {
    const bool central = j + 1 == middle || j == middle;
    if (central ? taps[j] != taps[middle] : taps[j] != 0) return false;
  }
  return true;
}

void check_level(unsigned level) {
  if (level < 1 || level > most_levels) {
    throw InputError(fmt::format("level is {}; choose 1 to {}", level, most_levels));
  }
}

// A column of the composed low-pass matrix: which outputs one input touches, with which weight. Outputs whose weights
// cancel stay listed: whether they cancel exactly is not for rounding to decide.
struct Entry {
  std::uint64_t output;
  double weight;
};
using MatrixColumn = std::vector<Entry>;

void merge_equal_outputs(MatrixColumn& column) {
  std::stable_sort(column.begin(), column.end(), [](const Entry& a, const Entry& b) { return a.output < b.output; });
  std::size_t kept = 0;
  for (const Entry& entry : column) {
    if (kept > 0 && column[kept - 1].output == entry.output) {
      column[kept - 1].weight += entry.weight;
    } else {
      column[kept++] = entry;
    }
  }
  column.resize(kept);
}

MatrixColumn step_column(const AxisStep& step, std::uint64_t input) {
  MatrixColumn column;
  for_each_reader(step, input, [&](std::uint64_t output, std::size_t tap) {
    column.push_back({output, step.weights[tap]});
  });
  merge_equal_outputs(column);
  return column;
}

// `first` followed by the matrix whose columns are `rest`.
MatrixColumn composed(const MatrixColumn& first, const std::vector<MatrixColumn>& rest) {
  MatrixColumn result;
  for (const Entry& entry : first) {
    for (const Entry& next : rest[entry.output]) result.push_back({next.output, entry.weight * next.weight});
  }
  merge_equal_outputs(result);
  return result;
}

Reach widened(Reach reach, const MatrixColumn& column) {
  double l1 = 0;
  double squares = 0;
  for (const Entry& entry : column) {
    l1 += std::fabs(entry.weight);
    squares += entry.weight * entry.weight;
  }
  return {std::max<std::uint64_t>(reach.outputs, column.size()), std::max(reach.l1, l1),
          std::max(reach.l2, std::sqrt(squares))};
}

void refuse_costly_reach(const std::string& name, std::uint64_t columns, std::size_t taps, unsigned level) {
  constexpr std::uint64_t most_work = std::uint64_t{1} << 31;
  if (columns > most_work / (taps * taps)) {
    throw InputError(
        fmt::format("the reach of {} over {} levels is too costly to compute; use a lower level", name, level));
  }
}

// Every column, composed from the last level backwards. A long axis is replaced by a shorter one with the same columns:
// cutting 2^level cells out of the middle, further from both ends than a composed filter is long, cuts one output there
// and changes no column elsewhere.
Reach decimated_reach(const Wavelet& wavelet, std::uint64_t size, unsigned level) {
  const auto& taps = wavelet.low_pass();
  if (level < 32) {
    const std::uint64_t period = std::uint64_t{1} << level;
    const std::uint64_t enough = 3 * taps.size() * period;
    if (size > enough + period) size = enough + (size - enough) % period;
  }
  refuse_costly_reach(wavelet.name(), size, taps.size(), level);
  std::vector<AxisStep> steps;
  for (unsigned q = 1; q <= level; ++q) {
    steps.push_back(axis_step(taps, q == 1 ? size : steps.back().outputs, q, Transform::decimated));
  }
  std::vector<MatrixColumn> columns(1 + (steps.back().outputs - 1));
  for (std::uint64_t output = 0; output < columns.size(); ++output) columns[output] = {{output, 1.0}};
  for (std::size_t i = steps.size(); i-- > 0;) {
    const AxisStep& step = steps[i];
    std::vector<MatrixColumn> longer(step.size);
    for (std::uint64_t input = 0; input < step.size; ++input) {
      longer[input] = composed(step_column(step, input), columns);
    }
    columns = std::move(longer);
  }
  Reach reach{0, 0, 0};
  for (const MatrixColumn& column : columns) reach = widened(reach, column);
  return reach;
}

// The matrix is circulant: all columns are alike, one is enough, and an axis longer than the composed filter is as good
// as one just longer.
Reach stationary_reach(const Wavelet& wavelet, std::uint64_t size, unsigned level) {
  const auto& taps = wavelet.low_pass();
  if (level < 32) size = std::min<std::uint64_t>(size, taps.size() << level);
  refuse_costly_reach(wavelet.name(), size, taps.size(), level);
  MatrixColumn column = {{0, 1.0}};
  for (unsigned q = 1; q <= level; ++q) {
    const AxisStep step = axis_step(taps, size, q, Transform::stationary);
    MatrixColumn next;
    for (const Entry& entry : column) {
      for (const Entry& reader : step_column(step, entry.output)) {
        next.push_back({reader.output, entry.weight * reader.weight});
      }
    }
    merge_equal_outputs(next);
    column = std::move(next);
  }
  return widened({0, 0, 0}, column);
}

}  // namespace

AxisStep axis_step(std::span<const double> low_pass, std::uint64_t size, unsigned q, Transform transform) {
  const bool decimated = transform == Transform::decimated;
  AxisStep step{};
  step.size = size;
  step.period = decimated ? size + size % 2 : size;
  step.stride = decimated ? 2 : 1;
  step.outputs = step.period / step.stride;
  const std::uint64_t spread = decimated ? 1 : std::uint64_t{1} << (q - 1);
  const std::uint64_t unit = spread % step.period;  // products of residues below 2^32 do not overflow
  const std::size_t half = low_pass.size() / 2;
  for (std::size_t j = 0; j < low_pass.size(); ++j) {
    if (low_pass[j] == 0) continue;
    const std::uint64_t ahead = (j <= half ? half - j : j - half) * unit % step.period;
    step.offsets.push_back(j <= half || ahead == 0 ? ahead : step.period - ahead);
    step.weights.push_back(low_pass[j]);
  }
  return step;
}

Wavelet::Wavelet(std::string name, std::vector<double> low_pass)
    : name_(std::move(name)), low_pass_(std::move(low_pass)), haar_(is_haar_filter(low_pass_)) {}

Wavelet Wavelet::named(std::string_view name) {
  for (const NamedFilter& filter : filters()) {
    if (filter.name == name) return {filter.name, filter.low_pass};
  }
  std::vector<std::string> biorthogonal;
  for (const NamedFilter& filter : filters()) {
    if (filter.name.starts_with("bior")) biorthogonal.push_back(filter.name.substr(4));
  }
  throw InputError(fmt::format(
      "there is no wavelet '{}'{}; choose haar, db1 to db20, sym2 to sym20, coif1 to coif5, or bior or rbio "
      "followed by {}",
      name, did_you_mean(name, names()), fmt::join(biorthogonal, ", ")));
}

std::vector<std::string> Wavelet::names() {
  std::vector<std::string> names;
  for (const NamedFilter& filter : filters()) names.push_back(filter.name);
  return names;
}

bool Wavelet::is_nonnegative() const noexcept {
  return std::all_of(low_pass_.begin(), low_pass_.end(), [](double weight) { return weight >= 0; });
}

Reach Wavelet::reach(std::uint64_t size, unsigned level, Transform transform) const {
  check_level(level);
  if (size == 0) throw InputError("an axis needs at least one cell");
  return transform == Transform::decimated ? decimated_reach(*this, size, level) : stationary_reach(*this, size, level);
}

Reach Wavelet::reach(const Shape& shape, std::size_t axis, unsigned level, Transform transform) const {
  return shape.side(axis).pooled ? reach(shape[axis], level, transform) : Reach{.outputs = 1, .l1 = 1, .l2 = 1};
}

Shape transformed_shape(const Shape& shape, unsigned level, Transform transform) {
  check_level(level);
  Shape result = shape;
  if (transform == Transform::stationary) return result;
  for (std::size_t axis = 0; axis < result.size(); ++axis) {
    if (!result.side(axis).pooled) continue;
    std::uint64_t& extent = result[axis];
    for (unsigned q = 0; q < level && extent > 1; ++q) extent = extent / 2 + extent % 2;
  }
  return result;
}

std::uint64_t touched_outputs(const Wavelet& wavelet, const Shape& shape, unsigned level, Transform transform) {
  std::uint64_t product = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const std::uint64_t outputs = wavelet.reach(shape, axis, level, transform).outputs;
    if (outputs > UINT64_MAX / product) {
      throw InputError(fmt::format("one record touches too many cells of {} over {} levels; use a lower level",
                                   wavelet.name(), level));
    }
    product *= outputs;
  }
  return product;
}

}  // namespace shoal
