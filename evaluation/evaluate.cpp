#include "evaluation/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "clusters/metrics.hpp"
#include "evaluation/literal.hpp"
#include "grid/contributions.hpp"
#include "points/random.hpp"
#include "privacy/noise.hpp"
#include "shoal/error.hpp"
#include "shoal/private_release.hpp"
#include "shoal/text.hpp"
#include "shoal/wavecluster.hpp"
#include "techniques/automatic.hpp"
#include "techniques/boxes.hpp"
#include "techniques/plans.hpp"

namespace shoal::evaluation {

namespace {

// The paper's letter by name.
struct Literal {
  const char* name;
  double alpha;
  Segmentation (*run)(const RawData&, double epsilon, double alpha, const ClusterOptions&, std::uint64_t seed);
};
const std::vector<Literal>& literals() {
  static const std::vector<Literal> all{
      {"baseline-literal-not-private", 0,
       [](const RawData& data, double epsilon, double, const ClusterOptions& options, std::uint64_t seed) {
         return baseline_literal_not_private(*data.points, data.counts.grid(), epsilon, options, seed);
       }},
      {"privqt-literal-not-private", 1,
       [](const RawData& data, double epsilon, double, const ClusterOptions& options, std::uint64_t seed) {
         return privqt_literal_not_private(data.counts, epsilon, options, seed);
       }},
      {"privthr-literal-not-private", 0.9,
       [](const RawData& data, double epsilon, double alpha, const ClusterOptions& options, std::uint64_t seed) {
         return privthr_literal_not_private(data.counts, epsilon, alpha, options, seed);
       }},
      {"privthr-em-literal-not-private", 0.7,
       [](const RawData& data, double epsilon, double alpha, const ClusterOptions& options, std::uint64_t seed) {
         return privthr_em_literal_not_private(data.counts, epsilon, alpha, options, seed);
       }},
  };
  return all;
}

enum class Part : std::uint64_t { whole = 1, training = 2, split = 3, kept = 4, kept_training = 5 };

// A seed for each thing that is drawn, by what it is drawn for.
std::uint64_t seed_of(std::uint64_t seed, const std::string& technique, Epsilon epsilon, std::uint64_t run, Part part) {
  for (const char c : technique) seed = Random(seed, static_cast<unsigned char>(c)).next();
  seed = Random(seed, epsilon.units()).next();
  seed = Random(seed, run).next();
  return Random(seed, static_cast<std::uint64_t>(part)).next();
}

// Drawn once a run, for all techniques and budgets.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t run, Part part) {
  return seed_of(seed, {}, Epsilon::zero(), run, part);
}

bool has_units(const EvaluationOptions& options) { return !options.technique.unit.column.empty(); }

StudiedResult run_studied(const std::string& name, const RawData& data, Epsilon epsilon,
                          const EvaluationOptions& options, std::uint64_t seed) {
  for (const Literal& literal : literals()) {
    if (literal.name != name) continue;
    refuse_shares(name, options.technique.unit);
    Segmentation result = literal.run(data, epsilon.value(), options.technique.alpha.value_or(literal.alpha),
                                      options.technique.cluster, seed);
    return {std::move(result.clusters), result.k, std::nullopt};
  }
  const std::unique_ptr<Noise> noise = seeded_noise_not_private(seed);
  Release release = options.automatic ? automatic_release(data.counts, epsilon, options.technique, *noise)
                                      : run_technique(name, data, epsilon, options.technique, *noise);
  return {release.cluster_cells(), release.k(), std::move(release)};
}

// What a release sees of some rows: all of them, or those that are kept of each unit.
struct Seen {
  Counts counts;
  std::optional<PointTable> kept;  // none: all
  [[nodiscard]] RawData data(const PointTable* all) const { return {counts, kept ? &*kept : all}; }
};

// What each unit adds to the counts where their records share one weight.
Counts shares_of(const PointTable& rows, const Grid& grid, const EvaluationOptions& options, std::uint64_t seed) {
  const std::unique_ptr<Noise> noise = seeded_noise_not_private(seed);
  return bounded_counts(rows, grid, {.threads = options.threads}, {.parts = options.technique.unit.parts_per_weight()},
                        ContributionKey::draw(*noise));
}

Seen kept_of(const PointTable& rows, const Grid& grid, const EvaluationOptions& options, std::uint64_t seed) {
  const std::unique_ptr<Noise> noise = seeded_noise_not_private(seed);
  const PrivacyUnit& unit = options.technique.unit;
  PointTable table =
      bounded_points(rows, grid, {unit.max_contributions, unit.parts_per_weight()}, ContributionKey::draw(*noise));
  Counts counts = quantize(table, grid, {.threads = options.threads});
  return {std::move(counts), std::move(table)};
}

Seen seen_in(const EvaluationData& data, const EvaluationOptions& options, std::uint64_t run) {
  if (!has_units(options)) return {data.counts, std::nullopt};
  return kept_of(*data.points, data.counts.grid(), options, seed_of(options.seed, run, Part::kept));
}

// What the truth is made of: all records, or the weights that they share.
Counts truth_counts(const EvaluationData& data, const EvaluationOptions& options) {
  if (!options.technique.unit.share) return data.counts;
  return shares_of(*data.points, data.counts.grid(), options, seed_of(options.seed, 0, Part::kept));
}

// The same rule for counts in parts. Under a percentile, a cell of W counts to |L| by its weight, up to one, as
// in the techniques.
Threshold of_weights(const Counts& counts, const PrivateOptions& options) {
  const ClusterOptions& cluster = options.cluster;
  const auto parts = static_cast<double>(options.unit.parts_per_weight());
  if (const auto* density = std::get_if<Density>(&cluster.threshold)) return Density(density->least() * parts);
  const auto* percentile = std::get_if<Percentile>(&cluster.threshold);
  if (percentile == nullptr) return cluster.threshold;
  const double halvings = static_cast<double>(counts.grid().shape().pooled_axes()) * cluster.level;
  const double weight = parts * (cluster.wavelet.is_haar() ? 1 : std::exp2(-halvings / 2));
  double positive = 0;
  transform(counts, cluster).visit([&](const auto& cells) {
    for (const auto value : cells.values()) positive += std::clamp(static_cast<double>(value) / weight, 0.0, 1.0);
  });
  const auto whole = static_cast<std::uint64_t>(std::llround(positive));
  return Top(std::max<std::uint64_t>(1, significant_count(*percentile, whole)));
}

// Plain WaveCluster: with the technique's options, or with those that the result chose by itself.
Truth truth_for(const Counts& counts, const EvaluationOptions& options, const StudiedResult& result) {
  ClusterOptions chosen = options.technique.cluster;
  if (!options.automatic) {
    if (options.technique.unit.share) chosen.threshold = of_weights(counts, options.technique);
    return {counts, chosen, wavecluster(counts, chosen)};
  }
  const unsigned threads = chosen.threads;
  chosen = result.release->parts().options;
  chosen.threads = threads;
  Counts coarse = coarsened(counts, result.release->parts().grid);
  Segmentation segmentation = wavecluster(coarse, chosen);
  return {std::move(coarse), chosen, std::move(segmentation)};
}

void check_automatic(const EvaluationData& data, const EvaluationOptions& options) {
  if (!options.automatic) return;
  if (options.techniques != std::vector<std::string>{"privwave"}) {
    throw InputError("--auto uses privwave; remove the other techniques");
  }
  if (makes_boxes(data.counts.grid())) {
    throw InputError("--auto is evaluated in up to four axes, because its boxes have no threshold; give a grid");
  }
  if (data.counts.grid().shape() != finest_grid(data.counts.grid()).shape()) {
    throw Error(ErrorKind::internal, "an automatic release is evaluated on counts of the finest grid");
  }
}

void check(const EvaluationData& data, const EvaluationOptions& options) {
  const std::vector<std::string> known = studied_technique_names();
  for (const std::string& name : options.techniques) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError(fmt::format("there is no technique '{}'{}; choose from {}", name, did_you_mean(name, known),
                                   fmt::join(known, ", ")));
    }
  }
  if (options.techniques.empty() || options.epsilons.empty() || options.runs == 0) {
    throw InputError("an evaluation needs at least one technique, one epsilon and one run");
  }
  check_automatic(data, options);
  const bool baseline = std::any_of(options.techniques.begin(), options.techniques.end(),
                                    [](const std::string& name) { return name.starts_with("baseline"); });
  if (data.points == nullptr && (options.classify || baseline || has_units(options))) {
    throw InputError(
        "OCM, 2CE, baseline and units need the points, not only their counts; leave them out or give a point file");
  }
  if (has_units(options) && data.points->units.size() != data.points->rows()) {
    throw Error(ErrorKind::internal, "an evaluation with units needs the unit of every row");
  }
  if (!data.labels.empty() && (data.points == nullptr || data.labels.size() != data.points->rows())) {
    throw Error(ErrorKind::internal, "labels of the data need one label for every row");
  }
  if (options.classify && data.counts.points() - data.counts.outside() < 20) {
    throw InputError("OCM and 2CE need at least 20 points inside the bounds; switch them off or widen the bounds");
  }
}

