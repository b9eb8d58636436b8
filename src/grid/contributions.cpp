#include "grid/contributions.hpp"

#include <algorithm>
#include <compare>
#include <numeric>
#include <utility>

#include "base/wide.hpp"
#include "grid/unit_table.hpp"
#include "shoal/error.hpp"

namespace shoal {

ContributionKey ContributionKey::draw(UniformSource& random) {
  ContributionKey key{};
  for (char& digit : key.digits) digit = "0123456789abcdef"[random.below(16)];
  return key;
}

KeptRecords::KeptRecords(std::uint64_t most, const ContributionKey& key) : most_(most), rank_(key) {
  if (most == 0) throw InputError("max-contributions is 0; choose at least 1 record per unit");
}

std::span<const KeptRecords::Record> KeptRecords::choose(std::string_view unit, std::span<const UnitCell> cells) {
  std::uint64_t records = 0;
  for (const UnitCell& cell : cells) records += cell.count;
  kept_.clear();
  if (records <= most_) return kept_;
  const RecordRank::OfUnit rank = rank_.of(unit);
  for (const auto& [cell, count] : cells) {
    for (std::uint64_t copy = 1; copy <= count; ++copy) {
      const Record record{rank(cell, copy), cell, copy};
      if (kept_.size() == most_) {
        if (record > kept_.front()) continue;
        std::pop_heap(kept_.begin(), kept_.end());
        kept_.pop_back();
      }
      kept_.push_back(record);
      std::push_heap(kept_.begin(), kept_.end());
    }
  }
  return kept_;
}

namespace {
auto place_of(std::vector<UnitCell>& cells, std::uint64_t cell) {
  return std::lower_bound(cells.begin(), cells.end(), cell,
                          [](const UnitCell& a, std::uint64_t b) { return a.cell < b; });
}
}  // namespace

void KeptRecords::operator()(std::string_view unit, std::vector<UnitCell>& cells) {
  const std::span<const Record> chosen = choose(unit, cells);
  if (chosen.empty()) return;
  for (UnitCell& cell : cells) cell.count = 0;
  for (const Record& record : chosen) ++place_of(cells, record.cell)->count;
  std::erase_if(cells, [](const UnitCell& cell) { return cell.count == 0; });
}

KeptGroups::KeptGroups(std::uint64_t most, const ContributionKey& key) : most_(most), rank_(key) {
  if (most == 0) throw InputError("max-groups is 0; choose at least 1 group per unit");
}

void KeptGroups::operator()(std::string_view unit, std::vector<std::uint64_t>& groups) {
  if (groups.size() <= most_) return;
  ranked_.clear();
  const RecordRank::OfUnit rank = rank_.of(unit);
  for (const std::uint64_t group : groups) ranked_.emplace_back(rank(group, UINT64_MAX), group);
  std::nth_element(ranked_.begin(), ranked_.begin() + static_cast<std::ptrdiff_t>(most_ - 1), ranked_.end());
  groups.clear();
  for (std::size_t i = 0; i < most_; ++i) groups.push_back(ranked_[i].second);
  std::sort(groups.begin(), groups.end());
}

BoundedUnit::BoundedUnit(const Contribution& contribution, const ContributionKey& key)
    : contribution_(contribution),
      keep_(contribution.most, key),
      spread_(contribution.parts, key),
      groups_(contribution.max_groups, key) {}

void BoundedUnit::bound(std::string_view unit, std::vector<UnitCell>& cells) {
  if (contribution_.parts > 1) {
    spread_(unit, cells);
  } else {
    keep_(unit, cells);
  }
}

void BoundedUnit::operator()(std::string_view unit, std::vector<UnitCell>& cells) {
  const std::uint64_t each = contribution_.group_cells;
  if (each == 0) return bound(unit, cells);
  chosen_.clear();
  for (const UnitCell& cell : cells) {
    if (chosen_.empty() || chosen_.back() != cell.cell / each) chosen_.push_back(cell.cell / each);
  }
  groups_(unit, chosen_);
  all_.clear();
  for (const std::uint64_t group : chosen_) {
    const auto first = place_of(cells, group * each), last = place_of(cells, (group + 1) * each);
    part_.assign(first, last);
    bound(unit, part_);
    all_.insert(all_.end(), part_.begin(), part_.end());
  }
  cells.swap(all_);
}

SharedWeight::SharedWeight(std::uint64_t parts, const ContributionKey& key) : parts_(parts), rank_(key) {}

void SharedWeight::operator()(std::string_view unit, std::vector<UnitCell>& cells) {
  Uint128 records = 0;
  for (const UnitCell& cell : cells) records += cell.count;
  if (records == 0) return;
  std::uint64_t left = parts_;
  remainders_.clear();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Uint128 product = Uint128{cells[i].count} * parts_;
    cells[i].count = static_cast<std::uint64_t>(product / records);
    left -= cells[i].count;
    remainders_.push_back({static_cast<std::uint64_t>(product % records), 0, cells[i].cell, i});
  }
  if (left > 0) {
    const auto last = remainders_.begin() + static_cast<std::ptrdiff_t>(left - 1);
    std::nth_element(remainders_.begin(), last, remainders_.end(),
                     [](const Remainder& a, const Remainder& b) { return a.remainder > b.remainder; });
    const std::uint64_t least = last->remainder;
    const RecordRank::OfUnit rank = rank_.of(unit);
    for (Remainder& one : remainders_) one.rank = one.remainder == least ? rank(one.cell, 0) : 0;
    std::nth_element(remainders_.begin(), last, remainders_.end(), [](const Remainder& a, const Remainder& b) {
      if (a.remainder != b.remainder) return a.remainder > b.remainder;
      return a.rank != b.rank ? a.rank < b.rank : a.cell < b.cell;
    });
    for (std::size_t i = 0; i < left; ++i) ++cells[remainders_[i].place].count;
  }
  std::erase_if(cells, [](const UnitCell& cell) { return cell.count == 0; });
}

