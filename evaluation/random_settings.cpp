#include "evaluation/random_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "publishing/publishing.hpp"
#include "shoal/grid.hpp"
#include "techniques/automatic.hpp"
#include "techniques/techniques.hpp"

namespace shoal::evaluation {

namespace {

// The standard library's distributions differ between machines; these do not.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15U + 1) {}
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint64_t between(std::uint64_t least, std::uint64_t most) { return least + below(most - least + 1); }
  bool percent(std::uint64_t chance) { return below(100) < chance; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::mt19937_64 random_;
};

enum class Size { tiny, past_dense_limit, large };

Axis narrow_axis(std::uint64_t cells, std::string name) {
  return {1e15, 1e15 + 4, std::min<std::uint64_t>(cells, 4), std::move(name)};
}

Axis random_axis(Dice& dice, std::uint64_t cells, std::size_t number, bool whole_blocks) {
  const std::string name = fmt::format("x{}", number + 1);
  const Axis plain(0, static_cast<double>(cells), cells, name);
  if (whole_blocks || dice.percent(45)) return plain;
  if (dice.percent(10)) return narrow_axis(cells, name);
  if (dice.percent(10)) return Axis(-90, 90, cells, name, {.scale = Latitude{}});
  static const std::vector<std::string> declared = {
      "0:24:circle",     "0:110:int", "0:500:step=12.5", "1:1000000:log",          "2026-01-01:2026-12-31",
      "-180:180:circle", "0:7:int",   "A|B|C:category",  "Mon|Tue|Wed|Thu:circle", "2026-01-01:2026-12-31:month"};
  return declared_axis(dice.one_of(declared)).fitted(cells, name);
}

Grid random_grid(Dice& dice, Size size, unsigned level, bool on_a_line) {
  static const std::vector<std::uint64_t> small_extents = {1, 1, 2, 2, 3, 4, 5, 6};
  static const std::vector<std::uint64_t> extents = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 33, 64};
  if (size == Size::large) {
    return dice.percent(50) ? Grid({Axis(0, 1, 70'001, "x1")}) : Grid({Axis(0, 1, 301, "x1"), Axis(0, 1, 260, "x2")});
  }
  const std::uint64_t roll = dice.below(100);
  const std::size_t dimensions = on_a_line ? 1 : roll < 40 ? 1 : roll < 75 ? 2 : roll < 90 ? 3 : 4;
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::uint64_t cells = dice.one_of(dimensions > 2 ? small_extents : extents);
    if (size == Size::past_dense_limit) cells = dice.between(1, dimensions > 2 ? 2 : 6) << level;
    axes.push_back(random_axis(dice, cells, i, size == Size::past_dense_limit));
  }
  return Grid(std::move(axes));
}

// Three axes and more, of which --auto makes a grid or boxes.
Grid random_grid_of_many_axes(Dice& dice) {
  const std::size_t dimensions = dice.percent(25) ? dice.between(3, 4) : dice.between(5, 8);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::string name = fmt::format("x{}", i + 1);
    static const std::vector<std::string> declared = {"0:110:int", "1:1000000:log", "A|B|C:category",
                                                      "2026-01-01:2026-12-31"};
    axes.push_back(dice.percent(80) ? Axis(0, 1, 8, name) : declared_axis(dice.one_of(declared)).fitted(8, name));
  }
  return Grid(std::move(axes));
}

// A grid that an earlier release could have chosen, with rounding that it could have shown.
EarlierChoice random_choice(Dice& dice, const Grid& bounds) {
  EarlierChoice earlier{largest_automatic_grid(finest_grid(bounds)), {}};
  const Axis& axis = bounds.axis(0);
  if (dice.percent(50) && axis.kind().is_plain()) {
    earlier.rounded.push_back({0, (axis.hi() - axis.lo()) / static_cast<double>(dice.between(8, 40)), 0.9});
  }
  return earlier;
}

Threshold random_threshold(Dice& dice, bool percentile_only) {
  static const std::vector<double> percentiles = {0, 0, 10, 30, 30, 58, 58, 75, 90, 99};
  if (percentile_only || dice.percent(55)) return Percentile(dice.one_of(percentiles));
  switch (dice.below(3)) {
    case 0:
      return Coverage(dice.one_of<double>({50, 80, 95}));
    case 1:
      return Top(dice.between(1, 6));
    default:
      return Density(static_cast<double>(dice.between(1, 4)));
  }
}

PrivacyUnit random_unit(Dice& dice, bool may_share) {
  PrivacyUnit unit;
  unit.neighbors = dice.percent(50) ? Neighbors::add_remove : Neighbors::replace;
  const std::uint64_t roll = dice.below(100);
  if (roll < 35) return unit;
  unit.column = "person";
  unit.share = may_share && roll < 70;
  if (!unit.share) unit.max_contributions = dice.between(1, 4);
  return unit;
}

// ---- Records -------------------------------------------------------------------------------------------------------

double middle_of(const Axis& axis, std::uint64_t cell) { return axis.middle(axis.edge(cell), axis.edge(cell + 1)); }

std::vector<double> random_row(Dice& dice, const Setting& setting) {
  std::vector<double> row;
  const Grouping* groups = setting.request.grouping();
  if (groups != nullptr) row.push_back(static_cast<double>(dice.below(groups->names.size())));
  for (const Axis& axis : setting.request.bounds().axes()) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const double outside =
        dice.one_of<double>({std::nan(""), -infinite, infinite, 1e300, -1e300, axis.hi(), axis.lo()});
    row.push_back(dice.percent(2) ? outside : middle_of(axis, dice.below(axis.cells())));
  }
  return row;
}

// The cells of the grid in turn: a unit that is spread evenly.
std::vector<double> row_in_turn(const Setting& setting, std::uint64_t number) {
  std::vector<double> row;
  const Grid& grid = setting.request.bounds();
  const Grouping* groups = setting.request.grouping();
  if (groups != nullptr) row.push_back(static_cast<double>(number % groups->names.size()));
  const auto at = coordinates(number % grid.cell_count(), grid.shape());
  for (std::size_t axis = 0; axis < at.size(); ++axis) row.push_back(middle_of(grid.axis(axis), at[axis]));
  return row;
}

// Single records are units of their own; other units have any number of records, also more than are kept.
void add_unit(Dice& dice, const Setting& setting, const std::string& unit, Rows& rows) {
  if (setting.request.options.unit.column.empty()) return rows.add(random_row(dice, setting), unit);
  const std::uint64_t roll = dice.below(100);
  if (roll < 25) {  // all in one place
    const std::vector<double> row = random_row(dice, setting);
    for (std::uint64_t left = dice.between(1, 8); left > 0; --left) rows.add(row, unit);
  } else if (roll < 50) {
    const std::uint64_t cells = std::min<std::uint64_t>(setting.request.bounds().cell_count(), 128);
    for (std::uint64_t i = 0; i < cells; ++i) rows.add(row_in_turn(setting, i), unit);
  } else {
    for (std::uint64_t left = dice.between(1, 12); left > 0; --left) rows.add(random_row(dice, setting), unit);
  }
}

// Rounded to a step of which an axis of numbers holds 8 to 80 multiples: --auto asks about it, and spreads such values.
std::vector<double> rounded_row(Dice& dice, const Setting& setting) {
  std::vector<double> row = random_row(dice, setting);
  const std::size_t first = setting.request.grouping() != nullptr ? 1 : 0;
  for (std::size_t i = 0; i < setting.request.bounds().dimensions(); ++i) {
    const Axis& axis = setting.request.bounds().axis(i);
    if (!std::holds_alternative<Numbers>(axis.kind().scale)) continue;
    const double range = axis.hi() - axis.lo(), step = std::pow(10.0, std::floor(std::log10(range / 8)));
    const auto multiples = static_cast<std::uint64_t>(range / step);
    row[first + i] = (std::ceil(axis.lo() / step) + static_cast<double>(dice.below(multiples))) * step;
  }
  return row;
}

// Units that both neighbours have: none, a few, or so many that no cell is near zero.
Rows random_background(Dice& dice, const Setting& setting) {
  Rows rows;
  rows.columns.resize(setting.request.bounds().dimensions() + (setting.request.grouping() != nullptr ? 1 : 0));
  std::uint64_t units = 0;
  if (setting.request.is_automatic() && dice.percent(30)) {
    while (units < 400) rows.add(rounded_row(dice, setting), fmt::format("u{}", units++));
    return rows;
  }
  // The exponential mechanism loses most where values of several sizes lie beside zeros.
  const bool by_rank = setting.request.technique == "privthr-em";
  const std::uint64_t roll = by_rank && dice.percent(60) ? 90 : dice.below(100);
  if (roll < 55) {
    for (std::uint64_t left = dice.between(1, 8); left > 0; --left) {
      add_unit(dice, setting, fmt::format("u{}", units++), rows);
    }
  } else if (roll < 80) {
    const std::uint64_t cells = std::min<std::uint64_t>(setting.request.bounds().cell_count(), 256);
    const std::uint64_t each = dice.between(1, 6);
    for (std::uint64_t i = 0; i < cells * each; ++i) rows.add(row_in_turn(setting, i), fmt::format("u{}", units++));
    if (dice.percent(50)) {
      const std::vector<double> crowded = random_row(dice, setting);
      for (int i = 0; i < 300; ++i) rows.add(crowded, fmt::format("u{}", units++));
    }
  } else if (roll < 94) {  // a few crowded cells among empty ones
    const std::uint64_t cells = std::min<std::uint64_t>(setting.request.bounds().cell_count(), 32);
    for (std::uint64_t i = 0; i < cells; ++i) {
      if (dice.percent(65)) continue;
      for (std::uint64_t left = dice.between(1, 6); left > 0; --left) {
        rows.add(row_in_turn(setting, i), fmt::format("u{}", units++));
      }
    }
  }
  return rows;
}

void add_data(Dice& dice, Setting& setting) {
  setting.data = random_background(dice, setting);
  setting.neighbor = setting.data;
  add_unit(dice, setting, "the one", setting.data);
  if (setting.request.options.unit.neighbors == Neighbors::replace) {
    add_unit(dice, setting, "the one", setting.neighbor);
  }
}

// ---- Texts ---------------------------------------------------------------------------------------------------------

std::string threshold_text(const Threshold& threshold) {
  if (const auto* percentile = std::get_if<Percentile>(&threshold)) {
    return fmt::format("--percentile {}", percentile->percent());
  }
  if (std::holds_alternative<Coverage>(threshold)) return "--coverage";
  if (std::holds_alternative<Top>(threshold)) return "--top";
  return std::holds_alternative<Density>(threshold) ? "--density" : "";
}

std::string unit_text(const PrivacyUnit& unit) {
  if (unit.column.empty()) return "";
  return unit.share ? " --unit person --contribution share"
                    : fmt::format(" --unit person --max-contributions {}", unit.max_contributions);
}

std::string axis_text(const Axis& axis) {
  std::string kind = axis.kind().is_plain() ? "" : "(";
  if (std::holds_alternative<Names>(axis.kind().scale)) kind += "names";
  if (std::holds_alternative<Logarithmic>(axis.kind().scale)) kind += "log";
  if (std::holds_alternative<Latitude>(axis.kind().scale)) kind += "latitude";
  if (std::holds_alternative<Instants>(axis.kind().scale)) kind += "dates";
  if (const auto* numbers = std::get_if<Numbers>(&axis.kind().scale); numbers != nullptr && numbers->step > 0) {
    kind += "steps";
  }
  if (axis.kind().border == Border::circle) kind += " circle";
  if (!axis.kind().is_plain()) kind += ")";
  if (axis.lo() == 1e15) kind += "(narrow)";
  return fmt::format("{}{}", axis.cells(), kind);
}

}  // namespace