// How many points each cell of the transformed box covers; only those that cover some.
struct CoveredCells {
  std::vector<std::uint64_t> cells, points;
};

CoveredCells covered_cells(const Counts& counts, const ClusterOptions& options) {
  const Shape shape = transformed_shape(counts.grid().shape(), options.level, options.transform);
  const unsigned shift = options.transform == Transform::decimated ? std::min(options.level, 31U) : 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> covered;
  for (std::size_t i = 0; i < counts.raw().stored(); ++i) {
    const std::int64_t count = counts.raw().values()[i];
    if (count <= 0) continue;
    const std::vector<std::uint64_t> place = coordinates(counts.raw().index_of(i), counts.grid().shape());
    std::uint64_t cell = 0;
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      cell = cell * shape[axis] + (place[axis] >> (shape.side(axis).pooled ? shift : 0));
    }
    covered.emplace_back(cell, static_cast<std::uint64_t>(count));
  }
  std::sort(covered.begin(), covered.end());
  CoveredCells result;
  for (const auto& [cell, points] : covered) {
    if (!result.cells.empty() && result.cells.back() == cell) {
      result.points.back() += points;
    } else {
      result.cells.push_back(cell);
      result.points.push_back(points);
    }
  }
  return result;
}

std::vector<std::uint32_t> labels_of(const Clusters& clusters, const std::vector<std::uint64_t>& cells) {
  std::vector<std::uint32_t> labels(cells.size(), 0);
  std::size_t at = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    while (at < clusters.cells().size() && clusters.cells()[at] < cells[i]) ++at;
    if (at < clusters.cells().size() && clusters.cells()[at] == cells[i]) labels[i] = clusters.labels()[at];
  }
  return labels;
}