namespace {

// Returns whether row a precedes row b of the same cell. Equal rows are interchangeable.
bool comes_before(const PointTable& rows, std::size_t a, std::size_t b) {
  for (const auto& column : rows.columns) {
    const std::strong_ordering order = std::strong_order(column[a], column[b]);
    if (order != 0) return order < 0;
  }
  return false;
}

std::vector<std::uint64_t> cells_of(const PointTable& rows, const Grid& grid) {
  std::vector<std::uint64_t> cells(rows.rows());
  for (std::size_t row = 0; row < cells.size(); ++row) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      cells[row] = cells[row] * grid.axis(i).cells() + grid.axis(i).cell(rows.columns[i][row]);
    }
  }
  return cells;
}

PointTable kept(const PointTable& rows, const Grid& grid, std::span<const std::string_view> names,
                const Contribution& contribution, const ContributionKey& key) {
  const std::vector<std::uint64_t> cell = cells_of(rows, grid);
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (rows.units[a] != rows.units[b]) return rows.units[a] < rows.units[b];
    return cell[a] != cell[b] ? cell[a] < cell[b] : comes_before(rows, a, b);
  });
  KeptRecords keep(contribution.most, key);
  SharedWeight spread(contribution.parts, key);
  KeptGroups keep_groups(contribution.max_groups, key);
  const bool shares = contribution.parts > 1;
  const auto group_of = [&](const UnitCell& unit_cell) {
    return contribution.group_cells == 0 ? 0 : unit_cell.cell / contribution.group_cells;
  };
  std::vector<std::uint32_t> weight(rows.rows(), 0);  // 0: the row is omitted
  std::vector<UnitCell> cells, given;
  std::vector<std::size_t> first;  // of each cell, in `order`
  std::vector<std::uint64_t> groups;
  for (std::size_t at = 0, end = 0; at < order.size(); at = end) {
    const std::uint32_t unit = rows.units[order[at]];
    cells.clear();
    first.clear();
    groups.clear();
    for (end = at; end < order.size() && rows.units[order[end]] == unit; ++end) {
      if (cells.empty() || cells.back().cell != cell[order[end]]) {
        cells.push_back({cell[order[end]], 0});
        first.push_back(end);
        if (groups.empty() || groups.back() != group_of(cells.back())) groups.push_back(group_of(cells.back()));
      }
      ++cells.back().count;
    }
    first.push_back(end);
    keep_groups(names[unit], groups);
    for (std::size_t from = 0, to = 0; from < cells.size(); from = to) {
      const std::uint64_t group = group_of(cells[from]);
      for (to = from; to < cells.size() && group_of(cells[to]) == group; ++to) continue;
      if (!std::binary_search(groups.begin(), groups.end(), group)) continue;
      const auto row = [&](std::uint64_t held, std::uint64_t copy) -> std::uint32_t& {
        return weight[order[first[static_cast<std::size_t>(place_of(cells, held) - cells.begin())] + copy]];
      };
      if (shares) {
        given.assign(cells.begin() + static_cast<std::ptrdiff_t>(from),
                     cells.begin() + static_cast<std::ptrdiff_t>(to));
        spread(names[unit], given);
        for (const UnitCell& part : given) {
          const std::uint64_t copies = place_of(cells, part.cell)->count;
          for (std::uint64_t copy = 0; copy < copies; ++copy) {
            row(part.cell, copy) = static_cast<std::uint32_t>((part.count + copies - 1 - copy) / copies);
          }
        }
        continue;
      }
      const auto chosen = keep.choose(names[unit], std::span(cells).subspan(from, to - from));
      for (std::size_t i = first[from]; i < first[to]; ++i) weight[order[i]] = chosen.empty() ? 1 : 0;
      for (const KeptRecords::Record& record : chosen) row(record.cell, record.copy - 1) = 1;
    }
  }
  PointTable result;
  for (const auto& column : rows.columns) {
    auto& those = result.columns.emplace_back();
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (weight[row] > 0) those.push_back(column[row]);
    }
  }
  if (!shares) return result;
  std::erase(weight, 0U);
  result.parts = std::move(weight);
  return result;
}

}  // namespace

