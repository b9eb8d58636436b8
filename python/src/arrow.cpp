// Tables of any library that speaks Arrow's C stream interface (PyCapsule protocol), read in place.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "arrays.hpp"
#include "points/arrow_coordinates.hpp"
#include "shoal/grid.hpp"
#include "units.hpp"

namespace {

using shoal::ArrowArray;
using shoal::ArrowArrayStream;
using shoal::ArrowColumn;
using shoal::ArrowSchema;
using shoal::Axis;
using shoal::AxisKind;
using shoal_python::UnitColumn;

// Released by its maker's function when the last holder lets go.
template <class T>
struct Held {
  T value{};
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (value.release != nullptr) value.release(&value);
  }
};

using Owner = std::shared_ptr<Held<ArrowArray>>;

// As the library reads them: a copy, in which null is NaN.
nb::object copied(const ArrowColumn& column) {
  std::vector<double> copy;
  static_cast<void>(shoal::arrow_coordinates(column, {}, copy));
  return nb::cast(shoal_python::to_numpy(std::move(copy)));
}

// Without nulls a view of the buffer.
template <class T>
nb::object numbers(const ArrowColumn& column, const Owner& owner) {
  if (column.has_nulls()) return copied(column);
  const nb::capsule keeper(new Owner(owner), [](void* held) noexcept { delete static_cast<Owner*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(column.values<T>() + column.offset,
                                                               {static_cast<std::size_t>(column.length)}, keeper));
}

[[noreturn]] void refuse(const ArrowColumn& column, std::string_view wanted) {
  const char* const name = column.schema.name;
  throw nb::type_error(
      fmt::format("column '{}' has the Arrow type '{}'; give {}", name == nullptr ? "" : name, column.format(), wanted)
          .c_str());
}

nb::object values_of(const ArrowColumn& column, const Owner& owner) {
  const std::string_view format = column.schema.dictionary == nullptr ? column.format() : "";
  if (format == "g") return numbers<double>(column, owner);
  if (format == "f") return numbers<float>(column, owner);
  if (format == "l") return numbers<std::int64_t>(column, owner);
  if (format == "L") return numbers<std::uint64_t>(column, owner);
  if (format == "i") return numbers<std::int32_t>(column, owner);
  if (format == "I") return numbers<std::uint32_t>(column, owner);
  if (format == "s") return numbers<std::int16_t>(column, owner);
  if (format == "S") return numbers<std::uint16_t>(column, owner);
  if (format == "c") return numbers<std::int8_t>(column, owner);
  if (format == "C") return numbers<std::uint8_t>(column, owner);
  if (shoal::arrow_misfit(column.schema, {})) refuse(column, "numbers");
  return copied(column);
}

// Coordinates of an axis that reads more than numbers.
nb::object coordinates_of(const ArrowColumn& column, const AxisKind& kind) {
  if (const auto misfit = shoal::arrow_misfit(column.schema, kind)) {
    const char* const name = column.schema.name;
    throw nb::type_error(fmt::format("column '{}' {}", name == nullptr ? "" : name, *misfit).c_str());
  }
  std::vector<double> copy;
  const std::span<const double> found = shoal::arrow_coordinates(column, kind, copy);
  if (copy.empty()) copy.assign(found.begin(), found.end());
  return nb::cast(shoal_python::to_numpy(std::move(copy)));
}

// Refuses a column that cannot tell units apart.
bool holds_whole(const ArrowColumn& column) {
  const ArrowColumn values = column.schema.dictionary != nullptr ? shoal::arrow_words(column) : column;
  const bool whole = shoal::is_arrow_whole(values.format());
  if (values.schema.dictionary != nullptr || !(whole || shoal::is_arrow_text(values.format()))) {
    refuse(values, "strings or whole numbers for units");
  }
  return whole;
}

void add_units(const ArrowColumn& column, UnitColumn& units) {
  static_cast<void>(holds_whole(column));
  std::array<char, 24> digits;
  for (std::int64_t row = 0; row < column.length; ++row) units.add(shoal::arrow_unit(column, row, digits));
}

UnitColumn units_of(const ArrowColumn& column, const Owner& owner) {
  const bool whole = holds_whole(column);
  if (whole && column.schema.dictionary == nullptr && !column.has_nulls()) {
    return UnitColumn::of_numbers(nb::cast<UnitColumn::Numbers>(values_of(column, owner)));
  }
  UnitColumn units(whole);
  add_units(column, units);
  return units;
}

// What a column's type means, as the end of a message; two batches of one input must agree in it.
std::string meaning(const ArrowSchema& schema) {
  const ArrowSchema& values = schema.dictionary == nullptr ? schema : *schema.dictionary;
  const std::string_view format = values.format;
  if (shoal::is_arrow_text(format)) return "strings or objects";
  if (shoal::is_arrow_whole(format)) return "whole numbers";
  if (format.starts_with("ts") && format.size() > 4) return "dates with a zone";
  return format.starts_with("t") ? "dates" : "numbers";
}

// A producer's own message may quote a value.
[[noreturn]] void refuse_stream(int failed) {
  if (PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) throw nb::python_error();
    PyErr_Clear();
  }
  throw nb::value_error(
      fmt::format("the Arrow stream cannot be read ({}); read it alone to see its own message", std::strerror(failed))
          .c_str());
}

