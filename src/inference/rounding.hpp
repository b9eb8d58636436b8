// Detects from a histogram of a fine axis whether values are rounded. Rounded values lie on multiples of a step, and
// cells that hold unequal numbers of multiples show stripes that the population does not have.
//
// Each test compares neighbouring cells: those that hold more multiples of a step (+) with as many that hold fewer (-).
// Without rounding both hold about the same number of records, because the density hardly changes from a cell to the
// next. Steps of less than six cells are tested by pairs. Coarser ones have few multiples, and there a slope could look
// like rounding, so they are tested by fours, in which slopes cancel:
//
//   multiples of s     |        |        |        |              |                        |
//   cells          [   )[   )[   )[   )[   )[   )            [ )[ )[ )[ )[ )[ )[ )[ )[ )[ )[ )
//                    +    -    -    +   pairs                   -  +  +  -              -  +  +  -   fours
//
// All tests of a step and of one of two halves, in turn, share two bins.
// A cell lies in at most one bin, so a record changes at most one number of the histogram by 1. Public side.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shoal/evidence.hpp"
#include "shoal/grid.hpp"

namespace shoal {

class RoundingTest {
 public:
  // Computes the steps that the cells of the axis can distinguish, and their bins, from the public axis only.
  explicit RoundingTest(const Axis& axis);

  [[nodiscard]] std::size_t bins() const noexcept { return bins_; }
  // Returns the bin of each cell, or nothing for cells without a test.
  [[nodiscard]] const std::vector<std::optional<std::size_t>>& bin_of_cell() const noexcept { return bin_of_cell_; }

  // Returns the steps to which values are rounded, ascending, with the share of rounded records. histogram: bins()
  // numbers plus noise of this variance. records: approximate number of records.
  [[nodiscard]] std::vector<RoundedValues> found(std::span<const std::int64_t> histogram, double variance,
                                                 double records) const;

 private:
  struct Step {
    double size = 0;
    std::vector<std::uint32_t> multiples{};  // number of multiples in each cell
  };
  [[nodiscard]] std::vector<double> balances_by(const Step& step) const;

  std::vector<Step> steps_;                    // ascending
  std::vector<std::vector<double>> expected_;  // balances_by of each step
  double range_ = 0;
  std::size_t bins_ = 0;  // four per tested step: plus and minus of each half of its pairs
  std::vector<std::optional<std::size_t>> bin_of_cell_;
  // By what share of the records in a test its cells differ where the density is steep, and how many tests are pooled.
  struct Slopes {
    double share = 0, tests = 0;
  };
  std::vector<Slopes> slopes_;  // one for each two bins: of plus and minus
};

// Returns the tests of all axes, in the order of the axes.
std::vector<RoundingTest> rounding_tests(const Grid& grid);
// Returns the results of the tests on their concatenated histograms.
std::vector<RoundedValues> rounded_values(const Grid& grid, std::span<const std::int64_t> histograms, double variance,
                                          double records);

// Detects rounding from the marginal counts of an axis of plain numbers: counts that follow the numbers of multiples of
// a step in the cells, on top of a smooth curve. It spends no budget and finds only large effects. `step` is not set if
// several steps explain the counts, or if only a part of the records seems to be rounded.
struct SeenRounding {
  std::optional<double> step;
};
std::optional<SeenRounding> rounding_in_marginal(const Axis& axis, std::span<const double> marginal);

// Returns the multiples of a step between the bounds of an axis, as the doubles that reading their decimals gives.
std::vector<double> multiples_within(const Axis& axis, double step);

}  // namespace shoal
