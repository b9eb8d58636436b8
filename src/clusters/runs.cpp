#include "clusters/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/parallel.hpp"
#include "clusters/bit_rows.hpp"
#include "clusters/sets.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

constexpr std::uint64_t most_runs = UINT32_MAX - 1;

void check_count(std::uint64_t runs) {
  if (runs > most_runs) throw InputError("more than 2^32 separate stretches of cells; raise the threshold");
}

std::uint64_t last_extent(const Shape& shape) {
  if (shape.empty() || shape.back() > UINT32_MAX) {
    throw Error(ErrorKind::internal, "connected components need axes of at most 2^32 - 1 cells");
  }
  return shape.back();
}

void close(Runs& result) {
  check_count(result.count());
  result.first_run.push_back(static_cast<std::uint32_t>(result.count()));
}

// Converts eight bytes to eight bits, the lowest first: bit i is set if byte i is not zero.
std::uint64_t bits_of(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  constexpr std::uint64_t low7 = 0x7F7F7F7F7F7F7F7FU;
  word = ((((word & low7) + low7) | word) & ~low7) >> 7;  // 1 in the lowest bit of every byte that is set
  return (word * 0x0102040810204080U) >> 56;
}

// Converts up to 64 cells of a row to bits; the last word of a row may have fewer.
std::uint64_t word_of(const std::uint8_t* bytes, std::size_t count) {
  std::uint64_t bits = 0;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) bits |= bits_of(bytes + i) << i;
  for (; i < count; ++i) bits |= static_cast<std::uint64_t>(bytes[i] != 0) << i;
  return bits;
}

// Writes a row as bits and counts its runs.
std::uint64_t bits_of_row(std::span<const std::uint8_t> row, std::uint64_t* words) {
  std::uint64_t runs = 0;
  std::uint64_t before = 0;  // the cell before this word
  for (std::size_t at = 0; at < row.size(); at += 64) {
    const std::uint64_t bits = word_of(row.data() + at, std::min<std::size_t>(64, row.size() - at));
    *words++ = bits;
    runs += static_cast<std::uint64_t>(std::popcount(bits & ~((bits << 1) | before)));
    before = bits >> 63;
  }
  return runs;
}

// Writes the places where the cells of a row change: a run begins at the first place, ends at the second, and so on.
// There is no branch for either case.
void changes_of_row(std::span<const std::uint64_t> words, std::uint64_t extent, std::uint32_t* changes) {
  std::uint64_t before = 0;
  std::uint32_t at = 0;
  for (const std::uint64_t bits : words) {
    for (std::uint64_t differ = bits ^ ((bits << 1) | before); differ != 0; differ &= differ - 1) {
      *changes++ = at + static_cast<std::uint32_t>(std::countr_zero(differ));
    }
    before = bits >> 63;
    at += 64;
  }
  if (before != 0) *changes = static_cast<std::uint32_t>(extent);
}

// Sets runs.bits: one word per 64 cells of the box, which is no more memory than the list of the cells.
void set_bits(Runs& runs, std::uint64_t rows) {
  const std::size_t words = runs.words_a_row();
  runs.bits = Values<std::uint64_t>(rows * words);
  for (std::size_t row = 0; row < runs.rows.size(); ++row) {
    std::uint64_t* const bits = runs.bits.data() + runs.rows[row] * words;
    for (std::uint32_t run = runs.first_run[row]; run < runs.first_run[row + 1]; ++run) {
      for (std::uint64_t at = runs.begin(run); at < runs.end(run);) {
        const std::uint64_t end = std::min<std::uint64_t>(runs.end(run), (at / 64 + 1) * 64);
        bits[at / 64] |= (~std::uint64_t{0} >> (64 - (end - at))) << (at % 64);
        at = end;
      }
    }
  }
}