PointTable bounded_points(Points& points, const Grid& grid, Outside outside, const Contribution& contribution,
                          const ContributionKey& key) {
  UnitTable units;
  const PointTable rows = collect_units(points, grid, outside, units);
  return kept(rows, grid, units.names(), contribution, key);
}

namespace {
std::vector<std::string> numbers_of(const PointTable& rows) {
  std::vector<std::string> numbers;
  for (const std::uint32_t unit : rows.units) {
    while (numbers.size() <= unit) numbers.push_back(std::to_string(numbers.size()));
  }
  return numbers;
}
}  // namespace

Counts bounded_counts(const PointTable& rows, const Grid& grid, const QuantizeOptions& options,
                      const Contribution& contribution, const ContributionKey& key) {
  const std::vector<std::string> numbers = numbers_of(rows);
  std::vector<Column> columns;
  for (const auto& column : rows.columns) columns.push_back({column.data()});
  std::vector<std::string_view> units;
  for (const std::uint32_t unit : rows.units) units.emplace_back(numbers[unit]);
  return bounded_counts(*array_points(std::move(columns), rows.rows(), units), grid, options, contribution, key);
}

PointTable bounded_points(const PointTable& rows, const Grid& grid, const Contribution& contribution,
                          const ContributionKey& key) {
  const std::vector<std::string> numbers = numbers_of(rows);
  return kept(rows, grid, std::vector<std::string_view>(numbers.begin(), numbers.end()), contribution, key);
}

}  // namespace shoal
