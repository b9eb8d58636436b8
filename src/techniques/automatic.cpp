// --auto: how many records there are decides the grid, and what the noisy values then show decides the threshold.
#include "techniques/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "base/counted_axis.hpp"
#include "base/geographic_axes.hpp"
#include "inference/noisy_records.hpp"
#include "inference/rounding.hpp"
#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "shoal/private_release.hpp"
#include "techniques/boxes.hpp"
#include "techniques/plans.hpp"
#include "techniques/rounded_counts.hpp"
#include "wavelet/haar_blocks.hpp"

namespace shoal {

namespace {

constexpr const char* records_mechanism = "records";
constexpr const char* rounding_mechanism = "rounding";
constexpr std::uint64_t records_part = 20;  // the number of records gets epsilon divided by this
// The question about rounding gets the epsilon that finds a step in the records there are, within these parts.
constexpr double rounding_cost = 60;  // over the number of records, for each axis
constexpr std::uint64_t least_rounding_part = 100, most_rounding_part = 4;

// Cells per axis of W on the grid that points are counted on, by the number of axes. Highly divisible: divisors are
// grids. From three axes on, so fine that two of them can have a grid of their own.
constexpr std::array<std::uint64_t, 8> counted_sums = {480, 480, 120, 120, 120, 120, 120, 60};
// The most that are used, by the number of axes that are divided.
constexpr std::array<std::uint64_t, 8> most_sums = {480, 480, 48, 24, 64, 64, 64, 64};
constexpr std::uint64_t fewest_sums = 4;
// How many times finer points are counted. On a single axis, small steps of rounded values show in many records.
constexpr std::array<std::uint64_t, 8> counted_finer = {16, 1, 1, 1, 1, 1, 1, 1};

// Cells of W per axis: no more than fineness * N^(1 / (n + 2)), the rate at which a histogram of N records comes
// nearest to their density (Scott 1979). And so few that they hold some records on average, and more where the noise,
// whose deviation is about 1.5 / epsilon, or more for units of several records, is larger: smoothing cells after the
// noise costs more than larger cells before it. docs/quality.md says how these were found.
constexpr double fineness = 6;
constexpr double records_a_cell = 5;
constexpr double records_against_noise = 1.5;
// In more axes, records crowd into a smaller share of the cells, so cells hold this many times fewer on average.
constexpr std::array<double, 8> crowding = {1, 1, 4, 72, 1, 1, 1, 1};
// Past four axes only the owner's own view has a grid (a release has boxes), of at most this many blocks.
constexpr double most_blocks_of_many_axes = 1 << 18;
constexpr std::uint64_t bins_along = 60;  // of the histograms that show which axes have structure; divides counted_sums
constexpr double grid_tolerance = 1.06;   // factor by which a grid may exceed the bound

// Axes that differ more in length are taken to have units of their own.
constexpr double longest_to_shortest = 4;

void check_dimensions(std::size_t dimensions) {
  if (dimensions <= counted_sums.size()) return;
  throw InputError(fmt::format("a grid can be chosen for up to {} axes, not for {}; give the grid and a threshold",
                               counted_sums.size(), dimensions));
}

Epsilon one_in(std::uint64_t parts, Epsilon epsilon) {
  const Epsilon part = Epsilon::from_units(epsilon.units() / parts);
  if (part.units() == 0) throw InputError(fmt::format("epsilon {} is too small to choose a grid by", epsilon.text()));
  return part;
}

// What the question about rounding may cost. None: no axis can be rounded.
struct RoundingShare {
  Epsilon least = Epsilon::zero(), most = Epsilon::zero();
  std::uint64_t sensitivity = 0;

