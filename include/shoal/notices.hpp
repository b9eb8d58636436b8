// Notices for the reader of a release, in plain words. They are computed from noised and public values only, as
// post-processing, and cost no budget. The program, the page and Python show the same sentences.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shoal/confidence.hpp"
#include "shoal/privacy.hpp"
#include "shoal/release.hpp"

namespace shoal {

// The epsilon at which a guarantee is called weak and shown in amber. is_weak() returns true at or above it.
inline constexpr std::uint64_t weak_epsilon = 10;
bool is_weak(Epsilon epsilon);

// The word for one thing and for several of them: "patient" and "patients".
struct Noun {
  std::string one, many;
  friend bool operator==(const Noun&, const Noun&) = default;
};
// Returns what the units are called. It is PrivacyUnit::name if that is set, and "record" if the unit is a record.
// Otherwise it is the name of the column in lower case, with spaces for underscores and hyphens and without a last word
// such as "id", "number" or "key": "patient_id" gives "patient" and "patients". A column without any other word gives
// "unit" and "units", and "who" gives "person" and "people".
Noun noun_of(const PrivacyUnit& unit);
// Throws if a text cannot be PrivacyUnit::name: it is empty or long, holds control characters, or has more than one
// slash.
void check_unit_name(const std::string& name);
// Returns "a patient", "an object".
std::string with_article(const std::string& noun);
// Describes the privacy unit: "one record", "one patient with at most 3 records", "one patient (counted once with all
// records)".
std::string in_words(const PrivacyUnit& unit);
// Explains what the number of a group means: "Each user counts in one of the weeks ...". Not set if every unit counts
// in every group in which it has records.
std::optional<std::string> counted_in_groups(const PrivacyUnit& unit);
// Returns the word for what is counted: "record", or the word for the unit if each unit counts once.
Noun counted_noun(const PrivacyUnit& unit);
// Returns the same word as a column title: "Records" or "Patients".
std::string counted_title(const PrivacyUnit& unit);
// States the guarantee: "The probability of any result changes by a factor of at most e^1, about 2.72, when one record
// is added or removed."
std::string promise(const PrivacyUnit& unit, Epsilon epsilon);
// Returns, in percent, how certain an observer can become at most that a unit is in the data, if the observer
// considered it as likely as not before.
double most_sure(Epsilon epsilon);
// Returns the same for an observer who considered it likely with another probability, in percent.
double most_sure(Epsilon epsilon, double percent_before);
// Explains the guarantee for a person: how certain even someone who knows all other records can become about theirs.
std::string for_a_person(const PrivacyUnit& unit, Epsilon epsilon);

// States the result in one sentence without a full stop: "Most records on this map are in four areas: about 5,011
// records in the largest (4,993 to 5,028)". Only clusters that are not doubtful count. "Most" is said only if the lower
// ends of their intervals together exceed half of what lies inside the bounds.
std::string headline(const Release& release);
// Returns the number of clusters: "5 clusters, 2 more doubtful", "1 cluster", "no clusters, 3 doubtful".
std::string counted_clusters(const Release& release);
// Returns the number of records that is stated for each cluster: ClusterConfidence::estimated_records where it is
// known, otherwise the noisy size, or 0 if that is negative. Computes the confidence, which takes time.
std::vector<std::int64_t> stated_sizes(const Release& release);
// Returns the number of records of a cluster, given by its index: "1821 records (95 %: 1770 to 1872)". The interval is
// omitted if it is unknown.
std::string counted_records(const Release& release, std::size_t cluster);

// Estimates the number of records inside the bounds. The deviation is that of the noise. The estimate is the most
// precise of three: the number that --auto asked for, the profile of privwave, and the sum of all noisy values. Not set
// if the release holds none of them with a known noise. Examples are releases of baseline, releases without noisy
// values, and grids beyond the dense limit without a profile, where values below a floor are unknown.
std::optional<Estimate> records_inside(const Release& release);
// Returns the estimate with its 95 % interval: "1804 units (95 %: 1780 to 1828)".
std::string counted_records(const Estimate& records, const PrivacyUnit& unit);
// Returns a bound that the noisy number of records exceeds in fewer than 1 of 100 releases if there are no records.
double by_noise_alone(const Estimate& records);
// Returns the noisy number of records that --auto asked for: "30012 records (95 %: 29984 to 30040)".
std::string counted_records(const Noised<std::int64_t>& records, const PrivacyUnit& unit);

// Describes the rounding that --auto found: "Values of age are whole numbers.", "Many values of x are multiples of 10."
// Empty if it found none or if the release is not by --auto.
std::vector<std::string> rounding_in_words(const ReleaseParts& parts);
std::vector<std::string> rounding_in_words(const Grid& grid, const std::vector<RoundedValues>& rounded);
// Returns one sentence for each axis of a given grid along which the noisy values show stripes of rounding. It names
// the axis that fits.
std::vector<std::string> notices_of_rounding(const ReleaseParts& parts);
// Returns the same for one axis, from its marginal sums over blocks of 2^level cells. Not set if they show no stripes,
// or if the axis does not hold plain numbers.
std::optional<std::string> notice_of_rounding(const Axis& axis, const ClusterOptions& options,
                                              std::span<const double> block_sums);

// Returns true if the noisy values show no more records inside the bounds than noise alone would. If there are no
// records inside, the result is false in fewer than 1 of 100 releases.
bool counts_almost_nothing(const Release& release);
// States that the release shows nothing, either because it counts almost nothing, or because no cluster is surely real
// on a grid whose cells hold less than their noise on average. Not set otherwise: the absence of clusters may be the
// finding.
std::optional<std::string> notice_of_nothing(const Release& release);

// Returns the notices about a release, usually none. They state a weak guarantee, a filter longer than an axis, in
// which groups a unit counts, a drawn threshold that no cell reaches, that the release shows nothing
// (notice_of_nothing), and values on a given grid that seem to be rounded, with the axis that fits them. If no record
// lies inside the bounds, the notice of it is missing in fewer than 1 of 100 releases. If at least twice
// by_noise_alone() records lie inside, it is shown in fewer than 1 of 100.
std::vector<std::string> notices(const Release& release);
// States that there is only one uniform area (--auto), or that the threshold runs through one: more than half of the
// clustered cells are in clusters that are not denser than their surroundings. Computes the confidence, which takes
// time.
std::optional<std::string> notice_of_uniform_area(const Release& release);
// States that a filter other than Haar's reads more cells than an axis has. Such a filter wraps around and reads cells
// twice, so its values describe the whole axis rather than a place on it.
std::optional<std::string> notice_of_long_filter(const Grid& grid, const ClusterOptions& options);
// Returns the notices about a guarantee alone, for synthetic points and plans.
std::vector<std::string> notices(const PrivacyUnit& unit, Epsilon epsilon);

}  // namespace shoal
