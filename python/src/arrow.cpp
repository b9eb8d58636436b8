// Tables of any library that speaks Arrow's C stream interface (PyCapsule protocol), read in place.
// https://arrow.apache.org/docs/format/CDataInterface.html names the structures and the formats.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "arrays.hpp"
#include "units.hpp"

namespace {

using shoal_python::UnitColumn;

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

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

// One column of a batch: rows [offset, offset + length) of the buffers.
struct ColumnView {
  const ArrowSchema& schema;
  const ArrowArray& array;
  std::int64_t offset, length;

  [[nodiscard]] std::string_view format() const { return schema.format; }
  [[nodiscard]] bool is_null(std::int64_t row) const {
    const auto* bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    const std::int64_t at = offset + row;
    return bits != nullptr && (bits[at / 8] >> (at % 8) & 1) == 0;
  }
  [[nodiscard]] bool has_nulls() const {
    if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
    for (std::int64_t row = 0; row < length; ++row) {
      if (is_null(row)) return true;
    }
    return false;
  }
  template <class T>
  [[nodiscard]] const T* values(int buffer = 1) const {
    return static_cast<const T*>(array.buffers[buffer]);
  }
};

using Owner = std::shared_ptr<Held<ArrowArray>>;

// Without nulls a view of the buffer; with nulls a copy where they are NaN.
template <class T>
nb::object numbers(const ColumnView& column, const Owner& owner) {
  const auto rows = static_cast<std::size_t>(column.length);
  const T* data = column.values<T>() + column.offset;
  if (column.has_nulls()) {
    std::vector<double> copy(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      copy[row] = column.is_null(static_cast<std::int64_t>(row)) ? std::numeric_limits<double>::quiet_NaN()
                                                                 : static_cast<double>(data[row]);
    }
    return nb::cast(shoal_python::to_numpy(std::move(copy)));
  }
  const nb::capsule keeper(new Owner(owner), [](void* held) noexcept { delete static_cast<Owner*>(held); });
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(data, {rows}, keeper));
}

bool is_text(std::string_view format) {
  return format == "u" || format == "U" || format == "vu" || format == "z" || format == "Z" || format == "vz";
}

// Text or bytes of a row, by offsets of 32 or 64 bits, or by views (16 bytes: length, then the text itself up to 12
// bytes, or a prefix, the number of a buffer and a place in it).
std::string_view text(const ColumnView& column, std::int64_t row) {
  const std::int64_t at = column.offset + row;
  if (column.format().starts_with('v')) {
    const auto* view = column.values<char>() + 16 * at;
    std::int32_t parts[4];
    std::memcpy(parts, view, sizeof parts);
    const auto size = static_cast<std::size_t>(parts[0]);
    if (size <= 12) return {view + 4, size};
    return {static_cast<const char*>(column.array.buffers[2 + parts[2]]) + parts[3], size};
  }
  const auto* bytes = column.values<char>(2);
  if (column.format() == "U" || column.format() == "Z") {
    const auto* ends = column.values<std::int64_t>();
    return {bytes + ends[at], static_cast<std::size_t>(ends[at + 1] - ends[at])};
  }
  const auto* ends = column.values<std::int32_t>();
  return {bytes + ends[at], static_cast<std::size_t>(ends[at + 1] - ends[at])};
}

// The whole number of a row, of any width; `take` is called with it.
template <class Take>
auto with_whole(const ColumnView& column, std::int64_t row, Take take) {
  const std::int64_t at = column.offset + row;
  switch (column.format().front()) {
    case 'c':
      return take(column.values<std::int8_t>()[at]);
    case 'C':
      return take(column.values<std::uint8_t>()[at]);
    case 's':
      return take(column.values<std::int16_t>()[at]);
    case 'S':
      return take(column.values<std::uint16_t>()[at]);
    case 'i':
      return take(column.values<std::int32_t>()[at]);
    case 'I':
      return take(column.values<std::uint32_t>()[at]);
    case 'l':
      return take(column.values<std::int64_t>()[at]);
    default:
      return take(column.values<std::uint64_t>()[at]);
  }
}

