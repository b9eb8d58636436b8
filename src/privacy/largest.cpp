#include "privacy/largest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr std::int64_t highest_level = std::int64_t{1} << 56;  // in parts

using Integers = std::vector<std::int64_t>;

// Returns how many of the values, which are in descending order, are at least `level`.
std::uint64_t reaching(const Integers& descending, std::int64_t level) {
  const auto end = std::partition_point(descending.begin(), descending.end(), [level](auto x) { return x >= level; });
  return static_cast<std::uint64_t>(end - descending.begin());
}

// Draws the noise on zeros from the top downwards. Levels and values are wholes; noise is drawn in parts.
class FromTheTop {
 public:
  FromTheTop(Noise& noise, std::uint64_t zeros, std::uint64_t terms, Rate rate, std::uint64_t parts)
      : noise_(noise), terms_(terms), rate_(rate), parts_(parts) {
    if (zeros > 0) left_ = noise.count_reaching(zeros, terms, rate, least_near(1, parts), std::nullopt);
    positive_ = left_;
    if (positive_ > 0) chance_of_positive_ = chance_of(1);
  }
  [[nodiscard]] std::uint64_t positive() const noexcept { return positive_; }
  // Returns all values that reach the lowest level requested so far.
  [[nodiscard]] const Integers& found() const noexcept { return found_; }
  // Returns how many more values are expected if the level is lowered to this one.
  [[nodiscard]] double expected_from(std::int64_t level) const {
    if (left_ == 0) return 0;
    return static_cast<double>(left_) * (chance_of(level) - passed_) / (chance_of_positive_ - passed_);
  }
  // Lowers the level. It must be lower than any before, and at least 1.
  void go_down_to(std::int64_t level) {
    const std::int64_t from = least_near(level, parts_);
    const std::uint64_t here =
        left_ == 0 || level == 1
            ? left_
            : noise_.count_reaching(left_, terms_, rate_, from, NoiseBand{least_near(1, parts_), below_});
    found_.resize(found_.size() + here);
    const std::span<std::int64_t> drawn = std::span(found_).last(here);
    if (here > 0) noise_.fill_band(drawn, terms_, rate_, {from, below_});
    for (std::int64_t& value : drawn) value = nearest_whole(value, parts_);
    left_ -= here;
    below_ = from;
    if (left_ > 0) passed_ = chance_of(level);
  }

 private:
  [[nodiscard]] double chance_of(std::int64_t level) const {
    return noise_.chance_reaching(terms_, rate_, least_near(level, parts_));
  }

  Noise& noise_;
  std::uint64_t terms_;
  Rate rate_;
  std::uint64_t parts_;
  std::uint64_t positive_ = 0;
  double chance_of_positive_ = 1, passed_ = 0;  // chance of being 1 or more, and of reaching the lowest level so far
  std::uint64_t left_ = 0;                      // number of values that are positive and below that level
  std::int64_t below_ = NoiseBand::unbounded;   // that level, in parts
  Integers found_;
};

// Returns the highest level below `level` at which `wanted` values are expected in total, or the least level if there
// is none.
std::int64_t level_of(const FromTheTop& zeros, const Integers& stored, double wanted, std::int64_t least,
                      std::int64_t level) {
  const auto is_reached = [&](std::int64_t at) {
    return static_cast<double>(reaching(stored, at) + zeros.found().size()) + zeros.expected_from(at) >= wanted;
  };
  std::int64_t low = least, high = level;
  for (std::int64_t up = 2 * least; up < level; up *= 2) {  // starts near the bottom, because the range is long
    if (!is_reached(up)) {
      high = up;
      break;
    }
    low = up;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (is_reached(middle) ? low : high) = middle;
  }
  return low;
}

// Lowers the level until k values are found, or to the least level. Returns the k-th largest of all, or the least
// level.
std::int64_t find_floor(FromTheTop& zeros, const Integers& stored, std::uint64_t k, std::int64_t least,
                        std::int64_t highest) {
  const auto all = static_cast<double>(k);
  // Aims at slightly too few first, because one level more may bring many more ties.
  std::int64_t level = level_of(zeros, stored, std::max(all - 6 * std::sqrt(all), all / 64), least, highest);
  for (;; level = level_of(zeros, stored, all, least, level)) {
    zeros.go_down_to(level);
    if (reaching(stored, level) + zeros.found().size() >= k) break;
    if (level == least) return least;
  }
  Integers largest(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(reaching(stored, level)));
  largest.insert(largest.end(), zeros.found().begin(), zeros.found().end());
  const auto kth = largest.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(largest.begin(), kth, largest.end(), std::greater<>());
  return *kth;
}