void Rows::add(const std::vector<double>& row, const std::string& unit) {
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i].push_back(row[i]);
  units.push_back(unit);
}

std::unique_ptr<Points> Rows::points(bool with_units) const {
  std::vector<Column> sources;
  for (const std::vector<double>& column : columns) sources.push_back({column.data()});
  names_.assign(units.begin(), units.end());
  return with_units ? array_points(std::move(sources), size(), names_) : array_points(std::move(sources), size());
}

Epsilon Setting::claimed() const { return total_epsilon(request); }

std::string Setting::text() const {
  const ClusterOptions& cluster = request.options.cluster;
  std::vector<std::string> axes;
  for (const Axis& axis : request.bounds().axes()) axes.push_back(axis_text(axis));
  std::string what = request.is_automatic() ? "--auto" : "--technique " + request.technique;
  if (request.technique == "baseline" && !request.is_automatic()) what += " --publisher " + request.options.publisher;
  if (medians_alone) what = "the medians of one stage of a kd-tree";
  if (is_like_an_earlier()) what += " --like FILE";
  if (request.insets() > 0) what += fmt::format(" --insets {}", request.insets());
  if (const Grouping* groups = request.grouping()) {
    what += fmt::format(" --by {} groups --max-groups {}", groups->names.size(), groups->max_groups);
  }
  if (!request.is_automatic()) {
    what += fmt::format(" {} --wavelet {} --level {} --transform {}", threshold_text(cluster.threshold),
                        cluster.wavelet.name(), cluster.level,
                        cluster.transform == Transform::stationary ? "stationary" : "decimated");
  }
  if (request.options.alpha) what += fmt::format(" --alpha {}", *request.options.alpha);
  if (request.outside == Outside::clamp) what += " --outside clamp";
  if (cluster.adjacency == Adjacency::face) what += " --adjacency face";
  if (cluster.min_cells > 1) what += fmt::format(" --min-cells {}", cluster.min_cells);
  if (counts_given) what += " --counts FILE";
  if (is_past_dense_limit()) what += ", past the dense limit";
  if (cluster.threads > 1) what += fmt::format(" --threads {}", cluster.threads);
  return fmt::format("{} --grid {} --epsilon {} --neighbors {}{}; {} and {} records", what, fmt::join(axes, ","),
                     request.epsilon.text(),
                     request.options.unit.neighbors == Neighbors::replace ? "replace" : "add-remove",
                     unit_text(request.options.unit), data.size(), neighbor.size());
}