bool is_whole(std::string_view format) {
  return format.size() == 1 && std::string_view("cCsSiIlL").find(format) != std::string_view::npos;
}

[[noreturn]] void refuse(const ColumnView& column, std::string_view wanted) {
  const char* const name = column.schema.name;
  throw nb::type_error(
      fmt::format("column '{}' has the Arrow type '{}'; give {}", name == nullptr ? "" : name, column.format(), wanted)
          .c_str());
}

// The dictionary that a column's numbers look up, and a row's place in it.
ColumnView words_of(const ColumnView& column) {
  const ArrowArray& words = *column.array.dictionary;
  return {*column.schema.dictionary, words, words.offset, words.length};
}
std::int64_t word_of(const ColumnView& column, std::int64_t row) {
  return with_whole(column, row, [](auto index) { return static_cast<std::int64_t>(index); });
}

nb::object values_of(const ColumnView& column, const Owner& owner);

// A list of the dictionary's values, one per row.
nb::object looked_up(const ColumnView& column, const Owner& owner) {
  const nb::object all = values_of(words_of(column), owner);
  nb::list result;
  for (std::int64_t row = 0; row < column.length; ++row) {
    if (column.is_null(row)) {
      result.append(nb::none());
    } else {
      result.append(all[word_of(column, row)]);
    }
  }
  return result;
}

nb::object values_of(const ColumnView& column, const Owner& owner) {
  if (column.schema.dictionary != nullptr) return looked_up(column, owner);
  const std::string_view format = column.format();
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
  refuse(column, "numbers");
}

// What a row's unit is told by, its dictionary's value where it has one; empty where it is null. `digits` holds it
// where it is a number.
std::string_view unit_text(const ColumnView& column, std::int64_t row, std::array<char, 24>& digits) {
  if (column.is_null(row)) return {};
  if (column.schema.dictionary != nullptr) return unit_text(words_of(column), word_of(column, row), digits);
  if (is_text(column.format())) return text(column, row);
  const char* const end =
      with_whole(column, row, [&](auto id) { return std::to_chars(digits.begin(), digits.end(), id).ptr; });
  return {digits.data(), static_cast<std::size_t>(end - digits.data())};
}

UnitColumn units_of(const ColumnView& column, const Owner& owner) {
  const ColumnView values = column.schema.dictionary != nullptr ? words_of(column) : column;
  const bool whole = is_whole(values.format());
  if (values.schema.dictionary != nullptr || !(whole || is_text(values.format()))) {
    refuse(values, "strings or whole numbers for units");
  }
  if (whole && column.schema.dictionary == nullptr && !column.has_nulls()) {
    return UnitColumn::of_numbers(nb::cast<UnitColumn::Numbers>(values_of(column, owner)));
  }
  UnitColumn units(whole);
  std::array<char, 24> digits;
  for (std::int64_t row = 0; row < column.length; ++row) units.add(unit_text(column, row, digits));
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
  nb::object next(const std::vector<std::size_t>& columns, std::optional<std::size_t> unit) {
    auto batch = std::make_shared<Held<ArrowArray>>();
    int failed = 0;
    {
      const nb::gil_scoped_release unlocked;
      failed = stream_.value.get_next(&stream_.value, &batch->value);
    }
    check(failed);
    if (batch->value.release == nullptr) return nb::none();
    const auto view = [&](std::size_t i) -> ColumnView {
      if (i >= static_cast<std::size_t>(schema_.value.n_children)) throw nb::index_error("there is no such column");
      const ArrowArray& array = *batch->value.children[i];
      return {*schema_.value.children[i], array, array.offset + batch->value.offset, batch->value.length};
    };
    nb::list arrays;
    for (const std::size_t i : columns) arrays.append(values_of(view(i), batch));
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
           nb::sig(
               "def next(self, columns: Sequence[int], unit: int | None = None) -> tuple[list, Units | None] | None"),
           "Arrays of the next batch's columns, and its units; None after the last.");
}