ClusterMap map_of(const Truth& truth) {
  return {truth.counts.grid(), truth.options.level, truth.options.transform, truth.segmentation.clusters};
}

// The points, those of one cell of the grid and one label of the data put together: every clustering of this grid, or
// of a coarser one, labels them alike.
struct PointGroups {
  std::vector<std::vector<double>> columns;  // one array per axis: one point of each group
  std::vector<std::uint64_t> points;         // of each group
  std::vector<std::uint32_t> labels;         // of the data; 0 where they have none
  bool has_labels = false;

  PointGroups(const PointTable& table, std::span<const std::uint32_t> own_labels, const Grid& grid)
      : columns(table.columns.size()), has_labels(!own_labels.empty()) {
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> places;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      std::uint64_t cell = 0;
      for (std::size_t axis = 0; axis < columns.size(); ++axis) {
        const auto place = static_cast<std::uint64_t>(grid.axis(axis).cell(table.columns[axis][row]));
        cell = cell * grid.axis(axis).cells() + place;
      }
      const std::uint32_t label = has_labels ? own_labels[row] : 0;
      const auto [found, is_new] = places.try_emplace({cell, label}, points.size());
      if (is_new) {
        for (std::size_t axis = 0; axis < columns.size(); ++axis) columns[axis].push_back(table.columns[axis][row]);
        points.push_back(0);
        labels.push_back(label);
      }
      ++points[found->second];
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> labelled_by(const ClusterMap& map) const {
    std::vector<std::uint32_t> result(points.size());
    map.label({columns.begin(), columns.end()}, result);
    return result;
  }
  // Unclustered points are one group, as scikit-learn has it.
  [[nodiscard]] double agreement(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) const {
    return adjusted_rand(cross_tabulate(a, b, Label0::group, points));
  }
};

// A truth with what every row asks of it. groups: null where the agreement of points is not measured.
struct Reference {
  Reference(Truth given, const PointGroups* groups) : truth(std::move(given)) {
    if (truth.segmentation.clusters.count() == 0) {
      throw InputError(
          "the data have no cluster at these settings, so no comparison is possible; check the "
          "bounds, the grid and the percentile");
    }
    covered = covered_cells(truth.counts, truth.options);
    labels = labels_of(truth.segmentation.clusters, covered.cells);
    if (groups == nullptr) return;
    const bool modes = std::holds_alternative<DensityModes>(truth.options.threshold);
    point_labels = groups->labelled_by(map_of(truth).assigned(modes ? Assign::halo : Assign::none));
  }
  Truth truth;
  CoveredCells covered;
  std::vector<std::uint32_t> labels;
  std::vector<std::uint32_t> point_labels;  // of PointGroups, as `cluster --labels` has them
};

// One run's part for training and for the test: the same for all techniques.
struct Fold {
  PointTable train, test;
  Counts counts;                         // of all training rows
  Seen seen;                             // of these, what a release sees
  std::vector<std::uint32_t> predicted;  // by the true classifier; empty under automatic
};

class Experiment {
 public:
  Experiment(const EvaluationData& data, const EvaluationOptions& options)
      : data_(data), options_(options), grid_(data.counts.grid()) {
    options_.technique.cluster.threads = 1;  // the threads are used for the runs
    if (options.agreement && data.points != nullptr) groups_.emplace(*data.points, data.labels, grid_);
    if (!options_.automatic) truth_.emplace(truth_for(data.counts, options, {}), groups_ ? &*groups_ : nullptr);
    result_.rows.resize(options.techniques.size() * options.epsilons.size() * options.runs);
  }

