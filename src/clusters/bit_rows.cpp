#include "clusters/bit_rows.hpp"

#include <bit>
#include <mutex>

#include "base/parallel.hpp"
#include "base/simd.hpp"

namespace shoal {

namespace {

// A neighbouring row that precedes ours, as a step along every outer axis, and the rows between the two.
struct Neighbour {
  std::vector<int> step;
  std::ptrdiff_t offset = 0;
  std::vector<std::ptrdiff_t> between;  // offsets of the rows that omit at least one of two or more steps
};

std::vector<Neighbour> neighbours_before(const Shape& outer, Adjacency adjacency) {
  const std::vector<std::uint64_t> stride = strides(outer);
  std::vector<Neighbour> result;
  std::vector<int> step(outer.size(), -1);
  for (;;) {
    Neighbour neighbour{step, 0, {}};
    std::size_t steps = 0;
    for (std::size_t axis = 0; axis < outer.size(); ++axis) {
      neighbour.offset += step[axis] * static_cast<std::ptrdiff_t>(stride[axis]);
      steps += step[axis] != 0 ? 1 : 0;
    }
    if (steps == 0) return result;  // all further steps lead to rows after ours
    for (std::size_t axis = 0; axis < outer.size() && steps > 1; ++axis) {
      if (step[axis] == 0) continue;
      neighbour.between.push_back(neighbour.offset - step[axis] * static_cast<std::ptrdiff_t>(stride[axis]));
    }
    if (adjacency == Adjacency::full || steps == 1) result.push_back(neighbour);
    std::size_t axis = outer.size() - 1;
    while (step[axis] == 1) step[axis--] = -1;
    ++step[axis];
  }
}

// The bits of a row, and the number of runs that begin before each of its words.
struct BitRow {
  const std::uint64_t* bits;
  const std::uint32_t* runs_before;
};

// Returns the cells of a word, each moved to the next place.
[[gnu::always_inline]] inline std::uint64_t moved_on(const std::uint64_t* bits, std::size_t word) {
  return (bits[word] << 1) | (word > 0 ? bits[word - 1] >> 63 : 0);
}

template <bool full>
[[gnu::always_inline]] inline void join_pair(BitRow a, BitRow b, std::span<const std::uint64_t* const> between,
                                             std::size_t words, Sets& sets) {
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint64_t a_bits = a.bits[word];
    const std::uint64_t b_bits = b.bits[word];
    const std::uint64_t a_moved = moved_on(a.bits, word);
    const std::uint64_t b_moved = moved_on(b.bits, word);
    const std::uint64_t a_begins = a_bits & ~a_moved;
    const std::uint64_t b_begins = b_bits & ~b_moved;
    std::uint64_t meet = full ? (a_begins & (b_bits | b_moved)) | (b_begins & a_moved)
                              : (a_begins & b_bits) | (b_begins & a_bits & a_moved);
    if (full) {
      for (const std::uint64_t* row : between) meet &= ~(row[word] | moved_on(row, word));
    }
    for (; meet != 0; meet &= meet - 1) {
      const std::uint64_t up_to = meet ^ (meet - 1);
      sets.unite(a.runs_before[word] + static_cast<std::uint32_t>(std::popcount(a_begins & up_to)) - 1,
                 b.runs_before[word] + static_cast<std::uint32_t>(std::popcount(b_begins & up_to)) - 1);
    }
  }
}

SHOAL_CLONES void join_pair_full(BitRow a, BitRow b, std::span<const std::uint64_t* const> between, std::size_t words,
                                 Sets& sets) {
  join_pair<true>(a, b, between, words, sets);
}
SHOAL_CLONES void join_pair_face(BitRow a, BitRow b, std::span<const std::uint64_t* const> between, std::size_t words,
                                 Sets& sets) {
  join_pair<false>(a, b, between, words, sets);
}

// Counts the runs before each word of the rows that hold runs. Entries of other rows are never read.
Values<std::uint32_t> runs_before_words(const Runs& runs, std::size_t words, unsigned threads) {
  Values<std::uint32_t> result(runs.bits.size());
  parallel_stretches(runs.rows.size(), parts_of(64 * runs.bits.size()), threads, [&](auto begin, auto end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t* const row = runs.bits.data() + runs.rows[i] * words;
      std::uint32_t count = runs.first_run[i];
      for (std::size_t word = 0; word < words; ++word) {
        result[runs.rows[i] * words + word] = count;
        count += static_cast<std::uint32_t>(std::popcount(row[word] & ~moved_on(row, word)));
      }
    }
  });
  return result;
}

bool inside(const Neighbour& neighbour, const std::vector<std::uint64_t>& at, const Shape& outer) {
  for (std::size_t axis = 0; axis < outer.size(); ++axis) {
    if (neighbour.step[axis] < 0 && at[axis] == 0) return false;
    if (neighbour.step[axis] > 0 && at[axis] + 1 == outer[axis]) return false;
  }
  return true;
}

}  // namespace

// Each stretch of rows is first joined by itself, because its runs belong to it alone. Then the seams are joined, where
// a row has neighbours in an earlier stretch.
void join_bit_rows(const Runs& runs, Adjacency adjacency, Sets& sets, unsigned threads) {
  const Shape outer(std::vector<std::uint64_t>(runs.shape.begin(), runs.shape.end() - 1));
  if (outer.empty()) return;
  const std::size_t words = runs.words_a_row();
  const Values<std::uint32_t> before = runs_before_words(runs, words, threads);
  const auto neighbours = neighbours_before(outer, adjacency);
  const auto join = adjacency == Adjacency::full ? join_pair_full : join_pair_face;
  const auto bits_of_row = [&](std::uint64_t row) { return runs.bits.data() + row * words; };
  const auto row_at = [&](std::uint64_t row) { return BitRow{bits_of_row(row), before.data() + row * words}; };
  // Joins rows [begin, end) of those that hold runs to the neighbours that `wanted` selects.
  const auto join_rows = [&](std::uint64_t begin, std::uint64_t end, const auto& wanted) {
    std::vector<std::uint64_t> at(outer.size());
    std::vector<const std::uint64_t*> between;
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t row = runs.rows[i];
      coordinates(row, outer, at);
      for (const Neighbour& neighbour : neighbours) {
        if (!inside(neighbour, at, outer) || !wanted(row + static_cast<std::uint64_t>(neighbour.offset))) continue;
        between.clear();
        for (const std::ptrdiff_t offset : neighbour.between) between.push_back(bits_of_row(row + offset));
        join(row_at(row + neighbour.offset), row_at(row), between, words, sets);
      }
    }
  };
  const std::uint64_t reach = neighbours.empty() ? 0 : static_cast<std::uint64_t>(-neighbours.front().offset);
  std::mutex guard;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches;
  parallel_stretches(runs.rows.size(), parts_of(64 * runs.bits.size()), threads, [&](auto begin, auto end) {
    join_rows(begin, end, [&](std::uint64_t other) { return other >= runs.rows[begin]; });
    const std::lock_guard lock(guard);
    stretches.emplace_back(begin, end);
  });
  for (const auto& [begin, stretch_end] : stretches) {
    std::uint64_t end = begin;
    while (end < stretch_end && runs.rows[end] < runs.rows[begin] + reach) ++end;
    join_rows(begin, end, [first = runs.rows.data() + begin](std::uint64_t other) { return other < *first; });
  }
}

}  // namespace shoal
