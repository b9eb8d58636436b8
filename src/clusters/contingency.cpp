#include "clusters/contingency.hpp"

#include <algorithm>
#include <numeric>

#include "shoal/error.hpp"

namespace shoal {

namespace {

std::uint64_t sum(std::span<const std::uint64_t> values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

bool before(const Shared& a, const Shared& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; }

// Sorts, and adds up the entries of a pair.
void merge_pairs(std::vector<Shared>& shared) {
  std::sort(shared.begin(), shared.end(), before);
  std::size_t kept = 0;
  for (const Shared& entry : shared) {
    if (kept > 0 && shared[kept - 1].row == entry.row && shared[kept - 1].column == entry.column) {
      shared[kept - 1].items += entry.items;
    } else {
      shared[kept++] = entry;
    }
  }
  shared.resize(kept);
}

// The labels that occur, ascending; without 0 unless it is a group.
std::vector<std::uint32_t> groups_of(std::span<const std::uint32_t> labels, Label0 label0) {
  std::vector<std::uint32_t> groups(labels.begin(), labels.end());
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  if (label0 == Label0::no_group && !groups.empty() && groups.front() == 0) groups.erase(groups.begin());
  return groups;
}

std::uint32_t group_index(const std::vector<std::uint32_t>& groups, std::uint32_t label) {
  return static_cast<std::uint32_t>(std::lower_bound(groups.begin(), groups.end(), label) - groups.begin());
}

}  // namespace

std::uint64_t Contingency::in_rows() const { return sum(row_sizes); }
std::uint64_t Contingency::in_columns() const { return sum(column_sizes); }

std::uint64_t Contingency::in_both() const {
  std::uint64_t items = 0;
  for (const Shared& entry : shared) items += entry.items;
  return items;
}

Contingency Contingency::transposed() const {
  Contingency result{column_sizes, row_sizes, shared};
  for (Shared& entry : result.shared) std::swap(entry.row, entry.column);
  std::sort(result.shared.begin(), result.shared.end(), before);
  return result;
}

Contingency cross_tabulate(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> found, Label0 label0,
                           std::span<const std::uint64_t> weights) {
  if (truth.size() != found.size() || (!weights.empty() && weights.size() != truth.size())) {
    throw InputError("true labels, found labels and weights differ in length; give one of each per item");
  }
  const std::vector<std::uint32_t> rows = groups_of(truth, label0);
  const std::vector<std::uint32_t> columns = groups_of(found, label0);
  Contingency table;
  table.row_sizes.resize(rows.size());
  table.column_sizes.resize(columns.size());
  for (std::size_t item = 0; item < truth.size(); ++item) {
    const std::uint64_t weight = weights.empty() ? 1 : weights[item];
    const bool in_row = truth[item] != 0 || label0 == Label0::group;
    const bool in_column = found[item] != 0 || label0 == Label0::group;
    const std::uint32_t row = in_row ? group_index(rows, truth[item]) : 0;
    const std::uint32_t column = in_column ? group_index(columns, found[item]) : 0;
    if (in_row) table.row_sizes[row] += weight;
    if (in_column) table.column_sizes[column] += weight;
    if (in_row && in_column && weight > 0) table.shared.push_back({row, column, weight});
  }
  merge_pairs(table.shared);
  return table;
}

Contingency shared_cells(const Clusters& truth, const Clusters& found) {
  if (truth.count() > 0 && found.count() > 0 && truth.shape() != found.shape()) {
    throw InputError("two results can only be compared on the same cells; use the same grid, level and transform");
  }
  Contingency table{truth.sizes(), found.sizes(), {}};
  const auto& a = truth.cells();
  const auto& b = found.cells();
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] < b[j]) {
      ++i;
    } else if (b[j] < a[i]) {
      ++j;
    } else {
      table.shared.push_back({truth.labels()[i++] - 1, found.labels()[j++] - 1, 1});
    }
  }
  merge_pairs(table.shared);
  return table;
}

}  // namespace shoal
