// Tables of any library that speaks Arrow's C stream interface (PyCapsule protocol), read in place.
#include <fmt/format.h>

#include <array>

#include "arrays.hpp"
#include "points/arrow_coordinates.hpp"
#include "units.hpp"

namespace {

using shoal::ArrowArray;
using shoal::ArrowArrayStream;
using shoal::ArrowColumn;
using shoal::ArrowSchema;
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

nb::object texts_of(const ArrowColumn& column, const Owner& owner);

// A list of the dictionary's values, one per row.
nb::object looked_up(const ArrowColumn& column, const Owner& owner) {
  const nb::object all = texts_of(shoal::arrow_words(column), owner);
  nb::list result;
  for (std::int64_t row = 0; row < column.length; ++row) {
    if (column.is_null(row)) {
      result.append(nb::none());
    } else {
      result.append(all[shoal::arrow_word(column, row)]);
    }
  }
  return result;
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

// Times as NumPy's datetime64; null is NaT.
template <class T>
nb::object times(const ArrowColumn& column, const char* type) {
  std::vector<std::int64_t> copy(static_cast<std::size_t>(column.length));
  const T* data = column.values<T>() + column.offset;
  for (std::int64_t row = 0; row < column.length; ++row) {
    copy[static_cast<std::size_t>(row)] = column.is_null(row) ? INT64_MIN : std::int64_t{data[row]};
  }
  return nb::cast(shoal_python::to_numpy(std::move(copy))).attr("view")(type);
}

// Of an axis that reads more than numbers: times and texts too. A zone names how instants are shown: they are UTC.
nb::object texts_of(const ArrowColumn& column, const Owner& owner) {
  if (column.schema.dictionary != nullptr) return looked_up(column, owner);
  const std::string_view format = column.format();
  if (format == "tdD") return times<std::int32_t>(column, "M8[D]");
  if (format == "tdm") return times<std::int64_t>(column, "M8[ms]");
  for (const auto& [unit, type] : {std::pair("tss:", "M8[s]"), std::pair("tsm:", "M8[ms]"), std::pair("tsu:", "M8[us]"),
                                   std::pair("tsn:", "M8[ns]")}) {
    if (!format.starts_with(unit)) continue;
    const nb::object values = times<std::int64_t>(column, type);
    return format.size() > 4 ? nb::object(nb::make_tuple(values)) : values;  // a tuple: instants
  }
  if (!shoal::is_arrow_text(format)) return values_of(column, owner);
  nb::list result;
  for (std::int64_t row = 0; row < column.length; ++row) {
    const std::string_view value = column.is_null(row) ? std::string_view{} : shoal::arrow_text(column, row);
    result.append(nb::str(value.data(), value.size()));
  }
  return result;
}

UnitColumn units_of(const ArrowColumn& column, const Owner& owner) {
  const ArrowColumn values = column.schema.dictionary != nullptr ? shoal::arrow_words(column) : column;
  const bool whole = shoal::is_arrow_whole(values.format());
  if (values.schema.dictionary != nullptr || !(whole || shoal::is_arrow_text(values.format()))) {
    refuse(values, "strings or whole numbers for units");
  }
  if (whole && column.schema.dictionary == nullptr && !column.has_nulls()) {
    return UnitColumn::of_numbers(nb::cast<UnitColumn::Numbers>(values_of(column, owner)));
  }
  UnitColumn units(whole);
  std::array<char, 24> digits;
  for (std::int64_t row = 0; row < column.length; ++row) units.add(shoal::arrow_unit(column, row, digits));
  return units;
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
    if (std::string_view(schema_.value.format) != "+s") throw nb::type_error("an Arrow stream of tables is needed");
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (std::int64_t i = 0; i < schema_.value.n_children; ++i) {
      const char* name = schema_.value.children[i]->name;
      result.emplace_back(name == nullptr ? "" : name);
    }
    return result;
  }

  // The listed columns of the next batch, and its units where their column is given; None after the last.
  // texts: which of them may hold more than numbers; empty: none.
  nb::object next(const std::vector<std::size_t>& columns, std::optional<std::size_t> unit,
                  const std::vector<bool>& texts) {
    auto batch = std::make_shared<Held<ArrowArray>>();
    int failed = 0;
    {
      const nb::gil_scoped_release unlocked;
      failed = stream_.value.get_next(&stream_.value, &batch->value);
    }
    check(failed);
    if (batch->value.release == nullptr) return nb::none();
    const auto view = [&](std::size_t i) -> ArrowColumn {
      if (i >= static_cast<std::size_t>(schema_.value.n_children)) throw nb::index_error("there is no such column");
      const ArrowArray& array = *batch->value.children[i];
      return {*schema_.value.children[i], array, array.offset + batch->value.offset, batch->value.length};
    };
    nb::list arrays;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool more = i < texts.size() && texts[i];
      arrays.append(more ? texts_of(view(columns[i]), batch) : values_of(view(columns[i]), batch));
    }
    return nb::make_tuple(arrays, unit ? nb::cast(units_of(view(*unit), batch)) : nb::none());
  }

 private:
  void check(int failed) {
    if (failed == 0) return;
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    const char* why = stream_.value.get_last_error(&stream_.value);
    throw nb::value_error(fmt::format("the Arrow stream cannot be read: {}", why == nullptr ? "" : why).c_str());
  }

  Held<ArrowArrayStream> stream_;
  Held<ArrowSchema> schema_;
};

}  // namespace

void bind_arrow(nb::module_& m) {
  nb::class_<ArrowStream>(m, "ArrowStream")
      .def(nb::init<const nb::object&>(), nb::arg("capsule"))
      .def_prop_ro("names", &ArrowStream::names)
      .def("next", &ArrowStream::next, nb::arg("columns"), nb::arg("unit") = nb::none(),
           nb::arg("texts") = std::vector<bool>(),
           nb::sig("def next(self, columns: Sequence[int], unit: int | None = None, texts: Sequence[bool] = []) -> "
                   "tuple[list, "
                   "Units | None] | None"),
           "Arrays of the next batch's columns, and its units; None after the last.");
}