// Joins runs by the tree of rows. A node of level d has a coordinate on axis d. Its children are the nodes of level d +
// 1 from its own first_child to that of the next node. Below the last level, the children are runs.
class Joiner {
 public:
  Joiner(const Runs& runs, Adjacency adjacency, Sets& sets)
      : changes_(runs.changes.data()),
        sets_(sets),
        full_(adjacency == Adjacency::full),
        levels_(runs.shape.size() - 1) {
    std::vector<std::uint64_t> nodes = runs.rows;
    std::vector<std::uint32_t> first_child = runs.first_run;
    for (std::size_t level = levels_.size(); level-- > 0;) {
      Level& here = levels_[level];
      const std::uint64_t extent = runs.shape[level];
      std::vector<std::uint64_t> parents;
      std::vector<std::uint32_t> first_node;
      here.coordinate.reserve(nodes.size());
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::uint64_t parent = nodes[i] / extent;
        here.coordinate.push_back(nodes[i] - parent * extent);
        if (parents.empty() || parents.back() != parent) {
          parents.push_back(parent);
          first_node.push_back(static_cast<std::uint32_t>(i));
        }
      }
      first_node.push_back(static_cast<std::uint32_t>(nodes.size()));
      here.first_child = std::move(first_child);
      first_child = std::move(first_node);
      nodes = std::move(parents);
    }
  }

  void join() {
    if (!levels_.empty()) join_within(0, 0, static_cast<std::uint32_t>(levels_[0].coordinate.size()));
  }

 private:
  struct Level {
    std::vector<std::uint64_t> coordinate;
    std::vector<std::uint32_t> first_child;  // one more entry at the end
  };

  // Joins everything below the nodes [begin, end) of a level, which are children of one node.
  void join_within(std::size_t level, std::uint32_t begin, std::uint32_t end) {
    const Level& here = levels_[level];
    for (std::uint32_t i = begin; i < end; ++i) {
      if (level + 1 < levels_.size()) join_within(level + 1, here.first_child[i], here.first_child[i + 1]);
      if (i + 1 < end && here.coordinate[i] + 1 == here.coordinate[i + 1]) join_between(level, i, i + 1);
    }
  }

  // Joins what is below one node to what is below the other. The two are neighbours on the same level.
  void join_between(std::size_t level, std::uint32_t a, std::uint32_t b) {
    const Level& here = levels_[level];
    if (level + 1 == levels_.size()) {
      join_runs(here.first_child[a], here.first_child[a + 1], here.first_child[b], here.first_child[b + 1]);
      return;
    }
    const Level& below = levels_[level + 1];
    const std::uint64_t reach = full_ ? 1 : 0;
    std::uint32_t other = here.first_child[b];
    const std::uint32_t others_end = here.first_child[b + 1];
    for (std::uint32_t i = here.first_child[a]; i < here.first_child[a + 1]; ++i) {
      const std::uint64_t at = below.coordinate[i];
      while (other < others_end && below.coordinate[other] + reach < at) ++other;
      for (std::uint32_t j = other; j < others_end && below.coordinate[j] <= at + reach; ++j) {
        join_between(level + 1, i, j);
      }
    }
  }

  // Joins runs [a, a_end) of one row to runs [b, b_end) of its neighbour.
  void join_runs(std::uint32_t a, std::uint32_t a_end, std::uint32_t b, std::uint32_t b_end) {
    const std::uint32_t gap = full_ ? 0 : 1;  // corners join under full adjacency
    while (a < a_end && b < b_end) {
      const std::uint32_t* const x = changes_ + 2 * std::size_t{a};
      const std::uint32_t* const y = changes_ + 2 * std::size_t{b};
      if ((x[0] + gap <= y[1]) & (y[0] + gap <= x[1])) sets_.unite(a, b);
      // Added without a branch, because it is unpredictable.
      const auto next_a = static_cast<std::uint32_t>(x[1] < y[1]);
      a += next_a;
      b += 1 - next_a;
    }
  }

  const std::uint32_t* changes_;
  Sets& sets_;
  bool full_;
  std::vector<Level> levels_;
};

// Returns the indices of the components by size, the largest first; equal sizes keep their order. Sizes below a limit
// are counted, not compared, because a noisy mask has very many small components.
std::vector<std::uint32_t> by_size(const std::vector<std::uint64_t>& sizes) {
  constexpr std::uint64_t counted = 1024;
  std::vector<std::uint32_t> order(sizes.size());
  std::vector<std::uint32_t> large;
  std::vector<std::uint32_t> start(counted, 0);
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < counted) {
      ++start[sizes[i]];
    } else {
      large.push_back(i);
    }
  }
  std::stable_sort(large.begin(), large.end(), [&](auto a, auto b) { return sizes[a] > sizes[b]; });
  std::copy(large.begin(), large.end(), order.begin());
  auto at = static_cast<std::uint32_t>(large.size());
  for (std::size_t size = counted; size-- > 0;) at += std::exchange(start[size], at);
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < counted) order[start[sizes[i]]++] = i;
  }
  return order;
}

}  // namespace

