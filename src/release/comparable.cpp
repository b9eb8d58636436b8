#include "release/comparable.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

std::string plane_of(const Grid& grid) {
  std::vector<std::string> axes;
  for (const Axis& axis : grid.axes()) {
    const auto [first, last] = range_texts(axis, axis.lo(), axis.hi());
    axes.push_back(fmt::format("{}{}:{}", axis.name().empty() ? "" : axis.name() + "=", first, last));
  }
  return fmt::format("{}", fmt::join(axes, ","));
}

void check_plane(const Grid& before, const Grid& after) {
  if (before == after) return;
  if (plane_of(before) != plane_of(after)) {
    throw InputError(fmt::format("the releases are of different planes, {} and {}; clusters can be compared on one",
                                 plane_of(before), plane_of(after)));
  }
  if (before.shape() != after.shape()) {
    throw InputError(fmt::format(
        "the releases cut their plane into {} and {} cells; make the later one with --like and the file of the earlier "
        "one",
        fmt::join(before.shape(), " x "), fmt::join(after.shape(), " x ")));
  }
  throw InputError("the axes of the releases differ in their kind; clusters can be compared on one plane");
}

// Counts differ between units: by record, by share of a weight, and by maximum number of records.
void check_units(const PrivacyUnit& a, const PrivacyUnit& b) {
  if (a.share == b.share && a.max_contributions == b.max_contributions) return;
  throw InputError(
      fmt::format("one release counts {} and another {}; compare releases of one unit", in_words(a), in_words(b)));
}

}  // namespace

void check_comparable(const ReleaseParts& before, const ReleaseParts& after) {
  check_plane(before.grid, after.grid);
  check_units(before.unit, after.unit);
}

}  // namespace shoal
