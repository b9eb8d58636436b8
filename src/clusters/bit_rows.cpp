#include "clusters/bit_rows.hpp"

#include <bit>

#include "base/simd.hpp"

namespace shoal {

namespace {

// A neighbouring row that comes before, as a step along every outer axis, and the rows between it and ours.
struct Neighbour {
  std::vector<int> step;
  std::ptrdiff_t offset = 0;
  std::vector<std::ptrdiff_t> between;  // offsets of the rows that lack one of two or more steps
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
    if (steps == 0) return result;  // what follows comes after our row
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

// Where the row's bits are, and how many runs begin before each of its words.
struct BitRow {
  const std::uint64_t* bits;
  const std::uint32_t* runs_before;
};

// The cells of a word, each moved to the next place.
[[gnu::always_inline]] inline std::uint64_t moved_on(const std::uint64_t* bits, std::size_t word) {
  return (bits[word] << 1) | (word > 0 ? bits[word - 1] >> 63 : 0);
}

template <bool full>
[[gnu::always_inline]] inline void join_rows(BitRow a, BitRow b, std::span<const std::uint64_t* const> between,
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

SHOAL_CLONES void join_rows_full(BitRow a, BitRow b, std::span<const std::uint64_t* const> between, std::size_t words,
                                 Sets& sets) {
  join_rows<true>(a, b, between, words, sets);
}
SHOAL_CLONES void join_rows_face(BitRow a, BitRow b, std::span<const std::uint64_t* const> between, std::size_t words,
                                 Sets& sets) {
  join_rows<false>(a, b, between, words, sets);
}

std::vector<std::uint32_t> runs_before_words(const Runs& runs, std::size_t words) {
  std::vector<std::uint32_t> result(runs.bits.size());
  std::uint32_t count = 0;
  for (std::size_t at = 0; at < result.size(); at += words) {
    for (std::size_t word = 0; word < words; ++word) {
      result[at + word] = count;
      const std::uint64_t* const row = runs.bits.data() + at;
      count += static_cast<std::uint32_t>(std::popcount(row[word] & ~moved_on(row, word)));
    }
  }
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

void join_bit_rows(const Runs& runs, Adjacency adjacency, Sets& sets) {
  const Shape outer(runs.shape.begin(), runs.shape.end() - 1);
  if (outer.empty()) return;
  const std::size_t words = runs.words_a_row();
  const std::vector<std::uint32_t> before = runs_before_words(runs, words);
  const auto neighbours = neighbours_before(outer, adjacency);
  const auto join = adjacency == Adjacency::full ? join_rows_full : join_rows_face;
  const auto bits_of_row = [&](std::uint64_t row) { return runs.bits.data() + row * words; };
  const auto row_at = [&](std::uint64_t row) { return BitRow{bits_of_row(row), before.data() + row * words}; };
  std::vector<const std::uint64_t*> between;
  for (const std::uint64_t row : runs.rows) {
    const std::vector<std::uint64_t> at = coordinates(row, outer);
    for (const Neighbour& neighbour : neighbours) {
      if (!inside(neighbour, at, outer)) continue;
      between.clear();
      for (const std::ptrdiff_t offset : neighbour.between) between.push_back(bits_of_row(row + offset));
      join(row_at(row + neighbour.offset), row_at(row), between, words, sets);
    }
  }
}

}  // namespace shoal
