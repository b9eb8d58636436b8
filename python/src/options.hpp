// Options by the words that Python uses for them.
#pragma once

#include <optional>
#include <string>

#include "bindings.hpp"
#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"

namespace shoal_python {

shoal::Adjacency adjacency_named(const std::string& name);
shoal::Transform transform_named(const std::string& name);
shoal::Outside outside_named(const std::string& name);
shoal::Assign assign_named(const std::string& name);

// What was given; none: nothing was. ValueError: more than one.
std::optional<shoal::Threshold> threshold_of(std::optional<double> percentile, std::optional<std::uint64_t> top,
                                             std::optional<double> density, std::optional<double> coverage);

}  // namespace shoal_python
