// --auto: how many records there are decides the grid, and what the noisy values then show decides the threshold.
#include "techniques/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/counted_axis.hpp"
#include "base/geographic_axes.hpp"
#include "privacy/sensitivity.hpp"
#include "shoal/error.hpp"
#include "techniques/technique.hpp"
#include "wavelet/haar_blocks.hpp"

namespace shoal {

namespace {

constexpr const char* records_mechanism = "records";
constexpr std::uint64_t records_part = 20;  // one in so many of epsilon tells the number of records

// Cells per axis of W on the finest grid, by the number of axes. Highly divisible: every divisor is a grid.
constexpr std::array<std::uint64_t, 6> finest_sums = {480, 480, 48, 12, 6, 4};
constexpr std::uint64_t fewest_sums = 4;

// Cells of W per axis: no more than fineness * N^(1 / (n + 2)), the rate at which a histogram of N records comes
// nearest to their density (Scott 1979). And so few that they hold some records on average, and more where the noise,
// whose deviation is about 1.5 / epsilon, or more for units of several records, is larger: smoothing cells after the
// noise costs more than larger cells before it. docs/quality.md says how these were found.
constexpr double fineness = 6;
constexpr double records_a_cell = 5;
constexpr double records_against_noise = 1.5;
constexpr double nearly = 1.06;  // so far past it a grid is still taken

// Axes that differ more in length are taken to have units of their own.
constexpr double longest_to_shortest = 4;

void check_dimensions(std::size_t dimensions) {
  if (dimensions <= finest_sums.size()) return;
  throw InputError(fmt::format("a grid can be chosen for up to {} axes, not for {}; give the grid and a threshold",
                               finest_sums.size(), dimensions));
}

Epsilon for_records(Epsilon epsilon) {
  const Epsilon part = Epsilon::from_units(epsilon.units() / records_part);
  if (part.units() == 0) throw InputError(fmt::format("epsilon {} is too small to choose a grid by", epsilon.text()));
  return part;
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

// At most so many cells, as the kinds of the axes allow.
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

std::vector<std::uint64_t> automatic_grids(std::size_t dimensions) {
  check_dimensions(dimensions);
  const std::uint64_t finest = finest_sums[dimensions - 1];
  std::vector<std::uint64_t> cells;
  for (std::uint64_t sums = fewest_sums; sums <= finest; ++sums) {
    if (finest % sums == 0) cells.push_back(2 * sums);
  }
  return cells;
}

Shape automatic_shape(const Grid& bounds, std::int64_t records, std::optional<Epsilon> epsilon,
                      std::uint64_t sensitivity) {
  const Spread spread = spread_of(bounds);
  const auto axes = static_cast<double>(spread.axes);
  const double known = std::max(0.0, static_cast<double>(records) / spread.boxes);
  const double by_chance = fineness * std::pow(known, 1 / (axes + 2));
  const double noise = epsilon ? static_cast<double>(sensitivity) / epsilon->value() : 0;
  const double by_noise = std::pow(known / (records_a_cell + records_against_noise * noise), 1 / axes);
  const std::vector<std::uint64_t> grids = automatic_grids(spread.axes);
  Shape chosen;
  for (const double proportion : proportions(bounds)) {
    std::uint64_t finest = grids.front();
    for (const std::uint64_t cells : grids) {
      if (static_cast<double>(cells) / 2 <= nearly * std::min(by_chance, by_noise) * proportion) finest = cells;
    }
    chosen.push_back(finest);
  }
  return chosen;
}

Grid finest_grid(const Grid& bounds) {
  const std::uint64_t cells = automatic_grids(spread_of(bounds).axes).back();
  std::vector<Axis> axes;
  for (const Axis& axis : bounds.axes()) axes.push_back(finest_axis(axis, cells));
  return Grid(std::move(axes));
}

Counts automatic_counts(const Counts& finest) {
  return coarsened(finest, with_cells(finest.grid(), automatic_shape(finest.grid(), total(finest), std::nullopt)));
}

std::vector<Spent> planned_automatic(const Grid& finest, Epsilon epsilon, const PrivateOptions& options) {
  const Epsilon records = for_records(epsilon);
  std::vector<Spent> plan = {{records_mechanism, counts_sensitivity(options.unit), records}};
  const Plan rest = plan_privwave(finest, epsilon - records, with_automatic_rule(options));
  plan.insert(plan.end(), rest.begin(), rest.end());
  require_rates(plan, options.unit);
  return plan;
}

//   N' <- |D| + noise(epsilon / 20)
//   g  <- the grid whose cells hold enough of N'                        of groups: of the median of their N'
//   S' <- the sums of the blocks of g + noise, with the rest of epsilon
//   return the modes of S'                                                          in Release, on noised values alone
Release automatic_release(const Counts& finest, Epsilon epsilon, const PrivateOptions& options, Noise& noise) {
  return std::move(automatic_releases({&finest, 1}, epsilon, options, noise).front());
}

std::vector<Release> automatic_releases(std::span<const Counts> finest, Epsilon epsilon, const PrivateOptions& given,
                                        Noise& noise) {
  const PrivateOptions options = with_automatic_rule(given);
  const Grid& all = finest.front().grid();
  static_cast<void>(planned_automatic(all, epsilon, options));  // refuses what cannot be followed
  const Epsilon first = for_records(epsilon);
  const std::uint64_t sensitivity = counts_sensitivity(options.unit);

  std::vector<Mechanisms> mechanisms;
  std::vector<Noised<std::int64_t>> records;
  std::vector<std::int64_t> numbers;
  for (const Counts& group : finest) {
    mechanisms.emplace_back(noise, options.unit, epsilon);
    records.push_back(mechanisms.back().number(total(group), sensitivity, first, records_mechanism));
    numbers.push_back(records.back().value());
  }
  const auto median = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
  std::nth_element(numbers.begin(), median, numbers.end());
  const Grid chosen = with_cells(all, automatic_shape(all, *median, epsilon, sensitivity));

  std::vector<Release> releases;
  for (std::size_t i = 0; i < finest.size(); ++i) {
    ReleaseParts parts = privwave_parts(coarsened(finest[i], chosen), epsilon - first, options, mechanisms[i]);
    parts.epsilon = epsilon;
    parts.automatic = AutomaticChoice{.records = std::move(records[i])};
    releases.emplace_back(std::move(parts));
  }
  return releases;
}

}  // namespace shoal
