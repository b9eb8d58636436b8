#include "wavelet/haar_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "technique_examples.hpp"

namespace shoal {
namespace {

using examples::random_counts;
using Random = std::mt19937_64;

TEST(HaarBlocks, WeightedPiecesAreHaarSums) {
  Random random(1);
  for (const Shape& shape : {Shape{7}, Shape{1}, Shape{13, 6}, Shape{5, 9, 3}, Shape{1, 8}, Shape{16, 16}}) {
    for (const unsigned level : {1U, 2U, 3U, 5U}) {
      const Counts counts = random_counts(random, shape);
      const HaarPieces pieces = haar_pieces(shape, level);
      EXPECT_EQ(pieces.blocks, transformed_shape(shape, level, Transform::decimated));
      const auto sums = folded(counts.raw(), pieces.pieces, pieces.of_cell);
      EXPECT_EQ(folded(sums, pieces.blocks, pieces.block_of, pieces.weight), haar_sums(counts.raw(), level));
      const auto once = folded(sums, pieces.blocks, pieces.block_of);
      EXPECT_EQ(std::accumulate(once.values().begin(), once.values().end(), std::int64_t{0}),
                std::accumulate(counts.raw().values().begin(), counts.raw().values().end(), std::int64_t{0}));
    }
  }
}

TEST(HaarBlocks, CountedOnceTheyGiveRecords) {
  Random random(21);
  for (const unsigned level : {1U, 2U}) {
    for (const Shape& shape : {Shape{5, 6}, Shape{9}, Shape{1, 8}, Shape{6, 10, 1}}) {  // blocks of one weight each
      const Counts counts = random_counts(random, shape);
      const HaarPieces pieces = haar_pieces(shape, level);
      const auto once = folded(folded(counts.raw(), pieces.pieces, pieces.of_cell), pieces.blocks, pieces.block_of);
      EXPECT_EQ(counted_once(haar_sums(counts.raw(), level), pieces), once);
    }
  }
}

TEST(HaarBlocks, BlocksAreWholeIfAndOnlyIfEveryCellCountsOnce) {
  Shape apart{8, 4};
  apart.push_back(5, {.border = Border::apart, .pooled = false});
  for (const Shape& shape : {Shape{7}, Shape{8}, Shape{1}, Shape{12, 8}, Shape{12, 6}, Shape{16, 16, 4}, apart}) {
    for (const unsigned level : {1U, 2U, 3U, 4U, 60U}) {
      const HaarPieces pieces = haar_pieces(shape, level);
      const bool once = std::all_of(pieces.weight.begin(), pieces.weight.end(), [](const auto& weights) {
        return std::all_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight == 1; });
      });
      EXPECT_EQ(has_whole_blocks(shape, level), once) << shape.size() << " axes, level " << level;
    }
  }
}

TEST(HaarBlocks, ARecordWeighsMoreOnlyWhereAxesAreShorterThanABlock) {
  EXPECT_EQ(record_weight(haar_pieces({64, 63}, 2)), 1);
  EXPECT_EQ(record_weight(haar_pieces({1, 64}, 1)), 2);
  EXPECT_EQ(record_weight(haar_pieces({1, 1}, 3)), 64);
  EXPECT_EQ(record_weight(haar_pieces({1}, 62)), std::int64_t{1} << 62);
}

}  // namespace
}  // namespace shoal
