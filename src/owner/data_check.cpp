#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/scale.hpp"
#include "points/value_step.hpp"
#include "shoal/owner.hpp"

namespace shoal {

namespace {

class Counting {
 public:
  Counting(const Points& points, const std::vector<Axis>& axes, const std::optional<Grouping>& grouping)
      : axes_(axes), grouping_(grouping), first_(grouping ? 1 : 0) {
    const std::vector<std::string> names = points.names();
    for (std::size_t i = first_; i < points.dimensions(); ++i) {
      ColumnCheck column;
      column.name = names[i];
      if (names[i].empty())
        column.name = axes.empty() ? fmt::format("axis {}", i - first_ + 1) : axes[i - first_].name();
      found_.columns.push_back(std::move(column));
      const bool times = !axes.empty() && std::holds_alternative<Instants>(axes[i - first_].kind().scale);
      steps_.emplace_back(times);
    }
    if (grouping) {
      for (const std::string& name : grouping->names) found_.groups.push_back({name, 0});
    }
  }

  void add(const PointBlock& block) {
    for (std::size_t row = 0; row < block.rows(); ++row) add_row(block, row);
    found_.rows += block.rows();
  }

  // bad_rows: number of rows that were passed on without any value.
  DataCheck finished(std::uint64_t bad_rows) {
    found_.bad_rows = bad_rows;
    found_.rows -= bad_rows;
    if (grouping_) found_.in_no_group -= bad_rows;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      found_.columns[i].missing -= bad_rows;
      if (const std::optional<ValueStep> step = steps_[i].step()) {
        found_.columns[i].step = step->step;
        found_.columns[i].step_share = step->share;
      }
    }
    found_.swapped = 20 * found_.inside < found_.rows && 2 * swapped_ > found_.rows;
    if (has_units_) found_.units = units();
    return std::move(found_);
  }

 private:
  void add_row(const PointBlock& block, std::size_t row) {
    bool inside = true, swapped = axes_.size() == 2;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      ColumnCheck& column = found_.columns[i];
      const double x = block.columns[first_ + i][row];
      if (std::isnan(x)) {
        ++column.missing;
        inside = swapped = false;
        continue;
      }
      column.least = std::min(column.least.value_or(x), x);
      column.most = std::max(column.most.value_or(x), x);
      steps_[i].add(x);
      if (axes_.empty()) continue;
      const Axis& axis = axes_[i];
      if (axis.cell(x) == outside_axis) {
        inside = false;
        ++(x < axis.lo() ? column.below : column.above);
      }
      swapped = swapped && axes_[axes_.size() - 1 - i].cell(x) != outside_axis;
    }
    swapped_ += swapped ? 1 : 0;
    if (grouping_) {
      const std::int64_t group = grouping_->axis.cell(block.columns[0][row]);
      if (group == outside_axis) {
        ++found_.in_no_group;
        inside = false;
      } else {
        ++found_.groups[static_cast<std::size_t>(group)].records;
      }
    }
    found_.inside += inside ? 1 : 0;
    if (block.units.empty()) return;
    has_units_ = true;
    if (!block.units[row].empty()) ++records_[std::string(block.units[row])];
  }

  [[nodiscard]] UnitCheck units() const {
    std::vector<std::uint64_t> records;
    for (const auto& [unit, count] : records_) records.push_back(count);
    if (records.empty()) return {};
    std::sort(records.begin(), records.end());
    const std::size_t most_of_them = (records.size() * 19 + 19) / 20 - 1;
    return {records.size(), records[(records.size() - 1) / 2], records.back(), records[most_of_them]};
  }

  const std::vector<Axis>& axes_;
  const std::optional<Grouping>& grouping_;
  std::size_t first_;  // index of the first coordinate, after the column of the group
  DataCheck found_;
  std::vector<StepCounts> steps_;
  std::unordered_map<std::string, std::uint64_t> records_;  // number of records of each unit
  std::uint64_t swapped_ = 0;
  bool has_units_ = false;
};

}  // namespace

DataCheck check_data(Points& points, const std::vector<Axis>& axes, const std::optional<Grouping>& grouping) {
  Counting counting(points, axes, grouping);
  points.scan(1, [&](unsigned, const PointBlock& block) { counting.add(block); });
  return counting.finished(points.skipped());
}

std::vector<std::string> advice(const DataCheck& check) {
  std::vector<std::string> result;
  if (check.rows == 0) result.emplace_back("No row can be read. A release of it would spend epsilon on nothing.");
  if (check.swapped) {
    result.push_back(
        fmt::format("Almost no row lies inside the bounds, and most would if those of {} and {} were swapped.",
                    check.columns[0].name, check.columns[1].name));
  } else if (check.rows > 0 && 20 * check.inside < check.rows) {
    result.push_back(fmt::format("Of {} rows {} lie inside the bounds and in a group that is listed.",
                                 grouped(static_cast<double>(check.rows)), grouped(static_cast<double>(check.inside))));
  }
  if (!check.groups.empty() && check.rows > 0 && 2 * check.in_no_group > check.rows) {
    result.push_back(
        fmt::format("{} of {} rows are in no group of the list. Names are compared letter by letter: check upper and "
                    "lower case.",
                    grouped(static_cast<double>(check.in_no_group)), grouped(static_cast<double>(check.rows))));
  }
  return result;
}

}  // namespace shoal
