// Any bytes as a file for --config: understood or refused. What stands on the command line wins.
#include <cstdlib>

#include "config.hpp"
#include "memory_file.hpp"
#include "shoal/error.hpp"
#include "words.hpp"

namespace {

// Commands like those of the program.
struct Program {
  CLI::App app{"", "shoal"};
  std::string epsilon, bounds, format;
  std::vector<std::string> outputs;
  unsigned level = 1;
  double percentile = 0;
  bool force = false;

  Program() {
    CLI::App& release = *app.add_subcommand("release", "");
    release.add_option("--epsilon", epsilon, "")->required();
    release.add_option("--bounds", bounds, "");
    release.add_option("--level", level, "");
    release.add_option("--percentile", percentile, "");
    release.add_option("-o,--output", outputs, "");
    release.add_flag("--force", force, "");
    CLI::App& ledger = *app.add_subcommand("ledger", "");
    ledger.add_subcommand("show", "")->add_option("--format", format, "");
    app.require_subcommand(1);
    shoal::cli::add_config(app);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Program program;
  if (size < 1) return 0;
  const shoal::MemoryFile file({reinterpret_cast<const char*>(data) + 1, size - 1});
  const bool of_release = data[0] % 4 != 0;
  std::vector<std::string> arguments = {"ledger", "show", "--config", file.path()};
  if (of_release) arguments = {"release", "--epsilon=0.5", "--config=" + file.path()};
  try {
    arguments = shoal::cli::with_config(std::move(arguments), program.app);
    shoal::cli::check_words(arguments, program.app);
    std::reverse(arguments.begin(), arguments.end());
    program.app.parse(std::move(arguments));
  } catch (const CLI::ParseError&) {
    return 0;
  } catch (const shoal::Error&) {
    return 0;
  }
  if (!of_release || program.epsilon == "0.5") return 0;
  std::fputs("a file wins over the command line\n", stderr);
  std::abort();
}
