#include "parameters.hpp"

#include <fmt/format.h>

namespace shoal_python {

namespace {

// What else counts as a number by Python's tower: NumPy's scalars and fractions, for example. bool does not for us.
bool is_a(nb::handle value, const char* kind) {
  return !PyBool_Check(value.ptr()) && nb::isinstance(value, nb::module_::import_("numbers").attr(kind));
}

[[noreturn]] void refuse_type(nb::handle value, const char* name, const char* wanted) {
  const auto given = nb::cast<std::string>(value.type().attr("__name__"));
  throw nb::type_error(fmt::format("{} must be {}, not {}", name, wanted, given).c_str());
}

}  // namespace

double number_of(nb::handle value, const char* name) {
  PyObject* const object = value.ptr();
  if (!PyFloat_CheckExact(object) && !PyLong_CheckExact(object) && !is_a(value, "Real")) {
    refuse_type(value, name, "a number");
  }
  const double number = PyFloat_AsDouble(object);
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

bool is_whole(nb::handle value) { return PyLong_CheckExact(value.ptr()) || is_a(value, "Integral"); }

std::uint64_t whole_of(nb::handle value, const char* name, std::uint64_t most) {
  if (!is_whole(value)) refuse_type(value, name, "a whole number");
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole.is_valid()) throw nb::python_error();
  int beyond = 0;
  const long long low = PyLong_AsLongLongAndOverflow(whole.ptr(), &beyond);
  const auto refuse = [&](const char* why) {
    throw nb::value_error(fmt::format("{} is {}; it {}", name, nb::str(whole).c_str(), why).c_str());
  };
  if (beyond < 0 || (beyond == 0 && low < 0)) refuse("cannot be negative");
  std::uint64_t result = static_cast<std::uint64_t>(low);
  if (beyond > 0) result = PyLong_AsUnsignedLongLong(whole.ptr());
  const bool too_large = PyErr_Occurred() != nullptr;
  PyErr_Clear();
  if (too_large || result > most) refuse("is too large");
  return result;
}

std::string text_of(nb::handle value, const char* name) {
  if (!PyUnicode_Check(value.ptr())) refuse_type(value, name, "a string");
  return nb::cast<std::string>(value);
}

}  // namespace shoal_python
