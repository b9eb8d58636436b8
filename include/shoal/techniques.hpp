// The private techniques. Each takes the owner's raw data, spends epsilon, and gives a Release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shoal/counts.hpp"
#include "shoal/mechanisms.hpp"
#include "shoal/options.hpp"
#include "shoal/point_table.hpp"
#include "shoal/release.hpp"

namespace shoal {

struct PrivateOptions {
  ClusterOptions cluster;
  PrivacyUnit unit;
  std::optional<double> alpha;        // share of epsilon for the counts; none: the technique's own default
  std::optional<double> max_density;  // public Max of privthr-em, in the units of W; none: its rule, which uses no data
  BaseMeasure base = BaseMeasure::logarithmic;
  std::string publisher = "adaptive-grid";  // baseline only
};

// points is needed by baseline alone, whose publishers cut space by their own rules.
struct RawData {
  const Counts& counts;
  const PointTable* points = nullptr;
};

Release privqt(const RawData& data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release privthr(const RawData& data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release privthr_em(const RawData& data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release baseline(const RawData& data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);
Release privwave(const RawData& data, Epsilon epsilon, const PrivateOptions& options, Noise& noise);

// By name: privqt, privthr, privthr-em, baseline, privwave. Refuses others with the list.
Release run_technique(const std::string& name, const RawData& data, Epsilon epsilon, const PrivateOptions& options,
                      Noise& noise);
std::vector<std::string> technique_names();
// What a run would spend on what, from public parameters alone.
std::vector<Spent> planned_spending(const std::string& name, const Grid& grid, Epsilon epsilon,
                                    const PrivateOptions& options);

}  // namespace shoal
