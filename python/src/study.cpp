// Techniques beside the truth: the owner's studies.
#include <nanobind/stl/array.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>

#include "bindings.hpp"
#include "evaluation/evaluate.hpp"
#include "evaluation/evaluation_report.hpp"
#include "options.hpp"
#include "parameters.hpp"
#include "points.hpp"
#include "shoal/files.hpp"
#include "shoal/plan.hpp"
#include "shoal/private_release.hpp"

namespace {

using namespace shoal;
using namespace shoal::evaluation;

// Holds the raw data that its report draws.
struct Study {
  PointTable points;
  std::vector<std::uint32_t> labels;  // of the rows; empty: none
  Counts counts;
  EvaluationOptions options;
  Evaluation evaluation;

  [[nodiscard]] EvaluationData data() const { return {counts, &points, labels}; }
};

// Works in a thread of its own while this one sees to Ctrl-C and tells how far it is.
Evaluation watched(const EvaluationData& data, EvaluationOptions options, const nb::object& progress) {
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> done = 0, total = 0;
  options.stop = &stop;
  options.progress = [&](std::uint64_t finished, std::uint64_t all) {
    total = all;
    done = finished;
  };
  const nb::gil_scoped_release unlocked;
  auto result = std::async(std::launch::async, [&] { return evaluate(data, options); });
  std::uint64_t reported = 0;
  try {
    for (bool ready = false; !ready;) {
      ready = result.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
      shoal_python::check_signals();
      if (reported == done || progress.is_none()) continue;
      reported = done;
      const nb::gil_scoped_acquire locked;
      progress(reported, total.load());
    }
  } catch (...) {
    stop = true;
    result.wait();
    throw;
  }
  return result.get();
}

PointTable collected(const Grid& grid, nb::handle batches, const PrivacyUnit& unit, const std::string& outside) {
  const Outside rule = shoal_python::outside_named(outside);
  const auto points = shoal_python::python_points(grid.dimensions(), batches);
  const nb::gil_scoped_release unlocked;
  return unit.column.empty() ? collect(*points, grid, rule) : collect_units(*points, grid, rule);
}

// The label of each row. truth: the same rows with their labels as units, or None.
std::vector<std::uint32_t> labels_of(const Grid& grid, nb::handle truth, const PointTable& points,
                                     const std::string& outside) {
  if (truth.is_none()) return {};
  PrivacyUnit labels;
  labels.column = "truth";
  PointTable labelled = collected(grid, truth, labels, outside);
  if (labelled.columns != points.columns) throw InputError("truth must have one label for every row");
  return std::move(labelled.units);
}

Counts counted(const PointTable& table, const Grid& grid, unsigned threads) {
  const nb::gil_scoped_release unlocked;
  return quantize(table, grid, {.threads = threads});
}

// techniques: none are all that take the threshold, or what --auto runs.
Study study(nb::handle batches, const Grid& bounds, const PrivateOptions& technique, std::string dataset,
            std::vector<std::string> techniques, const std::vector<std::string>& epsilons, std::uint64_t runs,
            bool automatic, bool classify, double train_share, bool keep_unclustered_class, std::uint64_t seed,
            const std::string& outside, nb::handle truth, const nb::object& progress) {
  EvaluationOptions options{.technique = technique};
  options.dataset = std::move(dataset);
  options.techniques = !techniques.empty() ? std::move(techniques)
                       : automatic         ? std::vector<std::string>{"privwave"}
                                           : technique_names(technique.cluster.threshold, technique.unit);
  options.automatic = automatic;
  for (const std::string& epsilon : epsilons) options.epsilons.push_back(Epsilon::parse(epsilon));
  options.runs = runs;
  options.classify = classify;
  options.train_share = train_share;
  options.unclustered_class = keep_unclustered_class ? UnclusteredClass::kept : UnclusteredClass::left_out;
  options.seed = seed;
  options.threads = technique.cluster.threads;
  const Grid grid = evaluated_grid(bounds, options);
  PointTable points = collected(grid, batches, technique.unit, outside);
  std::vector<std::uint32_t> labels = labels_of(grid, truth, points, outside);
  Counts counts = counted(points, grid, options.threads);
  Evaluation evaluation = watched({counts, &points, labels}, options, progress);
  return {std::move(points), std::move(labels), std::move(counts), std::move(options), std::move(evaluation)};
}

}  // namespace

void bind_study(nb::module_& m) {
  nb::class_<Study>(m, "Study")
      .def("json", [](const Study& s) { return evaluation_json(s.evaluation, s.options); })
      .def("compared", [](const Study& s) { return what_was_compared(s.options); })
      .def("csv", [](const Study& s) { return rows_csv(s.evaluation.rows); })
      .def(
          "html", [](const Study& s) { return evaluation_html(s.data(), s.options, s.evaluation); },
          nb::call_guard<nb::gil_scoped_release>())
      .def("advice", [](const Study& s) { return advice(summarize(s.evaluation.rows)); });
  m.def(
      "write_file",
      [](const std::string& path, const std::string& contents, bool overwrite) {
        write_file(path, contents, overwrite ? Existing::replace : Existing::refuse);
      },
      nb::arg("path"), nb::arg("contents"), nb::arg("overwrite"));
  m.def(
      "plan",
      [](const Grid& grid, const PrivateOptions& options, const std::string& technique, bool automatic,
         nb::handle insets, std::uint64_t records, const std::vector<std::string>& epsilons, std::uint64_t runs,
         std::uint64_t seed) {
        PlanOptions plan_options{.grid = grid,
                                 .options = options,
                                 .technique = technique,
                                 .automatic = automatic,
                                 .insets = shoal_python::whole_of(insets, "insets"),
                                 .records = records,
                                 .epsilons = {},
                                 .runs = runs,
                                 .seed = seed};
        for (const std::string& epsilon : epsilons) plan_options.epsilons.push_back(Epsilon::parse(epsilon));
        const nb::gil_scoped_release unlocked;
        const PlanResult result = plan(plan_options);
        return std::array{plan_json(plan_options, result), plan_svg(plan_options, result),
                          plan_contents(plan_options, result, ".html")};
      },
      nb::arg("grid"), nb::arg("options"), nb::kw_only(), nb::arg("technique"), nb::arg("automatic"), nb::arg("insets"),
      nb::arg("records"), nb::arg("epsilons"), nb::arg("runs"), nb::arg("seed"),
      "(JSON, SVG, HTML) of a plan: public parameters alone.");
  m.def("studied_technique_names", &studied_technique_names);
  m.def("study", &study, nb::arg("batches"), nb::arg("grid"), nb::arg("options"), nb::kw_only(), nb::arg("dataset"),
        nb::arg("techniques"), nb::arg("epsilons"), nb::arg("runs"), nb::arg("automatic"), nb::arg("classify"),
        nb::arg("train_share"), nb::arg("keep_unclustered_class"), nb::arg("seed"), nb::arg("outside"),
        nb::arg("truth").none(), nb::arg("progress").none());
}
