// Options of a private release other than its epsilon.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shoal/options.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// Base measure of the exponential mechanism that draws a threshold from {1, ..., max}.
enum class BaseMeasure {
  uniform,  // The base measure of the paper.
  // Each octave [2^k, 2^(k+1)) of x + shift has the same mass, so that x has a mass of about 1 / (x + shift). A large
  // max then does little harm, and the shift keeps the smallest thresholds from receiving most of the mass.
  logarithmic,
};

// Options of a private release.
struct PrivateOptions {
  // Options of the clustering. Its threshold has no default.
  ClusterOptions cluster;
  PrivacyUnit unit{};
  // Share of epsilon for the counts. If not set, the technique chooses it. privthr uses 0.9, and privthr-em 0.7.
  std::optional<double> alpha{};
  // The public Max of privthr-em, in the units of W. If not set, it corresponds to 2^20 records in a cell,
  // independently of the data.
  std::optional<double> max_density{};
  BaseMeasure base = BaseMeasure::logarithmic;
  // The method that publishes synthetic points. Only for baseline.
  std::string publisher = "adaptive-grid";
  // Maximum number of cells for noise on every cell. On larger grids, only noisy values that reach a floor are drawn
  // and released (docs/techniques.md).
  std::uint64_t dense_limit = shoal::dense_limit;
  // Hash of the ledger entry of the debit, which the release states. The function that charges the ledger sets it.
  std::string ledger_head{};
};

}  // namespace shoal
