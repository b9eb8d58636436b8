#include "shoal/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "base/counted_axis.hpp"
#include "base/geographic_axes.hpp"
#include "base/outward.hpp"
#include "base/scale.hpp"
#include "clusters/contingency.hpp"
#include "clusters/metrics.hpp"
#include "grid/contributions.hpp"
#include "points/random.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/automatic.hpp"
#include "techniques/insets.hpp"
#include "techniques/plans.hpp"

namespace shoal {

namespace {

constexpr std::uint64_t most_drawn = 200'000;  // records that are drawn one by one; more are scaled up from these
constexpr double required_share = 0.95;

using Point = std::vector<double>;

void around(Random& random, Point& at, double centre, double spread, std::size_t from = 0) {
  for (std::size_t axis = from; axis < at.size(); ++axis) at[axis] = centre + spread * random.normal();
}

void anywhere(Random& random, Point& at) {
  for (double& x : at) x = random.uniform();
}

void one_blob(Random& random, Point& at) {
  if (random.below(10) == 0) return anywhere(random, at);
  around(random, at, 0.5, 0.08);
}

// Six in two rows; neighbours are three to four deviations apart.
void touching_blobs(Random& random, Point& at) {
  const std::uint64_t which = random.below(6);
  around(random, at, 0.5, 0.055);
  at[0] += -0.22 + 0.22 * static_cast<double>(which % 3);
  if (at.size() > 1) at[1] += which < 3 ? -0.11 : 0.13;
}

// A ring, a ring around a blob, and two threads, in the first two axes.
void rings_and_threads(Random& random, Point& at) {
  around(random, at, 0.5, 0.05);
  const double part = random.uniform(), along = random.uniform();
  const auto [sine, cosine] = portable_turn(along);
  if (at.size() == 1) {
    at[0] = (part < 0.5 ? 0.2 : 0.7) + 0.03 * random.normal();
    return;
  }
  if (part < 0.35) {
    at[0] = 0.3 + 0.18 * cosine + 0.01 * random.normal();
    at[1] = 0.68 + 0.18 * sine + 0.01 * random.normal();
  } else if (part < 0.5) {
    at[0] = 0.3 + 0.03 * random.normal();
    at[1] = 0.68 + 0.03 * random.normal();
  } else {
    const double offset = part < 0.75 ? 0.15 : 0.32;
    at[0] = 0.08 + 0.84 * along;
    at[1] = offset + 0.06 * sine + 0.008 * random.normal();
  }
}

// A centre, quarters whose sizes fall like 1 / rank, streets between them, and thin country.
void city_map(Random& random, Point& at) {
  constexpr std::array<std::array<double, 2>, 9> quarters{
      {{.5, .5}, {.35, .62}, {.66, .58}, {.45, .3}, {.72, .33}, {.22, .4}, {.58, .8}, {.2, .8}, {.85, .75}}};
  const double part = random.uniform();
  if (part < 0.1) return anywhere(random, at);
  around(random, at, 0.5, 0.05);
  // 1 / rank, by its inverse: rank = 10^u - 1, in [0, 9).
  const auto rank = static_cast<std::size_t>(std::pow(10.0, random.uniform()) - 1);
  const auto& quarter = quarters[std::min<std::size_t>(rank, 8)];
  const bool street = part > 0.75;
  const double along = street ? random.uniform() : 0;
  const double spread = street ? 0.005 : 0.02 + 0.005 * static_cast<double>(8 - std::min<std::size_t>(rank, 8)) / 2;
  for (std::size_t axis = 0; axis < std::min<std::size_t>(2, at.size()); ++axis) {
    at[axis] = quarter[axis] + along * (0.5 - quarter[axis]) + spread * random.normal();
  }
}

// Most records near the lower bounds, few far away.
void heavy_tail(Random& random, Point& at) {
  for (double& x : at) x = 0.04 * (1 / std::sqrt(1 - random.uniform()) - 1) + 0.02;
}

using Shape2 = void (*)(Random&, Point&);
struct NamedShape {
  const char* name;
  Shape2 point;
};
constexpr std::array<NamedShape, 5> shapes{{{"one blob", one_blob},
                                            {"touching blobs", touching_blobs},
                                            {"rings and threads", rings_and_threads},
                                            {"a city map", city_map},
                                            {"a heavy tail", heavy_tail}}};

// Cell of a point of the unit cube; none: outside.
std::optional<std::uint64_t> cell_of(const Point& at, const Shape& shape) {
  std::uint64_t cell = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!(at[axis] >= 0 && at[axis] < 1)) return std::nullopt;
    cell = cell * shape[axis] + static_cast<std::uint64_t>(at[axis] * static_cast<double>(shape[axis]));
  }
  return cell;
}

