#include "clusters/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "clusters/flow.hpp"
#include "shoal/error.hpp"

// Let a_i be the sizes of the side with fewer groups, b_j those of the other, o_ij what a pair shares. Then
//   M_cost = sum over pairs of (max(a_i, b_j) - o_ij) + sum over the b_j without partner
//          = sum of all b_j + sum over pairs of ((a_i - b_j)^+ - o_ij),
// so the pairs that share nothing cost (a_i - b_j)^+: a walk on the line of sizes from a_i to b_j, where a step
// up is free and a step down costs its length. A flow therefore needs arcs for the pairs that share something, and one
// line instead of all the other pairs:
//
//   source --> a_i --(a_i - b_j)^+ - o_ij--> b_j --> sink        (pairs that share something)
//               |                             ^
//               v  0                          |  0
//             [a_i] <--free-- [..] --free--> [b_j]               (the line, neighbouring sizes linked both ways)
//
// Shortest walks on the line are exactly (a_i - b_j)^+ and arcs on it hold any flow, so each assignment is a flow
// of the same cost; each flow splits into walks a_i -> b_j that cost at least that pair (a pair with its own arc is
// cheaper there), so no flow is cheaper than the best assignment.

namespace shoal {

namespace {

constexpr std::uint64_t largest_size = std::uint64_t{1} << 62;
constexpr double most_matrix_work = 2e6;   // min^2 max below this: the full matrix is quicker
constexpr std::size_t dense_divisor = 16;  // the matrix is dense if more than one pair in this many shares a cell

std::int64_t excess(std::uint64_t a, std::uint64_t b) { return a > b ? static_cast<std::int64_t>(a - b) : 0; }

bool use_dense(const Contingency& table, MatchingMethod method) {
  if (method != MatchingMethod::automatic) return method == MatchingMethod::dense;
  const auto [fewer, more] = std::minmax({table.row_sizes.size(), table.column_sizes.size()});
  const double work = static_cast<double>(fewer) * static_cast<double>(fewer) * static_cast<double>(more);
  return work <= most_matrix_work || table.shared.size() >= fewer * more / dense_divisor;
}

void check(const Contingency& table) {
  if (table.in_rows() >= largest_size || table.in_columns() >= largest_size) {
    throw InputError("groups of 2^62 items or more cannot be matched exactly");
  }
}

// What a pair costs beyond the column's size: (a - b)^+ - shared.
std::int64_t pair_cost(const Contingency& table, const Shared& pair) {
  return excess(table.row_sizes[pair.row], table.column_sizes[pair.column]) - static_cast<std::int64_t>(pair.items);
}

// The line of sizes: a node for each size that occurs, numbered from `base`.
class SizeLine {
 public:
  SizeLine(const Contingency& table, std::uint32_t base) : sizes_(table.row_sizes), base_(base) {
    sizes_.insert(sizes_.end(), table.column_sizes.begin(), table.column_sizes.end());
    std::sort(sizes_.begin(), sizes_.end());
    sizes_.erase(std::unique(sizes_.begin(), sizes_.end()), sizes_.end());
  }
  [[nodiscard]] std::size_t count() const { return sizes_.size(); }
  [[nodiscard]] std::uint32_t node(std::uint64_t size) const {
    return base_ + static_cast<std::uint32_t>(std::lower_bound(sizes_.begin(), sizes_.end(), size) - sizes_.begin());
  }
  void add_arcs(Flow& flow, std::int64_t capacity) const {
    for (std::uint32_t i = 0; i + 1 < sizes_.size(); ++i) {
      flow.add_arc(base_ + i, base_ + i + 1, capacity, 0);
      flow.add_arc(base_ + i + 1, base_ + i, capacity, static_cast<std::int64_t>(sizes_[i + 1] - sizes_[i]));
    }
  }

 private:
  std::vector<std::uint64_t> sizes_;
  std::uint32_t base_;
};

// The network drawn above. Rows are at most as many as columns.
class ClusterFlow {
 public:
  explicit ClusterFlow(const Contingency& table)
      : table_(table),
        rows_(static_cast<std::uint32_t>(table.row_sizes.size())),
        columns_(static_cast<std::uint32_t>(table.column_sizes.size())),
        line_(table, rows_ + columns_ + 2),
        flow_(rows_ + columns_ + 2 + line_.count()) {
    const std::uint32_t source = rows_ + columns_;
    const std::uint32_t sink = source + 1;
    // Every row gets a partner, so a row's costs may all be shifted: its cheapest arc costs nothing, none costs less.
    std::vector<std::int64_t> cheapest(rows_, 0);
    for (const Shared& pair : table.shared) cheapest[pair.row] = std::min(cheapest[pair.row], pair_cost(table, pair));
    for (std::uint32_t row = 0; row < rows_; ++row) {
      flow_.add_arc(source, row, 1, 0);
      row_to_line_.push_back(flow_.add_arc(row, line_.node(table.row_sizes[row]), 1, -cheapest[row]));
    }
    for (std::uint32_t column = 0; column < columns_; ++column) {
      line_to_column_.push_back(flow_.add_arc(line_.node(table.column_sizes[column]), rows_ + column, 1, 0));
      flow_.add_arc(rows_ + column, sink, 1, 0);
    }
    line_.add_arcs(flow_, rows_);
    for (const Shared& pair : table.shared) {
      const std::int64_t cost = pair_cost(table, pair) - cheapest[pair.row];
      pairs_.push_back(flow_.add_arc(pair.row, rows_ + pair.column, 1, cost));
    }
    flow_.send(source, sink);
  }

