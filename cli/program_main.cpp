#include "program_main.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <tuple>

#include "command.hpp"
#include "config.hpp"
#include "help.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/text.hpp"
#include "shoal/version.hpp"
#include "words.hpp"

namespace shoal::cli {

namespace {

void on_interrupt(int signal) {
  remove_pending_files();
  if (::isatty(STDERR_FILENO) != 0) std::ignore = ::write(STDERR_FILENO, "\r\033[K", 4);  // no half of a progress line
  std::_Exit(128 + signal);
}

int fail(int code, const char* message) {
  std::fflush(stdout);
  fmt::print(stderr, "shoal: {}\n", message);
  return code;
}

// CLI11's words for what it refuses, as this program puts it.
std::string in_words(const CLI::ParseError& error) {
  std::string text = error.what();
  const auto between = [&text](const std::string& first,
                               const std::string& second) -> std::pair<std::string, std::string> {
    const std::size_t begin = text.starts_with(first) ? first.size() : std::string::npos;
    const std::size_t middle = begin == std::string::npos ? begin : text.find(second, begin);
    if (middle == std::string::npos) return {};
    return {text.substr(begin, middle - begin), text.substr(middle + second.size())};
  };
  if (const auto [option, value] = between("Could not convert: ", " = "); !option.empty()) {
    const std::string number = value.ends_with("%") ? value.substr(0, value.size() - 1) : "";
    return fmt::format("{} is '{}'; {}", option, value,
                       number_of(number) ? fmt::format("write {} {}", option, number) : "give a number");
  }
  if (const auto [option, many] = between("", ": At Most 1 required but received "); !option.empty()) {
    return fmt::format("{} is given {} times; give it once", option, many);
  }
  if (const auto [given, known] = between("", " not in {"); !given.empty() && known.ends_with("}")) {
    const std::size_t colon = given.find(": ");
    if (colon == std::string::npos) return text;
    return fmt::format("{} is '{}'; choose one of {}", given.substr(0, colon), given.substr(colon + 2),
                       known.substr(0, known.size() - 1));
  }
  for (const char* start :
       {"The following argument was not expected: ", "The following arguments were not expected: "}) {
    if (!text.starts_with(start)) continue;
    return fmt::format(
        "'{}' is one argument too many; each option takes one value, and a value with spaces needs quotes",
        text.substr(text.rfind(' ') + 1));
  }
  for (const auto& [needed, example] :
       {std::pair("INPUT is required", "give the file first, such as visits.csv"),
        std::pair("--epsilon is required", "such as --epsilon 1 (shoal plan helps to choose)"),
        std::pair("--bounds is required", "such as --bounds x=0:100,y=0:50")}) {
    if (text == needed) return fmt::format("{}, {}", text, example);
  }
  return text;
}

int parse_and_run(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {  // at once: to add all commands takes longer
    fmt::print("{}\n", version);
    return 0;
  }
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a failed write, not the end

  CLI::App program("Shoal finds clusters of any shape in personal data and releases them with differential privacy.",
                   "shoal");
  program.set_version_flag("--version", version);
  program.require_subcommand(1);
  set_formatter(program);
  program.footer(
      "Start here:\n  shoal datasets ds2 -o spirals.csv\n  shoal cluster spirals.csv --percentile 10 --grid 40 -o "
      "spirals.html\n"
      "For help on a command: shoal help cluster; for all its options: shoal cluster --help-all");
  Run run;
  add_cluster(program, run);
  add_release(program, run);
  add_reshape(program, run);
  add_tree(program, run);
  add_compare(program, run);
  add_explain(program, run);
  add_columns(program, run);
  add_check(program, run);
  add_studio(program, run);
  add_serve(program, run);
  add_predict(program, run);
  add_synthesize(program, run);
  add_ledger(program, run);
  add_plan(program, run);
  add_evaluate(program, run);
  add_reproduce(program, run);
  add_datasets(program, run);
  add_audit(program, run);
  add_shell(program, run);

  add_config(program);

  try {
    auto arguments = with_config(with_help({argv + 1, argv + argc}, program), program);
    check_words(arguments, program);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    program.parse(std::move(arguments));
    run();
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    return fail(
        2, fmt::format("{}; see shoal {}--help", in_words(error),
                       program.get_subcommands().empty() ? "" : program.get_subcommands().front()->get_name() + " ")
               .c_str());
  } catch (const Error& error) {
    return fail(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(3, "not enough memory; use a coarser --grid");
  } catch (const std::exception& error) {
    return fail(1, fmt::format("internal error: {}", error.what()).c_str());
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (...) {  // before the command is known, or while a failure is reported
    std::fputs("shoal: internal error\n", stderr);
    return 1;
  }
}

}  // namespace shoal::cli
