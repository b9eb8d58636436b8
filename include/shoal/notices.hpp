// Warnings for the reader of a release, in plain words. Computed from noised and public values alone:
// post-processing, no budget. Program, page and Python show the same sentences.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shoal/estimate.hpp"
#include "shoal/privacy.hpp"
#include "shoal/release.hpp"

namespace shoal {

// From this epsilon on the guarantee is called weak, and is shown in amber.
inline constexpr std::uint64_t weak_epsilon = 10;
bool is_weak(Epsilon epsilon);

// The privacy unit: "one record", "one patient with at most 3 records", "one patient (counted once with all records)".
std::string in_words(const PrivacyUnit& unit);
// "Each user counts in one of the weeks ...": what the number of a group means. None where every unit counts in every
// group in which it has records.
std::optional<std::string> counted_in_groups(const PrivacyUnit& unit);
// What is counted: "record", or "unit" where each counts once.
const char* counted_word(const PrivacyUnit& unit);
// The same as the head of a column: "Records", "Units".
std::string counted_title(const PrivacyUnit& unit);
// "The probability of any result changes by a factor of at most e^1, about 2.72, when one record is added or removed."
std::string promise(const PrivacyUnit& unit, Epsilon epsilon);
// Percent: how sure someone can become at most who thought it as likely as not that a unit is in the data.
double most_sure(Epsilon epsilon);
// What that means for a person: how sure even someone who knows all other records can become about theirs.
std::string for_a_person(const PrivacyUnit& unit, Epsilon epsilon);

// "5 clusters, 2 more doubtful", "1 cluster", "no clusters, 3 doubtful".
std::string counted_clusters(const Release& release);
// "1821 records (95 %: 1770 to 1872)": of a cluster, by its index; without an interval where none is known.
std::string counted_records(const Release& release, std::size_t cluster);

// How many records lie inside the bounds, as the noisy values have it; the deviation is that of the noise. By the
// number that --auto asked for, the profile of privwave, or all noisy values together, whichever knows best. None where
// the noise of these is not known (baseline), or no value below a floor is (grids past the dense limit without a
// profile), and of a release without noisy values.
std::optional<Estimate> records_inside(const Release& release);
// Noise alone shows more records than this in fewer than 1 of 100 releases: three deviations, and 1 for noise that is
// nearly always 0.
inline double by_noise_alone(const Estimate& records) { return 3 * records.deviation + 1; }
// "30012 records (95 %: 29984 to 30040)": --auto's noisy number of them.
std::string counted_records(const Noised<std::int64_t>& records);

// "Values of age are whole numbers", "Many values of x are multiples of 10": the rounding that --auto found. Empty if
// it found none, or chose no grid.
std::vector<std::string> rounding_in_words(const ReleaseParts& parts);
std::vector<std::string> rounding_in_words(const Grid& grid, const std::vector<RoundedValues>& rounded);
// On a given grid: one sentence for each axis along which the noisy values show stripes of rounding, with the axis that
// fits.
std::vector<std::string> notices_of_rounding(const ReleaseParts& parts);
// The same for one axis, of which the marginal sums over blocks of 2^level cells are known. None: they show no stripes,
// or the axis does not hold plain numbers.
std::optional<std::string> notice_of_rounding(const Axis& axis, const ClusterOptions& options,
                                              std::span<const double> block_sums);

// Whether the noisy values show no more records inside the bounds than noise alone would. Where nothing lies inside,
// this is false in fewer than 1 of 100 releases.
bool counts_almost_nothing(const Release& release);
// That the release shows nothing: it counts almost nothing; or no cluster is surely real on a grid whose cells hold
// less than their noise on average. None elsewhere: that there is no cluster may be the finding.
std::optional<std::string> notice_of_nothing(const Release& release);

// Usually empty. A weak guarantee; a filter longer than an axis; in which groups a unit counts; that the release shows
// nothing; values on a given grid that seem to be rounded, with the axis that fits. Nothing, or nearly nothing, inside
// the bounds: no more records than noise alone shows. Where nothing lies inside, the second is missing in fewer than 1
// of 100 releases; where twice `by_noise_alone` or more do, it is shown in fewer than 1 of 100.
std::vector<std::string> notices(const Release& release);
// That there is but one uniform area (--auto), or that the threshold runs through one: more than half of the
// clustered cells are in clusters that are no denser than what surrounds them. Asks for the confidence, which takes
// time.
std::optional<std::string> notice_of_uniform_area(const Release& release);
// That a filter other than Haar's reads more cells than an axis has. It wraps around then and meets cells twice, so its
// values describe the whole axis rather than a place on it.
std::optional<std::string> notice_of_long_filter(const Grid& grid, const ClusterOptions& options);
// Of a guarantee alone: synthetic points, plans.
std::vector<std::string> notices(const PrivacyUnit& unit, Epsilon epsilon);

}  // namespace shoal