// Grids with more cells hold the occupied ones alone.
constexpr std::uint64_t most_dense_cells = std::uint64_t{1} << 22;

Counts counted(const Grid& grid, std::uint64_t records, std::uint64_t seed,
               const std::function<void(Random&, Point&)>& point) {
  Random random(seed, 1);
  std::vector<std::uint64_t> cells;
  Point at(grid.dimensions());
  const std::uint64_t drawn = std::min(records, most_drawn);
  for (std::uint64_t i = 0; i < drawn; ++i) {
    point(random, at);
    for (std::uint64_t again = 0; !cell_of(at, grid.shape()) && again < 100; ++again) point(random, at);
    if (const auto cell = cell_of(at, grid.shape())) cells.push_back(*cell);
  }
  std::sort(cells.begin(), cells.end());
  std::vector<std::uint64_t> index;
  std::vector<std::int64_t> values;
  for (const std::uint64_t cell : cells) {
    if (index.empty() || index.back() != cell) {
      index.push_back(cell);
      values.push_back(0);
    }
    ++values.back();
  }
  if (records > drawn) {
    const double by = static_cast<double>(records) / static_cast<double>(drawn);
    for (std::int64_t& value : values) {
      const double mean = by * static_cast<double>(value);
      value = std::max<std::int64_t>(0, std::llround(mean + std::sqrt(mean) * random.normal()));
    }
  }
  if (grid.cell_count() > most_dense_cells) {
    return {grid, Cells<std::int64_t>::sparse(grid.shape(), std::move(index), values), records, 0};
  }
  std::vector<std::int64_t> all(grid.cell_count());
  for (std::size_t i = 0; i < index.size(); ++i) all[index[i]] = values[i];
  return {grid, Cells<std::int64_t>::dense(grid.shape(), all), records, 0};
}

class Simulation {
 public:
  explicit Simulation(const PlanOptions& options)
      : options_(options), counted_grid_(shoal::counted_grid(request(options.epsilons.front(), 1))) {
    if (!options.automatic && counted_grid_.cell_count() > most_dense_cells) {
      throw InputError("a plan is simulated on up to 4 million cells; give a coarser --grid");
    }
  }

