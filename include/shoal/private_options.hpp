// Options of a private release besides its epsilon.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "shoal/options.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// Base measure of the threshold's exponential mechanism on {1, ..., max}.
enum class BaseMeasure {
  uniform,  // the paper's
  // Each octave [2^k, 2^(k+1)) of x + shift has the same mass, x about 1 / (x + shift) of it: a large max stays
  // harmless, and the shift keeps the smallest thresholds from taking most of the mass.
  logarithmic,
};

struct PrivateOptions {
  ClusterOptions cluster;  // its threshold has no default
  PrivacyUnit unit{};
  // Share of epsilon for the counts; none: the technique's own default (privthr 0.9, privthr-em 0.7).
  std::optional<double> alpha{};
  // Public Max of privthr-em, in the units of W; none: 2^20 records in a cell, whatever the data.
  std::optional<double> max_density{};
  BaseMeasure base = BaseMeasure::logarithmic;
  std::string publisher = "adaptive-grid";  // baseline only
  // Grids of more cells than this: only noisy values that reach a floor are drawn and released (docs/techniques.md).
  std::uint64_t dense_limit = shoal::dense_limit;
  std::string ledger_head{};  // of the debit, for the release to state; set by whoever charges
};

}  // namespace shoal
