// What the bindings of releases share: requests from Python's parameters, and lists of releases.
#pragma once

#include "options.hpp"
#include "parameters.hpp"
#include "shoal/private_release.hpp"

namespace shoal_python {

inline shoal::ReleaseRequest request_of(const shoal::Grid& grid, nb::handle technique, const std::string& epsilon,
                                        const shoal::PrivateOptions& options, nb::handle outside, nb::handle seed,
                                        std::optional<std::string> ledger, std::string dataset, bool automatic) {
  return {.grid = grid,
          .epsilon = shoal::Epsilon::parse(epsilon),
          .options = options,
          .technique = text_of(technique, "technique"),
          .outside = outside_named(text_of(outside, "outside")),
          .automatic = automatic,
          .ledger = std::move(ledger),
          .dataset = std::move(dataset),
          .seed = whole_or_none(seed, "random_state")};
}

inline std::vector<shoal::Release> copied(const std::vector<const shoal::Release*>& releases) {
  std::vector<shoal::Release> all;
  for (const shoal::Release* release : releases) all.push_back(*release);
  return all;
}

}  // namespace shoal_python