Setting random_setting(std::uint64_t seed) {
  Dice dice(seed);
  static const std::vector<std::string> techniques = {"privwave",   "privwave", "privthr", "privthr",
                                                      "privthr-em", "privqt",   "baseline"};
  static const std::vector<std::string> wavelets = Wavelet::names();
  static const std::vector<std::string> publishers = publisher_names();
  std::string technique = dice.one_of(techniques);
  const bool automatic = dice.percent(4);
  const bool with_insets = automatic && dice.percent(40);
  const bool from_points = !automatic && technique == "baseline";
  const bool needs_percentile = !automatic && (technique == "privthr" || technique == "privthr-em");
  const std::uint64_t roll = dice.below(100);
  Size size = Size::tiny;
  if (!automatic && technique == "privwave" && roll < 30) {
    size = Size::past_dense_limit;
  } else if (!automatic && !from_points && technique != "privqt" && roll >= 99) {
    size = Size::large;
  }
  ClusterOptions cluster{.threshold = random_threshold(dice, needs_percentile), .threads = 1};
  if (automatic) cluster.threshold = DensityModes{};
  if (size == Size::large) cluster.threads = static_cast<unsigned>(dice.between(2, 4));
  if (dice.percent(50)) cluster.level = static_cast<unsigned>(dice.between(2, size == Size::past_dense_limit ? 2 : 3));
  if (size == Size::tiny && dice.percent(6)) cluster.level = static_cast<unsigned>(dice.between(4, 9));
  if (dice.percent(25)) cluster.adjacency = Adjacency::face;
  if (dice.percent(20)) cluster.min_cells = dice.between(2, 4);
  const bool by_rank = technique == "privthr-em";
  if (size != Size::past_dense_limit && dice.percent(by_rank ? 35 : 65)) {
    cluster.wavelet = Wavelet::named(dice.one_of(wavelets));
  }
  if (size != Size::past_dense_limit && dice.percent(by_rank ? 25 : 50)) cluster.transform = Transform::stationary;
  PrivateOptions options{.cluster = cluster, .unit = random_unit(dice, automatic || technique != "privthr-em")};
  options.publisher = dice.one_of(publishers);
  const bool is_tree = from_points && (options.publisher == "kd-tree" || options.publisher == "quadtree");
  if (needs_percentile && dice.percent(40)) options.alpha = dice.one_of<double>({0.1, 0.5, 0.95});
  options.base = dice.percent(50) ? BaseMeasure::uniform : BaseMeasure::logarithmic;
  if (size == Size::past_dense_limit) options.dense_limit = 0;
  Grid grid = random_grid(dice, size, cluster.level, (automatic && dice.percent(98)) || with_insets || is_tree);
  Dice more(~seed);  // what came later leaves the settings of other seeds as they are
  if (automatic && !with_insets && more.percent(40)) grid = random_grid_of_many_axes(more);
  if (!automatic && dice.percent(50)) {
    const double halvings = static_cast<double>(grid.shape().pooled_axes()) * cluster.level / 2;
    options.max_density = static_cast<double>(dice.between(2, 9)) * std::exp2(-halvings) * 1.25;
  }
  static const std::vector<std::string> epsilons = {"1", "1", "0.5", "0.1", "2", "5", "0.0371"};
  Setting setting{.seed = seed,
                  .request = {.grid = grid,
                              .epsilon = Epsilon::parse(dice.one_of(epsilons)),
                              .options = options,
                              .technique = automatic ? "privwave" : technique,
                              .outside = dice.percent(15) ? Outside::clamp : Outside::drop},
                  .data = {},
                  .neighbor = {}};
  if (automatic) setting.request.grid = AutomaticGrid{grid};
  const bool narrow = grid.axis(0).lo() == 1e15;  // refused: no grid can be chosen for it
  if (automatic && !with_insets && !narrow && grid.dimensions() == 1 && more.percent(50)) {
    setting.request.grid = AutomaticGrid{grid, random_choice(more, grid)};
  }
  if (with_insets) setting.request.layout = Insets{dice.between(1, 3)};
  if (size != Size::large && !with_insets && !is_tree && dice.percent(12)) {
    const std::uint64_t groups = dice.between(1, 4);
    std::vector<std::string> names;
    for (std::uint64_t group = 0; group < groups; ++group) names.push_back(fmt::format("g{}", group));
    const std::uint64_t most = options.unit.column.empty() ? 1 : dice.between(1, groups);
    setting.request.layout = Grouping{Axis(-0.5, static_cast<double>(groups) - 0.5, groups, "group"), names, most};
  }
  setting.counts_given = !from_points && dice.percent(20);
  setting.medians_alone =
      is_tree && options.publisher == "kd-tree" && setting.request.grouping() == nullptr && dice.percent(70);
  add_data(dice, setting);
  return setting;
}

}  // namespace shoal::evaluation