  [[nodiscard]] bool is_asked() const { return sensitivity > 0; }
  // For this many records, as they are known with noise.
  [[nodiscard]] Epsilon chosen(std::int64_t records) const {
    const double enough = rounding_cost * static_cast<double>(sensitivity) /
                          static_cast<double>(std::max<std::int64_t>(1, records)) * Epsilon::units_per_one;
    return Epsilon::from_units(static_cast<std::uint64_t>(
        std::clamp(enough, static_cast<double>(least.units()), static_cast<double>(most.units()))));
  }
};

RoundingShare rounding_share(const Grid& finest, Epsilon epsilon, const PrivacyUnit& unit) {
  const std::uint64_t axes = rounding_axes(finest);
  if (axes == 0) return {};
  return {one_in(least_rounding_part, epsilon), one_in(most_rounding_part, epsilon), axes * counts_sensitivity(unit)};
}

// Post-processing of the noisy histograms.
std::vector<RoundedValues> noisy_rounding(const NoisyCounts& histograms, const Noised<std::int64_t>& records,
                                          const Grid& finest) {
  return rounded_values(finest, histograms.value().values(), noise_of(*histograms.law()).variance,
                        static_cast<double>(std::max<std::int64_t>(1, records.value())));
}

std::vector<RoundedValues> no_rounding(const Grid& /*finest*/) { return {}; }

// The values that are rounded, and those known to be that were not found again.
std::vector<RoundedValues> with_known(std::vector<RoundedValues> found, const std::vector<RoundedValues>& known) {
  for (const RoundedValues& one : known) {
    const bool again = std::any_of(found.begin(), found.end(), [&](const RoundedValues& other) {
      return other.axis == one.axis && std::fabs(other.step / one.step - 1) < 1e-9;
    });
    if (!again) found.push_back(one);
  }
  return found;
}

NoisyCounts noised_histograms(const Counts& counts, Epsilon epsilon, Mechanisms& mechanisms) {
  const std::vector<std::int64_t> raw = rounding_histograms(counts);
  Values<std::int64_t> values;
  for (const std::int64_t value : raw) values.push_back(value);
  return mechanisms.values(Cells<std::int64_t>::dense(Shape{raw.size()}, std::move(values)),
                           rounding_axes(counts.grid()), epsilon, rounding_mechanism, 1);
}

PrivateOptions with_automatic_rule(PrivateOptions options) {
  options.cluster.threshold = DensityModes{};
  options.cluster.wavelet = Wavelet::haar();
  options.cluster.level = 1;
  options.cluster.transform = Transform::decimated;
  return options;
}

// Blocks are pairs of cells: all count alike where there are whole pairs. A circle cannot be extended.
Axis in_pairs(const Axis& axis) {
  if (axis.cells() % 2 == 0 || !axis.kind().is_pooled() || axis.kind().border == Border::circle) return axis;
  const double first = axis.position(axis.lo()), width = axis.position(axis.hi()) - first;
  const auto cells = static_cast<double>(axis.cells());
  return {axis.lo(), axis.coordinate(first + width / cells * (cells + 1)), axis.cells() + 1, axis.name(), axis.kind()};
}

// Returns the grid with at most these numbers of cells, as the kinds of the axes allow.
Grid with_cells(const Grid& grid, const Shape& cells) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Axis& axis = grid.axis(i);
    axes.push_back(is_counted(axis.kind()) ? in_pairs(axis.coarser(cells[i]))
                                           : Axis(axis.lo(), axis.hi(), cells[i], axis.name(), axis.kind()));
  }
  return Grid(std::move(axes));
}

// The same bounds in cells as fine as they may be.
Axis finest_axis(const Axis& axis, std::uint64_t cells) {
  const AxisKind& kind = axis.kind();
  double lo = axis.lo(), hi = axis.hi();
  if (const auto* numbers = std::get_if<Numbers>(&kind.scale)) {
    lo += numbers->step / 2;
    hi -= numbers->step / 2;
  } else if (const auto* instants = std::get_if<Instants>(&kind.scale)) {
    if (instants->least != Instants::Least::second) hi -= 86'400;  // the last day
  }
  return in_pairs(Axis::fitted(lo, hi, cells, axis.name(), kind));
}

