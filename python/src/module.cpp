#include "bindings.hpp"

NB_MODULE(_core, m) {
  bind_grid(m);
  bind_wavelet(m);
  bind_clusters(m);
  bind_privacy(m);
  bind_publishing(m);
  bind_release(m);
  bind_evaluation(m);
  bind_datasets(m);
}
