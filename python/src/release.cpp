#include "bindings.hpp"

void bind_release([[maybe_unused]] nb::module_& m) {}
