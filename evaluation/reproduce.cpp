#include "evaluation/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "clusters/metrics.hpp"
#include "points/random.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"
#include "shoal/readers.hpp"
#include "shoal/wavecluster.hpp"

namespace shoal::evaluation {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t seed_of_points = 1;  // generated sets are always the same; --seed is for the noise
constexpr std::uint64_t quick_world_points = 60'000;
constexpr std::uint64_t check_ins = 1'000'000;  // as many as the paper draws from all check-ins

// A published set and the settings of the paper. Bounds are the authors' (lo: the least value; cells of
// floor(range / g) + 1), used as public constants.
struct Published {
  const char* name;
  const char* generated;  // the set to make when the file is not there
  const char* file;
  std::vector<std::string> columns;
  std::vector<std::pair<double, double>> bounds;
  std::uint64_t cells;
  double percentile;
  bool is_authors;
  const char* source;
};

const std::vector<Published>& published_sets() {
  static const std::vector<Published> sets{
      {"DS1",
       "ds1",
       "shapes/paper_ds1.csv",
       {"x", "y"},
       {{20406, 963766}, {51397, 972357}},
       64,
       58,
       true,
       "the authors' file"},
      {"DS2",
       "ds2",
       "shapes/paper_ds2.csv",
       {"x", "y"},
       {{90045, 964445}, {87019, 955419}},
       40,
       10,
       true,
       "the authors' file"},
      {"DS3",
       "ds3",
       "shapes/paper_ds3.csv",
       {"x", "y"},
       {{100504, 1097128}, {58503, 875127}},
       36,
       23,
       true,
       "the authors' file"},
      {"Gowalla",
       "world",
       "geo/dpbench_gowalla_256.csv",
       {"lon", "lat"},
       {{-180, 180}, {-90, 90}},
       80,
       31,
       false,
       "a million drawn from all Gowalla check-ins, known to 1/256 of the globe; the paper's million is another one"},
  };
  return sets;
}

Grid grid_of(const std::vector<std::string>& names, const std::vector<std::pair<double, double>>& bounds,
             const std::vector<std::uint64_t>& cells) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < names.size(); ++i)
    axes.emplace_back(bounds[i].first, bounds[i].second, cells[i], names[i]);
  return Grid(std::move(axes));
}

double largest_of(const Counts& counts, const ClusterOptions& options) {
  double largest = 0;
  const Transformed transformed = transform(counts.raw(), options);
  for (const std::int64_t sum : transformed.sums()->values()) {
    largest = std::max(largest, static_cast<double>(sum) * transformed.unit());
  }
  return largest;
}

StudiedSet studied(const Published& set, const std::string& source, bool is_authors, PointTable points,
                   const Grid& grid, double percentile, unsigned threads) {
  Counts counts = quantize(points, grid, {.threads = threads});
  const ClusterOptions cluster{.threshold = Percentile(percentile)};
  Segmentation truth = wavecluster(counts, cluster);
  const SetFacts facts{.name = set.name,
                       .is_authors = is_authors,
                       .cells = grid.axis(0).cells(),
                       .positive = truth.positive,
                       .nonpositive = truth.nonpositive,
                       .kept_share = 1 - percentile / 100,
                       .threshold = truth.threshold,
                       .largest = largest_of(counts, cluster)};
  return {facts, source, std::move(points), std::move(counts), cluster, std::move(truth)};
}

StudiedSet load(const Published& set, const ReproduceOptions& options) {
  const fs::path file = fs::path(options.data) / set.file;
  if (!options.data.empty() && fs::exists(file)) {
    const Grid grid = grid_of(set.columns, set.bounds, std::vector<std::uint64_t>(set.columns.size(), set.cells));
    PointTable points;
    if (set.is_authors) {
      const auto source = open_csv(file.string(), {.columns = set.columns});
      source->stop_when(options.stop);
      points = collect(*source, grid);
    } else {
      points = draw_check_ins(file.string(), check_ins, seed_of_points);
    }
    return studied(set, set.source, set.is_authors, std::move(points), grid, set.percentile, options.threads);
  }
  const DatasetSettings settings = dataset_settings(set.generated);
  const bool fewer = options.quick && std::string(set.generated) == "world";
  const auto points = dataset_points(set.generated, seed_of_points, fewer ? quick_world_points : 0);
  const std::string source = fmt::format("generated like the paper's (shoal datasets {}){}", set.generated,
                                         options.data.empty() ? "" : fmt::format("; there is no {}", set.file));
  const Grid grid = grid_of(settings.names, settings.bounds, settings.cells);
  return studied(set, source, false, collect(*points, grid), grid, settings.percentile, options.threads);
}

