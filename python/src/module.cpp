#include "bindings.hpp"

NB_MODULE(_core, m) {
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
  bind_arrow(m);
  bind_study(m);
  bind_overhead(m);
}