  Evaluation run() {
    const std::uint64_t points = options_.techniques.size() * options_.epsilons.size();
    for (std::uint64_t run = 1; run <= options_.runs; ++run) {
      const Seen seen = seen_in(data_, options_, run);
      std::optional<Fold> fold;
      if (options_.classify) fold = fold_of(run);
      parallel_for(points, options_.threads, [&](std::uint64_t point) {
        if (options_.stop != nullptr && *options_.stop) throw Error(ErrorKind::usage, "the evaluation was stopped");
        const std::string& technique = options_.techniques[point / options_.epsilons.size()];
        const Epsilon epsilon = options_.epsilons[point % options_.epsilons.size()];
        result_.rows[point * options_.runs + run - 1] = row_of(technique, epsilon, run, seen, fold ? &*fold : nullptr);
        report(points * options_.runs);
      });
    }
    if (truth_ && groups_ && groups_->has_labels) {
      result_.truth_adjusted_rand = groups_->agreement(groups_->labels, truth_->point_labels);
    }
    if (truth_) result_.truth = std::move(truth_->truth.segmentation);
    return std::move(result_);
  }

 private:
  Row row_of(const std::string& technique, Epsilon epsilon, std::uint64_t run, const Seen& seen,
             const Fold* fold) const {
    const std::uint64_t seed = seed_of(options_.seed, technique, epsilon, run, Part::whole);
    const auto start = std::chrono::steady_clock::now();
    const StudiedResult found = run_studied(technique, seen.data(data_.points), epsilon, options_, seed);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const std::optional<Reference> own =
        options_.automatic ? std::optional<Reference>(std::in_place, truth_for(data_.counts, options_, found),
                                                      groups_ ? &*groups_ : nullptr)
                           : std::nullopt;
    const Reference& reference = own ? *own : *truth_;
    const Segmentation& truth = reference.truth.segmentation;
    Row row;
    row.dataset = options_.dataset;
    row.technique = name_in_rows(options_, technique);
    row.epsilon = epsilon;
    row.run = run;
    row.k_true = truth.k;
    row.k = found.k;
    row.clusters_true = truth.clusters.count();
    row.clusters = found.clusters.count();
    row.seconds = std::round(taken.count() * 1e6) / 1e6;
    row.dsgc = dsg_c(shared_cells(truth.clusters, found.clusters));
    row.f_measure = f_measure(cross_tabulate(reference.labels, labels_of(found.clusters, reference.covered.cells),
                                             Label0::no_group, reference.covered.points));
    if (groups_) compare_points(row, found, reference);
    if (fold != nullptr) classify(row, technique, *fold);
    return row;
  }

