// Options by the words that Python uses for them.
#pragma once

#include <string>

#include "bindings.hpp"
#include "shoal/clusters.hpp"
#include "shoal/counts.hpp"

namespace shoal_python {

shoal::Adjacency adjacency_named(const std::string& name);
shoal::Transform transform_named(const std::string& name);
shoal::Outside outside_named(const std::string& name);

}  // namespace shoal_python
