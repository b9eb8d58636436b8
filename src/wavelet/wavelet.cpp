#include "shoal/wavelet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "shoal/error.hpp"
#include "shoal/text.hpp"
#include "wavelet/coefficients.hpp"
#include "wavelet/columns.hpp"

namespace shoal {

namespace {

constexpr unsigned most_levels = 60;

// Returns whether the filter has two equal taps in the middle and zeros around them, so that it sums pairs. Several
// names share this filter (rbio1.3 pads it with zeros).
bool is_haar_filter(const std::vector<double>& taps) {
  const std::size_t middle = taps.size() / 2;
  for (std::size_t j = 0; j < taps.size(); ++j) {
    const bool central = j + 1 == middle || j == middle;
    if (central ? taps[j] != taps[middle] : taps[j] != 0) return false;
  }
  return true;
}

}  // namespace

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
  return columns_of(*this, size, level, transform).reach;
}

Reach Wavelet::reach(const Shape& shape, std::size_t axis, unsigned level, Transform transform) const {
  return shape.side(axis).pooled ? reach(shape[axis], level, transform) : Reach{.outputs = 1, .l1 = 1, .l2 = 1};
}

void check_level(unsigned level) {
  if (level < 1 || level > most_levels) {
    throw InputError(fmt::format("level is {}; choose 1 to {}", level, most_levels));
  }
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
