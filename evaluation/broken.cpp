#include "evaluation/broken.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "evaluation/group_audit.hpp"
#include "privacy/refinable_noise.hpp"
#include "shoal/clusters.hpp"
#include "techniques/techniques.hpp"

namespace shoal::evaluation {

namespace {

using Run = std::function<Observation(const TinyData&, Epsilon, Noise&)>;

Grid line() { return Grid({Axis(0, 4, 4, "x")}); }

PrivateOptions options_of(const TinyData& data) {
  PrivateOptions options{.cluster = {.threshold = Percentile(30), .threads = 1}};
  options.max_density = 4.5 * std::exp2(-static_cast<double>(data.grid.dimensions()) / 2);
  return options;
}

Observation privqt_on(const TinyData& data, Epsilon epsilon, Noise& noise) {
  return observe(run_technique("privqt", {data.counts, &data.points}, epsilon, options_of(data), noise));
}

std::vector<std::int64_t> raw_values(const TinyData& data) {
  const auto raw = data.counts.raw().values();
  return {raw.begin(), raw.end()};
}

Observation raw_observation(const TinyData& data) {
  Observation seen;
  seen.values = raw_values(data);
  return seen;
}

std::int64_t nonpositive(const TinyData& data, const ClusterOptions& options) {
  const Transformed w = transform(data.counts.raw(), options);
  return w.visit([](const auto& cells) {
    return static_cast<std::int64_t>(
        std::count_if(cells.values().begin(), cells.values().end(), [](auto v) { return v <= 0; }));
  });
}

// Max of privthr-em is the data's own largest value of W, as in the paper.
Observation own_max(const TinyData& data, Epsilon epsilon, Noise& noise) {
  PrivateOptions options = options_of(data);
  const Transformed w = transform(data.counts.raw(), options.cluster);
  const auto sums = w.sums()->values();
  options.max_density =
      (static_cast<double>(std::max<std::int64_t>(1, *std::max_element(sums.begin(), sums.end()))) + 0.5) * w.unit();
  return observe(run_technique("privthr-em", {data.counts, &data.points}, epsilon, options, noise));
}

// The grid spans the data instead of public bounds.
Observation own_bounds(const TinyData& data, Epsilon epsilon, Noise& noise) {
  if (data.points.rows() == 0) return privqt_on(data, epsilon, noise);
  const auto [low, high] = std::minmax_element(data.points.columns[0].begin(), data.points.columns[0].end());
  const Grid spanned({Axis(*low, *low < *high ? *high : *low + 1, data.grid.axis(0).cells(), "x")});
  return privqt_on(TinyData(spanned, data.points), epsilon, noise);
}

// Empty cells stay zero.
Observation noise_where_records_are(const TinyData& data, Epsilon epsilon, Noise& noise) {
  std::vector<std::int64_t> values;
  for (const std::int64_t value : raw_values(data)) {
    if (value != 0) values.push_back(value);
  }
  noise.add_laplace(values, Rate::of(epsilon, 1), 1);
  Observation seen = raw_observation(data);
  auto next = values.begin();
  for (std::int64_t& value : seen.values) {
    if (value != 0) value = *next++;
  }
  return seen;
}

// Counts and |Z| of privthr both get all of epsilon.
Observation budget_not_split(const TinyData& data, Epsilon epsilon, Noise& noise) {
  PrivateOptions options = options_of(data);
  options.alpha = 0.5;
  return observe(run_technique("privthr", {data.counts, &data.points}, epsilon + epsilon, options, noise));
}

// |Z| of privthr is released as it is.
Observation raw_nonpositive(const TinyData& data, Epsilon epsilon, Noise& noise) {
  Observation seen = privqt_on(data, epsilon, noise);
  seen.answer = nonpositive(data, options_of(data).cluster);
  return seen;
}

Observation raw_total(const TinyData& data, Epsilon epsilon, Noise& noise) {
  Observation seen = privqt_on(data, epsilon, noise);
  seen.shown.push_back(static_cast<std::int64_t>(data.points.rows()));
  return seen;
}

// The owner's rows come back with the labels of private clusters: how many rows there are, and where.
Observation labels_of_rows(const TinyData& data, Epsilon epsilon, Noise& noise) {
  Observation seen = privqt_on(data, epsilon, noise);
  const ClusterMap map = seen.release->map();
  for (std::size_t row = 0; row < data.points.rows(); ++row) {
    std::vector<double> point;
    for (const auto& column : data.points.columns) point.push_back(column[row]);
    seen.shown.push_back(map.label(point));
  }
  return seen;
}

// Every run starts the generator from the same seed, and so adds the same noise.
Run same_seed(Epsilon epsilon) {
  std::vector<std::int64_t> drawn(line().cell_count());
  seeded_noise_not_private(42)->add_laplace(drawn, Rate::of(epsilon, 1), 1);
  return [drawn](const TinyData& data, Epsilon, Noise&) {
    Observation seen = raw_observation(data);
    for (std::size_t i = 0; i < drawn.size(); ++i) seen.values[i] += drawn[i];
    return seen;
  };
}

// All cells get the same draw: differences between cells are exact.
Observation one_draw(const TinyData& data, Epsilon epsilon, Noise& noise) {
  std::vector<std::int64_t> draw(1);
  noise.add_laplace(draw, Rate::of(epsilon, 1), 1);
  Observation seen = raw_observation(data);
  for (std::int64_t& value : seen.values) value += draw[0];
  return seen;
}

// Noise beyond 3 is cut off, to look tidier.
Observation cut_noise(const TinyData& data, Epsilon epsilon, Noise& noise) {
  std::vector<std::int64_t> draws(data.grid.cell_count());
  noise.add_laplace(draws, Rate::of(epsilon, 1), 1);
  Observation seen = raw_observation(data);
  for (std::size_t i = 0; i < draws.size(); ++i) seen.values[i] += std::clamp<std::int64_t>(draws[i], -3, 3);
  return seen;
}

// |Z| under a filter of four taps with Haar's sensitivity, 1.
Observation long_filter(const TinyData& data, Epsilon epsilon, Noise& noise) {
  ClusterOptions options = options_of(data).cluster;
  options.wavelet = Wavelet::named("rbio3.1");
  const auto [for_counts, for_nonpositive] = epsilon.split(0.2);
  Mechanisms mechanisms(noise, {}, epsilon);
  const NoisyCounts counts = mechanisms.counts(data.counts, for_counts, 1);
  Observation seen;
  seen.values.assign(counts.value().values().begin(), counts.value().values().end());
  seen.answer = mechanisms.number(nonpositive(data, options), 1, for_nonpositive, "nonpositive").value();
  return seen;
}

Observation too_little_noise(const TinyData& data, Epsilon epsilon, Noise& noise) {
  return privqt_on(data, Epsilon::from_units(epsilon.units() / 4 * 5), noise);
}

// Claims another unit than it noises for: the claim is in the case.
Observation noise_for_a_record(const TinyData& data, Epsilon epsilon, Noise& noise) {
  return privqt_on(data, epsilon, noise);
}

// Continuous noise in floating point (Mironov 2012): which doubles can come out depends on the count. Shown are the
// value in steps of a sixteenth, and whether it is a multiple of 2^-53.
Observation floating_point(const TinyData& data, Epsilon epsilon, Noise& noise) {
  Observation seen;
  for (const std::int64_t count : raw_values(data)) {
    const double u = (static_cast<double>(noise.below(std::uint64_t{1} << 53)) + 0.5) * 0x1p-53 - 0.5;
    const double laplace = (u < 0 ? 1 : -1) * std::log1p(-2 * std::min(std::fabs(u), 0.5 - 0x1p-54)) / epsilon.value();
    const double noisy = static_cast<double>(count) + laplace;
    const double scaled = noisy * 0x1p53;
    const bool multiple = std::floor(scaled) == scaled;
    seen.values.push_back(static_cast<std::int64_t>(std::floor(noisy * 8)) * 2 + (multiple ? 1 : 0));
  }
  return seen;
}

// The noise of empty cells on huge grids falls off twice as fast as that of the others.
class WrongTail final : public Noise {
 public:
  explicit WrongTail(Noise& inner) : inner_(inner) {}
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) override {
    inner_.add_laplace(values, rate, threads);
  }
  std::uint64_t below(std::uint64_t bound) override { return inner_.below(bound); }
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override {
    return inner_.choose(intervals, rate);
  }
  LargeNoise reaching(std::uint64_t cells, Rate rate, std::int64_t floor) override {
    return inner_.reaching(cells, {2 * rate.numerator, rate.denominator}, floor);
  }
  std::unique_ptr<ProfileQueries> profile_queries(Rate tenth) override { return inner_.profile_queries(tenth); }

