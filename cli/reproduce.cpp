// shoal reproduce: the paper's experiments, with the paper's figures beside ours.
#include "evaluation/reproduce.hpp"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>

#include "command.hpp"
#include "evaluation/reproduce_report.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"

namespace shoal::cli {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  evaluation::ReproduceOptions study;
  JsonArgument json;
  std::string output;
};

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || !fs::is_directory(path)) {
    throw InputError(
        fmt::format("cannot create the folder '{}': {}", path, error ? error.message() : "a file has this name"));
  }
}

void run_reproduce(Arguments arguments) {
  const Console console(arguments.json);
  evaluation::check(arguments.study);
  make_folder(arguments.output);
  const auto in_folder = [&](const char* name) { return (fs::path(arguments.output) / name).string(); };
  const std::string report = in_folder("report.html"), rows = in_folder("rows.csv"), claims = in_folder("claims.md");
  std::vector<std::string> files{report, rows, claims};
  for (const std::string& name : evaluation::study_picture_files()) files.push_back(in_folder(name.c_str()));
  Outputs outputs = arguments.json.open({}, files);
  const evaluation::Study study = [&] {
    std::atomic<double> done = 0;
    const Progress progress("reproducing", [&] { return done.load(); });
    arguments.study.progress = [&](double share) { done = share; };
    return evaluation::reproduce(arguments.study);
  }();
  outputs.at(report).write(evaluation::study_html(study));
  outputs.at(rows).write(evaluation::rows_csv(study.rows));
  outputs.at(claims).write(evaluation::claims_markdown(study));
  for (const auto& [name, svg] : evaluation::study_pictures(study)) outputs.at(in_folder(name.c_str())).write(svg);
  for (const std::string& file : files) outputs.at(file).commit();  // all of them, or none
  if (!arguments.json.path.empty()) arguments.json.write(Json::parse(evaluation::study_json(study)), outputs);
  if (arguments.json.to_stdout()) return;
  for (const auto& set : study.sets)
    console.line(fmt::format("{}: {} points, {}", set.facts.name, set.points.rows(), set.source));
  console.line(evaluation::verdict_words(study.claims));
  for (const std::string& file : files) console.line(fmt::format("wrote {}", file));
  console.next(fmt::format("open {}", shell_word(report)));
}

}  // namespace

void add_reproduce(CLI::App& program, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  auto* command = program.add_subcommand("reproduce", "Repeat the paper's experiments; not private");
  evaluation::ReproduceOptions& study = arguments->study;
  command->add_option("--data", study.data, "Folder of the published datasets (default: generated datasets)");
  command->add_option("-o,--output", arguments->output, "Folder for report, rows, claims and pictures")->required();
  command->add_option("--runs", study.runs, "Runs per technique, budget and seed (default 10; --quick: 2)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{10'000}));
  command->add_option("--seeds", study.seeds, "Repetitions with other seeds (default 10; --quick: 2)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000}));
  command->add_flag("--quick", study.quick, "Use few budgets and runs, as a quick check");
  command->add_option("--seed", study.seed, "First seed; the same seed gives the same figures")->capture_default_str();
  command->add_option("--threads", study.threads, "Number of threads; 0 uses all cores")->capture_default_str();
  arguments->json.add(*command);
  command->footer(
      "Examples:\n  shoal reproduce --quick -o reproduction\n  shoal reproduce --data data -o reproduction\n"
      "--data expects shapes/paper_ds1.csv, paper_ds2.csv, paper_ds3.csv and geo/dpbench_gowalla_256.csv.");
  command->callback([arguments, &run] { run = [arguments] { run_reproduce(*arguments); }; });
}

}  // namespace shoal::cli