  // Labels as `predict` gives them: doubtful clusters label no point.
  void compare_points(Row& row, const StudiedResult& found, const Reference& reference) const {
    const ClusterMap map = found.release ? found.release->labelling().assigned(found.release->usual_assign())
                                         : map_of(grid_, options_.technique.cluster, found.clusters);
    const std::vector<std::uint32_t> labels = groups_->labelled_by(map);
    row.adjusted_rand = groups_->agreement(reference.point_labels, labels);
    if (groups_->has_labels) row.adjusted_rand_truth = groups_->agreement(groups_->labels, labels);
  }

  // OCM and 2CE: a release of the training rows against their truth.
  void classify(Row& row, const std::string& technique, const Fold& fold) const {
    const std::uint64_t seed = seed_of(options_.seed, technique, row.epsilon, row.run, Part::training);
    const StudiedResult trained = run_studied(technique, fold.seen.data(&fold.train), row.epsilon, options_, seed);
    const std::vector<std::uint32_t> predicted =
        options_.automatic ? predicted_by(truth_for(fold.counts, options_, trained), fold.test) : fold.predicted;
    const Contingency classes = cross_tabulate(
        predicted,
        options_.automatic ? predicted_by(trained.release->map(), fold.test)
                           : predicted_by(map_of(grid_, options_.technique.cluster, trained.clusters), fold.test),
        Label0::group);
    row.ocm = ocm(classes);
    row.two_ce = two_ce(classes);
  }

  Fold fold_of(std::uint64_t run) const {
    Split split = split_points(*data_.points, options_.train_share, seed_of(options_.seed, run, Part::split));
    const bool share = options_.technique.unit.share;
    Counts counts = share ? shares_of(split.train, grid_, options_, seed_of(options_.seed, run, Part::kept_training))
                          : quantize(split.train, grid_, {.threads = options_.threads});
    Seen seen = has_units(options_)
                    ? kept_of(split.train, grid_, options_, seed_of(options_.seed, run, Part::kept_training))
                    : Seen{counts, std::nullopt};
    std::vector<std::uint32_t> predicted;
    if (!options_.automatic) predicted = predicted_by(truth_for(counts, options_, {}), split.test);
    return {std::move(split.train), std::move(split.test), std::move(counts), std::move(seen), std::move(predicted)};
  }

  static ClusterMap map_of(const Grid& grid, const ClusterOptions& options, Clusters clusters) {
    return {grid, options.level, options.transform, std::move(clusters)};
  }

  [[nodiscard]] std::vector<std::uint32_t> predicted_by(const ClusterMap& map, const PointTable& test) const {
    return predict(train_on_cells(map, options_.unclustered_class, options_.tree), test);
  }
  [[nodiscard]] std::vector<std::uint32_t> predicted_by(const Truth& truth, const PointTable& test) const {
    return predicted_by(evaluation::map_of(truth), test);
  }

  void report(std::uint64_t total) {
    if (!options_.progress) return;
    const std::lock_guard lock(guard_);
    options_.progress(++done_, total);
  }