double cell_width(const Axis& axis) {
  return (axis.position(axis.hi()) - axis.position(axis.lo())) / static_cast<double>(axis.cells());
}

// How many axes the records spread over, at least one, and over how many boxes of these: categories part them.
struct Spread {
  std::size_t axes = 0;
  double boxes = 1;
};

Spread spread_of(const Grid& grid) {
  Spread result;
  for (const Axis& axis : grid.axes()) {
    if (axis.kind().is_pooled()) {
      ++result.axes;
    } else {
      result.boxes *= static_cast<double>(axis.cells());
    }
  }
  result.axes = std::max<std::size_t>(result.axes, 1);
  return result;
}

// How long each axis is beside the others, by their bounds: 1 on average, and all 1 where they do not share a unit. A
// degree of longitude is shorter by the cosine of the latitude, here that of the middle.
std::vector<double> proportions(const Grid& bounds) {
  std::vector<double> lengths;
  for (const Axis& axis : bounds.axes()) {
    const bool number = axis.kind().scale == AxisKind{}.scale || std::holds_alternative<Latitude>(axis.kind().scale);
    if (!number) return std::vector<double>(bounds.dimensions(), 1.0);
    lengths.push_back(axis.hi() - axis.lo());
  }
  if (const GeographicAxes geographic = geographic_axes(bounds); geographic.found) {
    const Axis& latitude = bounds.axis(geographic.latitude);
    lengths[geographic.longitude] *= std::cos((latitude.lo() + latitude.hi()) / 2 * std::numbers::pi / 180);
  }
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  if (!(*longest <= longest_to_shortest * *shortest)) return std::vector<double>(lengths.size(), 1.0);
  double logarithms = 0;
  for (const double length : lengths) logarithms += std::log(length);
  const double average = std::exp(logarithms / static_cast<double>(lengths.size()));
  for (double& length : lengths) length /= average;
  return lengths;
}

// The cells per axis whose blocks are the bins of histograms.
Shape bins_of(const Grid& finest) {
  Shape shape = finest.shape();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (finest.axis(axis).kind().is_pooled()) shape[axis] = std::min(shape[axis], 2 * bins_along);
  }
  return shape;
}

std::int64_t total(const Counts& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t value : counts.raw().values()) sum += value;
  return sum;
}

}  // namespace

Counts coarsened(const Counts& counts, const Grid& grid) {
  std::vector<std::vector<std::uint64_t>> target;
  for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
    const Axis& fine = counts.grid().axis(axis);
    const auto together = static_cast<std::uint64_t>(std::llround(cell_width(grid.axis(axis)) / cell_width(fine)));
    target.emplace_back(fine.cells());
    for (std::uint64_t x = 0; x < fine.cells(); ++x) target.back()[x] = x / together;
  }
  Cells<std::int64_t> sums = folded(counts.raw(), grid.shape(), target);
  return {grid, std::move(sums), counts.points(), counts.outside()};
}

// Bounds of many axes keep fewer cells, because a grid has at most 2^62.
std::uint64_t cells_of_automatic_bounds(std::size_t pooled_axes) {
  constexpr std::size_t most_axes_alike = 4;
  const std::size_t axes = std::max<std::size_t>(1, pooled_axes);
  check_dimensions(axes);
  return automatic_grids(axes <= most_axes_alike ? 1 : axes).back();
}

namespace {

// The cells per axis that `divided` of `counted` axes may have.
std::vector<std::uint64_t> grids_of(std::size_t counted, std::size_t divided) {
  check_dimensions(counted);
  const std::uint64_t all = counted_sums[counted - 1];
  std::vector<std::uint64_t> cells;
  for (std::uint64_t sums = fewest_sums; sums <= std::min(all, most_sums[divided - 1]); ++sums) {
    if (all % sums == 0) cells.push_back(2 * sums);
  }
  return cells;
}

}  // namespace