// Returns `count` cells of the box that are not stored, ascending. Every such set is equally likely.
std::vector<std::uint64_t> empty_cells(Noise& noise, const Cells<std::int64_t>& values, std::uint64_t count) {
  std::vector<std::uint64_t> chosen;
  std::vector<std::uint64_t> fresh, both;
  const std::uint64_t cells = values.cell_count();
  const auto is_stored = [stored = values.index()](std::uint64_t cell) {
    return std::binary_search(stored.begin(), stored.end(), cell);
  };
  while (chosen.size() < count) {  // never overshoots: no choice depends on how many were drawn at once
    fresh.resize(count - chosen.size());
    for (std::uint64_t& cell : fresh) cell = noise.below(cells);
    std::erase_if(fresh, is_stored);
    std::sort(fresh.begin(), fresh.end());
    both.clear();
    std::set_union(chosen.begin(), chosen.end(), fresh.begin(), std::unique(fresh.begin(), fresh.end()),
                   std::back_inserter(both));
    chosen.swap(both);
  }
  return chosen;
}

void shuffle(Noise& noise, Integers& values) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[noise.below(i)]);
}

Cells<std::int64_t> sorted_cells(const Shape& shape, std::vector<std::pair<std::uint64_t, std::int64_t>>& all) {
  std::sort(all.begin(), all.end());
  std::vector<std::uint64_t> index;
  Integers values;
  for (const auto& [cell, value] : all) {
    index.push_back(cell);
    values.push_back(value);
  }
  return Cells<std::int64_t>::sparse(shape, std::move(index), values);
}

}  // namespace

std::int64_t nearest_whole(std::int64_t value, std::uint64_t parts) {
  const auto whole = static_cast<std::int64_t>(parts);
  const std::int64_t raised = value + whole / 2;
  return raised >= 0 ? raised / whole : -((whole - 1 - raised) / whole);
}

std::int64_t least_near(std::int64_t whole, std::uint64_t parts) {
  return whole * static_cast<std::int64_t>(parts) - static_cast<std::int64_t>(parts / 2);
}

struct LargestSearch::State {
  Noise& noise;
  Cells<std::int64_t> values;
  std::int64_t least, highest;
  Integers noised;
  Integers stored;  // the positive ones among these, descending
  FromTheTop zeros;
};

LargestSearch::LargestSearch(Noise& noise, Cells<std::int64_t> values, std::uint64_t terms, Rate rate,
                             std::uint64_t parts, std::int64_t least, unsigned threads) {
  const std::int64_t highest = highest_level / static_cast<std::int64_t>(parts);
  if (least < 1 || least >= highest) throw Error(ErrorKind::internal, fmt::format("no values from {} on", least));
  Integers noised(values.values().begin(), values.values().end());
  for (std::uint64_t i = 0; i < terms; ++i) noise.add_laplace(noised, rate, threads);
  for (std::int64_t& value : noised) value = nearest_whole(value, parts);
  Integers stored;
  std::copy_if(noised.begin(), noised.end(), std::back_inserter(stored), [](auto x) { return x > 0; });
  std::sort(stored.begin(), stored.end(), std::greater<>());
  const std::uint64_t zeros = values.cell_count() - values.stored();
  state_ = std::make_unique<State>(State{noise, std::move(values), least, highest, std::move(noised), std::move(stored),
                                         FromTheTop(noise, zeros, terms, rate, parts)});
}

LargestSearch::~LargestSearch() = default;

std::uint64_t LargestSearch::positive() const noexcept { return state_->stored.size() + state_->zeros.positive(); }

LargestValues LargestSearch::from(std::uint64_t k) {
  auto& [noise, values, least, highest, noised, stored, zeros] = *state_;
  LargestValues result;
  result.floor = least;
  std::vector<std::pair<std::uint64_t, std::int64_t>> all;
  if (positive() > 0) {
    result.floor = find_floor(zeros, stored, std::clamp<std::uint64_t>(k, 1, positive()), least, highest);
    for (std::size_t i = 0; i < noised.size(); ++i) {
      if (noised[i] >= result.floor) all.emplace_back(values.index_of(i), noised[i]);
    }
    Integers largest;
    std::copy_if(zeros.found().begin(), zeros.found().end(), std::back_inserter(largest),
                 [&](auto x) { return x >= result.floor; });
    shuffle(noise, largest);  // they come level by level
    const std::vector<std::uint64_t> cells = empty_cells(noise, values, largest.size());
    for (std::size_t i = 0; i < largest.size(); ++i) all.emplace_back(cells[i], largest[i]);
  }
  result.cells = sorted_cells(values.shape(), all);
  return result;
}

}  // namespace shoal