std::vector<Epsilon> budgets(const std::vector<double>& values) {
  std::vector<Epsilon> result;
  for (const double value : values) result.push_back(Epsilon::from_double(value));
  return result;
}

// One call of evaluate().
struct Experiment {
  const StudiedSet* set;
  EvaluationOptions options;
  std::string rename_technique = {};  // for rows that vary the share
  std::optional<Counts> counts = {};  // for rows that vary the grid
  [[nodiscard]] std::uint64_t rows() const {
    return options.techniques.size() * options.epsilons.size() * options.runs;
  }
  [[nodiscard]] EvaluationData data() const { return {counts ? *counts : set->counts, &set->points}; }
  // About the time that a row takes, to show progress by.
  [[nodiscard]] double cost() const {
    const double points = static_cast<double>(set->points.rows()) / 30'000;
    return static_cast<double>(rows()) * (options.classify ? 1 + points : 0.5);
  }
};

// seed: 0 is the first.
EvaluationOptions options_on(const Study& study, std::size_t set, std::uint64_t seed) {
  EvaluationOptions options{.technique = {.cluster = study.sets[set].cluster}};
  options.dataset = study.sets[set].facts.name;
  options.epsilons = study.epsilons;
  options.runs = study.options.runs;
  options.threads = study.options.threads;
  options.agreement = false;                                 // the paper has no measure of single points' labels
  options.seed = (study.options.seed + seed) * 1'000 + set;  // noise of its own for every seed and set
  options.stop = study.options.stop;
  return options;
}

// Once with each reading of the classification; both see the same noise.
void add_techniques(const Study& study, std::uint64_t seed, std::vector<Experiment>& experiments) {
  for (const UnclusteredClass unclustered : {UnclusteredClass::left_out, UnclusteredClass::kept}) {
    for (std::size_t set = 0; set < study.sets.size(); ++set) {
      EvaluationOptions options = options_on(study, set, seed);
      options.techniques = paper_techniques();
      options.unclustered_class = unclustered;
      if (unclustered == UnclusteredClass::kept) options.dataset = with_unclustered(options.dataset);
      experiments.push_back({&study.sets[set], std::move(options)});
    }
  }
}

// PrivTHR on all sets and by all measures; PrivTHR_EM, for which the paper made no sweep, on DS1 by DSG_C.
void add_sweep(const Study& study, std::uint64_t seed, std::vector<Experiment>& experiments) {
  const auto add = [&](std::size_t set, const std::string& technique, bool classify) {
    for (const double alpha : study.alphas) {
      EvaluationOptions options = options_on(study, set, seed);
      options.techniques = {technique};
      options.epsilons = study.sweep_epsilons;
      options.technique.alpha = alpha;
      options.classify = classify;
      experiments.push_back({&study.sets[set], std::move(options), varied_technique(technique, alpha)});
    }
  };
  for (std::size_t set = 0; set < study.sets.size(); ++set) {
    for (const char* technique : {"privthr", "privthr-literal-not-private"}) add(set, technique, true);
  }
  for (const char* technique : {"privthr-em", "privthr-em-literal-not-private"}) add(0, technique, false);
}

// On the three shapes.
void add_grid_sizes(const Study& study, std::uint64_t seed, std::vector<Experiment>& experiments) {
  for (std::size_t set = 0; set < 3; ++set) {
    const StudiedSet& studied = study.sets[set];
    for (const std::uint64_t cells : studied_grids(studied.facts.cells)) {
      EvaluationOptions options = options_on(study, set, seed);
      options.dataset = varied_grid(options.dataset, cells);
      options.techniques = {"privthr", "privthr-em", "privthr-literal-not-private", "privthr-em-literal-not-private"};
      options.epsilons = {Epsilon::from_double(1)};
      options.classify = false;
      Experiment experiment{&studied, std::move(options)};
      std::vector<Axis> axes;
      for (const Axis& axis : studied.counts.grid().axes()) axes.emplace_back(axis.lo(), axis.hi(), cells, axis.name());
      experiment.counts = quantize(studied.points, Grid(std::move(axes)), {.threads = study.options.threads});
      experiments.push_back(std::move(experiment));
    }
  }
}

// On the three shapes. Haar's rows are there already.
void add_wavelets(const Study& study, std::uint64_t seed, std::vector<Experiment>& experiments) {
  for (std::size_t set = 0; set < 3; ++set) {
    for (const std::string& wavelet : study.wavelets) {
      if (wavelet == "haar") continue;
      EvaluationOptions options = options_on(study, set, seed);
      options.dataset = varied_set(options.dataset, wavelet);
      options.techniques = {"baseline", "privqt", "privthr", "privthr-em"};
      options.technique.cluster.wavelet = Wavelet::named(wavelet);
      options.classify = false;
      experiments.push_back({&study.sets[set], std::move(options)});
    }
  }
}