std::vector<std::uint64_t> automatic_grids(std::size_t dimensions) {
  check_dimensions(dimensions);
  return grids_of(dimensions, dimensions);
}

Shape automatic_shape(const Grid& bounds, std::int64_t records, std::optional<Epsilon> epsilon,
                      std::uint64_t sensitivity, const std::vector<std::size_t>& structure) {
  std::vector<Axis> divided;
  const auto is_divided = [&](std::size_t axis) {
    return structure.empty() || !bounds.axis(axis).kind().is_pooled() ||
           std::find(structure.begin(), structure.end(), axis) != structure.end();
  };
  for (std::size_t axis = 0; axis < bounds.dimensions(); ++axis) {
    if (is_divided(axis)) divided.push_back(bounds.axis(axis));
  }
  const Grid used(divided);
  const Spread spread = spread_of(used);
  const auto axes = static_cast<double>(spread.axes);
  const double known = std::max(0.0, static_cast<double>(records) / spread.boxes);
  const double by_chance = fineness * std::pow(known, 1 / (axes + 2));
  const double noise = epsilon ? static_cast<double>(sensitivity) / epsilon->value() : 0;
  const double crowded = known * crowding[std::min(spread.axes, crowding.size()) - 1];
  const double by_size = spread.axes <= 4 ? by_chance : std::pow(most_blocks_of_many_axes, 1 / axes);
  const double by_noise = std::pow(crowded / (records_a_cell + records_against_noise * noise), 1 / axes);
  const std::vector<std::uint64_t> grids = grids_of(spread_of(bounds).axes, spread.axes);
  const std::vector<double> proportion = proportions(used);
  Shape chosen;
  for (std::size_t axis = 0, at = 0; axis < bounds.dimensions(); ++axis) {
    if (!is_divided(axis)) {
      chosen.push_back(2);  // a single block
      continue;
    }
    std::uint64_t finest = grids.front();
    for (const std::uint64_t cells : grids) {
      if (static_cast<double>(cells) / 2 <= grid_tolerance * std::min({by_chance, by_noise, by_size}) * proportion[at])
        finest = cells;
    }
    chosen.push_back(finest);
    ++at;
  }
  return chosen;
}

Grid largest_automatic_grid(const Grid& finest) {
  const std::uint64_t most = automatic_grids(spread_of(finest).axes).back();
  Shape shape = finest.shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (finest.axis(i).kind().is_pooled()) shape[i] = std::min(shape[i], most);
  }
  return with_cells(finest, shape);
}

Grid finest_grid(const Grid& bounds) {
  const std::size_t spread = spread_of(bounds).axes;
  check_dimensions(spread);
  const std::uint64_t cells = 2 * counted_sums[spread - 1] * counted_finer[spread - 1];
  std::vector<Axis> axes;
  for (const Axis& axis : bounds.axes()) axes.push_back(finest_axis(axis, cells));
  return Grid(std::move(axes));
}

Shape wide_enough(const Grid& finest, Shape cells, const std::vector<RoundedValues>& rounded) {
  const std::vector<std::uint64_t> grids = automatic_grids(spread_of(finest).axes);
  const auto narrowest = [](const Axis& axis) {
    double width = axis.hi() - axis.lo();
    for (std::uint64_t i = 0; i + 2 <= axis.cells(); i += 2) width = std::min(width, axis.edge(i + 2) - axis.edge(i));
    return width * (1 + 1e-9);
  };
  for (const RoundedValues& one : rounded) {
    while (cells[one.axis] > grids.front() && narrowest(with_cells(finest, cells).axis(one.axis)) < one.step) {
      cells[one.axis] = *std::prev(std::lower_bound(grids.begin(), grids.end(), cells[one.axis]));
    }
  }
  return cells;
}

