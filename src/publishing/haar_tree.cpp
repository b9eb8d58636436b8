#include "publishing/haar_tree.hpp"

#include <bit>

namespace shoal::publishing {

namespace {
// Replaces the values in `sums` by their coefficients, in place.
void forward(std::vector<std::int64_t>& sums, std::vector<std::int64_t>& scratch) {
  for (std::size_t half = sums.size() / 2; half >= 1; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) {
      scratch[i] = sums[2 * i] + sums[2 * i + 1];
      scratch[half + i] = sums[2 * i] - sums[2 * i + 1];
    }
    for (std::size_t i = 0; i < 2 * half; ++i) sums[i] = scratch[i];
  }
}

void backward(std::vector<double>& sums, std::vector<double>& scratch) {
  for (std::size_t half = 1; half < sums.size(); half *= 2) {
    for (std::size_t i = 0; i < half; ++i) {
      scratch[2 * i] = (sums[i] + sums[half + i]) / 2;
      scratch[2 * i + 1] = (sums[i] - sums[half + i]) / 2;
    }
    for (std::size_t i = 0; i < 2 * half; ++i) sums[i] = scratch[i];
  }
}

// Applies `step` to every line of the box along every axis.
template <class T>
void along_all_axes(std::vector<T>& values, const Shape& shape, void (*step)(std::vector<T>&, std::vector<T>&)) {
  const std::vector<std::uint64_t> stride = strides(shape);
  for (std::size_t a = 0; a < shape.size(); ++a) {
    std::vector<T> line(shape[a]);
    std::vector<T> scratch(shape[a]);
    const std::uint64_t lines = values.size() / shape[a];
    for (std::uint64_t each = 0; each < lines; ++each) {
      const std::uint64_t start = each / stride[a] * stride[a] * shape[a] + each % stride[a];
      for (std::uint64_t i = 0; i < shape[a]; ++i) line[i] = values[start + i * stride[a]];
      step(line, scratch);
      for (std::uint64_t i = 0; i < shape[a]; ++i) values[start + i * stride[a]] = line[i];
    }
  }
}
}  // namespace

std::vector<std::int64_t> haar_coefficients(std::vector<std::int64_t> values, const Shape& shape) {
  along_all_axes(values, shape, &forward);
  return values;
}

std::vector<double> haar_inverse(std::vector<double> coefficients, const Shape& shape) {
  along_all_axes(coefficients, shape, &backward);
  return coefficients;
}

std::uint64_t haar_sensitivity(const Shape& shape) {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : shape) product *= static_cast<std::uint64_t>(std::bit_width(extent));
  return product;
}

}  // namespace shoal::publishing
