#include "points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "shoal/error.hpp"
#include "units.hpp"
#include "workers.hpp"

namespace shoal_python {

namespace {

constexpr std::size_t block_rows = 8192;
constexpr std::size_t least_rows_of_threads = 1U << 16;

template <class T>
void read_numbers(const void* data, std::ptrdiff_t stride, std::size_t first, std::span<double> to) {
  const T* from = static_cast<const T*>(data) + static_cast<std::ptrdiff_t>(first) * stride;
  for (std::size_t row = 0; row < to.size(); ++row) {
    to[row] = static_cast<double>(from[static_cast<std::ptrdiff_t>(row) * stride]);
  }
}

template <class... T>
auto reader_of(nb::dlpack::dtype type) {
  void (*reader)(const void*, std::ptrdiff_t, std::size_t, std::span<double>) = nullptr;
  static_cast<void>(((type == nb::dtype<T>() ? (reader = &read_numbers<T>, true) : false) || ...));
  if (reader == nullptr) throw nb::type_error("coordinates must be real numbers of 8 to 64 bits");
  return reader;
}

}  // namespace

NumberColumns::NumberColumns(std::vector<NumberArray> arrays) : arrays_(std::move(arrays)) {
  for (const NumberArray& array : arrays_) {
    if (array.ndim() != 1 && array.ndim() != 2) throw nb::value_error("give columns, or rows by columns");
    if (columns_.empty()) rows_ = array.shape(0);
    if (array.shape(0) != rows_) throw nb::value_error("the columns differ in length");
    const bool close = array.dtype() == nb::dtype<double>() && (array.stride(0) == 1 || rows_ < 2);
    const Read read = close ? nullptr
                            : reader_of<double, float, std::int64_t, std::int32_t, std::int16_t, std::int8_t,
                                        std::uint64_t, std::uint32_t, std::uint16_t, std::uint8_t>(array.dtype());
    const auto* data = static_cast<const std::byte*>(array.data());
    const std::ptrdiff_t next = array.ndim() == 1 ? 0 : array.stride(1) * static_cast<std::ptrdiff_t>(array.itemsize());
    for (std::size_t i = 0; i < (array.ndim() == 1 ? 1 : array.shape(1)); ++i, data += next) {
      columns_.push_back({data, array.stride(0), read});
    }
  }
}

NumberColumns NumberColumns::behind(NumberArray first) const {
  std::vector<NumberArray> arrays{std::move(first)};
  arrays.insert(arrays.end(), arrays_.begin(), arrays_.end());
  return NumberColumns(std::move(arrays));
}

void NumberColumns::read(std::size_t first, std::size_t count, std::vector<std::vector<double>>& copies,
                         std::vector<std::span<const double>>& block) const {
  copies.resize(columns_.size());
  block.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto& [data, stride, read] = columns_[i];
    if (read == nullptr) {
      block[i] = {static_cast<const double*>(data) + first, count};
      continue;
    }
    copies[i].resize(std::max(copies[i].size(), count));
    read(data, stride, first, {copies[i].data(), count});
    block[i] = {copies[i].data(), count};
  }
}

