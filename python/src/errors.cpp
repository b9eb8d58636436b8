// The library's one exception as Python's: ValueError, BudgetRefused (a ValueError too), RuntimeError for our faults.
#include "bindings.hpp"
#include "shoal/error.hpp"

void bind_errors(nb::module_& m) {
  static nb::object* budget_refused = nullptr;  // outlives the module: the translator below may run at any time
  if (budget_refused == nullptr) {
    budget_refused = new nb::object(nb::steal(PyErr_NewExceptionWithDoc(
        "shoal.BudgetRefused", "The privacy budget of a ledger does not allow it.", PyExc_ValueError, nullptr)));
  }
  m.attr("BudgetRefused") = *budget_refused;
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const shoal::Error& error) {
      PyObject* type = PyExc_ValueError;
      if (error.kind() == shoal::ErrorKind::budget) type = budget_refused->ptr();
      if (error.kind() == shoal::ErrorKind::internal) type = PyExc_RuntimeError;
      PyErr_SetString(type, error.what());
    }
  });
}
