#include "units.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "shoal/points.hpp"

namespace shoal_python {

namespace {

constexpr std::size_t most_digits = 20;  // of 64 bits, with a sign

template <class T>
char* write_number(const void* data, std::ptrdiff_t at, char* to, char* end) {
  return std::to_chars(to, end, static_cast<const T*>(data)[at]).ptr;
}

[[noreturn]] void refuse_missing(std::size_t row) {
  throw nb::value_error(fmt::format("row {} of a batch has no unit; give every row its unit", row + 1).c_str());
}

[[noreturn]] void refuse_type(nb::handle value, std::size_t row) {
  const auto type = nb::cast<std::string>(value.type().attr("__name__"));
  throw nb::type_error(
      fmt::format(
          "a unit must be a string or a whole number, not {} (row {} of a batch); convert the column to strings", type,
          row + 1)
          .c_str());
}

// The name with its module. pandas and NumPy are recognised by it, without asking for them.
std::string full_type_name(nb::handle value) { return nb::cast<std::string>(nb::type_name(value.type())); }

bool is_missing(nb::handle value) {
  if (value.is_none()) return true;
  if (PyFloat_Check(value.ptr())) return std::isnan(PyFloat_AsDouble(value.ptr()));
  const std::string type = full_type_name(value);
  return type.ends_with("NAType") || type.ends_with("NaTType");
}

std::string_view bytes_of(nb::handle value, std::size_t row, nb::object& kept) {
  PyObject* object = value.ptr();
  if (PyBytes_Check(object)) return {PyBytes_AsString(object), static_cast<std::size_t>(PyBytes_Size(object))};
  if (!PyUnicode_Check(object)) {
    const bool is_bool = PyBool_Check(object) || full_type_name(value).starts_with("numpy.bool");
    if (is_bool || PyIndex_Check(object) == 0) {
      if (is_missing(value)) refuse_missing(row);
      refuse_type(value, row);
    }
    const nb::object whole = nb::steal(PyNumber_Index(object));
    if (!whole.is_valid()) throw nb::python_error();
    kept = nb::steal(PyObject_Str(whole.ptr()));
    if (!kept.is_valid()) throw nb::python_error();
    object = kept.ptr();
  }
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) {
    PyErr_Clear();
    throw nb::value_error(fmt::format("the unit of row {} of a batch is not valid text", row + 1).c_str());
  }
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

void UnitColumn::add(std::string_view key) {
  key = shoal::unit_key(key);
  if (key.empty()) refuse_missing(rows_);
  texts_->bytes += key;
  texts_->ends.push_back(texts_->bytes.size());
  ++rows_;
}

UnitColumn UnitColumn::of_objects(nb::handle rows) {
  UnitColumn column(false);
  nb::object kept;
  for (const nb::handle value : nb::iter(rows)) column.add(bytes_of(value, column.rows_, kept));
  return column;
}

UnitColumn UnitColumn::of_numbers(Numbers numbers) {
  UnitColumn column(true);
  const auto takes = [&]<class T>() {
    if (numbers.dtype() == nb::dtype<T>()) column.write_ = &write_number<T>;
  };
  takes.operator()<std::int64_t>();
  takes.operator()<std::int32_t>();
  takes.operator()<std::int16_t>();
  takes.operator()<std::int8_t>();
  takes.operator()<std::uint64_t>();
  takes.operator()<std::uint32_t>();
  takes.operator()<std::uint16_t>();
  takes.operator()<std::uint8_t>();
  if (column.write_ == nullptr) throw nb::type_error("units must be whole numbers of 8 to 64 bits");
  column.texts_ = nullptr;
  column.rows_ = numbers.shape(0);
  column.numbers_ = std::move(numbers);
  return column;
}

UnitColumn UnitColumn::part(std::size_t first, std::size_t rows) const {
  if (first > rows_ || rows > rows_ - first) throw nb::index_error("there are no such rows");
  UnitColumn result = *this;
  result.first_ += first;
  result.rows_ = rows;
  return result;
}

std::span<const std::string_view> UnitColumn::keys(std::size_t first, std::size_t count, Room& room) const {
  room.keys.resize(count);
  first += first_;
  if (texts_) {
    for (std::size_t row = 0; row < count; ++row) {
      const std::size_t from = first + row == 0 ? 0 : texts_->ends[first + row - 1];
      room.keys[row] = std::string_view(texts_->bytes).substr(from, texts_->ends[first + row] - from);
    }
    return room.keys;
  }
  room.digits.resize(count * most_digits);
  char* to = room.digits.data();
  for (std::size_t row = 0; row < count; ++row) {
    const auto at = static_cast<std::ptrdiff_t>(first + row) * numbers_.stride(0);
    char* const end = write_(numbers_.data(), at, to, room.digits.data() + room.digits.size());
    room.keys[row] = {to, static_cast<std::size_t>(end - to)};
    to = end;
  }
  return room.keys;
}

}  // namespace shoal_python

void bind_units(nb::module_& m) {
  using shoal_python::UnitColumn;
  nb::class_<UnitColumn>(m, "Units", "Whose each row of a batch is.")
      .def_static("of_objects", &UnitColumn::of_objects, nb::arg("rows"),
                  nb::sig("def of_objects(rows: collections.abc.Iterable[object]) -> Units"),
                  "Keys from texts, bytes and whole numbers.")
      .def_static("of_numbers", &UnitColumn::of_numbers, nb::arg("numbers"), "Keys from whole numbers, read in place.")
      .def_prop_ro("whole_numbers", &UnitColumn::whole_numbers, "The column's type holds nothing else.")
      .def_prop_ro("rows", &UnitColumn::rows)
      .def("part", &UnitColumn::part, nb::arg("first"), nb::arg("rows"));
}
