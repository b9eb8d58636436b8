// For the tests alone: assignment, matching and the classifier of the evaluation.
#include "bindings.hpp"
#include "clusters/assignment.hpp"
#include "clusters/matching.hpp"
#include "clusters/metrics.hpp"
#include "evaluation/c45.hpp"

namespace {

using namespace shoal;
using namespace shoal::evaluation;

template <class T>
using Array1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = Array1<std::uint32_t>;

template <class T>
std::span<const T> span_of(const Array1<T>& array) {
  return {array.data(), array.shape(0)};
}

// Partners as Python sees them: -1 for none.
std::vector<std::int64_t> partners(const std::vector<std::size_t>& partner) {
  std::vector<std::int64_t> result;
  for (const std::size_t column : partner) {
    result.push_back(column == unmatched ? -1 : static_cast<std::int64_t>(column));
  }
  return result;
}

// A table from the sizes of its groups and rows of (row, column, items).
Contingency table_of(const Array1<std::uint64_t>& rows, const Array1<std::uint64_t>& columns,
                     const Array2<std::uint64_t>& shared) {
  Contingency table;
  table.row_sizes.assign(rows.data(), rows.data() + rows.shape(0));
  table.column_sizes.assign(columns.data(), columns.data() + columns.shape(0));
  for (std::size_t i = 0; i < shared.shape(0); ++i) {
    table.shared.push_back(
        {static_cast<std::uint32_t>(shared(i, 0)), static_cast<std::uint32_t>(shared(i, 1)), shared(i, 2)});
  }
  return table;
}

// attributes: one row an attribute, so that each is contiguous.
std::vector<std::span<const double>> columns_of(const Array2<double>& attributes) {
  std::vector<std::span<const double>> columns;
  for (std::size_t i = 0; i < attributes.shape(0); ++i) {
    columns.emplace_back(attributes.data() + i * attributes.shape(1), attributes.shape(1));
  }
  return columns;
}

nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>> predict(const C45& tree, const Array2<double>& attributes) {
  const std::size_t rows = attributes.shape(1);
  auto* labels = new std::uint32_t[rows];
  const nb::capsule owner(labels, [](void* memory) noexcept { delete[] static_cast<std::uint32_t*>(memory); });
  tree.predict(columns_of(attributes), {labels, rows});
  return {labels, {rows}, owner};
}

MatchingMethod method_of(const std::string& name) {
  if (name == "dense") return MatchingMethod::dense;
  return name == "sparse" ? MatchingMethod::sparse : MatchingMethod::automatic;
}

// What the tests hold against other implementations; not part of the package's interface.
void bind_measures(nb::module_& m) {
  m.def("assign", [](const Array2<std::int64_t>& cost) {
    const Assignment result = assign(cost.shape(0), cost.shape(1), {cost.data(), cost.size()});
    return std::pair(partners(result.partner), result.cost);
  });
  m.def("match_clusters", [](const Array1<std::uint64_t>& rows, const Array1<std::uint64_t>& columns,
                             const Array2<std::uint64_t>& shared, const std::string& method) {
    const Matching result = match_clusters(table_of(rows, columns, shared), method_of(method));
    return std::pair(partners(result.partner), result.value);
  });
  m.def("match_classes", [](const Array1<std::uint64_t>& rows, const Array1<std::uint64_t>& columns,
                            const Array2<std::uint64_t>& shared, const std::string& method) {
    const Matching result = match_classes(table_of(rows, columns, shared), method_of(method));
    return std::pair(partners(result.partner), result.value);
  });
}

void bind_c45(nb::module_& m) {
  nb::class_<C45>(m, "C45")
      .def(
          "__init__",
          [](C45* self, const Array2<double>& attributes, const Labels& classes, bool prune, bool raise,
             double confidence, std::uint32_t least_cases) {
            new (self) C45(columns_of(attributes), span_of(classes), {prune, raise, confidence, least_cases});
          },
          nb::arg("attributes"), nb::arg("classes"), nb::arg("prune") = true, nb::arg("raise_subtrees") = true,
          nb::arg("confidence") = 0.25, nb::arg("least_cases") = 2)
      .def("predict", &predict)
      .def_prop_ro("nodes", &C45::nodes)
      .def_prop_ro("leaves", &C45::leaves);
}

}  // namespace

void bind_measures_and_classifier(nb::module_& internal) {
  bind_measures(internal);
  bind_c45(internal);
}
