#include "shoal/notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <numbers>

#include "base/geographic_axes.hpp"
#include "base/outward.hpp"
#include "base/scale.hpp"
#include "inference/box_tree.hpp"
#include "inference/laplace_law.hpp"
#include "inference/noisy_records.hpp"
#include "inference/noisy_segmentation.hpp"
#include "inference/rounding.hpp"
#include "shoal/tree.hpp"
#include "wavelet/placement.hpp"

namespace shoal {

namespace {

// Formats exp(epsilon) with three significant digits, or as a power of ten if that is long. The text is never less than
// the factor.
std::string times(Epsilon epsilon) {
  const double factor = std::exp(epsilon.value());
  if (factor >= 1e9) return fmt::format("10^{:.0f}", rounded_up(epsilon.value() / std::numbers::ln10));
  const double shown = at_least(factor, 3);
  return factor < 1000 ? fmt::format("{:.3g}", shown) : grouped(shown);
}

std::string factor(Epsilon epsilon) { return fmt::format("e^{}, about {},", epsilon.text(), times(epsilon)); }

std::string change_of_one(const PrivacyUnit& unit) {
  const char* change = unit.neighbors == Neighbors::replace ? "replaced by another" : "added or removed";
  return fmt::format("{} is {}", in_words(unit), change);
}

Estimate by_profile(const ReleaseParts& parts) {
  const ProfileNoise noise = noise_of_profile(*parts.profile());
  double mean = 0, variance = 0, squares = 0;
  for (std::size_t level = 0; level < profile_levels; ++level) {
    mean += static_cast<double>(parts.profile()->sums.value()[level]);
    variance += noise.of_level(level);
    squares += noise.of_level(level) * noise.of_level(level);
  }
  return {mean, std::sqrt(variance), variance * variance / squares};
}

double deviation_of_values(const ReleaseParts& parts, const NoiseLaw& law) {
  return std::sqrt(static_cast<double>(parts.values()->value().stored()) * draw_law(law).variance());
}

Estimate by_values(const ReleaseParts& parts, const NoiseLaw& law) {
  const Cells<std::int64_t> values = noisy_records(parts);
  double mean = 0;
  for (const std::int64_t value : values.values()) mean += static_cast<double>(value);
  return {mean, deviation_of_values(parts, law), static_cast<double>(values.stored())};
}

// Warns if a cell of W holds too little, on average, to be told from an empty one.
std::optional<std::string> grid_too_fine(const Release& release, const Estimate& inside) {
  const ReleaseParts& parts = release.parts();
  if (std::holds_alternative<DensityModes>(parts.options.threshold)) return std::nullopt;
  const std::optional<NoiseOfW> noise = noise_of_w(parts, parts.options);
  if (!noise) return std::nullopt;
  const double cells = static_cast<double>(cell_count(release.cluster_cells().shape()));
  const double each = std::max(0.0, inside.mean) / cells, deviation = std::sqrt(noise->noise.variance);
  if (each >= deviation) return std::nullopt;
  // Checked last, because it takes the most time.
  if (release.cluster_cells().count() > release.doubtful().size()) return std::nullopt;
  return fmt::format(
      "No cluster is surely real: a cell of this view holds {:.2g} {} on average, and its noise is about {:.2g}. "
      "Choose a coarser grid, a higher level, or --auto.",
      each, counted_noun(parts.unit).many, deviation);
}

std::string few_inside(const Estimate& inside, const PrivacyUnit& unit) {
  const double about = std::max(0.0, std::round(inside.mean));
  return fmt::format(
      "About {} {} {} inside the bounds; check the bounds. If there were none, noise alone would show up to {} "
      "in 99 of 100 releases.",
      grouped(about), about == 1 ? counted_noun(unit).one : counted_noun(unit).many, about == 1 ? "lies" : "lie",
      grouped(std::ceil(by_noise_alone(inside))));
}

// From this share upwards, all values are called rounded, because the share is an estimate.
constexpr double all_rounded = 0.9;

std::string multiples_of(const Axis& axis, double step) {
  if (!std::holds_alternative<Instants>(axis.kind().scale)) {
    return step == 1 ? "whole numbers" : fmt::format("multiples of {:.6g}", step);
  }
  if (std::fmod(step, 3600) == 0) return fmt::format("multiples of {:.6g} h", step / 3600);
  if (std::fmod(step, 60) == 0) return fmt::format("multiples of {:.6g} min", step / 60);
  return fmt::format("multiples of {:.6g} s", step);
}

bool holds_times(const Axis& axis) {
  const auto* instants = std::get_if<Instants>(&axis.kind().scale);
  return instants != nullptr && instants->least == Instants::Least::second && axis.kind().border == Border::open;
}

// Returns the axis of W' along a given axis of plain numbers, or of times as the clocks of their zone show them, or
// nothing for other axes.
std::optional<Axis> block_axis(const Axis& axis, const ClusterOptions& options, std::uint64_t blocks) {
  const bool numbers = axis.kind() == AxisKind{.scale = Numbers{}, .unit = axis.kind().unit};
  if (!numbers && !holds_times(axis)) return std::nullopt;
  const double lo = axis.lo() + (numbers ? 0 : std::get<Instants>(axis.kind().scale).offset);
  const double width =
      std::ldexp((axis.hi() - axis.lo()) / static_cast<double>(axis.cells()), static_cast<int>(options.level)) *
      static_cast<double>(blocks);
  return Axis(lo, lo + width, blocks, axis.name());
}

// Returns the declaration of an axis with this step, and its cells.
std::string declared_with(const Axis& axis, double step) {
  const std::string suffix = step == 1 ? "int" : fmt::format("step={:.6g}", step);
  const double lo = std::ceil(axis.lo() / step - 1e-9) * step + 0.0;  // avoids -0
  const double hi = std::floor(axis.hi() / step + 1e-9) * step + 0.0;
  const Axis fitted = Axis::fitted(lo, hi, axis.cells(), axis.name(), {.scale = Numbers{step}});
  return fmt::format("{}={:.6g}:{:.6g}:{}, which gives {} cells", axis.name().empty() ? "NAME" : axis.name(), lo, hi,
                     suffix, fitted.cells());
}

// What to do where the values of an axis are rounded to a step. Times: a number of cells that each hold whole steps.
std::string remedy(const Axis& axis, double step) {
  if (!holds_times(axis)) return fmt::format("Declare --bounds {}", declared_with(axis, step));
  const double range = axis.hi() - axis.lo(), cell = range / static_cast<double>(axis.cells());
  return fmt::format("Choose {:.0f} cells for this axis", std::ceil(range / (step * std::ceil(cell / step - 1e-9))));
}

// most: negative if no interval is known.
std::string records_within(double stated, double least, double most, const Noun& noun) {
  const double records = std::max(0.0, stated);
  if (most < 0) return fmt::format("{:.0f} {}", records, records == 1 ? noun.one : noun.many);
  return fmt::format("{:.0f} {} (95 %: {:.0f} to {:.0f})", records, records == 1 ? noun.one : noun.many, least, most);
}

}  // namespace

bool is_weak(Epsilon epsilon) { return epsilon.units() >= weak_epsilon * Epsilon::units_per_one; }

std::string in_words(const PrivacyUnit& unit) {
  if (unit.column.empty()) return "one record";
  if (unit.share) return fmt::format("one {} (counted once with all records)", noun_of(unit).one);
  return fmt::format("one {} with at most {} record{}", noun_of(unit).one, unit.max_contributions,
                     unit.max_contributions == 1 ? "" : "s");
}

std::optional<std::string> counted_in_groups(const PrivacyUnit& unit) {
  if (!unit.groups) return std::nullopt;
  const auto& [word, most, groups] = *unit.groups;
  return fmt::format(
      "Each {0} counts in {1} of the {2}s in which it has records, chosen at random. So the number of a {2} says how "
      "many count there: at least that many were there. Its change from one {2} to another is not growth. To count "
      "each "
      "{0} in every {2}, use --max-groups {3}, which costs epsilon {3} times.",
      noun_of(unit).one, most == 1 ? "one" : fmt::format("at most {}", most), word, groups);
}

Noun counted_noun(const PrivacyUnit& unit) { return unit.share ? noun_of(unit) : Noun{"record", "records"}; }

std::string counted_title(const PrivacyUnit& unit) {
  std::string title = counted_noun(unit).many;
  if (title.front() >= 'a' && title.front() <= 'z') title.front() = static_cast<char>(title.front() - 'a' + 'A');
  return title;
}

std::string promise(const PrivacyUnit& unit, Epsilon epsilon) {
  return fmt::format("The probability of any result changes by a factor of at most {} when {}.", factor(epsilon),
                     change_of_one(unit));
}

// Bayes' theorem: odds become at most e^epsilon times as large.
double most_sure(Epsilon epsilon) { return most_sure(epsilon, 50); }

double most_sure(Epsilon epsilon, double percent_before) {
  const double odds_against = (100 - percent_before) / percent_before;
  return 100 / (1 + odds_against * std::exp(-epsilon.value()));
}

std::string for_a_person(const PrivacyUnit& unit, Epsilon epsilon) {
  const char* whether = unit.neighbors == Neighbors::replace ? "has one of two values that seemed equally likely"
                                                             : "is in the data, which seemed as likely as not";
  return fmt::format(
      "Even someone who knows all other records and sees this release cannot become more than {} % sure that {} {}.{}",
      percent_at_most(most_sure(epsilon)), unit.column.empty() ? "a person's record" : with_article(noun_of(unit).one),
      whether,
      unit.column.empty() ? " A person with several records is protected for each record, not for all of them together."
                          : "");
}

std::optional<Estimate> records_inside(const Release& release) {
  const ReleaseParts& parts = release.parts();
  std::optional<Estimate> best;
  const auto offer = [&best](const Estimate& known) {
    if (!best || known.deviation < best->deviation) best = known;
  };
  if (parts.automatic && parts.automatic->records.law()) {
    const Noised<std::int64_t>& records = parts.automatic->records;
    offer({static_cast<double>(records.value()), std::sqrt(draw_law(*records.law()).variance())});
  }
  // The blocks of decimated Haar hold every record once, and a profile distributes all of them over its levels.
  if (parts.profile() && parts.profile()->wavelet.is_haar() && parts.profile()->transform == Transform::decimated) {
    offer(by_profile(parts));
  }
  const NoisyCounts* values = parts.values();
  const NoiseLaw* law = law_of_values(parts);
  if (law == nullptr || !values->value().is_dense() || parts.censored_below() > 0) return best;
  // The sum takes time on a large grid, where its deviation is seldom the smallest.
  if (!best || deviation_of_values(parts, *law) < best->deviation) offer(by_values(parts, *law));
  return best;
}

namespace {

std::string number_in_words(std::size_t number) {
  static constexpr const char* words[] = {"no",    "one",   "two",  "three", "four",   "five",  "six",
                                          "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  return number < std::size(words) ? words[number] : grouped(static_cast<double>(number));
}

std::string capitalized(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// Whether more than half of what lies inside the bounds is in these clusters, by the lower ends of their intervals.
bool hold_most(const Release& release, double least) {
  const std::optional<Estimate> inside = records_inside(release);
  return inside && least > (inside->mean + 2 * inside->deviation) / 2;
}

}  // namespace

std::vector<std::int64_t> stated_sizes(const Release& release) {
  const std::vector<ClusterConfidence>& confidence = release.confidence();
  std::vector<std::int64_t> sizes;
  for (const ReleasedCluster& cluster : release.clusters()) {
    const bool estimated = !confidence.empty() && confidence[cluster.id - 1].has_interval();
    sizes.push_back(estimated ? std::llround(confidence[cluster.id - 1].estimated_records)
                              : std::max<std::int64_t>(0, cluster.noisy_size));
  }
  return sizes;
}

std::string headline(const Release& release) {
  const ReleaseParts& parts = release.parts();
  const bool geographic = geographic_axes(parts.grid).found;
  const char* const one = geographic ? "area" : "cluster";
  const Noun noun = counted_noun(parts.unit);
  const std::vector<std::uint32_t> doubtful = release.doubtful();
  const std::vector<ClusterConfidence>& confidence = release.confidence();
  const std::vector<std::int64_t> sizes = stated_sizes(release);
  std::size_t sure = 0;
  double least = 0, largest = -1;
  std::string interval;
  for (const ReleasedCluster& cluster : release.clusters()) {
    if (std::binary_search(doubtful.begin(), doubtful.end(), cluster.id)) continue;
    ++sure;
    const ClusterConfidence stated = confidence.empty() ? ClusterConfidence{} : confidence[cluster.id - 1];
    const auto size = static_cast<double>(sizes[cluster.id - 1]);
    if (stated.has_interval()) least += stated.least_records;
    if (size <= largest) continue;
    largest = size;
    interval = stated.has_interval()
                   ? fmt::format(" ({} to {})", grouped(stated.least_records), grouped(stated.most_records))
                   : "";
  }
  if (sure == 0) return fmt::format("No {} stands out from chance and noise", one);
  const std::string areas = fmt::format("{} {}{}", number_in_words(sure), one, sure == 1 ? "" : "s");
  const std::string start =
      hold_most(release, least)
          ? fmt::format("Most {} {} are in {}", noun.many, geographic ? "on this map" : "within the bounds", areas)
      : confidence.empty() ? fmt::format("{} found", capitalized(areas))
                           : fmt::format("{} stand{} out", capitalized(areas), sure == 1 ? "s" : "");
  return fmt::format("{}: about {} {}{}{}", start, grouped(largest), largest == 1 ? noun.one : noun.many,
                     sure == 1 ? "" : " in the largest", interval);
}

std::string counted_clusters(const Release& release) {
  const std::size_t doubtful = release.doubtful().size(), sure = release.cluster_cells().count() - doubtful;
  std::string counted = fmt::format("{} cluster{}", sure == 0 ? "no" : fmt::format("{}", sure), sure == 1 ? "" : "s");
  if (doubtful == 0) return counted;
  return fmt::format("{}, {} {}doubtful", counted, doubtful, sure == 0 ? "" : "more ");
}

std::string counted_records(const Release& release, std::size_t cluster) {
  const ClusterConfidence stated = release.confidence().empty() ? ClusterConfidence{} : release.confidence()[cluster];
  const auto noisy = static_cast<double>(release.clusters()[cluster].noisy_size);
  return records_within(stated.has_interval() ? stated.estimated_records : noisy, stated.least_records,
                        stated.most_records, counted_noun(release.parts().unit));
}

std::string counted_records(const Release& release, const TreeBranch& branch) {
  const double stated = branch.has_interval() ? branch.estimated_records : std::round(branch.records);
  return records_within(stated, branch.least_records, branch.most_records, counted_noun(release.parts().unit));
}

double by_noise_alone(const Estimate& records) {
  return reach_of_noise(records.deviation * records.deviation / records.draws, records.draws, 0.02) + 1;
}

std::string counted_records(const Estimate& records, const PrivacyUnit& unit) {
  const double value = std::round(records.mean);
  const double reach = std::ceil(reach_of_noise(records.deviation * records.deviation / records.draws, records.draws));
  return records_within(value, std::max(0.0, value - reach), std::max(0.0, value + reach), counted_noun(unit));
}

std::string counted_records(const Noised<std::int64_t>& records, const PrivacyUnit& unit) {
  const auto value = static_cast<double>(records.value());
  if (!records.law()) return records_within(value, 0, -1, counted_noun(unit));
  const double reach = std::ceil(draw_law(*records.law()).reach());
  return records_within(value, std::max(0.0, value - reach), std::max(0.0, value + reach), counted_noun(unit));
}

std::vector<std::string> rounding_in_words(const ReleaseParts& parts) {
  if (!parts.automatic) return {};
  return rounding_in_words(parts.grid, parts.automatic->rounded.value());
}

std::vector<std::string> rounding_in_words(const Grid& grid, const std::vector<RoundedValues>& rounded) {
  std::vector<std::string> result;
  for (const RoundedValues& one : rounded) {
    const Axis& axis = grid.axis(one.axis);
    const std::string name = axis.name().empty() ? fmt::format("axis {}", one.axis + 1) : axis.name();
    const std::string what = multiples_of(axis, one.step);
    result.push_back(one.share >= all_rounded ? fmt::format("Values of {} are {}.", name, what)
                                              : fmt::format("Many values of {} are {}.", name, what));
  }
  return result;
}

std::optional<std::string> notice_of_rounding(const Axis& axis, const ClusterOptions& options,
                                              std::span<const double> block_sums) {
  const std::optional<Axis> blocks = block_axis(axis, options, block_sums.size());
  const std::optional<SeenRounding> seen = blocks ? rounding_in_marginal(*blocks, block_sums) : std::nullopt;
  if (!seen) return std::nullopt;
  const std::string name = axis.name().empty() ? "an axis" : axis.name();
  if (!seen->step) {
    return fmt::format(
        "Values of {} seem to be rounded, to a step that these counts do not tell, and the cells hold unequal numbers "
        "of them. Clusters may be stripes of this rounding. Use --auto, or declare the step in --bounds if you know "
        "it.",
        name);
  }
  return fmt::format(
      "Values of {} seem to be {}, and the cells hold unequal numbers of them. Clusters may be stripes of this "
      "rounding. {}, or use --auto.",
      name, multiples_of(axis, *seen->step), remedy(axis, *seen->step));
}

std::vector<std::string> notices_of_rounding(const ReleaseParts& parts) {
  if (parts.automatic || parts.options.transform != Transform::decimated) return {};
  const std::optional<NoisyRecords> w = noisy_records_of_w(parts, parts.options);
  if (!w) return {};
  std::vector<std::string> result;
  const std::vector<std::uint64_t> stride = strides(w->shape);
  for (std::size_t axis = 0; axis < w->shape.size(); ++axis) {
    std::vector<double> marginal(w->shape[axis]);
    for (std::size_t i = 0; i < w->values.size(); i += stride[axis]) {
      double& sum = marginal[i / stride[axis] % w->shape[axis]];
      for (std::size_t j = i; j < i + stride[axis]; ++j) sum += w->values[j];
    }
    if (auto notice = notice_of_rounding(parts.grid.axis(axis), parts.options, marginal)) {
      result.push_back(std::move(*notice));
    }
  }
  return result;
}

std::optional<std::string> notice_of_uniform_area(const Release& release) {
  std::uint64_t uniform = 0;
  const std::vector<ClusterConfidence>& confidence = release.confidence();
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    if (confidence[i].plain >= taken_as_plain) uniform += release.cluster_cells().sizes()[i];
  }
  if (2 * uniform <= release.cluster_cells().cells().size()) return std::nullopt;
  if (std::holds_alternative<DensityModes>(release.parts().options.threshold)) {
    return "No structure beyond one uniform area: chance and noise explain all that is denser than the rest.";
  }
  return "The threshold runs through a uniform area: most of what it shows is not denser than its surroundings, and "
         "falls apart by chance. Try --auto or another threshold.";
}

namespace {

// The exponential mechanism weights a cell of W according to its sensitivity. If one record may touch more cells than
// the rank has, the base measure decides, and most of it lies above the data.
std::optional<std::string> notice_of_high_threshold(const Release& release) {
  const ReleaseParts& parts = release.parts();
  if (release.k_source() != KSource::threshold || release.cluster_cells().count() > 0) return std::nullopt;
  std::uint64_t sensitivity = 1;
  for (const Spent& spent : parts.spent()) {
    if (spent.mechanism == "threshold") sensitivity = spent.sensitivity;
  }
  return fmt::format(
      "No cell reaches the threshold that was drawn. One {} may change the rank of {} cells with this wavelet and "
      "level, "
      "so the draw tells little about the data. Use privwave, wavelet haar, or more epsilon.",
      counted_noun(parts.unit).one, sensitivity);
}

}  // namespace

std::optional<std::string> notice_of_long_filter(const Grid& grid, const ClusterOptions& options) {
  if (options.wavelet.is_haar()) return std::nullopt;
  const std::uint64_t span = filter_span(options.wavelet, options.level);
  for (const Axis& axis : grid.axes()) {
    if (!axis.kind().is_pooled() || span <= axis.cells()) continue;
    return fmt::format(
        "Wavelet {} at level {} reads {} cells, and {} has {}: its values describe the whole axis, not a place on it. "
        "Use a shorter wavelet, a lower level, or a finer grid.",
        options.wavelet.name(), options.level, span,
        axis.name().empty() ? "an axis" : fmt::format("axis {}", axis.name()), axis.cells());
  }
  return std::nullopt;
}

std::vector<std::string> notices(const PrivacyUnit& unit, Epsilon epsilon) {
  if (!is_weak(epsilon)) return {};
  return {
      fmt::format("Epsilon {} is a weak guarantee: the probability of any result may change by a factor of up to {} "
                  "when {}.",
                  epsilon.text(), factor(epsilon), change_of_one(unit))};
}

bool counts_almost_nothing(const Release& release) {
  const std::optional<Estimate> inside = records_inside(release);
  return inside && inside->mean <= by_noise_alone(*inside);
}

std::optional<std::string> notice_of_nothing(const Release& release) {
  const std::optional<Estimate> inside = records_inside(release);
  if (!inside) return std::nullopt;
  if (counts_almost_nothing(release)) return few_inside(*inside, release.parts().unit);
  return grid_too_fine(release, *inside);
}

namespace {

// Returns the number of records from which on a release of boxes shows a cluster, by the histograms that it paid for.
std::optional<double> least_records_of_boxes(const ReleaseParts& parts) {
  if (parts.boxes() == nullptr) return std::nullopt;
  std::optional<NoiseLaw> law;
  unsigned steps = 0;
  for (const Spent& spent : parts.spent()) {
    if (spent.mechanism != "histograms") continue;
    law = NoiseLaw{.epsilon = spent.epsilon, .sensitivity = spent.sensitivity};
    ++steps;
  }
  if (!law) return std::nullopt;
  // Half of the steps lead to the box of a cluster, half look into it.
  return least_records_of_cluster(*law, std::max(1U, steps / 2), static_cast<double>(parts.unit.max_contributions),
                                  parts.grid.shape().pooled_axes());
}

std::optional<std::string> notice_of_resolution(const Release& release) {
  constexpr double few_clusters = 12;
  const ReleaseParts& parts = release.parts();
  if (!parts.automatic || !parts.automatic->structure) return std::nullopt;
  const std::size_t shown = release.cluster_cells().count() - release.doubtful().size();
  const std::optional<double> least = least_records_of_boxes(parts);
  const auto records = static_cast<double>(std::max<std::int64_t>(0, parts.automatic->records.value()));
  const bool is_coarse = least && *least * few_clusters > records;
  if (shown > 1 && !is_coarse) return std::nullopt;
  std::string notice =
      fmt::format("These {} do not support more than {} at this epsilon", counted_noun(parts.unit).many,
                  shown > 1 ? fmt::format("{} clusters", shown) : "one cluster");
  if (!is_coarse) return notice + ".";
  const double rounded = std::pow(10, std::floor(std::log10(*least)));
  return notice + fmt::format(": in {} axes, clusters of fewer than about {} are not told apart.",
                              parts.grid.shape().pooled_axes(), grouped(std::round(*least / rounded) * rounded));
}

}  // namespace

std::vector<std::string> notices(const Release& release) {
  const ReleaseParts& parts = release.parts();
  std::vector<std::string> result;
  if (parts.is_private) result = notices(parts.unit, parts.epsilon);
  if (const auto long_filter = notice_of_long_filter(parts.grid, parts.options)) result.push_back(*long_filter);
  if (const std::optional<std::string> groups = counted_in_groups(parts.unit)) result.push_back(*groups);
  if (const auto threshold = notice_of_high_threshold(release)) result.push_back(*threshold);
  if (const std::optional<std::string> nothing = notice_of_nothing(release)) result.push_back(*nothing);
  if (const std::optional<std::string> resolution = notice_of_resolution(release)) result.push_back(*resolution);
  for (std::string& notice : notices_of_rounding(parts)) result.push_back(std::move(notice));
  return result;
}

}  // namespace shoal
