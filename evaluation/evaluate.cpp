#include "evaluation/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "evaluation/literal.hpp"
#include "evaluation/metrics.hpp"
#include "points/random.hpp"
#include "privacy/noise.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"

namespace shoal::evaluation {

namespace {

// The paper's letter by name.
struct Literal {
  const char* name;
  double alpha;
  Segmentation (*run)(const Counts&, double, double, const ClusterOptions&, std::uint64_t);
};
const std::vector<Literal>& literals() {
  static const std::vector<Literal> all{
      {"privqt-literal-not-private", 1,
       [](const Counts& counts, double epsilon, double, const ClusterOptions& options, std::uint64_t seed) {
         return privqt_literal_not_private(counts, epsilon, options, seed);
       }},
      {"privthr-literal-not-private", 0.9, &privthr_literal_not_private},
      {"privthr-em-literal-not-private", 0.7, &privthr_em_literal_not_private},
  };
  return all;
}

enum class Part : std::uint64_t { whole = 1, training = 2, split = 3 };

// A seed for each thing that is drawn, by what it is drawn for.
std::uint64_t seed_of(std::uint64_t seed, const std::string& technique, Epsilon epsilon, std::uint64_t run, Part part) {
  for (const char c : technique) seed = Random(seed, static_cast<unsigned char>(c)).next();
  seed = Random(seed, epsilon.units()).next();
  seed = Random(seed, run).next();
  return Random(seed, static_cast<std::uint64_t>(part)).next();
}

StudiedResult run_studied(const std::string& name, const RawData& data, Epsilon epsilon, const PrivateOptions& options,
                          std::uint64_t seed) {
  for (const Literal& literal : literals()) {
    if (literal.name != name) continue;
    Segmentation result =
        literal.run(data.counts, epsilon.value(), options.alpha.value_or(literal.alpha), options.cluster, seed);
    return {std::move(result.clusters), result.k, std::nullopt};
  }
  const std::unique_ptr<Noise> noise = seeded_noise_not_private(seed);
  Release release = run_technique(name, data, epsilon, options, *noise);
  return {release.cluster_cells(), release.k(), std::move(release)};
}

void check(const EvaluationData& data, const EvaluationOptions& options) {
  const std::vector<std::string> known = studied_technique_names();
  for (const std::string& name : options.techniques) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw InputError(fmt::format("there is no technique '{}'; choose of {}", name, fmt::join(known, ", ")));
    }
  }
  if (options.techniques.empty() || options.epsilons.empty() || options.runs == 0) {
    throw InputError("an evaluation needs at least one technique, one epsilon and one run");
  }
  const bool baseline =
      std::find(options.techniques.begin(), options.techniques.end(), "baseline") != options.techniques.end();
  if (data.points == nullptr && (options.classify || baseline)) {
    throw InputError(
        "OCM, 2CE and baseline need the points, not only their counts; leave them out or give a point file");
  }
  if (options.classify && data.points->rows() < 20) {
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
    for (std::size_t axis = 0; axis < place.size(); ++axis) cell = cell * shape[axis] + (place[axis] >> shift);
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

// One run's part for training and for the test, and what the true classifier predicts. The same for all techniques.
struct Fold {
  PointTable train, test;
  Counts counts;
  std::vector<std::uint32_t> predicted;
};

class Experiment {
 public:
  Experiment(const EvaluationData& data, const EvaluationOptions& options)
      : data_(data), options_(options), grid_(data.counts.grid()) {
    options_.technique.cluster.threads = 1;  // the threads are used for the runs
    truth_ = wavecluster(data.counts, options.technique.cluster);
    if (truth_.clusters.count() == 0) {
      throw InputError(
          "the data have no cluster at these settings, so there is nothing to compare with; check the "
          "bounds, the grid and the percentile");
    }
    covered_ = covered_cells(data.counts, options.technique.cluster);
    covered_truth_ = labels_of(truth_.clusters, covered_.cells);
    result_.rows.resize(options.techniques.size() * options.epsilons.size() * options.runs);
  }

  Evaluation run() {
    const std::uint64_t points = options_.techniques.size() * options_.epsilons.size();
    for (std::uint64_t run = 1; run <= options_.runs; ++run) {
      std::optional<Fold> fold;
      if (options_.classify) fold = fold_of(run);
      parallel_for(points, options_.threads, [&](std::uint64_t point) {
        if (options_.stop != nullptr && *options_.stop) throw Error(ErrorKind::usage, "the evaluation was stopped");
        const std::string& technique = options_.techniques[point / options_.epsilons.size()];
        const Epsilon epsilon = options_.epsilons[point % options_.epsilons.size()];
        result_.rows[point * options_.runs + run - 1] = row_of(technique, epsilon, run, fold ? &*fold : nullptr);
        report(points * options_.runs);
      });
    }
    result_.truth = std::move(truth_);
    return std::move(result_);
  }

 private:
  Row row_of(const std::string& technique, Epsilon epsilon, std::uint64_t run, const Fold* fold) const {
    const std::uint64_t seed = seed_of(options_.seed, technique, epsilon, run, Part::whole);
    const auto start = std::chrono::steady_clock::now();
    const StudiedResult found = run_studied(technique, {data_.counts, data_.points}, epsilon, options_.technique, seed);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    Row row;
    row.dataset = options_.dataset;
    row.technique = technique;
    row.epsilon = epsilon;
    row.run = run;
    row.k_true = truth_.k;
    row.k = found.k;
    row.clusters_true = truth_.clusters.count();
    row.clusters = found.clusters.count();
    row.seconds = std::round(taken.count() * 1e6) / 1e6;
    row.dsgc = dsg_c(shared_cells(truth_.clusters, found.clusters));
    row.f_measure = f_measure(
        cross_tabulate(covered_truth_, labels_of(found.clusters, covered_.cells), Label0::no_group, covered_.points));
    if (fold != nullptr) {
      const std::uint64_t training_seed = seed_of(options_.seed, technique, epsilon, run, Part::training);
      StudiedResult trained =
          run_studied(technique, {fold->counts, &fold->train}, epsilon, options_.technique, training_seed);
      const Contingency classes =
          cross_tabulate(fold->predicted, classify(std::move(trained.clusters), fold->test), Label0::group);
      row.ocm = ocm(classes);
      row.two_ce = two_ce(classes);
    }
    return row;
  }

  Fold fold_of(std::uint64_t run) const {
    Split split =
        split_points(*data_.points, options_.train_share, seed_of(options_.seed, {}, Epsilon(), run, Part::split));
    Counts counts = quantize(split.train, grid_, {.threads = options_.threads});
    Segmentation truth = wavecluster(counts, options_.technique.cluster);
    std::vector<std::uint32_t> predicted = classify(std::move(truth.clusters), split.test);
    return {std::move(split.train), std::move(split.test), std::move(counts), std::move(predicted)};
  }

  [[nodiscard]] std::vector<std::uint32_t> classify(Clusters clusters, const PointTable& test) const {
    const ClusterOptions& cluster = options_.technique.cluster;
    const ClusterMap map(grid_, cluster.level, cluster.transform, std::move(clusters));
    return predict(train_on_cells(map, options_.noise_class, options_.tree), test);
  }

  void report(std::uint64_t of) {
    if (!options_.progress) return;
    const std::lock_guard lock(guard_);
    options_.progress(++done_, of);
  }

  EvaluationData data_;
  EvaluationOptions options_;
  Grid grid_;
  Segmentation truth_;
  CoveredCells covered_;
  std::vector<std::uint32_t> covered_truth_;
  Evaluation result_;
  std::mutex guard_;
  std::uint64_t done_ = 0;
};

nlohmann::ordered_json interval_json(const Interval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
}

nlohmann::ordered_json summary_json(const Summary& summary) {
  nlohmann::ordered_json json{{"technique", summary.technique}, {"epsilon", summary.epsilon.value()},
                              {"runs", summary.runs},           {"k", interval_json(summary.k)},
                              {"k_error", summary.k_error},     {"clusters", interval_json(summary.clusters)}};
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
                              {"k", row.k},
                              {"clusters", row.clusters}};
  for (const Measure& measure : measures()) {
    const std::optional<double> value = measure.of(row);
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

Evaluation evaluate(const EvaluationData& data, const EvaluationOptions& options) {
  check(data, options);
  return Experiment(data, options).run();
}

StudiedResult repeat_run(const EvaluationData& data, const EvaluationOptions& options, const std::string& technique,
                         Epsilon epsilon, std::uint64_t run) {
  return run_studied(technique, {data.counts, data.points}, epsilon, options.technique,
                     seed_of(options.seed, technique, epsilon, run, Part::whole));
}

std::string evaluation_json(const Evaluation& evaluation, const EvaluationOptions& options,
                            const std::vector<TheoryCheck>& theory) {
  nlohmann::ordered_json json{{"dataset", options.dataset},
                              {"private", false},
                              {"seed", options.seed},
                              {"runs", options.runs},
                              {"confidence", 0.95},
                              {"k_true", evaluation.truth.k},
                              {"clusters_true", evaluation.truth.clusters.count()},
                              {"positive_cells", evaluation.truth.positive},
                              {"nonpositive_cells", evaluation.truth.nonpositive},
                              {"summary", nlohmann::ordered_json::array()},
                              {"rows", nlohmann::ordered_json::array()}};
  for (const Summary& summary : summarize(evaluation.rows)) json["summary"].push_back(summary_json(summary));
  for (const Row& row : evaluation.rows) json["rows"].push_back(row_json(row));
  for (const TheoryCheck& check : theory) json["theory"].push_back(theory_json(check));
  return json.dump(2) + "\n";
}

}  // namespace shoal::evaluation
