// Finds which clusters changed between releases of the same plane, and how certain each change is. This is
// post-processing of releases and costs no budget. docs/compare.md explains how each probability is computed and how
// often it was right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shoal/release.hpp"

namespace shoal {

// What happened to a cluster between two releases.
enum class Change {
  stayed,  // The cluster is in both releases; chance and noise explain the differences.
  moved,   // The records of the cluster lie elsewhere.
  grew,    // The cluster holds more records.
  shrank,  // The cluster holds fewer records.
  // More units are counted in the cluster. Each unit counts in only some of its groups, so the cluster may not have
  // grown.
  more,
  fewer,     // Fewer units are counted in the cluster, with the same caveat.
  split,     // One cluster became several.
  joined,    // Several clusters became one.
  appeared,  // No cluster was there before. The word for it is "new".
  gone,      // No cluster is there any more.
  unclear,   // The cluster is in one release only, but chance and noise explain that.
};
// Returns the word for a change in messages and files.
std::string change_word(Change change);

// The probability at which a change is reported. The probability of a change is 1 minus the chance that two releases of
// the same population, or of the same data, show any such change anywhere. Among pairs of releases without a change, at
// most one in twenty shows one.
inline constexpr double taken_as_changed = 0.95;

// A change and its probability.
struct FoundChange {
  Change change;
  double probability;
};

// Clusters of two releases that lie in the same place, usually one cluster of each release.
struct ClusterChange {
  // Numbers of the clusters in the earlier and in the later release, ascending. One of the two lists may be empty.
  std::vector<std::uint32_t> before, after;
  // At least one change, the most important first. For `stayed` and `unclear`, the probability is the chance that
  // releases without a change differ at least this much.
  std::vector<FoundChange> found;
  // Noisy numbers of records in the cells of all clusters listed above.
  double records_before = 0, records_after = 0;
  // Standard deviation of records_after - records_before. It includes the noise of both releases and the sampling error
  // of both samples.
  double deviation = 0;
  // Half the width of the 95 % interval of the same difference, by the laws of the noise and of the sample.
  double reach = 0;
  // Movement of the centre of the records along each axis, in the units of the axis, its standard deviation and half
  // the width of its 95 % interval. Empty if the cluster is in one release only, or if it has too few records to
  // locate.
  std::vector<double> move, move_deviation, move_reach;

  [[nodiscard]] bool changed() const { return found.front().probability >= taken_as_changed && !as_before(); }
  [[nodiscard]] bool as_before() const {
    return found.front().change == Change::stayed || found.front().change == Change::unclear;
  }
};

// Noisy numbers of records on the whole plane.
struct TotalChange {
  // Numbers of records in the two releases, the standard deviation of their difference, and half the width of its 95 %
  // interval.
  double before = 0, after = 0, deviation = 0, reach = 0;
};

// All changes between two releases.
struct Changes {
  // Not set if values below a bound were raised to it before noise was added.
  std::optional<TotalChange> total;
  // Ordered by the cluster numbers of the earlier release, then by those of the later release.
  std::vector<ClusterChange> clusters;
  [[nodiscard]] std::size_t changed_count() const {
    return static_cast<std::size_t>(
        std::count_if(clusters.begin(), clusters.end(), [](const ClusterChange& change) { return change.changed(); }));
  }
};

// Returns the changes from `before` to `after`. Throws if the releases differ in their plane, their grid or the way
// units are counted. Throws if a release has no noisy values, holds only values that reach a floor, or does not state
// the distribution of its noise.
Changes changes_between(const Release& before, const Release& after);
// Returns the changes between each release and the next one. Throws if there are fewer than two releases.
std::vector<Changes> compare(std::span<const Release> releases);

// Returns two noisy numbers as text, "1,200 to 1,410". Negative numbers are shown as 0.
std::string from_to(double before, double after);
// Returns a change of noisy numbers as text: "1,200 to 1,410 records (+210, 95 % between +90 and +330)". `reach` is
// half the width of the 95 % interval of after - before.
std::string with_growth(double before, double after, double reach, const std::string& counted);
// Describes a change as text: "grew: from 1,200 to 1,410 records (+210, 95 % between +90 and +330)". `grid` and `unit`
// are those of the releases.
std::string in_words(const ClusterChange& change, const Grid& grid, const PrivacyUnit& unit);

// Returns the comparison as JSON (docs/formats.md). `names` holds the display name of each release.
std::string compare_json(std::span<const Release> releases, const std::vector<std::string>& names);
// Returns the contents of a comparison file. The suffix of `path` selects the format: .json, .html, .svg or .png.
// Throws if the suffix is any other.
std::string compare_contents(std::span<const Release> releases, const std::vector<std::string>& names,
                             const std::string& path);
// Returns the Content-Security-Policy of the pages of comparisons: no request, and no script but their own.
std::string compare_policy();

}  // namespace shoal
