// Wavelets by name, and their low-pass (average) subband on n-dimensional boxes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

// Whether each level halves the grid.
enum class Transform {
  // Each level halves each axis, rounding up, by periodized circular convolution.
  decimated,
  stationary,  // Each level keeps the shape (undecimated, a trous).
};

// How one input value affects the outputs along an axis, over all levels. This is the worst column of the low-pass
// matrix, including wrap-around and the extension of odd sizes.
struct Reach {
  // Maximum number of outputs that an input touches. An output whose weights cancel counts as touched.
  std::uint64_t outputs;
  double l1;  // Largest sum of |weight| of a column.
  double l2;  // Largest Euclidean norm of a column.
};

class Wavelet {
 public:
  // Returns a wavelet by its name in PyWavelets: haar, db1..db20, sym2..sym20, coif1..coif5, biorA.B or rbioA.B. Throws
  // if there is no such wavelet; the message lists the names.
  static Wavelet named(std::string_view name);
  static Wavelet haar() { return named("haar"); }
  static std::vector<std::string> names();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Returns the low-pass decomposition filter, which is dec_lo of PyWavelets.
  [[nodiscard]] const std::vector<double>& low_pass() const noexcept { return low_pass_; }
  // Returns true if the filter has two equal weights on neighbouring cells: haar, db1, bior1.1, rbio1.1, rbio1.3 and
  // rbio1.5. Transforms of integers are then exact sums.
  [[nodiscard]] bool is_haar() const noexcept { return haar_; }
  // Returns true if all weights are at least 0, at any level.
  [[nodiscard]] bool is_nonnegative() const noexcept;
  // Returns the reach along an axis of `size` cells. `level` must be in [1, 60] here and in all functions below.
  [[nodiscard]] Reach reach(std::uint64_t size, unsigned level, Transform transform) const;
  // Returns the reach along an axis of a box. An axis that is not pooled is left unchanged.
  [[nodiscard]] Reach reach(const Shape& shape, std::size_t axis, unsigned level, Transform transform) const;

  // Compares the filters: haar and db1 are equal.
  friend bool operator==(const Wavelet& a, const Wavelet& b) { return a.low_pass_ == b.low_pass_; }

 private:
  Wavelet(std::string name, std::vector<double> low_pass);
  std::string name_;
  std::vector<double> low_pass_;
  bool haar_;
};

// Throws if the level is out of range.
void check_level(unsigned level);

// Returns the shape of the average subband after `level` levels. Throws if the level is out of range.
Shape transformed_shape(const Shape& shape, unsigned level, Transform transform);

// Returns the average subband in floating point, by circular convolution. Output i describes block i of 2^level cells
// (decimated; odd sizes are extended by their last value) or cell i (stationary). For this, the grid is rolled by a
// public number of cells, so that the centre of the filter lies there. PyWavelets computes the same from a rolled grid
// with mode "periodization", or with swt and norm=False (src/wavelet/axis_step.hpp). Each output has a fixed order of
// summation, so equal inputs give equal bits for any number of threads. Sparse input gives sparse output with equal
// values and without zeros.
Cells<double> average_subband(const Cells<double>& values, const Wavelet& wavelet, unsigned level,
                              Transform transform = Transform::decimated, unsigned threads = 0);

// Returns the Haar sums of integers, which are the average subband times 2^(n*level/2). Decimated: sums over blocks of
// 2^level cells per axis; an odd axis is extended by its last value. Stationary: sums over the 2^level cells around
// each cell, with one more cell after it than before it. Throws if a sum does not fit into 64 bits.
Cells<std::int64_t> haar_sums(const Cells<std::int64_t>& values, unsigned level,
                              Transform transform = Transform::decimated, unsigned threads = 0);

// Do the same for dense arrays in memory that belongs to the caller, such as NumPy arrays, without a copy of the input.
// The arrays hold one value per cell in row-major order.
Cells<double> average_subband(const Shape& shape, std::span<const double> values, const Wavelet& wavelet,
                              unsigned level, Transform transform = Transform::decimated, unsigned threads = 0);
Cells<std::int64_t> haar_sums(const Shape& shape, std::span<const std::int64_t> values, unsigned level,
                              Transform transform = Transform::decimated, unsigned threads = 0);

// Returns the maximum number of outputs that one input touches in n dimensions, which is the product over the axes.
// Throws if the product overflows.
std::uint64_t touched_outputs(const Wavelet& wavelet, const Shape& shape, unsigned level, Transform transform);

}  // namespace shoal
