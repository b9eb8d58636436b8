// Columns that Python holds, as coordinates of an axis: one value at a time, each by its own type and content. What a
// container did with the types of its values before is the container's; nothing here makes rows share a type.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "points.hpp"
#include "shoal/grid.hpp"
#include "units.hpp"

namespace {

using shoal::Axis;
using shoal::AxisKind;
using shoal_python::NumberArray;
using shoal_python::NumberColumns;
using shoal_python::UnitColumn;

using Coordinates = nb::ndarray<nb::numpy, double>;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

const shoal::Instants* instants_of(const AxisKind& kind) { return std::get_if<shoal::Instants>(&kind.scale); }
bool is_listed(const AxisKind& kind) { return std::holds_alternative<shoal::Names>(kind.scale); }

const char* wanted(const AxisKind& kind) {
  return is_listed(kind)                ? "strings or whole numbers for categories and groups"
         : instants_of(kind) != nullptr ? "dates, strings or numbers for an axis of dates"
                                        : "numbers for coordinates";
}

[[noreturn]] void refuse(const std::string& type, const AxisKind& kind) {
  throw nb::type_error(fmt::format("a column holds {}; give {}", type, wanted(kind)).c_str());
}

std::string type_of(nb::handle value) { return nb::cast<std::string>(value.type().attr("__name__")); }

// One value after the other, whatever types they have.
class Objects {
 public:
  explicit Objects(const AxisKind& kind) : kind_(kind) {}

  double operator()(nb::handle value) const {
    PyObject* const object = value.ptr();
    const std::string_view type = type_name(value);
    if (value.is_none() || type.ends_with("NAType") || type.ends_with("NaTType") || type.ends_with("MaskedConstant")) {
      return missing;
    }
    if (PyUnicode_Check(object)) return kind_.reads_text() ? of_text(object) : refused(value);
    if (PyBytes_Check(object)) {
      if (!kind_.reads_text()) refused(value);
      return parsed({PyBytes_AsString(object), static_cast<std::size_t>(PyBytes_Size(object))});
    }
    if (is_date(value, type)) return of_date(value);
    const bool is_bool = PyBool_Check(object) || type.starts_with("numpy.bool");
    if (is_listed(kind_)) return is_bool ? refused(value) : of_whole(value);
    if (is_bool && kind_.reads_text()) refused(value);
    return of_number(value);
  }

 private:
  // date and datetime, also those of other libraries, and NumPy's scalars.
  static bool is_date(nb::handle value, std::string_view type) {
    if (PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr())) return false;
    return type.starts_with("numpy.datetime64") || (nb::hasattr(value, "isoformat") && nb::hasattr(value, "year"));
  }

  double refused(nb::handle value) const { refuse(type_of(value), kind_); }

  [[nodiscard]] double parsed(std::string_view text) const {
    return kind_.parse(shoal::unit_key(text)).value_or(missing);
  }

  [[nodiscard]] double of_text(PyObject* text) const {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes != nullptr) return parsed({bytes, static_cast<std::size_t>(size)});
    PyErr_Clear();  // not valid text, and so in no list
    return missing;
  }

  // As its text says it, also its offset from UTC.
  [[nodiscard]] double of_date(nb::handle value) const {
    if (instants_of(kind_) == nullptr) refused(value);
    const bool numpy = type_name(value).starts_with("numpy.");
    const nb::object text = numpy ? nb::str(value) : nb::object(value.attr("isoformat")());
    return of_text(text.ptr());
  }

  [[nodiscard]] double of_whole(nb::handle value) const {
    if (PyIndex_Check(value.ptr()) == 0) {
      if (PyFloat_Check(value.ptr()) && std::isnan(PyFloat_AsDouble(value.ptr()))) return missing;
      return refused(value);
    }
    const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
    if (!whole.is_valid()) throw nb::python_error();
    return of_text(nb::str(whole).ptr());
  }

  [[nodiscard]] double of_number(nb::handle value) const {
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return refused(value);
    }
    const auto* instants = instants_of(kind_);
    return instants == nullptr ? number : number / static_cast<double>(instants->a_second);
  }

  // The type's name after its module's, such as numpy.datetime64. Kept for the next value, which often has the same
  // type.
  std::string_view type_name(nb::handle value) const {
    if (!type_.is(value.type())) {
      type_ = nb::borrow(value.type());
      type_name_ = nb::cast<std::string>(nb::type_name(type_));
    }
    return type_name_;
  }

  const AxisKind& kind_;
  mutable nb::object type_;
  mutable std::string type_name_;
};

