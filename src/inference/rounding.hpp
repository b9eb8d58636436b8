// Whether values are rounded, as a histogram of a fine axis tells. Rounded values lie on multiples of a step, and cells
// that hold unequal numbers of multiples show stripes that the population does not have.
//
// The test looks at pairs of neighbouring cells. A pair tests one step, of which one of its cells holds more multiples
// (+) and the other fewer (-). Without rounding both hold about the same number of records, because the density hardly
// changes from a cell to the next:
//
//   multiples of s     |        |        |        |
//   cells          [   )[   )[   )[   )[   )[   )[   )
//   pairs            +    -    -    +             each pair lies in one of the bins (s, half, sign)
//
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
  // The steps that the cells of the axis can tell apart, and their bins. Computed from the public axis only.
  explicit RoundingTest(const Axis& axis);

  [[nodiscard]] std::size_t bins() const noexcept { return bins_; }
  // The bin of each cell; none: the cell tests nothing.
  [[nodiscard]] const std::vector<std::optional<std::size_t>>& bin_of_cell() const noexcept { return bin_of_cell_; }

  // The steps to which values are rounded, ascending, with the share of the records that is. histogram: bins() numbers
  // plus noise of this variance; records: about how many there are.
  [[nodiscard]] std::vector<RoundedValues> found(std::span<const std::int64_t> histogram, double variance,
                                                 double records) const;

 private:
  struct Step {
    double size = 0;
    std::vector<std::uint32_t> multiples{};  // of each cell: how many it holds
  };
  [[nodiscard]] std::vector<double> balances_by(const Step& step) const;

  std::vector<Step> steps_;                    // ascending
  std::vector<std::vector<double>> expected_;  // of each step: balances_by
  double range_ = 0;
  std::size_t bins_ = 0;  // of each tested step four: of each half of its pairs plus and minus
  std::vector<std::optional<std::size_t>> bin_of_cell_;
};

// The tests of all axes one behind the other, in the order of the axes.
std::vector<RoundingTest> rounding_tests(const Grid& grid);
// What they find in their histograms, one behind the other.
std::vector<RoundedValues> rounded_values(const Grid& grid, std::span<const std::int64_t> histograms, double variance,
                                          double records);

// Whether values seem to be rounded, as the marginal counts of an axis of plain numbers show: counts that follow the
// numbers of multiples of a step in the cells, on top of a smooth curve. Costs nothing, and sees only large effects.
// step: none if several steps explain the counts, or if only a part of the records seems to be rounded.
struct SeenRounding {
  std::optional<double> step;
};
std::optional<SeenRounding> rounding_in_marginal(const Axis& axis, std::span<const double> marginal);

// The multiples of a step between the bounds of an axis, as the doubles that decimal numbers are read as.
std::vector<double> multiples_within(const Axis& axis, double step);

}  // namespace shoal