  EvaluationData data_;
  EvaluationOptions options_;
  Grid grid_;
  std::optional<PointGroups> groups_;  // none where the agreement of points is not measured
  std::optional<Reference> truth_;     // none under automatic
  Evaluation result_;
  std::mutex guard_;
  std::uint64_t done_ = 0;
};

nlohmann::ordered_json interval_json(const Interval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
}

nlohmann::ordered_json summary_json(const Summary& summary) {
  nlohmann::ordered_json json{{"technique", summary.technique},
                              {"epsilon", summary.epsilon.value()},
                              {"runs", summary.runs},
                              {"k_true", summary.k_true},
                              {"k", interval_json(summary.k)},
                              {"k_error", summary.k_error},
                              {"clusters_true", summary.clusters_true},
                              {"clusters", interval_json(summary.clusters)}};
  for (std::size_t i = 0; i < measures().size(); ++i) {
    json[measures()[i].column] =
        summary.measured[i] ? interval_json(*summary.measured[i]) : nlohmann::ordered_json(nullptr);
  }
  json["seconds"] = summary.seconds;
  json["typical_run"] = summary.typical_run;
  return json;
}

// Values that are infinite (nothing is promised) become null.
nlohmann::ordered_json theory_json(const TheoryCheck& check) {
  const TheoryBounds& bounds = check.bounds;
  nlohmann::ordered_json json{{"technique", check.technique},
                              {"epsilon", check.epsilon.value()},
                              {"k", bounds.k},
                              {"theta", bounds.theta},
                              {"eta1", bounds.eta1},
                              {"eta2", bounds.eta2},
                              {"gamma", bounds.gamma}};
  if (bounds.beta) json["beta"] = *bounds.beta;
  json["k_min"] = bounds.k_min;
  json["k_max"] = bounds.k_max;
  json["k_measured"] = interval_json(check.k);
  json["runs_within"] = check.within;
  json["kept_above"] = bounds.kept_above;
  json["surely_kept"] = bounds.surely_kept;
  json["dropped_below"] = bounds.dropped_below;
  json["surely_dropped"] = bounds.surely_dropped;
  json["probability"] = bounds.probability;
  return json;
}

nlohmann::ordered_json row_json(const Row& row) {
  nlohmann::ordered_json json{{"technique", row.technique},
                              {"epsilon", row.epsilon.value()},
                              {"run", row.run},
                              {"k_true", row.k_true},
                              {"k", row.k},
                              {"clusters_true", row.clusters_true},
                              {"clusters", row.clusters}};
  for (const Measure& measure : measures()) {
    const std::optional<double> value = measure.read(row);
    json[measure.column] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  }
  json["seconds"] = row.seconds;
  return json;
}

}  // namespace

std::vector<std::string> studied_technique_names() {
  std::vector<std::string> names = technique_names();
  for (const Literal& literal : literals()) names.emplace_back(literal.name);
  return names;
}

std::string name_in_rows(const EvaluationOptions& options, const std::string& technique) {
  return options.automatic ? technique + " --auto" : technique;
}

Evaluation evaluate(const EvaluationData& data, const EvaluationOptions& options) {
  check(data, options);
  const Counts truth = truth_counts(data, options);
  return Experiment({truth, data.points, data.labels}, options).run();
}

StudiedResult repeat_run(const EvaluationData& data, const EvaluationOptions& options, const std::string& technique,
                         Epsilon epsilon, std::uint64_t run) {
  return run_studied(technique, seen_in(data, options, run).data(data.points), epsilon, options,
                     seed_of(options.seed, technique, epsilon, run, Part::whole));
}

Truth truth_of(const EvaluationData& data, const EvaluationOptions& options, const StudiedResult& result) {
  return truth_for(truth_counts(data, options), options, result);
}

std::string evaluation_json(const Evaluation& evaluation, const EvaluationOptions& options,
                            const std::vector<TheoryCheck>& theory) {
  const PrivacyUnit& unit = options.technique.unit;
  nlohmann::ordered_json json{
      {"dataset", options.dataset},
      {"private", false},
      {"seed", options.seed},
      {"runs", options.runs},
      {"confidence", 0.95},
      {"unit", unit.column.empty() ? "record" : unit.column},
      {unit.share ? "contribution" : "max_contributions",
       unit.share ? nlohmann::ordered_json("share") : nlohmann::ordered_json(unit.max_contributions)},
      {"neighbors", unit.neighbors == Neighbors::replace ? "replace" : "add-remove"},
      {"automatic", options.automatic}};
  if (evaluation.truth) {
    json["k_true"] = evaluation.truth->k;
    json["clusters_true"] = evaluation.truth->clusters.count();
    json["positive_cells"] = evaluation.truth->positive;
    json["nonpositive_cells"] = evaluation.truth->nonpositive;
  }
  if (evaluation.truth_adjusted_rand) json["adjusted_rand_truth"] = *evaluation.truth_adjusted_rand;
  json["summary"] = nlohmann::ordered_json::array();
  json["rows"] = nlohmann::ordered_json::array();
  for (const Summary& summary : summarize(evaluation.rows)) json["summary"].push_back(summary_json(summary));
  for (const Row& row : evaluation.rows) json["rows"].push_back(row_json(row));
  for (const TheoryCheck& check : theory) json["theory"].push_back(theory_json(check));
  return json.dump(2) + "\n";
}

Grid evaluated_grid(const Grid& grid, const EvaluationOptions& options) {
  return options.automatic ? finest_grid(grid) : grid;
}

}  // namespace shoal::evaluation
