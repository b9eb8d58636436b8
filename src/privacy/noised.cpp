#include "shoal/noised.hpp"

#include <algorithm>
#include <iterator>

namespace shoal {

Receipts joined(const Receipts& a, const Receipts& b) {
  Receipts all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all),
                 [](const auto& x, const auto& y) { return x->order < y->order; });
  return all;
}

std::vector<Spent> spent_of(const Receipts& receipts) {
  std::vector<Spent> spent;
  spent.reserve(receipts.size());
  for (const auto& receipt : receipts) spent.push_back(receipt->spent);
  return spent;
}

}  // namespace shoal