Coordinates object_coordinates(nb::handle rows, const std::optional<Axis>& axis) {
  const AxisKind kind = axis ? axis->kind() : AxisKind{};
  const Objects read(kind);
  std::vector<double> values;
  for (const nb::handle value : nb::iter(rows)) values.push_back(read(value));
  return shoal_python::to_numpy(std::move(values));
}

// An array of numbers, read in place. Categories are whole numbers by their digits.
Coordinates number_coordinates(nb::handle array, const Axis& axis) {
  const AxisKind& kind = axis.kind();
  auto numbers = nb::cast<NumberArray>(array);
  const bool whole = numbers.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int) ||
                     numbers.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt);
  if (is_listed(kind) && !whole) refuse("floats, which whole numbers become where one is missing", kind);
  std::vector<double> values(numbers.shape(0));
  if (is_listed(kind)) {
    UnitColumn::Room room;
    const UnitColumn column = UnitColumn::of_numbers(nb::cast<UnitColumn::Numbers>(array));
    const auto digits = column.keys(0, values.size(), room);
    std::transform(digits.begin(), digits.end(), values.begin(),
                   [&](std::string_view text) { return kind.parse(text).value_or(missing); });
    return shoal_python::to_numpy(std::move(values));
  }
  std::vector<std::vector<double>> copies;
  std::vector<std::span<const double>> block;
  const auto* instants = instants_of(kind);
  const double divisor = instants == nullptr ? 1 : static_cast<double>(instants->a_second);
  NumberColumns({std::move(numbers)}).read(0, values.size(), copies, block);
  std::transform(block[0].begin(), block[0].end(), values.begin(), [&](double value) { return value / divisor; });
  return shoal_python::to_numpy(std::move(values));
}

using Ticks = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;

// Reads NumPy's datetime64. a_second: ticks per second; seconds: seconds per tick. Never rounds up to the next second.
Coordinates time_coordinates(const Ticks& ticks, std::int64_t a_second, std::int64_t seconds, bool zoned,
                             const Axis& axis) {
  const auto* instants = instants_of(axis.kind());
  if (instants == nullptr) refuse("dates", axis.kind());
  const double offset = zoned ? 0 : instants->offset;
  std::vector<double> values(ticks.shape(0));
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::int64_t tick = ticks.data()[static_cast<std::ptrdiff_t>(row) * ticks.stride(0)];
    if (tick == std::numeric_limits<std::int64_t>::min()) {  // NaT
      values[row] = missing;
      continue;
    }
    std::int64_t whole = tick / a_second, part = tick % a_second;
    if (part < 0) {
      part += a_second;
      --whole;
    }
    const double second = static_cast<double>(whole) * static_cast<double>(seconds);
    const double share = static_cast<double>(part) / static_cast<double>(a_second);
    values[row] = (part == 0 ? second : std::min(second + share, std::nextafter(second + 1, second))) - offset;
  }
  return shoal_python::to_numpy(std::move(values));
}

}  // namespace

void bind_coordinates(nb::module_& m) {
  m.def("object_coordinates", &object_coordinates, nb::arg("rows"), nb::arg("axis").none(),
        nb::sig("def object_coordinates(rows: collections.abc.Iterable[object], axis: Axis | None) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        "Coordinates of values of any type, each read by itself; NaN if one is missing or not in the list.");
  m.def("number_coordinates", &number_coordinates, nb::arg("numbers"), nb::arg("axis"),
        nb::sig("def number_coordinates(numbers: numpy.typing.NDArray, axis: Axis) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        "Coordinates of an array of numbers, read in place.");
  m.def("time_coordinates", &time_coordinates, nb::arg("ticks"), nb::arg("a_second"), nb::arg("seconds"),
        nb::arg("zoned"), nb::arg("axis"), "Coordinates of NumPy's times, as whole numbers; zoned: they are in UTC.");
}
