// Coordinates from columns of Arrow: any type of number, decimals, dates and times, names, and dictionaries of these.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "points/arrow_columns.hpp"
#include "shoal/grid.hpp"

namespace shoal {

// What keeps a column of this type from an axis of that kind, as the end of a message: "holds text; ...". Nothing: it
// can be read. Decided by the declared type alone, never by values.
std::optional<std::string> arrow_misfit(const ArrowSchema& schema, const AxisKind& kind);

// The coordinates of all rows, of a column that fits: a view of the column where it holds doubles and no null, else
// put into `copy`. Null, and what the axis cannot read, is NaN. Numbers and decimals become the nearest double. Times
// become seconds since 1970 on an axis of instants: those without a zone are in the zone of the axis. Texts, and whole
// numbers as names, that are among `missing_texts` are NaN.
std::span<const double> arrow_coordinates(const ArrowColumn& column, const AxisKind& kind, std::vector<double>& copy,
                                          std::span<const std::string> missing_texts = {});

}  // namespace shoal
