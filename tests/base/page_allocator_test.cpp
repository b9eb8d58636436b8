#include "base/page_allocator.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <numeric>

namespace shoal {
namespace {

bool is_mapped(void* page) { return ::msync(page, 1, MS_ASYNC) == 0 || errno != ENOMEM; }

TEST(PageAllocator, LargeMemoryGoesBackToTheSystemWhenItIsFreed) {
  { const std::vector<char> larger(std::size_t{1} << 23); }  // afterwards malloc keeps what is smaller than this
  PageVector<std::uint64_t> large(std::size_t{1} << 17);
  void* const page = large.data();
  EXPECT_TRUE(is_mapped(page));
  PageVector<std::uint64_t>().swap(large);
  EXPECT_FALSE(is_mapped(page));
}

TEST(PageAllocator, AVectorGrowsPastTheSizeWherePagesBegin) {
  PageVector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 100'000; ++i) values.push_back(i);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), std::uint64_t{0}), std::uint64_t{99'999} * 50'000);
}

}  // namespace
}  // namespace shoal
