#include "program_main.hpp"

int main(int argc, char** argv) { return shoal::cli::run_program(argc, argv); }