  [[nodiscard]] PlanResult run() const {
    PlanResult result;
    std::vector<Counts> data;
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      data.push_back(plan_counts(shape, counted_grid_, options_.records, options_.seed));
    }
    std::vector<std::vector<Release>> shown(shapes.size());
    for (const Epsilon epsilon : options_.epsilons) result.rows.push_back(row(epsilon, data, shown));
    // Without noise on the grid that the largest epsilon gets: a coarse one shows less than there is.
    const auto& epsilons = options_.epsilons;
    const auto finest = static_cast<std::size_t>(std::max_element(epsilons.begin(), epsilons.end()) - epsilons.begin());
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      const Truth truth = truth_of(data[shape], shown[shape][finest]);
      result.shapes.push_back({truth.clusters, truth.options, truth.counts, std::move(shown[shape])});
    }
    return result;
  }

 private:
  struct Truth {
    Counts counts;
    ClusterOptions options;
    Clusters clusters;
    ClusterMap map;
  };

  [[nodiscard]] ReleaseRequest request(Epsilon epsilon, std::uint64_t seed) const {
    ReleaseRequest result{.grid = options_.grid,
                          .epsilon = epsilon,
                          .options = options_.options,
                          .technique = options_.technique,
                          .seed = seed};
    if (options_.automatic) result.grid = AutomaticGrid{options_.grid};
    return result;
  }

  [[nodiscard]] Release released(const Counts& counts, Epsilon epsilon, std::uint64_t run) const {
    const std::uint64_t parts = options_.options.unit.parts_per_weight();
    return private_release(parts > 1 ? in_parts(counts, parts) : counts,
                           request(epsilon, Random(options_.seed, run).next()))
        .first();
  }

  // Without noise, on the grid that the release has. Boxes have none: they are those of a release with hardly any
  // noise.
  [[nodiscard]] Truth truth_of(const Counts& counts, const Release& release) const {
    const ReleaseParts& parts = release.parts();
    if (parts.boxes() != nullptr) {
      const Release plain = released(counts, Epsilon::parse("100"), 0);
      return {counts, parts.options, plain.cluster_cells(), plain.map()};
    }
    const bool coarser = parts.grid.shape() != counts.grid().shape();
    Counts seen = coarser ? coarsened(counts, parts.grid) : counts;
    Clusters clusters = wavecluster(seen, parts.options).clusters;
    ClusterMap map(parts.grid, parts.options.level, parts.options.transform, clusters);
    return {std::move(seen), parts.options, std::move(clusters), std::move(map)};
  }

  // Cell of W that a cell of the grid lies in.
  struct CellOfW {
    Shape shape;
    unsigned shift;
    [[nodiscard]] std::uint64_t cell(std::uint64_t index, const Shape& grid) const {
      const std::vector<std::uint64_t> at = coordinates(index, grid);
      std::uint64_t cell = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis)
        cell = cell * shape[axis] + (at[axis] >> (grid.side(axis).pooled ? shift : 0));
      return cell;
    }
  };
  static CellOfW cell_of_w(const Clusters& clusters, const ClusterOptions& options) {
    return {clusters.shape(), options.transform == Transform::decimated ? options.level : 0};
  }

  // Returns the point in the middle of a cell.
  static Point middle_of(const Grid& grid, std::uint64_t cell) {
    Point point;
    const std::vector<std::uint64_t> at = coordinates(cell, grid.shape());
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const Axis& along = grid.axis(axis);
      point.push_back(along.middle(along.edge(at[axis]), along.edge(at[axis] + 1)));
    }
    return point;
  }

  void measure(const Truth& truth, const Release& release, std::vector<double>& dsgc, std::vector<double>& rand,
               std::vector<double>& errors) const {
    const bool boxes = release.parts().boxes() != nullptr;
    if (!boxes) {
      const double distance = dsg_c(shared_cells(truth.clusters, release.cluster_cells()));
      if (std::isfinite(distance)) dsgc.push_back(distance);
    }
    const CellOfW to = cell_of_w(release.cluster_cells(), truth.options);
    const ClusterMap map = release.map();
    std::vector<std::uint32_t> expected, found;
    std::vector<std::uint64_t> weights;
    std::vector<double> inside(release.cluster_cells().count(), 0);
    for (std::size_t i = 0; i < truth.counts.raw().stored(); ++i) {
      const std::int64_t count = truth.counts.raw().values()[i];
      if (count <= 0) continue;
      const std::uint64_t index = truth.counts.raw().index_of(i);
      if (boxes) {
        const Point point = middle_of(truth.counts.grid(), index);
        expected.push_back(truth.map.label(point));
        found.push_back(map.label(point));
      } else {
        const std::uint64_t cell = to.cell(index, truth.counts.grid().shape());
        expected.push_back(truth.clusters.label(cell));
        found.push_back(release.cluster_cells().label(cell));
      }
      weights.push_back(static_cast<std::uint64_t>(count));
      if (found.back() != 0) inside[found.back() - 1] += static_cast<double>(count);
    }
    rand.push_back(adjusted_rand(cross_tabulate(expected, found, Label0::group, weights)));
    // The error of a size grows with the root of the cells; here as it is for a tenth of the records.
    const double tenth = static_cast<double>(options_.records) / 10;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (inside[i] < tenth / 4) continue;
      errors.push_back(std::fabs(static_cast<double>(release.clusters()[i].noisy_size) - inside[i]));
    }
  }

  [[nodiscard]] static ExpectedRange expected(std::vector<double> values, double least, double most) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    double sum = 0;
    for (const double value : values) sum += value;
    // Other data differ from the shapes as these differ among each other: half their range more on either side.
    const double reach = (values.back() - values.front()) / 2;
    return {sum / static_cast<double>(values.size()), std::max(least, values.front() - reach),
            std::min(most, values.back() + reach)};
  }

  [[nodiscard]] PlanRow row(Epsilon epsilon, const std::vector<Counts>& data,
                            std::vector<std::vector<Release>>& shown) const {
    std::vector<double> dsgc, rand, errors;
    for (std::size_t shape = 0; shape < data.size(); ++shape) {
      for (std::uint64_t run = 0; run < options_.runs; ++run) {
        Release release = released(data[shape], epsilon, 100 * shape + run);
        measure(truth_of(data[shape], release), release, dsgc, rand, errors);
        if (run == 0) shown[shape].push_back(std::move(release));
      }
    }
    PlanRow result{epsilon, expected(dsgc, 0, 1e9), expected(rand, -1, 1), {}, {}, {}, {}};
    std::sort(errors.begin(), errors.end());
    if (!errors.empty()) {
      result.size_error = errors[static_cast<std::size_t>(required_share * static_cast<double>(errors.size() - 1))];
    }
    const Release& seen = shown.front().back();
    result.boxes = seen.parts().boxes() != nullptr;
    if (result.boxes) return result;
    find_least(epsilon, seen, result);
    find_finest(epsilon, seen, result);
    return result;
  }

  // Centres of small clusters on a lattice in the upper half of the first axis; the rest of the records lies in one
  // large blob in the lower half.
  struct Planted {
    std::vector<Point> centres;
    std::vector<double> width;  // of a cell of W, per axis, in the unit cube
  };
  [[nodiscard]] Planted planted(const Release& like, double apart) const {
    Planted result;
    const Shape& cells = like.cluster_cells().shape();
    for (const std::uint64_t extent : cells) result.width.push_back(1 / static_cast<double>(extent));
    const auto places = [&](std::size_t axis, double first) {
      std::vector<double> all;
      while (first < 1 - 3 * result.width[axis]) {
        all.push_back(first);
        first += apart * result.width[axis];
      }
      return all;
    };
    for (const double x : places(0, 0.5 + apart * result.width[0] / 2)) {
      if (cells.size() == 1) {
        result.centres.push_back({x});
        continue;
      }
      for (const double y : places(1, 4 * result.width[1])) {
        Point centre(cells.size(), 0.5);
        centre[0] = x;
        centre[1] = y;
        result.centres.push_back(std::move(centre));
        if (result.centres.size() == 24) return result;
      }
    }
    return result;
  }

  [[nodiscard]] Counts with_planted(const Planted& at, std::uint64_t each, std::uint64_t seed) const {
    const std::uint64_t small = each * at.centres.size();
    std::uint64_t i = 0;
    return counted(counted_grid_, std::max(small, options_.records), seed, [&](Random& random, Point& point) {
      const std::uint64_t which = i++ / std::max<std::uint64_t>(each, 1);
      if (which >= at.centres.size()) {
        around(random, point, 0.5, 0.05);
        point[0] = 0.2 + 0.05 * random.normal();
        return;
      }
      for (std::size_t axis = 0; axis < point.size(); ++axis) {
        point[axis] = at.centres[which][axis] + 0.5 * at.width[axis] * random.normal();
      }
    });
  }

  [[nodiscard]] static std::uint32_t label_at(const Release& release, const Point& at) {
    const auto cell = cell_of(at, release.cluster_cells().shape());
    return cell ? release.cluster_cells().label(*cell) : 0;
  }

  // Share of the planted clusters that are found, each as a cluster of its own.
  [[nodiscard]] double found_share(Epsilon epsilon, const Planted& at, std::uint64_t each) const {
    double found = 0, all = 0;
    for (std::uint64_t run = 0; run < 2; ++run) {
      const Release release = released(with_planted(at, each, options_.seed + run), epsilon, 1000 + run);
      std::map<std::uint32_t, int> times;
      for (const Point& centre : at.centres) {
        const std::uint32_t label = label_at(release, centre);
        all += 1;
        if (label != 0) ++times[label];
      }
      for (const auto& [label, count] : times) found += count == 1 ? 1 : 0;
    }
    return all == 0 ? 0 : found / all;
  }

  void find_least(Epsilon epsilon, const Release& like, PlanRow& to) const {
    const Planted at = planted(like, 8);
    if (at.centres.empty()) return;
    const double most = static_cast<double>(options_.records) / 10;
    double low = 0, each = 5;
    while (each <= most) {
      // Drawn one by one: as many as there are records, or in proportion.
      if (each * static_cast<double>(at.centres.size()) > static_cast<double>(most_drawn)) break;
      if (found_share(epsilon, at, static_cast<std::uint64_t>(each)) >= required_share) {
        to.least_records = static_cast<std::uint64_t>(std::ceil((each + std::max(low, each / 1.5)) / 2));
        return;
      }
      low = each;
      each *= 1.5;
    }
  }

  void find_finest(Epsilon epsilon, const Release& like, PlanRow& to) const {
    const Axis& axis = like.parts().grid.axis(0);
    const std::uint64_t across = like.cluster_cells().shape()[0];
    for (const double cells : {2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0}) {
      const Planted at = planted(like, cells);
      if (at.centres.size() < 2) return;
      const std::uint64_t each =
          std::min(options_.records / (2 * at.centres.size()), most_drawn / (2 * at.centres.size()));
      if (each == 0 || found_share(epsilon, at, each) < required_share) continue;
      to.finest_cells = cells;
      to.finest_units = cells * (axis.hi() - axis.lo()) / static_cast<double>(across);
      return;
    }
  }

  const PlanOptions& options_;
  Grid counted_grid_;
};

