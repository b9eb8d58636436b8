#include "clusters/smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace shoal {

namespace {

// Returns the integrals of a Gaussian over cells, scaled so that they add up to 1.
std::vector<double> gaussian(double deviation) {
  const auto reach = static_cast<std::int64_t>(std::ceil(3 * deviation));
  std::vector<double> weights;
  for (std::int64_t x = -reach; x <= reach; ++x) {
    const auto below = [deviation](double edge) { return 0.5 * std::erfc(-edge / (deviation * std::sqrt(2.0))); };
    weights.push_back(below(static_cast<double>(x) + 0.5) - below(static_cast<double>(x) - 0.5));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Computes out[x] = sum of weights[d] in[x + d] along the middle axis of [outer][extent][inner]. Cells beyond the
// border are omitted.
void convolve(const std::vector<double>& in, std::vector<double>& out, std::uint64_t extent, std::uint64_t inner,
              const std::vector<double>& weights) {
  const auto reach = static_cast<std::int64_t>(weights.size() / 2);
  const auto cells = static_cast<std::int64_t>(extent);
  std::fill(out.begin(), out.end(), 0.0);
  for (std::uint64_t outer = 0; outer < in.size() / (extent * inner); ++outer) {
    for (std::int64_t d = std::max(-reach, 1 - cells); d <= std::min(reach, cells - 1); ++d) {
      const double weight = weights[static_cast<std::size_t>(d + reach)];
      const std::uint64_t skipped = static_cast<std::uint64_t>(d < 0 ? -d : d) * inner;
      const double* from = in.data() + outer * extent * inner + (d > 0 ? skipped : 0);
      double* to = out.data() + outer * extent * inner + (d < 0 ? skipped : 0);
      for (std::uint64_t i = 0; i < extent * inner - skipped; ++i) to[i] += weight * from[i];
    }
  }
}

// The same along a circle.
void convolve_around(const std::vector<double>& in, std::vector<double>& out, std::uint64_t extent, std::uint64_t inner,
                     const std::vector<double>& weights) {
  const std::uint64_t reach = weights.size() / 2;
  std::fill(out.begin(), out.end(), 0.0);
  for (std::uint64_t outer = 0; outer < in.size(); outer += extent * inner) {
    for (std::uint64_t d = 0; d < weights.size(); ++d) {
      for (std::uint64_t x = 0; x < extent; ++x) {
        const std::uint64_t from = (x + d + (reach / extent + 1) * extent - reach) % extent;
        const double* source = in.data() + outer + from * inner;
        double* to = out.data() + outer + x * inner;
        for (std::uint64_t i = 0; i < inner; ++i) to[i] += weights[d] * source[i];
      }
    }
  }
}

// Multiplies each value by the factor for its coordinate along the axis.
void scale_along(std::vector<double>& values, std::uint64_t inner, const std::vector<double>& factors) {
  for (std::size_t i = 0; i < values.size();) {
    for (const double factor : factors) {
      for (std::uint64_t j = 0; j < inner; ++j) values[i++] *= factor;
    }
  }
}

}  // namespace

Field smoothed(const Cells<std::int64_t>& values, double deviation) {
  const std::vector<double> weights = gaussian(deviation);
  std::vector<double> squares = weights;
  for (double& weight : squares) weight *= weight;
  Field field{{values.values().begin(), values.values().end()}, std::vector<double>(values.stored(), 1.0), 1};
  std::vector<double> scratch(values.stored());
  std::uint64_t inner = values.stored();
  for (std::size_t axis = 0; axis < values.shape().size(); ++axis) {
    const std::uint64_t extent = values.shape()[axis];
    inner /= extent;
    const Border border = values.shape().border(axis);
    if (border == Border::apart) continue;
    const auto along = border == Border::circle ? convolve_around : convolve;
    along(field.values, scratch, extent, inner, weights);
    field.values.swap(scratch);
    const std::vector<double> ones(extent, 1.0);
    std::vector<double> present(extent), gain(extent);
    along(ones, present, extent, 1, weights);
    along(ones, gain, extent, 1, squares);
    for (std::size_t x = 0; x < extent; ++x) {
      gain[x] /= present[x] * present[x];
      present[x] = 1 / present[x];
    }
    scale_along(field.values, inner, present);
    scale_along(field.gain, inner, gain);
  }
  field.largest_weight = std::pow(weights[weights.size() / 2], static_cast<double>(values.shape().touching_axes()));
  return field;
}

}  // namespace shoal
