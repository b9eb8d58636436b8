// Faults that are planted on purpose, so that the random attacker can show that it finds them. NOT PRIVATE.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "evaluation/random_settings.hpp"
#include "grid/contributions.hpp"
#include "privacy/noise.hpp"

namespace shoal::evaluation {

enum class PlantedFault {
  none,
  touched_cells_for_norm,    // |Z| of shares: the cells that a unit touches in place of the L1 norm of a column
  unchained_first_view,      // the two views of a profile have independent noise, and one of them is charged
  one_record_more,           // M + 1 records of a unit are kept
  one_group_more,            // records of G + 1 groups of a unit are kept
  groups_chosen_by_others,   // of a unit the G groups are kept that hold most records of all units
  sharp_medians,             // the medians of the kd-tree are drawn with 1.3 times their rate
  sharp_threshold,           // the threshold of privthr-em is drawn with 1.2 times its rate
  share_rounded_up,          // the parts of a weight are rounded once more, up, in each cell
  negative_weights_ignored,  // the profile is charged for the positive weights of a filter alone
  replace_as_add,            // the sensitivities under replace are those of add/remove
  groups_charged_once,       // a unit in several groups is charged for one
  budget_not_split,          // counts and |Z| of privthr both get all of epsilon
  one_axis_noised,           // histograms of several axes have the noise of one
  noise_a_twentieth_small,   // all noise on values has 1.05 times its rate
};

struct NamedFault {
  PlantedFault fault;
  std::string name;
};
// All but none.
std::vector<NamedFault> planted_faults();

// Whether the fault makes a difference to this setting. Public parameters alone decide.
bool applies(PlantedFault fault, const Setting& setting);
// The request that is run in place of the setting's own, which the claim is about.
ReleaseRequest with_fault(PlantedFault fault, const Setting& setting);
Contribution with_fault(PlantedFault fault, Contribution contribution);
// The rows that are counted in place of these.
Rows with_fault(PlantedFault fault, const Setting& setting, const Rows& rows);
// Counts of units that share their weight, with parts rounded up.
Counts counts_rounded_up(const Rows& rows, const Grid& grid, std::uint64_t group_cells, std::uint64_t max_groups);
// The noise with the fault. `noise` outlives the result.
std::unique_ptr<Noise> with_fault(PlantedFault fault, const Setting& setting, Noise& noise);

}  // namespace shoal::evaluation
