#include "bindings.hpp"

void bind_datasets([[maybe_unused]] nb::module_& m) {}
