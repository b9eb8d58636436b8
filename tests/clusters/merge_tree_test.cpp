#include "clusters/merge_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "clusters/neighbours.hpp"

namespace shoal {
namespace {

// The same by definition: cells in order of their values, neighbours by their coordinates, and for every peak the first
// set of highest cells in which it is connected with a higher one.
class Oracle {
 public:
  Oracle(const Shape& shape, const std::vector<double>& values) : values_(values), near_(values.size()) {
    const Neighbours neighbours(shape, Adjacency::full);
    for (std::uint32_t cell = 0; cell < values.size(); ++cell) {
      neighbours.visit(cell, [&](std::uint64_t other) { near_[cell].push_back(static_cast<std::uint32_t>(other)); });
    }
    for (std::uint32_t cell = 0; cell < values.size(); ++cell) order_.push_back(cell);
    std::sort(order_.begin(), order_.end(), [this](std::uint32_t a, std::uint32_t b) { return higher(a, b); });
  }

  [[nodiscard]] std::uint32_t uphill(std::uint32_t cell) const {
    std::uint32_t best = cell;
    for (const std::uint32_t other : near_[cell]) best = higher(other, best) ? other : best;
    return best == cell ? cell : uphill(best);
  }

  [[nodiscard]] std::vector<std::uint32_t> peaks() const {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t cell : order_) {
      if (uphill(cell) == cell) found.push_back(cell);
    }
    return found;
  }

  // The cell at which this peak joins a higher one, and the highest peak of what it joins; for the highest itself both.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> joins(std::uint32_t peak) const {
    for (std::size_t count = 1; count <= order_.size(); ++count) {
      const std::set<std::uint32_t> part = connected(peak, count);
      for (const std::uint32_t cell : part) {
        if (higher(cell, peak)) return {order_[count - 1], *highest(part)};
      }
    }
    return {peak, peak};
  }

 private:
  [[nodiscard]] bool higher(std::uint32_t a, std::uint32_t b) const {
    return values_[a] > values_[b] || (values_[a] == values_[b] && a < b);
  }
  [[nodiscard]] std::set<std::uint32_t>::const_iterator highest(const std::set<std::uint32_t>& part) const {
    return std::min_element(part.begin(), part.end(), [this](auto a, auto b) { return higher(a, b); });
  }
  // Returns the cells connected with `from` among the `count` highest cells.
  [[nodiscard]] std::set<std::uint32_t> connected(std::uint32_t from, std::size_t count) const {
    const std::set<std::uint32_t> open(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count));
    std::set<std::uint32_t> part;
    std::vector<std::uint32_t> todo = {from};
    while (!todo.empty()) {
      const std::uint32_t cell = todo.back();
      todo.pop_back();
      if (!open.contains(cell) || !part.insert(cell).second) continue;
      todo.insert(todo.end(), near_[cell].begin(), near_[cell].end());
    }
    return part;
  }

  const std::vector<double>& values_;
  std::vector<std::vector<std::uint32_t>> near_;
  std::vector<std::uint32_t> order_;
};

TEST(MergeTree, IsWhatItsDefinitionSays) {
  std::mt19937_64 random(1);
  for (const Shape& shape : {Shape{17}, Shape{1, 9}, Shape{7, 6}, Shape{3, 4, 3}, Shape{2, 2, 3, 2}}) {
    for (const int levels : {3, 1000}) {  // many ties, and few
      std::vector<double> values(cell_count(shape));
      for (double& value : values) value = static_cast<double>(random() % static_cast<unsigned>(levels)) - 1;
      const Basins found = basins_of(Bordered(shape), values);
      const Oracle oracle(shape, values);
      const std::vector<std::uint32_t> peaks = oracle.peaks();
      ASSERT_EQ(found.basins.size(), peaks.size());
      for (std::uint32_t i = 0; i < peaks.size(); ++i) {
        EXPECT_EQ(found.basins[i].peak, peaks[i]);
        const auto [saddle, behind] = oracle.joins(peaks[i]);
        if (i == 0) {
          EXPECT_EQ(found.basins[i].parent, no_basin);
        } else {
          EXPECT_EQ(found.basins[i].saddle, saddle);
          EXPECT_EQ(peaks[found.basins[i].parent], behind);
        }
      }
      for (std::uint32_t cell = 0; cell < values.size(); ++cell) {
        EXPECT_EQ(peaks[found.of_cell[cell]], oracle.uphill(cell));
      }
    }
  }
}

// Two basins meet at the highest pair of neighbours, of which the lower counts.
TEST(MergeTree, MeetingsComeInTheOrderOfTheirSaddles) {
  std::mt19937_64 random(2);
  const Shape shape = {12, 11};
  std::vector<double> values(cell_count(shape));
  for (double& value : values) value = static_cast<double>(random() % 10000);
  const Basins found = basins_of(Bordered(shape), values);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> expected;
  const Neighbours neighbours(shape, Adjacency::full);
  for (std::uint32_t cell = 0; cell < values.size(); ++cell) {
    neighbours.visit(cell, [&](std::uint64_t other) {
      const auto [one, two] = std::minmax(found.of_cell[cell], found.of_cell[other]);
      if (one == two) return;
      const double saddle = std::min(values[cell], values[other]);
      const auto [at, is_new] = expected.emplace(std::pair{one, two}, saddle);
      at->second = std::max(at->second, saddle);
    });
  }
  ASSERT_EQ(found.meetings.size(), expected.size());
  double before = 1e9;
  for (const Basins::Meeting& meeting : found.meetings) {
    const double saddle = expected.at(std::minmax(meeting.one, meeting.other));
    EXPECT_LE(saddle, before);
    before = saddle;
  }
}

}  // namespace
}  // namespace shoal
