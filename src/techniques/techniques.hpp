// The private techniques. Each takes the owner's raw data, spends epsilon, and gives a Release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grid/point_table.hpp"
#include "privacy/mechanisms.hpp"
#include "shoal/counts.hpp"
#include "shoal/private_options.hpp"
#include "shoal/release.hpp"

namespace shoal {

// counts: noise may be drawn into their place, so whoever needs them no more hands them over. points is needed by
// baseline alone, whose publishers cut space by their own rules.
struct RawData {
  Counts counts;
  const PointTable* points = nullptr;
};

Release privqt(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release privthr(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release privthr_em(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release baseline(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release privwave(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);

// By name: privqt, privthr, privthr-em, baseline, privwave. Refuses others with the list. Options that cannot be
// followed are refused before anything is drawn.
Release run_technique(const std::string& name, RawData data, Epsilon epsilon, const PrivateOptions& options,
                      Noise& noise);
std::vector<std::string> technique_names();
// Those of them that take such a threshold and such a unit: privthr and privthr-em spend budget on a percentile's, and
// take no other; privthr-em and baseline take no shares.
std::vector<std::string> technique_names(const Threshold& threshold, const PrivacyUnit& unit = {});
// What a run will spend on what, in order, from public parameters alone; adds up to epsilon.
std::vector<Spent> planned_spending(const std::string& name, const Grid& grid, Epsilon epsilon,
                                    const PrivateOptions& options);

}  // namespace shoal
