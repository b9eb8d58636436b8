// Wavelets by name, and their low-pass (average) subband on n-dimensional boxes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shoal/cells.hpp"

namespace shoal {

// Whether levels halve the grid.
enum class Transform {
  decimated,   // every level halves each axis (rounding up): periodized circular convolution
  stationary,  // undecimated (a trous): the shape stays
};

// What one input value does to the outputs of an axis, over all its levels: the worst column of the low-pass matrix,
// wrap-around and the extension of odd sizes included.
struct Reach {
  std::uint64_t outputs;  // how many outputs it touches at most; one whose weights cancel counts as touched
  double l1;              // largest sum of |weight| of a column
  double l2;              // largest Euclidean norm of a column
};

class Wavelet {
 public:
  // haar, db1..db20, sym2..sym20, coif1..coif5, biorA.B, rbioA.B as PyWavelets names them; refuses others with the
  // list.
  static Wavelet named(std::string_view name);
  static Wavelet haar() { return named("haar"); }
  static std::vector<std::string> names();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Decomposition low-pass filter, PyWavelets' dec_lo.
  [[nodiscard]] const std::vector<double>& low_pass() const noexcept { return low_pass_; }
  // Two equal weights on neighbouring cells: haar, db1, bior1.1, rbio1.1, rbio1.3, rbio1.5. Transforms of integers are
  // exact sums.
  [[nodiscard]] bool is_haar() const noexcept { return haar_; }
  // All weights >= 0, at any level.
  [[nodiscard]] bool is_nonnegative() const noexcept;
  // level in [1, 60], here and below.
  [[nodiscard]] Reach reach(std::uint64_t size, unsigned level, Transform transform) const;
  // Of an axis of a box: one that is not pooled is left as it is.
  [[nodiscard]] Reach reach(const Shape& shape, std::size_t axis, unsigned level, Transform transform) const;

  // By the filter: haar and db1 are the same.
  friend bool operator==(const Wavelet& a, const Wavelet& b) { return a.low_pass_ == b.low_pass_; }

 private:
  Wavelet(std::string name, std::vector<double> low_pass);
  std::string name_;
  std::vector<double> low_pass_;
  bool haar_;
};

// Shape of the average subband after `level` levels. level >= 1.
Shape transformed_shape(const Shape& shape, unsigned level, Transform transform);

// The average subband in floating point, by circular convolution. Output i describes block i of 2^level cells
// (decimated; odd sizes are extended by their last value) or cell i (stationary): the grid is rolled by a public number
// of cells so that the filter's centre lies there. PyWavelets' mode "periodization", or swt with norm=False, does the
// same to a rolled grid (src/wavelet/axis_step.hpp). Each output has one fixed order of summation: equal inputs give
// equal bits for any number of threads. Sparse input gives sparse output of equal values, without the zeros.
Cells<double> average_subband(const Cells<double>& values, const Wavelet& wavelet, unsigned level,
                              Transform transform = Transform::decimated, unsigned threads = 0);

// Haar on integers: sums over blocks of 2^level cells an axis (an odd axis extended by its last value), the average
// subband times 2^(n*level/2). Refuses sums past 64 bits. Stationary: sums over the 2^level cells around each cell, one
// more of them after the cell than before it.
Cells<std::int64_t> haar_sums(const Cells<std::int64_t>& values, unsigned level,
                              Transform transform = Transform::decimated, unsigned threads = 0);

// The same on dense arrays that lie elsewhere (NumPy's, say), without a copy of the input: one value a cell, row-major.
Cells<double> average_subband(const Shape& shape, std::span<const double> values, const Wavelet& wavelet,
                              unsigned level, Transform transform = Transform::decimated, unsigned threads = 0);
Cells<std::int64_t> haar_sums(const Shape& shape, std::span<const std::int64_t> values, unsigned level,
                              Transform transform = Transform::decimated, unsigned threads = 0);

// Most outputs that one input touches in n dimensions: the product over the axes. Refuses overflow.
std::uint64_t touched_outputs(const Wavelet& wavelet, const Shape& shape, unsigned level, Transform transform);

}  // namespace shoal