std::vector<std::uint32_t> labels_on(const PointTable& points, const Grid& grid, const ClusterOptions& options,
                                     const Clusters& clusters) {
  std::vector<std::uint32_t> labels(points.rows());
  ClusterMap(grid, options.level, options.transform, clusters)
      .label({points.columns.begin(), points.columns.end()}, labels);
  return labels;
}

// The F-measure of the points against the clusters without noise on the paper's grid, in place of that on the row's.
void compare_with_papers_grid(const Experiment& experiment, std::vector<Row>& rows) {
  const StudiedSet& set = *experiment.set;
  const std::vector<std::uint32_t> truth = labels_on(set.points, set.counts.grid(), set.cluster, set.truth.clusters);
  for (Row& row : rows) {
    const StudiedResult found = repeat_run(experiment.data(), experiment.options, row.technique, row.epsilon, row.run);
    row.f_measure = f_measure(cross_tabulate(
        truth, labels_on(set.points, experiment.counts->grid(), set.cluster, found.clusters), Label0::no_group));
  }
}

void run_all(Study& study, std::uint64_t seed, std::vector<Experiment>& experiments) {
  const auto seeds = static_cast<double>(study.options.seeds);
  double all = 0;
  double done = 0;
  for (const Experiment& experiment : experiments) all += experiment.cost();
  for (Experiment& experiment : experiments) {
    const double cost = experiment.cost();
    if (study.options.progress) {
      experiment.options.progress = [&](std::uint64_t rows, std::uint64_t total) {
        const double share = (done + cost * static_cast<double>(rows) / static_cast<double>(total)) / all;
        study.options.progress((static_cast<double>(seed) + share) / seeds);
      };
    }
    std::vector<Row> rows = evaluate(experiment.data(), experiment.options).rows;
    if (experiment.counts) compare_with_papers_grid(experiment, rows);
    for (Row& row : rows) {
      if (!experiment.rename_technique.empty()) row.technique = experiment.rename_technique;
      row.run += seed * study.options.runs;
      study.rows.push_back(std::move(row));
    }
    done += cost;
  }
}

using Json = nlohmann::ordered_json;

Json interval_json(const Interval& interval) {
  return {{"mean", interval.mean}, {"low", interval.low}, {"high", interval.high}};
}

Json finding_json(const Finding& finding) {
  Json json{{"verdict", words_of(finding.verdict)},
            {"why", finding.why},
            {"seeds", finding.seeds},
            {"seeds_held", finding.seeds_held},
            {"within_scatter", finding.within_scatter},
            {"held", finding.held},
            {"of", finding.compared}};
  json["figures"] = Json::array();
  for (const Figure& figure : finding.figures) {
    Json epsilons = Json::array();
    for (const Epsilon epsilon : figure.epsilons) epsilons.push_back(epsilon.text());
    json["figures"].push_back({{"dataset", figure.dataset},
                               {"technique", figure.technique},
                               {"quantity", figure.quantity},
                               {"epsilons", epsilons},
                               {"value", interval_json(figure.value)},
                               {"words", figure_words(figure)}});
  }
  return json;
}

Json set_json(const StudiedSet& set) {
  Json axes = Json::array();
  for (const Axis& axis : set.counts.grid().axes()) {
    axes.push_back({{"name", axis.name()}, {"lo", axis.lo()}, {"hi", axis.hi()}, {"cells", axis.cells()}});
  }
  return {{"name", set.facts.name},
          {"source", set.source},
          {"authors_points", set.facts.is_authors},
          {"points", set.points.rows()},
          {"axes", axes},
          {"percentile", std::get<Percentile>(set.cluster.threshold).percent()},
          {"positive_cells", set.truth.positive},
          {"nonpositive_cells", set.truth.nonpositive},
          {"k", set.truth.k},
          {"clusters", set.truth.clusters.count()}};
}

}  // namespace

const std::vector<std::string>& paper_techniques() {
  static const std::vector<std::string> names{"baseline",
                                              "privqt",
                                              "privthr",
                                              "privthr-em",
                                              "baseline-literal-not-private",
                                              "privqt-literal-not-private",
                                              "privthr-literal-not-private",
                                              "privthr-em-literal-not-private"};
  return names;
}

void check(const ReproduceOptions& options) {
  if (!options.data.empty() && !fs::is_directory(options.data)) {
    throw InputError(
        fmt::format("--data: '{}' is not a folder; without --data the study uses generated datasets", options.data));
  }
}