std::vector<RoundedValues> exact_rounding(const Counts& finest) {
  return rounded_values(finest.grid(), rounding_histograms(finest), 0,
                        static_cast<double>(std::max<std::int64_t>(1, total(finest))));
}

Counts automatic_counts(const Counts& finest) {
  const Grid& all = finest.grid();
  const std::vector<RoundedValues> rounded = exact_rounding(finest);
  const Grid chosen = with_cells(all, wide_enough(all, automatic_shape(all, total(finest), std::nullopt), rounded));
  return coarsened(spread_rounded(finest, chosen, rounded), chosen);
}

std::vector<Spent> planned_automatic(const Grid& finest, Epsilon epsilon, const PrivateOptions& options,
                                     AskedAxes asked) {
  check_options(options);
  const Epsilon records = one_in(records_part, epsilon);
  const RoundingShare rounding = rounding_share(finest, epsilon, options.unit);
  const PrivateOptions by_rule = with_automatic_rule(options);
  std::vector<Spent> plan = {{records_mechanism, counts_sensitivity(options.unit), records}};
  const bool boxes = asked == AskedAxes::all && makes_boxes(finest);
  const Grid largest = largest_automatic_grid(finest);
  const auto planned = [&](Epsilon left) {
    if (asked == AskedAxes::none || !asks_for_structure(finest)) return plan_privwave(largest, left, by_rule);
    auto [first, then] = plan_boxes(finest, left, by_rule);
    for (const Spent& step : first) left = left - step.epsilon;
    if (!boxes) then = plan_privwave(largest, left, by_rule);
    first.insert(first.end(), then.begin(), then.end());
    return first;
  };
  const Plan rest = planned(epsilon - records - rounding.most);
  if (rounding.is_asked()) {
    plan.push_back({rounding_mechanism, rounding.sensitivity, rounding.least});
    require_rate(rounding.most, rounding.sensitivity, options.unit);
    // Whatever is not needed goes to the sums.
    plan.push_back({fmt::format("{} or {}", rounding_mechanism, rest.front().mechanism), rounding.sensitivity,
                    rounding.most - rounding.least});
    static_cast<void>(planned(epsilon - records - rounding.least));
  }
  plan.insert(plan.end(), rest.begin(), rest.end());
  require_rates(plan, options.unit);
  return plan;
}

//   N' <- |D| + noise(epsilon / 20)
//   R' <- histograms of the rounding of each axis + noise(s), s chosen from N'
//   g  <- the grid whose cells hold enough of N', and are as wide as the steps in R'   of groups: of the median of N'
//   S' <- the sums of the blocks of g, rounded values spread over their steps, + noise, with the rest of epsilon
//   return the modes of S'                                                          in Release, on noised values alone
Release automatic_release(const Counts& finest, Epsilon epsilon, const PrivateOptions& options, Noise& noise,
                          const std::vector<RoundedValues>& known, const std::optional<Grid>& chosen, AskedAxes asked) {
  const auto counts = [&](std::size_t) { return finest; };
  return std::move(automatic_releases(1, counts, epsilon, options, noise, known, chosen, asked).front());
}

bool can_be_chosen(const Grid& finest, const Grid& grid) {
  return finest.dimensions() == grid.dimensions() && with_cells(finest, grid.shape()) == grid;
}

