// The measures of metrics.hpp on two labels of each item.
#pragma once

#include <cstdint>
#include <span>

namespace shoal::evaluation {

// Returns a measure of two lists of labels of the same items. Throws if they differ in length.
using LabelMeasure = double(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> found);

// Label 0 means unclustered.
LabelMeasure dsg_c_of_labels, f_measure_of_labels;
// Label 0 is a label like any other.
LabelMeasure ocm_of_labels, two_ce_of_labels, adjusted_rand_of_labels, adjusted_mutual_information_of_labels;

}  // namespace shoal::evaluation
