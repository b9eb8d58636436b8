#include "bindings.hpp"

void bind_clusters([[maybe_unused]] nb::module_& m) {}