// The middle of the plane, along the axes that insets divide.
Grid planned_place(const Grid& bounds) {
  std::vector<Axis> axes;
  for (const Axis& whole : bounds.axes()) {
    if (is_counted(whole.kind())) {
      axes.push_back(whole);
      continue;
    }
    constexpr auto parts = static_cast<std::uint64_t>(1 / planned_inset_side);
    const Axis cut(whole.lo(), whole.hi(), parts, whole.name(), whole.kind());
    AxisKind kind = whole.kind();
    kind.border = Border::open;
    axes.emplace_back(cut.edge(parts / 2), cut.edge(parts / 2 + 1), whole.cells(), whole.name(), std::move(kind));
  }
  return Grid(std::move(axes));
}

// On average along the axes that insets divide; 0: on the coarsest grid, which noise alone gets.
double times_finer(const Grid& inset, const Grid& overview) {
  const std::uint64_t coarsest = automatic_grids(std::max<std::size_t>(1, inset.shape().pooled_axes())).front();
  double doublings = 0, axes = 0;
  bool borne = false;
  for (std::size_t i = 0; i < overview.dimensions(); ++i) {
    if (is_counted(overview.axis(i).kind())) continue;
    const double cells = static_cast<double>(inset.axis(i).cells()) / planned_inset_side;
    doublings += std::log2(cells / static_cast<double>(overview.axis(i).cells()));
    axes += 1;
    borne = borne || inset.axis(i).cells() > coarsest;
  }
  return borne ? std::exp2(doublings / axes) : 0;
}