Study reproduce(const ReproduceOptions& options) {
  check(options);
  Study study;
  study.options = options;
  if (study.options.runs == 0) study.options.runs = options.quick ? 2 : 10;
  if (study.options.seeds == 0) study.options.seeds = options.quick ? 2 : 10;
  study.epsilons = budgets(options.quick ? std::vector{0.1, 0.5, 1., 2.}  //
                                         : std::vector{0.1, 0.25, 0.5, 0.75, 1., 1.5, 2.});
  study.sweep_epsilons = budgets(options.quick ? std::vector{1.} : std::vector{0.1, 0.5, 1., 2.});
  study.alphas = options.quick ? std::vector{0.1, 0.5, 0.7, 0.9}
                               : std::vector{0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
  study.wavelets = {"haar", "bior2.2", "db2"};
  for (const Published& set : published_sets()) study.sets.push_back(load(set, study.options));

  for (std::uint64_t seed = 0; seed < study.options.seeds; ++seed) {
    std::vector<Experiment> experiments;
    add_techniques(study, seed, experiments);
    add_sweep(study, seed, experiments);
    add_grid_sizes(study, seed, experiments);
    add_wavelets(study, seed, experiments);
    run_all(study, seed, experiments);
  }

  std::vector<SetFacts> facts;
  for (const StudiedSet& set : study.sets) facts.push_back(set.facts);
  study.claims = check_claims(study.rows, facts, study.options.runs);
  return study;
}

StudiedResult studied_result(const Study& study, std::size_t set, const std::string& technique, Epsilon epsilon,
                             std::uint64_t run) {
  const std::uint64_t seed = (run - 1) / study.options.runs;
  return repeat_run({study.sets[set].counts, &study.sets[set].points}, options_on(study, set, seed), technique, epsilon,
                    run - seed * study.options.runs);
}

PointTable draw_check_ins(const std::string& file, std::uint64_t sample, std::uint64_t seed) {
  constexpr double cells = 256;
  const auto source = open_csv(file, {.columns = {"row", "col", "count"}});
  std::vector<std::array<double, 3>> places;
  source->scan(1, [&](unsigned, const PointBlock& block) {
    for (std::size_t i = 0; i < block.rows(); ++i) {
      places.push_back({block.columns[0][i], block.columns[1][i], block.columns[2][i]});
    }
  });
  std::uint64_t left = 0;
  for (const auto& place : places) {
    if (!(place[0] >= 0 && place[0] < cells && place[1] >= 0 && place[1] < cells && place[2] >= 0)) {
      throw InputError(fmt::format("'{}' does not hold counts on {} x {} cells", file, cells, cells));
    }
    left += static_cast<std::uint64_t>(place[2]);
  }
  if (left < sample) throw InputError(fmt::format("'{}' has {} check-ins; {} are needed", file, left, sample));
  // Selection sampling (Knuth, algorithm S): each check-in in turn, with the probability that completes the sample.
  Random random(seed, 0x636865636b);
  PointTable points;
  points.columns.resize(2);
  for (const auto& [row, column, count] : places) {
    for (auto more = static_cast<std::uint64_t>(count); more > 0; --more, --left) {
      if (random.below(left) >= sample) continue;
      --sample;
      points.columns[0].push_back(-180 + 360 * (column + random.uniform()) / cells);
      points.columns[1].push_back(-90 + 180 * (row + random.uniform()) / cells);
    }
  }
  return points;
}

std::string study_json(const Study& study) {
  Json json{
      {"private", false},   {"seed", study.options.seed}, {"runs", study.options.runs}, {"seeds", study.options.seeds},
      {"confidence", 0.95}, {"sets", Json::array()},      {"claims", Json::array()},    {"summary", Json::array()}};
  for (const StudiedSet& set : study.sets) json["sets"].push_back(set_json(set));
  for (const Claim& claim : study.claims) {
    json["claims"].push_back({{"id", claim.id},
                              {"claim", claim.words},
                              {"paper", claim.paper},
                              {"criterion", claim.criterion},
                              {"unclustered_class", claim.unclustered_class},
                              {"ours", finding_json(claim.ours)},
                              {"letter", claim.letter ? finding_json(*claim.letter) : Json(nullptr)}});
  }
  for (const Summary& summary : summarize(study.rows)) {
    Json one{{"dataset", summary.dataset},        {"technique", summary.technique},
             {"epsilon", summary.epsilon.text()}, {"runs", summary.runs},
             {"k_true", summary.k_true},          {"clusters_true", summary.clusters_true},
             {"k", interval_json(summary.k)},     {"clusters", interval_json(summary.clusters)}};
    for (std::size_t i = 0; i < measures().size(); ++i) {
      one[measures()[i].column] = summary.measured[i] ? interval_json(*summary.measured[i]) : Json(nullptr);
    }
    json["summary"].push_back(std::move(one));
  }
  return json.dump(2) + "\n";
}

}  // namespace shoal::evaluation
