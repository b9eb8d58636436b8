// Labels for the rows of an input, in their order. Rows are read and labelled on several threads (0: all cores), whose
// number changes nothing in the file.
#pragma once

#include <string>
#include <vector>

#include "base/files.hpp"
#include "release/group_labels.hpp"
#include "release/inset_labels.hpp"
#include "release/strength.hpp"
#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"
#include "shoal/points.hpp"

namespace shoal::cli {

struct LabelCounts {
  std::uint64_t rows = 0, clustered = 0;
  std::uint64_t in_no_group = 0;  // of releases by group
};

// A CSV with the header `cluster` and one line a row: the number of its cluster, 0 for noise and for points outside.
// With `strength` a column of that name, from 0 to 1. By clusters that are not private a column `private` says false in
// every row.
LabelCounts write_labels(Points& points, const ClusterMap& map, Outside outside, bool is_private, unsigned threads,
                         PendingFile& out, const MembershipStrength* strength = nullptr);

// The same by a release with insets: the column `inset` stands first, 0 for the overview.
LabelCounts write_labels(Points& points, const InsetLabels& labels, bool is_private, unsigned threads,
                         PendingFile& out);

// The same by releases of groups, of points whose first column is the group: the column `group` stands first, empty for
// rows of none of `names`.
LabelCounts write_labels(Points& points, const GroupLabels& labels, const std::vector<std::string>& names,
                         bool is_private, unsigned threads, PendingFile& out);

}  // namespace shoal::cli
