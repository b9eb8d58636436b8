// Registration only: one function a concept, all called from module.cpp.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "shoal/cells.hpp"

namespace nb = nanobind;

// A shape is a list of extents in Python; how its cells touch stays inside.
template <>
struct nanobind::detail::type_caster<shoal::Shape> {
  NB_TYPE_CASTER(shoal::Shape, make_caster<std::vector<std::uint64_t>>::Name)

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<std::vector<std::uint64_t>> extents;
    if (!extents.from_python(source, flags, cleanup)) return false;
    value = shoal::Shape(std::move(extents.value));
    return true;
  }
  static handle from_cpp(const shoal::Shape& shape, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<std::vector<std::uint64_t>>::from_cpp(shape.extents(), policy, cleanup);
  }
};

void bind_errors(nb::module_& m);
void bind_points(nb::module_& m);
void bind_units(nb::module_& m);
void bind_coordinates(nb::module_& m);
void bind_grid(nb::module_& m);
void bind_wavelet(nb::module_& m);
void bind_clusters(nb::module_& m);
void bind_privacy(nb::module_& m);
void bind_publishing(nb::module_& m);
void bind_release(nb::module_& m);
void bind_groups(nb::module_& m);
void bind_evaluation(nb::module_& m);
void bind_datasets(nb::module_& m);
void bind_private(nb::module_& m);
void bind_arrow(nb::module_& m);
void bind_condition(nb::module_& m);
void bind_study(nb::module_& m);
void bind_program(nb::module_& m);
// The submodule `internal`, for tests only (python/testing).
void bind_samplers(nb::module_& internal);
void bind_measures_and_classifier(nb::module_& internal);
void bind_overhead(nb::module_& internal);
