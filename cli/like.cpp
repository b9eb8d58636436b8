#include "like.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "shoal/error.hpp"

namespace shoal::cli {

namespace {

// The release whose settings are taken. All groups of a file have the same.
Release release_like(const std::string& path) {
  const ReleaseSet set = ReleaseSet::load(path);
  if (!set.insets().empty()) {
    throw InputError(
        fmt::format("'{}' has insets, whose places change with every release; --like needs one without", path));
  }
  return set.first();
}

void set_threshold(ClusterArguments& cluster, const Threshold& threshold) {
  if (const auto* percentile = std::get_if<Percentile>(&threshold)) cluster.percentile = percentile->percent();
  if (const auto* coverage = std::get_if<Coverage>(&threshold)) cluster.coverage = coverage->percent();
  if (const auto* top = std::get_if<Top>(&threshold)) cluster.top = top->cells();
  if (const auto* density = std::get_if<Density>(&threshold)) cluster.density = density->least();
}

}  // namespace

void LikeArgument::add(CLI::App& command) {
  command.add_option("--like", path, "Same columns, grid, unit and settings as this release")
      ->group("Grid")
      ->each([bounds = command.get_option("--bounds")](const std::string& /*file*/) { bounds->required(false); });
}

void LikeArgument::apply(const CLI::App& command, GridArguments& grid, ClusterArguments& cluster,
                         PrivacyArguments& privacy, std::string& technique, bool& automatic) {
  const Release release = release_like(path);
  const ReleaseParts& parts = release.parts();
  const auto given = [&command](const char* option) { return command.count(option) > 0; };
  const auto refuse = [this](const std::string& option) {
    throw Error(ErrorKind::usage, fmt::format("{} contradicts --like {}; remove one of them", option, path));
  };
  const bool modes = std::holds_alternative<DensityModes>(parts.options.threshold);
  if (parts.automatic.has_value() != modes) {
    throw InputError(
        fmt::format("'{}' was made by --auto and reshaped later; give --like the file it was made from", path));
  }
  // The noise of a study is known to everybody, so its choice would tell about the data.
  if (modes && !parts.is_private && !given("--seed")) {
    throw InputError(fmt::format("'{}' is a study made with a seed, not a private release; --like needs one", path));
  }
  if (modes) {
    check_automatic(cluster, given("--grid"), given("--technique") && technique != parts.technique);
    earlier = earlier_choice(release);
  } else if (automatic) {
    refuse("--auto");
  }
  // The bounds as they were declared may end before the last cell does.
  const GridArguments declared = grid;
  GridArguments same = grid;
  same.earlier = parts.grid;
  if (given("--bounds") || grid.geo) {
    if (!given("--bounds")) refuse("--geo");
    std::vector<std::string> names;
    for (const DeclaredAxis& axis : same.axes()) names.push_back(axis.name);
    GridArguments built = declared;
    built.grid = fmt::format("{}", fmt::join(parts.grid.shape(), ","));
    if (built.axes().size() != names.size() || built.make(names) != parts.grid) refuse("--bounds");
  }
  if (given("--grid")) {
    std::vector<std::uint64_t> cells = parse_cells(grid.grid, "--grid");
    if (cells.size() == 1) cells.resize(parts.grid.dimensions(), cells.front());
    const Shape& shape = parts.grid.shape();
    if (!std::equal(cells.begin(), cells.end(), shape.begin(), shape.end())) refuse("--grid");
  }
  grid.earlier = parts.grid;

  ClusterOptions wanted = parts.options;
  wanted.threads = cluster.threads;
  if (!modes) {
    if (cluster.over(wanted) != wanted)
      refuse("another threshold, wavelet, level, transform, adjacency or --min-cells");
    if (!cluster.has_threshold()) set_threshold(cluster, parts.options.threshold);
    cluster.wavelet = parts.options.wavelet.name();
    cluster.level = parts.options.level;
    cluster.transform = parts.options.transform == Transform::stationary ? "stationary" : "decimated";
  }
  if (cluster.over(wanted).adjacency != wanted.adjacency) refuse("--adjacency");
  if (cluster.over(wanted).min_cells != wanted.min_cells) refuse("--min-cells");
  cluster.adjacency = parts.options.adjacency == Adjacency::face ? "face" : "full";
  cluster.min_cells = parts.options.min_cells;
  if (given("--technique") && technique != parts.technique) refuse("--technique");
  technique = parts.technique;
  automatic = modes;

  const PrivacyUnit& unit = parts.unit;
  const std::string column = unit.column.empty() ? "record" : unit.column;
  const std::string neighbors = unit.neighbors == Neighbors::replace ? "replace" : "add-remove";
  if (privacy.unit && *privacy.unit != column) refuse("--unit");
  if (given("--neighbors") && privacy.neighbors != neighbors) refuse("--neighbors");
  if (privacy.contribution && !unit.share) refuse("--contribution");
  if (privacy.max_contributions && (unit.share || *privacy.max_contributions != unit.max_contributions)) {
    refuse("--max-contributions");
  }
  privacy.neighbors = neighbors;
  if (unit.column.empty()) return;
  privacy.unit = column;
  if (unit.share) {
    privacy.contribution = "share";
  } else {
    privacy.max_contributions = unit.max_contributions;
  }
  if (!privacy.unit_name && !unit.name.empty()) privacy.unit_name = unit.name;
}

}  // namespace shoal::cli
