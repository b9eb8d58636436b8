// Which clusters changed between releases of one plane, and how surely. Post-processing of releases: no budget.
// docs/compare.md says how each probability is computed and how often it was right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shoal/release.hpp"

namespace shoal {

// What became of a cluster.
enum class Change {
  stayed,    // in both releases; chance and noise explain the differences
  moved,     // its records lie elsewhere
  grew,      // it holds more records
  shrank,    // it holds fewer
  more,      // more units are counted in it; each counts in some of its groups only, so that it may not have grown
  fewer,     // fewer are
  split,     // one cluster before, several after
  joined,    // several before, one after
  appeared,  // "new": none before
  gone,      // none after
  unclear,   // in one release alone, which chance and noise explain
};
// Its word in messages and files.
std::string change_word(Change change);

// A change is stated from this probability on: 1 minus the chance that two releases of one population, or of the same
// data, show any change like it anywhere. Of pairs of releases without a change at most one in twenty shows one.
inline constexpr double taken_as_changed = 0.95;

// A change and how surely it is one.
struct FoundChange {
  Change change;
  double probability;
};

// Clusters that lie in one place: one of each release as a rule.
struct ClusterChange {
  std::vector<std::uint32_t> before, after;  // numbers in the two releases, ascending; one of them may be empty
  // At least one, what matters most first. Of `stayed` and `unclear` the probability is the chance that releases
  // without a change differ as much.
  std::vector<FoundChange> found;
  double records_before = 0, records_after = 0;  // in the cells of all of them, noisy
  double deviation = 0;  // of records_after - records_before: noise of both releases and chance of both samples
  // Of the records' centre, in the axes' units, and the deviation of each; empty: in one release alone, or too few
  // records to tell a place.
  std::vector<double> move, move_deviation;

  [[nodiscard]] bool changed() const { return found.front().probability >= taken_as_changed && !as_before(); }
  [[nodiscard]] bool as_before() const {
    return found.front().change == Change::stayed || found.front().change == Change::unclear;
  }
};

// Records on the whole plane, noisy.
struct TotalChange {
  double before = 0, after = 0, deviation = 0;  // deviation: of their difference
};

// All that changed between two releases.
struct Changes {
  std::optional<TotalChange> total;     // none: small values were raised before the noise
  std::vector<ClusterChange> clusters;  // by the numbers before, then by those after
  [[nodiscard]] std::size_t changed_count() const {
    return static_cast<std::size_t>(
        std::count_if(clusters.begin(), clusters.end(), [](const ClusterChange& of) { return of.changed(); }));
  }
};

// Refuses releases of different planes or grids, and those whose noisy values or their noise are not known.
Changes changes_between(const Release& before, const Release& after);
// Of each release and the next one. Refuses fewer than two.
std::vector<Changes> compare(std::span<const Release> releases);

// "1,200 to 1,410": how many, noisy, but never fewer than none.
std::string from_to(double before, double after);
// "grew: from 1,200 to 1,410 records (+210, 95 % between +90 and +330)".
// grid, unit: of the releases.
std::string in_words(const ClusterChange& change, const Grid& grid, const PrivacyUnit& unit);

// names: what each release is called. Documented in docs/formats.md.
std::string compare_json(std::span<const Release> releases, const std::vector<std::string>& names);
// What a file of that name holds, by suffix: .json .html .svg .png. Any other is refused.
std::string compare_contents(std::span<const Release> releases, const std::vector<std::string>& names,
                             const std::string& path);

}  // namespace shoal