std::vector<Release> automatic_releases(std::size_t groups, const std::function<Counts(std::size_t)>& finest,
                                        Epsilon epsilon, const PrivateOptions& given, Noise& noise,
                                        const std::vector<RoundedValues>& known, const std::optional<Grid>& given_grid,
                                        AskedAxes asked) {
  const PrivateOptions options = with_automatic_rule(given);
  const Epsilon for_records = one_in(records_part, epsilon);
  const std::uint64_t sensitivity = counts_sensitivity(options.unit);

  std::vector<Mechanisms> mechanisms;
  std::vector<AutomaticChoice> choices;
  std::vector<std::int64_t> numbers;
  std::vector<Epsilon> for_sums;
  std::vector<RoundedValues> rounded = known;  // of any group
  std::optional<Grid> fine;
  RoundingShare rounding;
  for (std::size_t group = 0; group < groups; ++group) {
    const Counts counts = finest(group);
    if (!fine) {
      fine = counts.grid();
      static_cast<void>(planned_automatic(*fine, epsilon, options, asked));  // refuses what cannot be followed
      rounding = rounding_share(*fine, epsilon, options.unit);
    }
    Mechanisms& own = mechanisms.emplace_back(noise, options.unit, epsilon);
    Noised<std::int64_t> records = own.number(total(counts), sensitivity, for_records, records_mechanism);
    numbers.push_back(records.value());
    const Epsilon for_rounding = rounding.is_asked() ? rounding.chosen(records.value()) : Epsilon::zero();
    for_sums.push_back(epsilon - for_records - for_rounding);
    Noised<std::vector<RoundedValues>> found =
        rounding.is_asked()
            ? PostProcessing::of(&noisy_rounding, noised_histograms(counts, for_rounding, own), records, *fine)
            : PostProcessing::of(&no_rounding, *fine);
    rounded.insert(rounded.end(), found.value().begin(), found.value().end());
    choices.push_back({std::move(records), std::move(found)});
  }
  const auto median = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
  std::nth_element(numbers.begin(), median, numbers.end());

  std::vector<BoxDivision> divisions;
  std::set<std::size_t> structure;  // of any group; empty: all axes
  Seen seen = Seen::little;
  if (asked == AskedAxes::all && !given_grid && asks_for_structure(*fine)) {
    const Grid bins = with_cells(*fine, wide_enough(*fine, bins_of(*fine), rounded));
    for (std::size_t i = 0; i < groups; ++i) {
      const Counts spread = spread_rounded(finest(i), bins, with_known(choices[i].rounded.value(), known));
      divisions.emplace_back(spread, bins, choices[i].records, for_sums[i]);
    }
    std::vector<Noised<BoxTree>> trees;
    for (unsigned look = 0; look < most_looks() && seen == Seen::little; ++look) {
      trees.clear();
      for (std::size_t i = 0; i < groups; ++i) trees.push_back(divisions[i].look(options, mechanisms[i]));
      seen = seen_in(trees, spread_of(*fine).axes, look + 1 == most_looks());
    }
    for (std::size_t i = 0; i < groups; ++i) {
      choices[i].structure = PostProcessing::of(&axes_with_structure, trees[i]);
      for_sums[i] = divisions[i].left();
      const std::vector<std::size_t>& own = choices[i].structure->value();
      if (seen == Seen::grid) structure.insert(own.begin(), own.end());
    }
  }
  const bool boxes = !divisions.empty() && makes_boxes(*fine) && seen != Seen::grid;

  std::vector<Release> releases;
  if (boxes) {
    for (std::size_t i = 0; i < groups; ++i) {
      ReleaseParts parts = divisions[i].finish(options, mechanisms[i]);
      parts.epsilon = epsilon;
      parts.automatic = std::move(choices[i]);
      releases.emplace_back(std::move(parts));
    }
    return releases;
  }
  divisions.clear();
  const Shape shape = given_grid
                          ? given_grid->shape()
                          : automatic_shape(*fine, *median, epsilon, sensitivity, {structure.begin(), structure.end()});
  const Grid chosen = with_cells(*fine, wide_enough(*fine, shape, rounded));
  for (std::size_t i = 0; i < groups; ++i) {
    const Counts spread = spread_rounded(finest(i), chosen, with_known(choices[i].rounded.value(), known));
    ReleaseParts parts = privwave_parts(coarsened(spread, chosen), for_sums[i], options, mechanisms[i]);
    parts.epsilon = epsilon;
    parts.automatic = std::move(choices[i]);
    releases.emplace_back(std::move(parts));
  }
  return releases;
}

}  // namespace shoal
