#include "bindings.hpp"
#include "evaluation/label_measures.hpp"

namespace {

using namespace shoal::evaluation;

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = Array1<std::uint32_t>;

template <class T>
std::span<const T> span_of(const Array1<T>& array) {
  return {array.data(), array.shape(0)};
}

// Measures that compare two labels of each item. Label 0 means unclustered to the first two measures; to the others it
// is a label like any other.
void bind_label_measures(nb::module_& m) {
  const auto measure = [&](const char* name, LabelMeasure* function) {
    m.def(name,
          [function](const Labels& truth, const Labels& found) { return function(span_of(truth), span_of(found)); });
  };
  measure("dsg_c", dsg_c_of_labels);
  measure("f_measure", f_measure_of_labels);
  measure("ocm", ocm_of_labels);
  measure("two_ce", two_ce_of_labels);
  measure("adjusted_rand", adjusted_rand_of_labels);
  measure("adjusted_mutual_information", adjusted_mutual_information_of_labels);
}

}  // namespace

void bind_evaluation(nb::module_& m) { bind_label_measures(m); }
