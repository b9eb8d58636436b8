#include "evaluation/reproduce.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "shoal/csv.hpp"
#include "shoal/datasets.hpp"
#include "shoal/error.hpp"
#include "shoal/wavecluster.hpp"

namespace shoal::evaluation {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t seed_of_points = 1;  // generated sets are always the same; --seed is for the noise
constexpr std::uint64_t quick_world_points = 60'000;

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
       "geo/gowalla_world.csv.gz",
       {"lon", "lat"},
       {{-180, 180}, {-90, 90}},
       80,
       31,
       false,
       "Gowalla check-ins, but another sample than the paper's million"},
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

StudiedSet studied(const Published& set, const std::string& source, bool is_authors, Points& points, const Grid& grid,
                   double percentile, unsigned threads) {
  PointTable table = collect(points, grid);
  Counts counts = quantize(table, grid, {.threads = threads});
  const ClusterOptions cluster{.threshold = Percentile(percentile)};
  Segmentation truth = wavecluster(counts, cluster);
  const SetFacts facts{set.name, is_authors, truth.nonpositive};
  return {facts, source, std::move(table), std::move(counts), cluster, std::move(truth)};
}

StudiedSet load(const Published& set, const ReproduceOptions& options) {
  const fs::path file = fs::path(options.data) / set.file;
  if (!options.data.empty() && fs::exists(file)) {
    const auto points = open_csv(file.string(), {.columns = set.columns});
    points->stop_when(options.stop);
    const Grid grid = grid_of(set.columns, set.bounds, std::vector<std::uint64_t>(set.columns.size(), set.cells));
    return studied(set, set.source, set.is_authors, *points, grid, set.percentile, options.threads);
  }
  const DatasetSettings settings = dataset_settings(set.generated);
  const bool fewer = options.quick && std::string(set.generated) == "world";
  const auto points = dataset_points(set.generated, seed_of_points, fewer ? quick_world_points : 0);
  const std::string source = fmt::format("generated like the paper's (shoal datasets {}){}", set.generated,
                                         options.data.empty() ? "" : fmt::format("; there is no {}", set.file));
  return studied(set, source, false, *points, grid_of(settings.names, settings.bounds, settings.cells),
                 settings.percentile, options.threads);
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
  std::string rename_technique;  // for rows that vary the share
  [[nodiscard]] std::uint64_t rows() const {
    return options.techniques.size() * options.epsilons.size() * options.runs;
  }
  // About the time that a row takes, to show progress by.
  [[nodiscard]] double cost() const {
    const double points = static_cast<double>(set->points.rows()) / 30'000;
    return static_cast<double>(rows()) * (options.classify ? 1 + points : 0.5);
  }
};

EvaluationOptions options_on(const Study& study, std::size_t set) {
  EvaluationOptions options{.technique = {.cluster = study.sets[set].cluster}};
  options.dataset = study.sets[set].facts.name;
  options.epsilons = study.epsilons;
  options.runs = study.options.runs;
  options.threads = study.options.threads;
  options.seed = study.options.seed * 1'000 + set;  // noise of its own for every set
  options.stop = study.options.stop;
  return options;
}

void add_techniques(const Study& study, std::vector<Experiment>& experiments) {
  for (std::size_t set = 0; set < study.sets.size(); ++set) {
    EvaluationOptions options = options_on(study, set);
    options.techniques = paper_techniques();
    experiments.push_back({&study.sets[set], std::move(options), {}});
  }
}

// On DS1, as the paper's.
void add_sweep(const Study& study, std::vector<Experiment>& experiments) {
  for (const char* technique :
       {"privthr", "privthr-em", "privthr-literal-not-private", "privthr-em-literal-not-private"}) {
    for (const double alpha : study.alphas) {
      EvaluationOptions options = options_on(study, 0);
      options.techniques = {technique};
      options.epsilons = study.sweep_epsilons;
      options.runs = study.sweep_runs;
      options.technique.alpha = alpha;
      options.classify = false;
      experiments.push_back({&study.sets[0], std::move(options), varied_technique(technique, alpha)});
    }
  }
}

// On the three shapes. Haar's rows are there already.
void add_wavelets(const Study& study, std::vector<Experiment>& experiments) {
  for (std::size_t set = 0; set < 3; ++set) {
    for (const std::string& wavelet : study.wavelets) {
      if (wavelet == "haar") continue;
      EvaluationOptions options = options_on(study, set);
      options.dataset = varied_set(options.dataset, wavelet);
      options.techniques = {"baseline", "privqt", "privthr", "privthr-em"};
      options.technique.cluster.wavelet = Wavelet::named(wavelet);
      options.classify = false;
      experiments.push_back({&study.sets[set], std::move(options), {}});
    }
  }
}

void run_all(Study& study, std::vector<Experiment>& experiments) {
  double all = 0;
  double done = 0;
  for (const Experiment& experiment : experiments) all += experiment.cost();
  for (Experiment& experiment : experiments) {
    const double cost = experiment.cost();
    if (study.options.progress) {
      experiment.options.progress = [&](std::uint64_t rows, std::uint64_t of) {
        study.options.progress((done + cost * static_cast<double>(rows) / static_cast<double>(of)) / all);
      };
    }
    Evaluation evaluation = evaluate({experiment.set->counts, &experiment.set->points}, experiment.options);
    for (Row& row : evaluation.rows) {
      if (!experiment.rename_technique.empty()) row.technique = experiment.rename_technique;
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
            {"within_scatter", finding.within_scatter},
            {"held", finding.held},
            {"of", finding.of}};
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
  study.epsilons = budgets(options.quick ? std::vector{0.1, 0.5, 1., 2.}  //
                                         : std::vector{0.1, 0.25, 0.5, 0.75, 1., 1.5, 2.});
  study.sweep_epsilons = budgets(options.quick ? std::vector{1.} : std::vector{0.1, 0.5, 1., 2.});
  study.alphas = options.quick ? std::vector{0.1, 0.5, 0.7, 0.9}
                               : std::vector{0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
  study.sweep_runs = 3 * study.options.runs;
  study.wavelets = {"haar", "bior2.2", "db2"};
  for (const Published& set : published_sets()) study.sets.push_back(load(set, study.options));

  std::vector<Experiment> experiments;
  add_techniques(study, experiments);
  add_sweep(study, experiments);
  add_wavelets(study, experiments);
  run_all(study, experiments);

  std::vector<SetFacts> facts;
  for (const StudiedSet& set : study.sets) facts.push_back(set.facts);
  study.claims = check_claims(study.rows, facts);
  return study;
}

std::string study_json(const Study& study) {
  Json json{{"private", false},           {"seed", study.options.seed},
            {"runs", study.options.runs}, {"sweep_runs", study.sweep_runs},
            {"confidence", 0.95},         {"sets", Json::array()},
            {"claims", Json::array()},    {"summary", Json::array()}};
  for (const StudiedSet& set : study.sets) json["sets"].push_back(set_json(set));
  for (const Claim& claim : study.claims) {
    json["claims"].push_back({{"id", claim.id},
                              {"claim", claim.words},
                              {"paper", claim.paper},
                              {"criterion", claim.criterion},
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
