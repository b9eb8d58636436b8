#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <type_traits>

#include "base/parallel.hpp"
#include "base/wide.hpp"
#include "clusters/runs.hpp"
#include "shoal/clusters.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

double least_value(double density, double /*kind*/) { return density; }

// Returns the smallest integer that reaches the density.
std::int64_t least_value(double density, std::int64_t /*kind*/) {
  const double least = std::ceil(density);
  return least < 0x1p63 ? static_cast<std::int64_t>(least) : std::numeric_limits<std::int64_t>::max();
}

template <class T>
std::vector<T> positive_values(std::span<const T> values) {
  std::vector<T> result;
  std::copy_if(values.begin(), values.end(), std::back_inserter(result), [](T value) { return value > 0; });
  return result;
}

// Ranks the positive values. For doubles, by selection.
template <class T>
class Positives {
 public:
  Positives(std::span<const T> values, unsigned /*threads*/) : values_(positive_values(values)) {}
  [[nodiscard]] std::uint64_t count() const noexcept { return values_.size(); }
  // Returns the k-th largest value; 1 <= k <= count().
  T kth_largest(std::uint64_t k) {
    const auto kth = values_.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(values_.begin(), kth, values_.end(), std::greater<>());
    return *kth;
  }

 private:
  std::vector<T> values_;
};

// For integers: most are small, and are counted instead of compared. Neighbouring values go to different tallies,
// because increments of the same tally would wait for each other.
template <>
class Positives<std::int64_t> {
 public:
  Positives(std::span<const std::int64_t> values, unsigned threads) : values_(values) {
    std::mutex guard;
    parallel_stretches(values.size(), parts_of(values.size()), threads, [&](auto begin, auto end) {
      const std::span<const std::int64_t> part = values.subspan(begin, end - begin);
      const Lanes lanes = part.size() < least_lane_values ? Lanes{} : tally_of(part);
      const std::lock_guard lock(guard);
      if (part.size() < least_lane_values) {
        for (const std::int64_t value : part) ++tally_[slot(value)];
        return;
      }
      for (const auto& lane : lanes) {
        for (std::size_t i = 0; i <= largest; ++i) tally_[i] += lane[i];
      }
    });
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return values_.size() - tally_[0]; }
  [[nodiscard]] std::int64_t kth_largest(std::uint64_t k) const {
    if (k <= tally_[largest]) {
      std::vector<std::int64_t> large;
      std::copy_if(values_.begin(), values_.end(), std::back_inserter(large),
                   [](auto value) { return value >= static_cast<std::int64_t>(largest); });
      const auto kth = large.begin() + static_cast<std::ptrdiff_t>(k - 1);
      std::nth_element(large.begin(), kth, large.end(), std::greater<>());
      return *kth;
    }
    std::size_t value = largest;
    for (; k > tally_[value]; --value) k -= tally_[value];
    return static_cast<std::int64_t>(value);
  }

 private:
  using Lanes = std::array<std::vector<std::uint32_t>, 4>;  // of one part, which has far fewer than 2^32 values
  static constexpr std::size_t least_lane_values = std::size_t{1} << 14;  // minimum number of values for separate lanes
  static constexpr std::size_t largest = 4095;  // the last slot: this value and all larger ones
  static std::size_t slot(std::int64_t value) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(value, 0, largest));
  }
  static Lanes tally_of(std::span<const std::int64_t> values) {
    Lanes lanes;
    for (auto& lane : lanes) lane.resize(largest + 1);
    const std::size_t whole = values.size() / lanes.size() * lanes.size();
    for (std::size_t i = 0; i < whole; i += lanes.size()) {
      for (std::size_t j = 0; j < lanes.size(); ++j) ++lanes[j][slot(values[i + j])];
    }
    for (std::size_t i = whole; i < values.size(); ++i) ++lanes[0][slot(values[i])];
    return lanes;
  }
  std::span<const std::int64_t> values_;
  // Number of values of 0 or less, of 1, of 2, ...
  std::vector<std::uint64_t> tally_ = std::vector<std::uint64_t>(largest + 1);
};

// Returns the places in [begin, end) of the values that reach `least`. There is no branch on the value, which is
// unpredictable: a place that does not qualify is overwritten by the next.
template <class T>
std::vector<std::uint64_t> places_from(std::span<const T> values, std::size_t begin, std::size_t end, T least) {
  std::vector<std::uint64_t> result;
  std::size_t count = 0;
  constexpr std::size_t block = 4096;
  for (std::size_t first = begin; first < end; first += block) {
    const std::size_t last = std::min(end, first + block);
    result.resize(count + (last - first));
    std::uint64_t* const places = result.data();
    for (std::size_t i = first; i < last; ++i) {
      places[count] = i;
      count += values[i] >= least ? 1U : 0U;
    }
  }
  result.resize(count);
  return result;
}