// The overview and one inset, each as the release that it is.
PlanResult with_insets(const PlanOptions& options) {
  PlanOptions overview = options, inset = options;
  inset.grid = planned_place(options.grid);
  inset.records = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(planned_inset_records * static_cast<double>(options.records)));
  for (std::size_t i = 0; i < options.epsilons.size(); ++i) {
    static_cast<void>(planned_insets(options.grid, options.insets, options.epsilons[i], options.options));
    const auto [of_overview, of_inset] = inset_shares(options.epsilons[i]);
    overview.epsilons[i] = of_overview;
    inset.epsilons[i] = of_inset;
  }
  PlanResult result = Simulation(overview).run(), second = Simulation(inset).run();
  result.insets = std::move(second.rows);
  for (std::size_t i = 0; i < options.epsilons.size(); ++i) {
    result.insets[i].finer =
        times_finer(second.shapes.front().releases[i].parts().grid, result.shapes.front().releases[i].parts().grid);
    result.rows[i].epsilon = result.insets[i].epsilon = options.epsilons[i];
  }
  return result;
}

}  // namespace

std::vector<std::string> plan_shapes() {
  std::vector<std::string> names;
  for (const NamedShape& shape : shapes) names.emplace_back(shape.name);
  return names;
}

Counts plan_counts(std::size_t shape, const Grid& grid, std::uint64_t records, std::uint64_t seed) {
  return counted(grid, records, Random(seed, shape).next(), shapes.at(shape).point);
}

