#include "bindings.hpp"

void bind_privacy([[maybe_unused]] nb::module_& m) {}
