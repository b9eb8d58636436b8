// One private release, from points to the artefact: the steps in the order that privacy asks for, whoever calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shoal/counts.hpp"
#include "shoal/points.hpp"
#include "shoal/techniques.hpp"

namespace shoal {

struct ReleaseRequest {
  Grid grid;  // automatic: of it the bounds alone count
  std::string technique = "privwave";
  Epsilon epsilon;
  PrivateOptions options{};
  Outside outside = Outside::drop;
  bool automatic = false;               // --auto: grid and threshold are chosen, by privwave (automatic.hpp)
  std::optional<std::string> ledger{};  // the file that is charged; none: nothing is. Given and empty: refused
  std::string dataset{};                // the account in it: given just when a ledger is
  // Studies only: the release is marked as not private, and cannot be charged.
  std::optional<std::uint64_t> seed{};
};

// What it will spend on what, from public parameters alone; adds up to epsilon. Refuses what they cannot give.
std::vector<Spent> planned_spending(const ReleaseRequest& request);

// Refuses what the plan or the ledger refuses, before anything is read; then bounds what each unit contributes, counts,
// debits the ledger, and only then draws noise. The same points and seed give the same release. Scans the points once.
Release private_release(Points& points, const ReleaseRequest& request);

}  // namespace shoal