PlanResult plan(const PlanOptions& options) {
  if (options.records == 0) throw InputError("a plan needs the number of records, as you guess it");
  if (options.records > 1'000'000'000'000) throw InputError("a plan is made for up to 10^12 records");
  if (options.epsilons.empty()) throw InputError("a plan needs at least one epsilon");
  if (options.technique == "baseline") {
    throw InputError("baseline needs points, not counts: a plan is made for the other techniques");
  }
  if (options.insets == 0) return Simulation(options).run();
  if (!options.automatic) throw InputError("a plan of insets is one of an automatic release: grids are chosen");
  return with_insets(options);
}

namespace {

// Whether a value, of which less is better, is at least a twentieth less at the largest epsilon than at the smallest.
template <class Value>
bool gets_better(const std::vector<PlanRow>& rows, const Value& value) {
  const auto by_epsilon = [](const PlanRow& a, const PlanRow& b) { return a.epsilon < b.epsilon; };
  const auto [first, last] = std::minmax_element(rows.begin(), rows.end(), by_epsilon);
  const auto before = value(*first), after = value(*last);
  if (!after) return false;
  return !before || static_cast<double>(*after) < 0.95 * static_cast<double>(*before);
}

// A distance along the first axis, rounded up, with its unit: degrees and kilometres on a map.
std::string distance_words(const Grid& grid, double way) {
  const std::string text = distance_at_least(grid.axis(0), way);
  const GeographicAxes geographic = geographic_axes(grid);
  if (!geographic.found) return text;
  constexpr double degree = std::numbers::pi / 180, kilometres_per_degree = 111.195;
  const Axis& latitude = grid.axis(geographic.latitude);
  const double narrowing = geographic.longitude == 0 ? std::cos((latitude.lo() + latitude.hi()) / 2 * degree) : 1;
  return fmt::format("{} degrees ({:.3g} km)", text, at_least(way * kilometres_per_degree * narrowing, 2));
}

}  // namespace

std::string planned_inset_words(const PlanOptions& options) {
  return fmt::format("An inset, such as 1/{:.0f} of {} with {} of the {}", 1 / planned_inset_side,
                     options.grid.dimensions() == 1 ? "the axis" : "each axis", "a tenth",
                     counted_noun(options.options.unit).many);
}

std::string in_words(const ExpectedRange& range) {
  constexpr double step = 0.01, widest = 0.5;
  if (range.high - range.low >= widest) return fmt::format("{:.2f}", range.mean);
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", range.mean, rounded_down(range.low, step),
                     rounded_up(range.high, step));
}

