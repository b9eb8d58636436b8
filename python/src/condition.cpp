// Conditions on one record, on tables that speak Arrow's C stream interface.
#include "arrays.hpp"
#include "shoal/readers.hpp"

namespace {

nb::object condition_mask(const std::string& text, const nb::object& capsule) {
  void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (stream == nullptr) throw nb::python_error();
  return nb::cast(shoal_python::to_numpy(shoal::condition_mask(text, stream))).attr("view")("?");
}

}  // namespace

void bind_condition(nb::module_& m) {
  m.def("condition_columns", &shoal::condition_columns, nb::arg("condition"),
        "The names of the columns of a condition, each once.");
  m.def("condition_mask", &condition_mask, nb::arg("condition"), nb::arg("stream"),
        nb::sig("def condition_mask(condition: str, stream: object) -> numpy.typing.NDArray[numpy.bool_]"),
        "Whether the condition holds for each row of a stream of its columns.");
  m.def("condition_json", &shoal::condition_json, nb::arg("condition"), nb::arg("kinds"),
        "The condition on columns of these types, as nested JSON arrays.");
}
