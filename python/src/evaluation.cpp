#include "bindings.hpp"

void bind_evaluation([[maybe_unused]] nb::module_& m) {}