class ArrowStream {
 public:
  // Takes the stream out of the capsule, as the protocol has it: the capsule is used up.
  explicit ArrowStream(const nb::object& capsule) {
    auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (stream == nullptr) throw nb::python_error();
    if (stream->release == nullptr) throw nb::value_error("this Arrow stream was already read");
    stream_.value = *stream;
    stream->release = nullptr;
    check(stream_.value.get_schema(&stream_.value, &schema_.value));
  }

  [[nodiscard]] bool is_table() const { return std::string_view(schema_.value.format) == "+s"; }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (std::int64_t i = 0; i < schema_.value.n_children; ++i) {
      const char* name = schema_.value.children[i]->name;
      result.emplace_back(name == nullptr ? "" : name);
    }
    return result;
  }

  // What the types of the listed columns mean.
  [[nodiscard]] std::vector<std::string> meanings(const std::vector<std::size_t>& columns) const {
    std::vector<std::string> result;
    for (const std::size_t i : columns) {
      if (i >= static_cast<std::size_t>(schema_.value.n_children)) throw nb::index_error("there is no such column");
      result.push_back(meaning(*schema_.value.children[i]));
    }
    return result;
  }

  // The listed columns of the next batch, and its units where their column is given; None after the last.
  // axes: those of the columns; empty: all numbers.
  nb::object next(const std::vector<std::size_t>& columns, std::optional<std::size_t> unit,
                  const std::vector<Axis>& axes) {
    if (!is_table()) throw nb::type_error("an Arrow stream of tables is needed");
    const Owner batch = next_batch();
    if (batch->value.release == nullptr) return nb::none();
    const auto view = [&](std::size_t i) -> ArrowColumn {
      if (i >= static_cast<std::size_t>(schema_.value.n_children)) throw nb::index_error("there is no such column");
      const ArrowArray& array = *batch->value.children[i];
      return {*schema_.value.children[i], array, array.offset + batch->value.offset, batch->value.length};
    };
    nb::list arrays;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool more = i < axes.size() && axes[i].kind().reads_text();
      arrays.append(more ? coordinates_of(view(columns[i]), axes[i].kind()) : values_of(view(columns[i]), batch));
    }
    return nb::make_tuple(arrays, unit ? nb::cast(units_of(view(*unit), batch)) : nb::none());
  }

  // Calls visit(column, batch) for every batch. Throws unless the stream has a single column.
  template <class Visit>
  void each(const Visit& visit) {
    if (is_table()) throw nb::type_error("one column is needed, not a table");
    for (Owner batch = next_batch(); batch->value.release != nullptr; batch = next_batch()) {
      visit(ArrowColumn{schema_.value, batch->value, batch->value.offset, batch->value.length}, batch);
    }
  }
  [[nodiscard]] const ArrowSchema& schema() const noexcept { return schema_.value; }

 private:
  Owner next_batch() {
    auto batch = std::make_shared<Held<ArrowArray>>();
    int failed = 0;
    {
      const nb::gil_scoped_release unlocked;
      failed = stream_.value.get_next(&stream_.value, &batch->value);
    }
    check(failed);
    return batch;
  }

  static void check(int failed) {
    if (failed != 0) refuse_stream(failed);
  }

  Held<ArrowArrayStream> stream_;
  Held<ArrowSchema> schema_;
};

// The coordinates of a column and what its type means.
nb::object column_coordinates(const nb::object& capsule, const Axis& axis) {
  ArrowStream stream(capsule);
  std::vector<double> all;
  if (const auto misfit = shoal::arrow_misfit(stream.schema(), axis.kind())) {
    throw nb::type_error(fmt::format("the column {}", *misfit).c_str());
  }
  stream.each([&](const ArrowColumn& column, const Owner&) {
    std::vector<double> copy;
    const std::span<const double> found = shoal::arrow_coordinates(column, axis.kind(), copy);
    all.insert(all.end(), found.begin(), found.end());
  });
  return nb::make_tuple(shoal_python::to_numpy(std::move(all)), meaning(stream.schema()));
}

UnitColumn column_units(const nb::object& capsule) {
  ArrowStream stream(capsule);
  const ArrowSchema& schema = stream.schema();
  UnitColumn units(shoal::is_arrow_whole((schema.dictionary == nullptr ? schema : *schema.dictionary).format));
  stream.each([&](const ArrowColumn& column, const Owner&) { add_units(column, units); });
  return units;
}

}  // namespace

void bind_arrow(nb::module_& m) {
  nb::class_<ArrowStream>(m, "ArrowStream")
      .def(nb::init<const nb::object&>(), nb::arg("capsule"))
      .def_prop_ro("names", &ArrowStream::names)
      .def("meanings", &ArrowStream::meanings, nb::arg("columns"), "What the types of these columns mean.")
      .def("next", &ArrowStream::next, nb::arg("columns"), nb::arg("unit") = nb::none(),
           nb::arg("axes") = std::vector<Axis>(),
           nb::sig("def next(self, columns: Sequence[int], unit: int | None = None, axes: Sequence[Axis] = []) -> "
                   "tuple[list, "
                   "Units | None] | None"),
           "Arrays of the next batch's columns, and its units; None after the last.");
  m.def(
      "arrow_coordinates", &column_coordinates, nb::arg("capsule"), nb::arg("axis"),
      nb::sig("def arrow_coordinates(capsule: object, axis: Axis) -> tuple[numpy.typing.NDArray[numpy.float64], str]"),
      "The coordinates that a stream of one column holds, and what its type means.");
  m.def("arrow_units", &column_units, nb::arg("capsule"), "The units that a stream of one column holds.");
}