  // Walks over the line say which rows and columns they join, not which with which: joined in the order of
  // their sizes they cost least, because (a - b)^+ is convex in a - b.
  [[nodiscard]] std::vector<std::size_t> partners() const {
    std::vector<std::size_t> partner(rows_, unmatched);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (flow_.sent(pairs_[i]) > 0) partner[table_.shared[i].row] = table_.shared[i].column;
    }
    const std::vector<std::size_t> rows = used(row_to_line_, table_.row_sizes);
    const std::vector<std::size_t> columns = used(line_to_column_, table_.column_sizes);
    for (std::size_t i = 0; i < rows.size(); ++i) partner[rows[i]] = columns[i];
    return partner;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> used(const std::vector<std::size_t>& arcs,
                                              const std::vector<std::uint64_t>& sizes) const {
    std::vector<std::size_t> groups;
    for (std::size_t group = 0; group < arcs.size(); ++group) {
      if (flow_.sent(arcs[group]) > 0) groups.push_back(group);
    }
    std::stable_sort(groups.begin(), groups.end(), [&](std::size_t a, std::size_t b) { return sizes[a] < sizes[b]; });
    return groups;
  }

  const Contingency& table_;
  std::uint32_t rows_, columns_;
  SizeLine line_;
  Flow flow_;
  std::vector<std::size_t> row_to_line_, line_to_column_, pairs_;  // arcs
};

std::vector<std::size_t> dense_clusters(const Contingency& table) {
  const std::size_t rows = table.row_sizes.size();
  const std::size_t columns = table.column_sizes.size();
  std::vector<std::int64_t> cost(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      cost[i * columns + j] = excess(table.row_sizes[i], table.column_sizes[j]);
    }
  }
  for (const Shared& pair : table.shared) cost[pair.row * columns + pair.column] = pair_cost(table, pair);
  return assign(rows, columns, cost).partner;
}

// Most shared items in all: an assignment of least cost -shared, where a row may also stay alone at no cost.
std::vector<std::size_t> sparse_classes(const Contingency& table) {
  const auto rows = static_cast<std::uint32_t>(table.row_sizes.size());
  const auto columns = static_cast<std::uint32_t>(table.column_sizes.size());
  const std::uint32_t source = rows + columns;
  const std::uint32_t sink = source + 1;
  Flow flow(sink + 1);
  std::vector<std::int64_t> most(rows, 0);
  for (const Shared& pair : table.shared) {
    most[pair.row] = std::max(most[pair.row], static_cast<std::int64_t>(pair.items));
  }
  for (std::uint32_t row = 0; row < rows; ++row) {
    flow.add_arc(source, row, 1, 0);
    flow.add_arc(row, sink, 1, most[row]);
  }
  for (std::uint32_t column = 0; column < columns; ++column) flow.add_arc(rows + column, sink, 1, 0);
  std::vector<std::size_t> arcs;
  for (const Shared& pair : table.shared) {
    const std::int64_t cost = most[pair.row] - static_cast<std::int64_t>(pair.items);
    arcs.push_back(flow.add_arc(pair.row, rows + pair.column, 1, cost));
  }
  flow.send(source, sink);
  std::vector<std::size_t> partner(rows, unmatched);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (flow.sent(arcs[i]) > 0) partner[table.shared[i].row] = table.shared[i].column;
  }
  return partner;
}

std::vector<std::size_t> dense_classes(const Contingency& table) {
  const std::size_t rows = table.row_sizes.size();
  const std::size_t columns = table.column_sizes.size();
  std::vector<std::int64_t> cost(rows * columns, 0);
  for (const Shared& pair : table.shared) {
    cost[pair.row * columns + pair.column] = -static_cast<std::int64_t>(pair.items);
  }
  Assignment best = assign(rows, columns, cost);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t column = best.partner[row];
    if (column != unmatched && cost[row * columns + column] == 0) best.partner[row] = unmatched;
  }
  return best.partner;
}

// Items shared by the partners.
std::uint64_t common_items(const Contingency& table, const std::vector<std::size_t>& partner) {
  std::uint64_t items = 0;
  for (const Shared& pair : table.shared) {
    if (partner[pair.row] == pair.column) items += pair.items;
  }
  return items;
}

// By the definition: pairs cost max(|A|, |B|) - shared, groups without partner their size.
std::uint64_t matching_cost(const Contingency& table, const std::vector<std::size_t>& partner) {
  std::uint64_t cost = table.in_columns();
  for (std::size_t row = 0; row < partner.size(); ++row) {
    const std::uint64_t size = table.row_sizes[row];
    if (partner[row] == unmatched) {
      cost += size;
    } else {
      cost += std::max(size, table.column_sizes[partner[row]]) - table.column_sizes[partner[row]];
    }
  }
  return cost - common_items(table, partner);
}

// Partners of the rows from partners of the columns.
std::vector<std::size_t> inverted(const std::vector<std::size_t>& partner, std::size_t rows) {
  std::vector<std::size_t> result(rows, unmatched);
  for (std::size_t column = 0; column < partner.size(); ++column) {
    if (partner[column] != unmatched) result[partner[column]] = column;
  }
  return result;
}

}  // namespace

Matching match_clusters(const Contingency& table, MatchingMethod method) {
  check(table);
  const auto solve = [&](const Contingency& wide) {
    return use_dense(wide, method) ? dense_clusters(wide) : ClusterFlow(wide).partners();
  };
  Matching result;
  if (table.row_sizes.size() <= table.column_sizes.size()) {
    result.partner = solve(table);
  } else {
    result.partner = inverted(solve(table.transposed()), table.row_sizes.size());
  }
  result.value = matching_cost(table, result.partner);
  return result;
}

Matching match_classes(const Contingency& table, MatchingMethod method) {
  check(table);
  Matching result;
  result.partner = use_dense(table, method) ? dense_classes(table) : sparse_classes(table);
  result.value = common_items(table, result.partner);
  return result;
}

}  // namespace shoal
