// The private techniques. Each takes the owner's raw data, spends epsilon, and returns a Release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grid/point_table.hpp"
#include "privacy/mechanisms.hpp"
#include "shoal/counts.hpp"
#include "shoal/privacy.hpp"
#include "shoal/release.hpp"

namespace shoal {

// The counts are moved in, because noise may be drawn in their place. Only baseline needs `points`: its publishers
// divide space by their own rules.
struct RawData {
  Counts counts;
  const PointTable* points = nullptr;
};

Release privqt(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release privthr(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release privthr_em(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release baseline(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release privwave(RawData data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);

// Runs the technique with this name: privqt, privthr, privthr-em, baseline or privwave. Throws before anything is drawn
// if no technique has the name, or if the technique does not support the options.
Release run_technique(const std::string& name, RawData data, Epsilon epsilon, const PrivateOptions& options,
                      Noise& noise);
// Returns the planned spending of a run, in order, computed from public parameters only. It adds up to epsilon.
std::vector<Spent> planned_spending(const std::string& name, const Grid& grid, Epsilon epsilon,
                                    const PrivateOptions& options);

}  // namespace shoal
