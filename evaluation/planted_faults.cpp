#include "evaluation/planted_faults.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "privacy/refinable_noise.hpp"
#include "privacy/sensitivity.hpp"
#include "shoal/wavelet.hpp"
#include "wavelet/columns.hpp"

namespace shoal::evaluation {

namespace {

struct Factor {
  std::uint64_t numerator = 1, denominator = 1;
};

Rate faster(Rate rate, Factor by) { return {rate.numerator * by.numerator, rate.denominator * by.denominator}; }

constexpr std::size_t few_boxes = 64;  // a histogram of an axis has no fewer values

struct Sharpened {
  Factor number{}, values{}, choice{}, profile{}, histograms{};
  bool unchained = false;
};

// Every view of a profile is the first one of a chain of its own.
class UnchainedQueries final : public ProfileQueries {
 public:
  UnchainedQueries(Noise& noise, Rate tenth) : noise_(noise), tenth_(tenth) {}
  ProfileSums at(const ProfileSums& sums, const ProfileQuery& query) override {
    return noise_.profile_queries(tenth_)->at(sums, query);
  }

 private:
  Noise& noise_;
  Rate tenth_;
};

class FaultyNoise final : public Noise {
 public:
  FaultyNoise(Noise& inner, const Sharpened& by) : inner_(inner), by_(by) {}
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) override {
    const Factor& many = values.size() > few_boxes ? by_.histograms : Factor{};
    inner_.add_laplace(values, faster(faster(rate, values.size() == 1 ? by_.number : by_.values), many), threads);
  }
  std::uint64_t below(std::uint64_t bound) override { return inner_.below(bound); }
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override {
    return inner_.choose(intervals, faster(rate, by_.choice));
  }
  std::unique_ptr<ProfileQueries> profile_queries(Rate tenth) override {
    if (by_.unchained) return std::make_unique<UnchainedQueries>(inner_, tenth);
    return inner_.profile_queries(faster(tenth, by_.profile));
  }

 private:
  Noise& inner_;
  Sharpened by_;
};

bool is_technique(const Setting& setting, const char* name) {
  return !setting.request.is_automatic() && setting.request.technique == name;
}

// privwave asks for a profile if the rule does not say how many cells are significant.
bool has_profile(const Setting& setting) {
  const Threshold& threshold = setting.request.options.cluster.threshold;
  return is_technique(setting, "privwave") &&
         (std::holds_alternative<Percentile>(threshold) || std::holds_alternative<Coverage>(threshold));
}

std::uint64_t touched_cells(const Setting& setting) {
  const ClusterOptions& cluster = setting.request.options.cluster;
  const Shape& shape = setting.request.bounds().shape();
  return std::min(cell_count(transformed_shape(shape, cluster.level, cluster.transform)),
                  touched_outputs(cluster.wavelet, shape, cluster.level, cluster.transform));
}

// The L1 norm of a column over the sum of its positive weights, in thousandths.
std::uint64_t ignored_weights(const Setting& setting) {
  const ClusterOptions& cluster = setting.request.options.cluster;
  const Shape& shape = setting.request.bounds().shape();
  double raised = 1, lowered = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!shape.side(axis).pooled) continue;
    const AxisColumns columns = columns_of(cluster.wavelet, shape[axis], cluster.level, cluster.transform);
    const double both = raised * columns.l1_lowered + lowered * columns.l1_raised;
    raised = raised * columns.l1_raised + lowered * columns.l1_lowered;
    lowered = both;
  }
  return static_cast<std::uint64_t>(std::llround(1000 * (raised + lowered) / raised));
}

}  // namespace

std::vector<NamedFault> planted_faults() {
  return {{PlantedFault::touched_cells_for_norm, "|Z| of shares by touched cells"},
          {PlantedFault::unchained_first_view, "an unchained first view"},
          {PlantedFault::one_record_more, "M + 1 records kept"},
          {PlantedFault::one_group_more, "G + 1 groups kept"},
          {PlantedFault::groups_chosen_by_others, "groups chosen by other units"},
          {PlantedFault::sharp_medians, "medians 1.3 times too sharp"},
          {PlantedFault::sharp_threshold, "a threshold 1.2 times too sharp"},
          {PlantedFault::share_rounded_up, "a share rounded twice"},
          {PlantedFault::negative_weights_ignored, "negative weights ignored"},
          {PlantedFault::replace_as_add, "replace noised as add/remove"},
          {PlantedFault::groups_charged_once, "several groups charged once"},
          {PlantedFault::budget_not_split, "a budget that is not split"},
          {PlantedFault::one_axis_noised, "histograms noised for one axis"},
          {PlantedFault::noise_a_twentieth_small, "noise a twentieth too small"}};
}

