#include "bindings.hpp"

void bind_grid([[maybe_unused]] nb::module_& m) {}
