// What the bindings of releases share: requests from Python's parameters, and lists of releases.
#pragma once

#include "options.hpp"
#include "parameters.hpp"
#include "shoal/private_release.hpp"

namespace shoal_python {

// automatic: of the grid, only the bounds count. layout: None, a Grouping, or the maximum number of insets.
inline shoal::ReleaseRequest request_of(const shoal::Grid& grid, nb::handle technique, const std::string& epsilon,
                                        const shoal::PrivateOptions& options, bool automatic,
                                        nb::handle layout = nb::none()) {
  shoal::ReleaseRequest request{.grid = grid,
                                .epsilon = shoal::Epsilon::parse(epsilon),
                                .options = options,
                                .technique = text_of(technique, "technique")};
  if (automatic) request.grid = shoal::AutomaticGrid{grid};
  if (nb::isinstance<shoal::Grouping>(layout)) {
    request.layout = nb::cast<shoal::Grouping>(layout);
  } else if (!layout.is_none()) {
    request.layout = shoal::Insets{whole_of(layout, "insets")};
  }
  return request;
}

}  // namespace shoal_python
