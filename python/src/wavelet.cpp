#include "bindings.hpp"

void bind_wavelet([[maybe_unused]] nb::module_& m) {}
