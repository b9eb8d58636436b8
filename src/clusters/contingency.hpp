// A contingency table of two groupings of the same items: the number of items that each pair of groups shares. Every
// measure is computed from this table, never from pairs of items.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shoal/clusters.hpp"

namespace shoal {

// Items that row `row` and column `column` share; never zero.
struct Shared {
  std::uint32_t row, column;
  std::uint64_t items;
  friend bool operator==(const Shared&, const Shared&) = default;
};

// Rows are the true groups, columns the found ones. Only pairs that share items are listed, ascending by (row, column).
// An item may lie in a row but in no column, or vice versa; then the sizes exceed the sums of the shared items.
struct Contingency {
  std::vector<std::uint64_t> row_sizes, column_sizes;
  std::vector<Shared> shared;

  [[nodiscard]] std::uint64_t in_rows() const;     // items that lie in a row
  [[nodiscard]] std::uint64_t in_columns() const;  // items that lie in a column
  [[nodiscard]] std::uint64_t in_both() const;
  [[nodiscard]] Contingency transposed() const;
};

enum class Label0 {
  no_group,  // label 0 means that the item lies in no group
  group,     // 0 is a label like any other
};

// One entry per item: its true label, its found label and its weight (1 if `weights` is empty). Groups are numbered in
// the order of their labels; labels that do not occur are skipped.
Contingency cross_tabulate(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> found, Label0 label0,
                           std::span<const std::uint64_t> weights = {});

// Items are the clustered cells of two results on boxes of the same shape. Group i is cluster i + 1.
Contingency shared_cells(const Clusters& truth, const Clusters& found);

}  // namespace shoal