Runs runs_of_cells(const Shape& shape, std::span<const std::uint64_t> cells) {
  const std::uint64_t extent = last_extent(shape);
  const std::uint64_t box = cell_count(shape);
  if (!cells.empty() && cells.back() >= box) {
    throw Error(ErrorKind::internal, "a cell lies outside the box it is said to be in");
  }
  Runs result{.shape = shape, .changes = {}, .rows = {}, .first_run = {}, .bits = {}};
  std::uint64_t row_begin = 0;
  std::uint64_t row_end = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::uint64_t cell = cells[i];
    if (i > 0 && cell <= cells[i - 1]) throw Error(ErrorKind::internal, "cells must be ascending and unique");
    if (cell >= row_end) {
      const std::uint64_t row = cell / extent;
      row_begin = row * extent;
      row_end = row_begin + extent;
      result.rows.push_back(row);
      result.first_run.push_back(static_cast<std::uint32_t>(result.count()));
    } else if (result.changes.back() == cell - row_begin) {
      ++result.changes.back();
      continue;
    }
    const auto begin = static_cast<std::uint32_t>(cell - row_begin);
    result.changes.insert(result.changes.end(), {begin, begin + 1});
  }
  close(result);
  if (box / extent * result.words_a_row() <= cells.size()) set_bits(result, box / extent);
  return result;
}

Runs runs_of_mask(const Shape& shape, std::span<const std::uint8_t> mask, unsigned threads) {
  const std::uint64_t extent = last_extent(shape);
  if (mask.size() != cell_count(shape)) throw Error(ErrorKind::internal, "a mask needs one byte per cell");
  Runs result{.shape = shape, .changes = {}, .rows = {}, .first_run = {}, .bits = {}};
  const std::uint64_t rows = mask.size() / extent;
  const std::size_t words = result.words_a_row();
  result.bits = Values<std::uint64_t>(rows * words);
  Values<std::uint64_t> found(rows);
  parallel_stretches(rows, parts_of(mask.size()), threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t row = begin; row < end; ++row) {
      found[row] = bits_of_row(mask.subspan(row * extent, extent), result.bits.data() + row * words);
    }
  });
  result.first_run.push_back(0);
  std::uint64_t count = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (found[row] == 0) continue;
    count += found[row];
    check_count(count);
    result.rows.push_back(row);
    result.first_run.push_back(static_cast<std::uint32_t>(count));
  }
  result.changes = Values<std::uint32_t>(2 * count);
  parallel_stretches(result.rows.size(), parts_of(mask.size()), threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t* const bits = result.bits.data() + result.rows[i] * words;
      changes_of_row({bits, words}, extent, result.changes.data() + 2 * std::size_t{result.first_run[i]});
    }
  });
  return result;
}

Components components(const Runs& runs, Adjacency adjacency, std::uint64_t min_cells, unsigned threads) {
  const std::size_t count = runs.count();
  Sets sets(count);
  if (runs.bits.empty()) {
    Joiner(runs, adjacency, sets).join();
  } else {
    join_bit_rows(runs, adjacency, sets, threads);
  }

  // A parent precedes its children, so one pass numbers the components by their first cell, in place.
  Values<std::uint32_t> component = std::move(sets).take();
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t parent = component[i];
    if (parent == i) {
      component[i] = static_cast<std::uint32_t>(sizes.size());
      sizes.push_back(0);
    } else {
      component[i] = component[parent];
    }
    sizes[component[i]] += runs.end(i) - runs.begin(i);
  }

  Components result;
  std::vector<std::uint32_t> label(sizes.size(), 0);
  for (const std::uint32_t i : by_size(sizes)) {
    if (sizes[i] < min_cells) break;
    result.sizes.push_back(sizes[i]);
    label[i] = static_cast<std::uint32_t>(result.sizes.size());
  }
  for (std::uint32_t& run : component) run = label[run];
  result.label = std::move(component);
  return result;
}

}  // namespace shoal