std::string in_words(const PlanRow& row, const PlanOptions& options) {
  const Noun what = counted_noun(options.options.unit);
  const std::string least = row.least_records ? fmt::format("clusters of about {} {} or more are found",
                                                            grouped(static_cast<double>(*row.least_records)), what.many)
                                              : "small clusters are not found";
  const std::string& name = options.grid.axis(0).name();
  const std::string finest =
      row.finest_units ? fmt::format("two that are {} apart along {} are found as two",
                                     distance_words(options.grid, *row.finest_units), name.empty() ? "axis 1" : name)
                       : "close ones are not found as two";
  const double error = std::ceil(row.size_error.value_or(0));
  const std::string sizes =
      row.size_error ? fmt::format("sizes are right to {} {}", grouped(error), error == 1 ? what.one : what.many)
                     : "no cluster is found whose size could be told";
  if (row.boxes) {
    return fmt::format("epsilon {}: boxes between places with few {}; {}; likeness to the clusters without noise {}",
                       row.epsilon.text(), what.many, sizes, in_words(row.rand));
  }
  return fmt::format("epsilon {}: {}, {}; {}; likeness to the clusters without noise {}", row.epsilon.text(), least,
                     finest, sizes, in_words(row.rand));
}

PlanTable plan_table(const PlanOptions& options, const std::vector<PlanRow>& rows) {
  const Noun noun = counted_noun(options.options.unit);
  const std::string& axis = options.grid.axis(0).name();
  PlanTable result;
  PlanMeasure sure{"a guess of 50 %", {}}, least{fmt::format("least {}", noun.many), {}},
      finest{fmt::format("finest distance, {}", axis.empty() ? "axis 1" : axis), {}},
      sizes{fmt::format("size, in {}", noun.many), {}}, likeness{"likeness", {}}, cells{"cells", {}};
  for (const PlanRow& row : rows) {
    sure.values.push_back(fmt::format("at most {} %", percent_at_most(most_sure(row.epsilon))));
    least.values.push_back(row.least_records ? grouped(static_cast<double>(*row.least_records)) : "-");
    finest.values.push_back(row.finest_units ? distance_words(options.grid, *row.finest_units) : "-");
    sizes.values.push_back(row.size_error ? fmt::format("+-{}", grouped(std::ceil(*row.size_error))) : "-");
    likeness.values.push_back(in_words(row.rand));
    if (row.finer) cells.values.push_back(finer_words(row));
  }
  result.measures.push_back(std::move(sure));
  const auto offer = [&](PlanMeasure measure, auto value, const char* why) {
    if (rows.size() == 1 || gets_better(rows, value)) return result.measures.push_back(std::move(measure));
    const std::string &first = measure.values.front(), &last = measure.values.back();
    const std::string shown = first == last ? first : fmt::format("{} to {}", first, last);
    result.left_out.push_back(
        first == "-" && last == "-"
            ? fmt::format("{}: none at any of these epsilons; more {} are needed", measure.title, noun.many)
            : fmt::format("{}: {} at all of these epsilons; {}", measure.title, shown, why));
  };
  const char* const grid_limits = "the grid limits it, not the noise";
  offer(
      std::move(likeness), [](const PlanRow& row) { return std::optional(2 - row.rand.mean); },
      rows.back().rand.mean < 0.9 ? "a larger epsilon is needed" : "noise hardly changes the clusters");
  const bool boxes = std::any_of(rows.begin(), rows.end(), [](const PlanRow& row) { return row.boxes; });
  if (boxes) {
    result.left_out.push_back("the least cluster and the finest distance: unknown for boxes, which have no cells");
  } else {
    offer(
        std::move(least), [](const PlanRow& row) { return row.least_records; }, grid_limits);
    offer(
        std::move(finest), [](const PlanRow& row) { return row.finest_units; }, grid_limits);
  }
  offer(
      std::move(sizes), [](const PlanRow& row) { return row.size_error; }, grid_limits);
  if (!cells.values.empty()) result.measures.push_back(std::move(cells));
  return result;
}

}  // namespace shoal
