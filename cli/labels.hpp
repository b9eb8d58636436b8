// Labels for the rows of an input, in their order. Rows are read and labelled on several threads (0: all cores). The
// number of threads does not change the file.
#pragma once

#include <cstdint>

#include "shoal/counts.hpp"
#include "shoal/files.hpp"
#include "shoal/points.hpp"
#include "shoal/release_set.hpp"

namespace shoal::cli {

struct LabelCounts {
  std::uint64_t rows = 0, clustered = 0;
  std::uint64_t in_no_group = 0;  // only for releases by group
};

// Writes a CSV with the header `cluster` and one line per row: the number of its cluster, 0 for noise and for points
// outside. With strength, a column of that name, from 0 to 1. By clusters that are not private, a column `private` says
// false in every row. With groups, the column `group` comes first, empty for rows of no group; with insets, the column
// `inset`, 0 for the overview. outside: clamp is for a plain map alone.
LabelCounts write_labels(Points& points, const Labeller& labeller, Outside outside, bool is_private, unsigned threads,
                         PendingFile& out);

}  // namespace shoal::cli
