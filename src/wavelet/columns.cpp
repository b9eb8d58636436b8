#include "wavelet/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "shoal/error.hpp"
#include "wavelet/axis_step.hpp"

namespace shoal {

namespace {

// A column of the composed low-pass matrix: the outputs that one input reaches, with their weights. Outputs whose
// weights cancel stay listed, because rounding must not decide whether they cancel exactly.
struct Entry {
  std::uint64_t output;
  double weight;
  // Whether some path of positive weight leads to the output, and whether some path of negative weight does.
  bool rises, falls;
};
using MatrixColumn = std::vector<Entry>;

void merge_equal_outputs(MatrixColumn& column) {
  std::stable_sort(column.begin(), column.end(), [](const Entry& a, const Entry& b) { return a.output < b.output; });
  std::size_t kept = 0;
  for (const Entry& entry : column) {
    if (kept > 0 && column[kept - 1].output == entry.output) {
      column[kept - 1].weight += entry.weight;
      column[kept - 1].rises |= entry.rises;
      column[kept - 1].falls |= entry.falls;
    } else {
      column[kept++] = entry;
    }
  }
  column.resize(kept);
}

MatrixColumn step_column(const AxisStep& step, std::uint64_t input) {
  MatrixColumn column;
  for_each_reader(step, input, [&](std::uint64_t output, std::size_t tap) {
    column.push_back({output, step.weights[tap], step.weights[tap] > 0, step.weights[tap] < 0});
  });
  merge_equal_outputs(column);
  return column;
}

Entry followed(const Entry& first, const Entry& next) {
  return {next.output, first.weight * next.weight, (first.rises && next.rises) || (first.falls && next.falls),
          (first.rises && next.falls) || (first.falls && next.rises)};
}

// Returns the column `first`, multiplied by the matrix whose columns are `rest`.
MatrixColumn composed(const MatrixColumn& first, const std::vector<MatrixColumn>& rest) {
  MatrixColumn result;
  for (const Entry& entry : first) {
    for (const Entry& next : rest[entry.output]) result.push_back(followed(entry, next));
  }
  merge_equal_outputs(result);
  return result;
}

void widen(AxisColumns& columns, const MatrixColumn& column) {
  double raised = 0, lowered = 0, squares = 0;
  MovedOutputs outputs{0, 0};
  for (const Entry& entry : column) {
    (entry.weight > 0 ? raised : lowered) += std::fabs(entry.weight);
    squares += entry.weight * entry.weight;
    double& largest = entry.weight > 0 ? columns.largest_raised : columns.largest_lowered;
    largest = std::max(largest, std::fabs(entry.weight));
    outputs.raised += entry.rises ? 1 : 0;
    outputs.lowered += entry.falls ? 1 : 0;
  }
  columns.reach.outputs = std::max<std::uint64_t>(columns.reach.outputs, column.size());
  columns.reach.l1 = std::max(columns.reach.l1, raised + lowered);
  columns.reach.l2 = std::max(columns.reach.l2, std::sqrt(squares));
  columns.l1_raised = std::max(columns.l1_raised, raised);
  columns.l1_lowered = std::max(columns.l1_lowered, lowered);
  columns.outputs.push_back(outputs);
}

void refuse_costly_reach(const std::string& name, std::uint64_t columns, std::size_t taps, unsigned level) {
  constexpr std::uint64_t most_work = std::uint64_t{1} << 31;
  if (columns > most_work / (taps * taps)) {
    throw InputError(
        fmt::format("the reach of {} over {} levels is too costly to compute; use a lower level", name, level));
  }
}

// Returns all columns, composed from the last level backwards. A long axis is replaced by a shorter one with the same
// columns: removing 2^level cells from the middle, further from both ends than the composed filter is long, removes one
// output there and changes no other column.
AxisColumns decimated_columns(const Wavelet& wavelet, std::uint64_t size, unsigned level) {
  const auto& taps = wavelet.low_pass();
  if (level < 32) {
    const std::uint64_t period = std::uint64_t{1} << level;
    const std::uint64_t enough = 3 * taps.size() * period;
    if (size > enough + period) size = enough + (size - enough) % period;
  }
  refuse_costly_reach(wavelet.name(), size, taps.size(), level);
  const std::vector<AxisStep> steps = axis_steps(taps, size, level, Transform::decimated);
  std::vector<MatrixColumn> columns(1 + (steps.back().outputs - 1));
  for (std::uint64_t output = 0; output < columns.size(); ++output) columns[output] = {{output, 1.0, true, false}};
  for (std::size_t i = steps.size(); i-- > 0;) {
    const AxisStep& step = steps[i];
    std::vector<MatrixColumn> longer(step.size);
    for (std::uint64_t input = 0; input < step.size; ++input) {
      longer[input] = composed(step_column(step, input), columns);
    }
    columns = std::move(longer);
  }
  AxisColumns result;
  for (const MatrixColumn& column : columns) widen(result, column);
  result.outputs = undominated(std::move(result.outputs));
  return result;
}

// The matrix is circulant: all columns are alike, so one is enough. An axis longer than the composed filter has the
// same column as one that is just longer than the filter.
AxisColumns stationary_columns(const Wavelet& wavelet, std::uint64_t size, unsigned level) {
  const auto& taps = wavelet.low_pass();
  if (level < 32) size = std::min<std::uint64_t>(size, taps.size() << level);
  refuse_costly_reach(wavelet.name(), size, taps.size(), level);
  MatrixColumn column = {{0, 1.0, true, false}};
  for (const AxisStep& step : axis_steps(taps, size, level, Transform::stationary)) {
    MatrixColumn next;
    for (const Entry& entry : column) {
      for (const Entry& reader : step_column(step, entry.output)) next.push_back(followed(entry, reader));
    }
    merge_equal_outputs(next);
    column = std::move(next);
  }
  AxisColumns result;
  widen(result, column);
  return result;
}

}  // namespace

std::vector<MovedOutputs> undominated(std::vector<MovedOutputs> moved) {
  std::sort(moved.begin(), moved.end(), [](const MovedOutputs& a, const MovedOutputs& b) {
    return std::pair(a.raised, a.lowered) > std::pair(b.raised, b.lowered);
  });
  std::vector<MovedOutputs> kept;
  for (const MovedOutputs& each : moved) {
    if (kept.empty() || each.lowered > kept.back().lowered) kept.push_back(each);
  }
  return kept;
}

AxisColumns columns_of(const Wavelet& wavelet, std::uint64_t size, unsigned level, Transform transform) {
  check_level(level);
  if (size == 0) throw InputError("an axis needs at least one cell");
  return transform == Transform::decimated ? decimated_columns(wavelet, size, level)
                                           : stationary_columns(wavelet, size, level);
}

}  // namespace shoal
