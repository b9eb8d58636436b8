#include <cstdio>

#include "bindings.hpp"
#include "cli/program_main.hpp"

namespace {

int run_program(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int code = shoal::cli::run_program(static_cast<int>(words.size()), pointers.data());
  std::fflush(stdout);
  return code;
}

}  // namespace

void bind_program(nb::module_& m) {
  m.def("run_program", &run_program, nb::arg("words"), nb::call_guard<nb::gil_scoped_release>(),
        "Runs the program shoal with these words, the first of which is its name, and returns its exit code. For a "
        "process of its own: the program handles signals and is not interrupted by Python.");
}