 private:
  Noise& inner_;
};

// By sampling alone: with sparse counts neighbours ask for noise on other cells, which replay cannot follow.
AuditCase wrong_tail(Epsilon epsilon) {
  AuditCase result = audit_case("privwave/floor", epsilon, Neighbors::add_remove);
  result.subject.name = "a sparse draw with a wrong tail";
  result.subject.run = [run = result.subject.run](const TinyData& data, Noise& noise) {
    WrongTail wrong(noise);
    return run(data, wrong);
  };
  result.replays.clear();
  result.broken = true;
  return result;
}

}  // namespace

std::vector<AuditCase> broken_cases_not_private(Epsilon epsilon) {
  const PrivacyUnit record;
  const PrivacyUnit replaced{Neighbors::replace, {}, 1};
  const PrivacyUnit person{Neighbors::add_remove, "person", 2};
  const std::vector<std::tuple<const char*, PrivacyUnit, Run>> all = {
      {"the data's own Max", record, &own_max},
      {"the data's own bounds", record, &own_bounds},
      {"noise on non-empty cells only", record, &noise_where_records_are},
      {"budget not split", record, &budget_not_split},
      {"replace with sensitivity 1", replaced, &noise_for_a_record},
      {"two records noised as one", person, &noise_for_a_record},
      {"long filter noised as Haar", record, &long_filter},
      {"noise a fifth too small", record, &too_little_noise},
      {"noise cut at 3", record, &cut_noise},
      {"one draw for all cells", record, &one_draw},
      {"the same seed every time", record, same_seed(epsilon)},
      {"floating-point noise", record, &floating_point},
      {"|Z| as it is", record, &raw_nonpositive},
      {"number of rows as it is", record, &raw_total},
      {"labels of the owner's rows", record, &labels_of_rows},
  };
  std::vector<AuditCase> cases;
  for (const auto& [name, unit, run] : all) {
    const Subject subject{name, epsilon, unit, [call = run, epsilon](const TinyData& data, Noise& noise) {
                            return call(data, epsilon, noise);
                          }};
    const std::vector<TinyData> starts = {TinyData::in_cells(line(), {0, 1, 0, 0})};
    cases.push_back(
        {.subject = subject, .starts = starts, .share = 0.5, .replays = {{subject, starts, 20}}, .broken = true});
  }
  cases.push_back(broken_groups_not_private(epsilon));
  cases.push_back(wrong_tail(epsilon));
  return cases;
}

}  // namespace shoal::evaluation