void check_signals() {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

namespace {

// The Python objects that a batch refers to. They are released with the lock held, on whichever thread that happens.
struct Batch {
  std::optional<HeldColumns> columns;
  std::optional<UnitColumn> units;

  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() {
    const nb::gil_scoped_acquire locked;
    columns.reset();
    units.reset();
  }
};

class PythonPoints final : public shoal::Points {
 public:
  PythonPoints(std::size_t dimensions, nb::handle batches)
      : dimensions_(dimensions), batches_(nb::steal(nb::iter(batches).release())) {}
  PythonPoints(const PythonPoints&) = delete;
  PythonPoints& operator=(const PythonPoints&) = delete;
  ~PythonPoints() override {
    const nb::gil_scoped_acquire locked;
    batches_.reset();
  }

  [[nodiscard]] std::size_t dimensions() const override { return dimensions_; }
  [[nodiscard]] std::vector<std::string> names() const override { return std::vector<std::string>(dimensions_); }

  void scan(unsigned threads, const Visit& visit) override {
    for (;;) {
      check_stop();
      const std::unique_ptr<Batch> batch = next();
      if (!batch) return;
      serve(*batch, threads, visit);
    }
  }

 private:
  std::unique_ptr<Batch> next() {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const nb::object item = nb::steal(PyIter_Next(batches_.ptr()));
    if (!item.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return nullptr;
    }
    auto batch = std::make_unique<Batch>();
    const NumberColumns& columns = *batch->columns.emplace(item[0]);
    if (!item[1].is_none()) batch->units = nb::cast<UnitColumn>(item[1]);
    if (columns.size() != dimensions_) {
      throw shoal::InputError(fmt::format("a batch has {} columns, but the first had {}", columns.size(), dimensions_));
    }
    if (batch->units && batch->units->rows() != columns.rows()) {
      throw shoal::InputError(
          fmt::format("{} units were given for {} rows; give one per row", batch->units->rows(), columns.rows()));
    }
    return batch;
  }

  // Blocks go to whichever worker is free. The thread that called watches for Ctrl-C.
  void serve(const Batch& batch, unsigned threads, const Visit& visit) const {
    using Clock = std::chrono::steady_clock;
    const NumberColumns& columns = **batch.columns;
    const std::size_t rows = columns.rows();
    const unsigned workers = rows < least_rows_of_threads ? 1 : std::max(1U, threads);
    const auto caller = std::this_thread::get_id();
    auto checked = Clock::now();
    std::atomic<std::size_t> next = 0;
    shoal_python::on_threads(workers, workers, [&](std::size_t worker) {
      std::vector<std::vector<double>> copies;
      UnitColumn::Room room;
      shoal::PointBlock block;
      try {
        for (std::size_t first = next.fetch_add(block_rows); first < rows; first = next.fetch_add(block_rows)) {
          const std::size_t count = std::min(block_rows, rows - first);
          columns.read(first, count, copies, block.columns);
          if (batch.units) block.units = batch.units->keys(first, count, room);
          visit(static_cast<unsigned>(worker), block);
          if (std::this_thread::get_id() == caller && Clock::now() - checked > std::chrono::milliseconds(50)) {
            check_signals();
            checked = Clock::now();
          }
        }
      } catch (...) {
        next = rows;
        throw;
      }
    });
  }

  std::size_t dimensions_;
  nb::object batches_;
};

}  // namespace

HeldColumns::HeldColumns(nb::handle columns) {
  if (nb::isinstance<NumberColumns>(columns)) {
    owner_ = nb::borrow(columns);
    columns_ = nb::inst_ptr<NumberColumns>(columns);
  } else {
    columns_ = &made_.emplace(nb::cast<std::vector<NumberArray>>(columns));
  }
}

std::unique_ptr<shoal::Points> python_points(std::size_t dimensions, nb::handle batches) {
  return std::make_unique<PythonPoints>(dimensions, batches);
}

}  // namespace shoal_python

namespace {

using shoal_python::NumberArray;
using shoal_python::NumberColumns;

// What most calls bring, recognized in one step.
nb::object plain_columns(nb::handle matrix) {
  NumberArray array;
  if (!nb::try_cast(matrix, array, false) || array.ndim() != 2 || array.size() == 0) return nb::none();
  if (array.dtype() != nb::dtype<double>() && array.dtype() != nb::dtype<float>()) return nb::none();
  if (reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() != 0) return nb::none();
  return nb::cast(NumberColumns({std::move(array)}));
}

}  // namespace

void bind_points(nb::module_& m) {
  nb::class_<NumberColumns>(m, "Columns")
      .def(nb::init<std::vector<NumberArray>>(), nb::arg("arrays"))
      .def_static("plain", &plain_columns, nb::arg("matrix"), nb::sig("def plain(matrix: object) -> Columns | None"),
                  "The columns of a matrix of floats that can be read in place; None if it cannot, or if it is empty.")
      .def("behind", &NumberColumns::behind, nb::arg("first"), "The same columns behind this one.")
      .def_prop_ro("count", &NumberColumns::size)
      .def_prop_ro("rows", &NumberColumns::rows);
}