// Returns the cells whose values are positive and reach the threshold.
template <class T>
std::vector<std::uint64_t> cells_from(const Cells<T>& cells, T threshold, unsigned threads) {
  const std::span<const T> values = cells.values();
  const T least = std::max(threshold, std::is_integral_v<T> ? T{1} : std::numeric_limits<T>::denorm_min());
  std::map<std::uint64_t, std::vector<std::uint64_t>> parts;  // by their first place
  std::mutex guard;
  parallel_stretches(values.size(), parts_of(values.size()), threads, [&](auto begin, auto end) {
    std::vector<std::uint64_t> places = places_from(values, begin, end, least);
    const std::lock_guard lock(guard);
    parts.emplace(begin, std::move(places));
  });
  std::vector<std::uint64_t> result = std::move(parts.begin()->second);
  for (auto part = std::next(parts.begin()); part != parts.end(); ++part) {
    result.insert(result.end(), part->second.begin(), part->second.end());
  }
  if (!cells.is_dense()) {
    for (std::uint64_t& place : result) place = cells.index()[place];
  }
  return result;
}

// Shares are integers in units of 10^-9 percent, and all that follows is exact.
constexpr std::uint64_t whole = 100'000'000'000;
std::uint64_t exact_share(double percent) { return static_cast<std::uint64_t>(std::llround(percent * 1e9)); }

// Returns the smallest sum that is at least this share of the total.
Int128 share_of(Int128 total, double percent) {
  const auto share = static_cast<Int128>(exact_share(percent));
  return total / whole * share + (total % whole * share + (whole - 1)) / whole;
}
double share_of(double total, double percent) { return total * (percent / 100); }

// Returns the smallest k such that the k largest values add up to the share of all. Reorders the values. Halves that
// are entirely in or entirely out are settled at once.
template <class T>
std::uint64_t covering_count(std::vector<T>& values, double percent) {
  using Sum = std::conditional_t<std::is_integral_v<T>, Int128, double>;
  if (values.empty() || percent == 100) return values.size();
  const Sum wanted = share_of(std::accumulate(values.begin(), values.end(), Sum{0}), percent);
  Sum taken = 0;
  auto first = values.begin(), last = values.end();
  while (last - first > 1) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, std::greater<>());
    const Sum upper = std::accumulate(first, middle, Sum{0});
    if (taken + upper >= wanted) {
      last = middle;
    } else {
      taken += upper;
      first = middle;
    }
  }
  return static_cast<std::uint64_t>(first - values.begin()) + 1;
}

template <class T>
std::uint64_t asked_count(std::span<const T> values, std::uint64_t positive, const Threshold& threshold) {
  if (const auto* top = std::get_if<Top>(&threshold)) return std::min(top->cells(), positive);
  if (const auto* percentile = std::get_if<Percentile>(&threshold)) return significant_count(*percentile, positive);
  std::vector<T> listed = positive_values(values);
  return covering_count(listed, std::get<Coverage>(threshold).percent());
}

template <class T>
Significant<T> select(const Cells<T>& cells, const Threshold& threshold, unsigned threads) {
  if (std::holds_alternative<DensityModes>(threshold)) {
    throw InputError("modes are found without a threshold; choose one");
  }
  Positives<T> positives(cells.values(), threads);
  Significant<T> result;
  result.positive = positives.count();
  result.nonpositive = cells.cell_count() - result.positive;
  if (const auto* density = std::get_if<Density>(&threshold)) {
    result.threshold = least_value(density->least(), T{});
    result.cells = cells_from(cells, result.threshold, threads);
    result.k = result.cells.size();
    return result;
  }
  result.k = asked_count<T>(cells.values(), result.positive, threshold);
  if (result.k == 0) return result;
  result.threshold = positives.kth_largest(result.k);
  result.cells = cells_from(cells, result.threshold, threads);
  return result;
}

}  // namespace

Percentile::Percentile(double percent) : percent_(percent) {
  if (percent >= 0 && percent < 100) return;
  throw InputError(fmt::format("the percentile is {}; choose 0 or more and less than 100, such as 58", percent));
}

Coverage::Coverage(double percent) : percent_(percent) {
  if (percent > 0 && percent <= 100) return;
  throw InputError(fmt::format("the coverage is {}; choose more than 0 and at most 100, such as 80", percent));
}

Top::Top(std::uint64_t cells) : cells_(cells) {
  if (cells == 0) throw InputError("top 0 keeps no cell; choose at least 1");
}

Density::Density(double least) : least_(least) {
  if (least > 0 && std::isfinite(least)) return;
  throw InputError(fmt::format("the density is {}; choose a finite number above 0", least));
}

std::uint64_t significant_count(Percentile percentile, std::uint64_t positives) {
  const std::uint64_t kept = whole - exact_share(percentile.percent());
  const Uint128 k = (static_cast<Uint128>(kept) * positives + (whole - 1)) / whole;
  return positives == 0 ? 0 : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(k));
}

Significant<std::int64_t> significant_cells(const Cells<std::int64_t>& values, const Threshold& threshold,
                                            unsigned threads) {
  return select(values, threshold, threads);
}

Significant<double> significant_cells(const Cells<double>& values, const Threshold& threshold, unsigned threads) {
  return select(values, threshold, threads);
}

}  // namespace shoal
