#include "bindings.hpp"
#include "shoal/version.hpp"

NB_MODULE(_core, m) {
  m.attr("version") = shoal::version;
  bind_errors(m);
  bind_points(m);
  bind_units(m);
  bind_grid(m);
  bind_wavelet(m);
  bind_clusters(m);
  bind_privacy(m);
  bind_publishing(m);
  bind_release(m);
  bind_evaluation(m);
  bind_datasets(m);
  bind_private(m);
  bind_groups(m);
  bind_arrow(m);
  bind_coordinates(m);
  bind_condition(m);
  bind_study(m);
  bind_program(m);
  nb::module_ internal = nb::cast<nb::module_>(m.attr("internal"));
  bind_samplers(internal);
  bind_measures_and_classifier(internal);
  bind_evaluation(internal);
  bind_overhead(internal);
}