bool applies(PlantedFault fault, const Setting& setting) {
  const PrivacyUnit& unit = setting.request.options.unit;
  const Grouping* groups = setting.request.grouping();
  const ClusterOptions& cluster = setting.request.options.cluster;
  switch (fault) {
    case PlantedFault::none:
      return true;
    case PlantedFault::touched_cells_for_norm:
      return is_technique(setting, "privthr") && unit.share && cluster.wavelet.is_haar() &&
             nonpositive_sensitivity(setting.request.bounds().shape(), cluster, unit) > touched_cells(setting);
    case PlantedFault::unchained_first_view:
      return has_profile(setting);
    case PlantedFault::one_record_more:
      return !unit.column.empty() && !unit.share;
    case PlantedFault::one_group_more:
    case PlantedFault::groups_chosen_by_others:
      return groups != nullptr && groups->max_groups < groups->names.size() && !unit.column.empty();
    case PlantedFault::sharp_medians:
      return is_technique(setting, "baseline") && setting.request.options.publisher == "kd-tree";
    case PlantedFault::sharp_threshold:
      return is_technique(setting, "privthr-em");
    case PlantedFault::share_rounded_up:
      return unit.share && !is_technique(setting, "baseline");
    case PlantedFault::negative_weights_ignored:
      return has_profile(setting) && !cluster.wavelet.is_nonnegative() && ignored_weights(setting) > 1050;
    case PlantedFault::replace_as_add:
      return unit.neighbors == Neighbors::replace;
    case PlantedFault::groups_charged_once:
      return groups != nullptr && groups->groups_changed(unit) > 1;
    case PlantedFault::budget_not_split:
      return is_technique(setting, "privthr");
    case PlantedFault::one_axis_noised:
      return setting.request.is_automatic() && makes_boxes(setting.request.bounds());
    case PlantedFault::noise_a_twentieth_small:
      return true;
  }
  return false;
}

ReleaseRequest with_fault(PlantedFault fault, const Setting& setting) {
  ReleaseRequest request = setting.request;
  if (fault == PlantedFault::replace_as_add) request.options.unit.neighbors = Neighbors::add_remove;
  if (fault == PlantedFault::groups_charged_once) {
    request.epsilon = setting.request.grouping()->cost(request.epsilon, request.options.unit);
  }
  if (fault == PlantedFault::budget_not_split) {
    request.epsilon = request.epsilon + request.epsilon;
    request.options.alpha = 0.5;
  }
  return request;
}

Contribution with_fault(PlantedFault fault, Contribution contribution) {
  if (fault == PlantedFault::one_record_more) ++contribution.most;
  if (fault == PlantedFault::one_group_more) ++contribution.max_groups;
  return contribution;
}

Rows with_fault(PlantedFault fault, const Setting& setting, const Rows& rows) {
  if (fault != PlantedFault::groups_chosen_by_others) return rows;
  std::vector<std::uint64_t> records(setting.request.grouping()->names.size());
  std::map<std::string, std::set<std::size_t>> groups;  // of each unit
  const auto group_of = [&](std::size_t row) { return static_cast<std::size_t>(rows.columns[0][row]); };
  for (std::size_t row = 0; row < rows.size(); ++row) {
    ++records[group_of(row)];
    groups[rows.units[row]].insert(group_of(row));
  }
  Rows kept;
  kept.columns.resize(rows.columns.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto& own = groups[rows.units[row]];
    const auto larger = std::count_if(own.begin(), own.end(), [&](std::size_t group) {
      return std::pair(records[group], group) > std::pair(records[group_of(row)], group_of(row));
    });
    if (static_cast<std::uint64_t>(larger) >= setting.request.grouping()->max_groups) continue;
    std::vector<double> values;
    for (const auto& column : rows.columns) values.push_back(column[row]);
    kept.add(values, rows.units[row]);
  }
  return kept;
}

Counts counts_rounded_up(const Rows& rows, const Grid& grid, std::uint64_t group_cells, std::uint64_t max_groups) {
  const std::uint64_t parts = PrivacyUnit{.column = "person", .share = true}.parts_per_weight();
  std::map<std::pair<std::string, std::uint64_t>, std::map<std::uint64_t, std::uint64_t>> cells;  // by unit and group
  std::map<std::string, std::uint64_t> groups;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::uint64_t cell = 0;
    bool inside = true;
    for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
      const std::int64_t at = grid.axis(axis).cell(rows.columns[axis][row]);
      inside = inside && at != outside_axis;
      cell = cell * grid.axis(axis).cells() + (inside ? static_cast<std::uint64_t>(at) : 0);
    }
    if (inside) ++cells[{rows.units[row], group_cells == 0 ? 0 : cell / group_cells}][cell];
  }
  std::vector<std::int64_t> values(grid.cell_count());
  for (const auto& [key, own] : cells) {
    if (++groups[key.first] > max_groups) continue;
    std::uint64_t records = 0;
    for (const auto& [cell, count] : own) records += count;
    for (const auto& [cell, count] : own) {
      values[cell] += static_cast<std::int64_t>((parts * count + records - 1) / records);
    }
  }
  return {grid, Cells<std::int64_t>::dense(grid.shape(), std::move(values)), 0, 0};
}

std::unique_ptr<Noise> with_fault(PlantedFault fault, const Setting& setting, Noise& noise) {
  Sharpened by;
  if (fault == PlantedFault::touched_cells_for_norm) {
    const ReleaseRequest& request = setting.request;
    by.number = {nonpositive_sensitivity(request.bounds().shape(), request.options.cluster, request.options.unit),
                 touched_cells(setting)};
  }
  if (fault == PlantedFault::unchained_first_view) by.unchained = true;
  if (fault == PlantedFault::sharp_medians) by.choice = {13, 10};
  if (fault == PlantedFault::sharp_threshold) by.choice = {12, 10};
  if (fault == PlantedFault::negative_weights_ignored) by.profile = {ignored_weights(setting), 1000};
  if (fault == PlantedFault::one_axis_noised) {
    by.histograms = {setting.request.bounds().shape().pooled_axes(), 1};
  }
  if (fault == PlantedFault::noise_a_twentieth_small) by.values = by.number = {21, 20};
  return std::make_unique<FaultyNoise>(noise, by);
}

}  // namespace shoal::evaluation
