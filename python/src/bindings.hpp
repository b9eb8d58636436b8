// Registration only: one function a concept, all called from module.cpp.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_points(nb::module_& m);
void bind_units(nb::module_& m);
void bind_grid(nb::module_& m);
void bind_wavelet(nb::module_& m);
void bind_clusters(nb::module_& m);
void bind_privacy(nb::module_& m);
void bind_publishing(nb::module_& m);
void bind_release(nb::module_& m);
void bind_evaluation(nb::module_& m);
void bind_datasets(nb::module_& m);
void bind_private(nb::module_& m);
void bind_arrow(nb::module_& m);
void bind_study(nb::module_& m);
void bind_overhead(nb::module_& m);
