#include <algorithm>
#include <memory>
#include <utility>

#include "bindings.hpp"
#include "shoal/points.hpp"
#include "shoal/readers.hpp"

namespace {

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Hands the vector over to NumPy without a copy.
template <class T>
Array<T> to_numpy(std::vector<T> values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(), [](void* held) noexcept { delete static_cast<std::vector<T>*>(held); });
  return Array<T>(data, {size}, owner);
}

std::vector<Array<double>> to_numpy(std::vector<std::vector<double>> columns) {
  std::vector<Array<double>> arrays;
  for (auto& column : columns) arrays.push_back(to_numpy<double>(std::move(column)));
  return arrays;
}

shoal::CsvHeader header_named(const std::string& name) {
  if (name == "yes") return shoal::CsvHeader::yes;
  if (name == "no") return shoal::CsvHeader::no;
  if (name == "detect") return shoal::CsvHeader::detect;
  throw nb::value_error("header is detect, yes or no");
}

shoal::CsvOptions csv_options(std::vector<std::string> columns, std::optional<std::string> unit_column,
                              const std::optional<std::string>& delimiter, const std::string& header, bool multiline,
                              bool skip_bad_rows, std::size_t block_bytes) {
  if (delimiter && delimiter->size() != 1) throw nb::value_error("a delimiter is one character");
  shoal::CsvOptions options;
  options.columns = std::move(columns);
  options.unit_column = std::move(unit_column);
  if (delimiter) options.delimiter = delimiter->front();
  options.header = header_named(header);
  options.multiline = multiline;
  options.on_bad_row = skip_bad_rows ? shoal::OnBadRow::skip : shoal::OnBadRow::fail;
  options.block_bytes = block_bytes;
  return options;
}

// Columns, units (bytes) and what else the reader knows, in the order of the input when there is one thread.
nb::dict read_csv(const std::string& path, const shoal::CsvOptions& options, unsigned threads) {
  const auto points = shoal::open_csv(path, options);
  std::vector<std::vector<std::vector<double>>> parts(threads, std::vector<std::vector<double>>(points->dimensions()));
  std::vector<std::vector<std::string>> units(threads);
  {
    const nb::gil_scoped_release unlocked;
    points->scan(threads, [&](unsigned worker, const shoal::PointBlock& block) {
      for (std::size_t i = 0; i < block.columns.size(); ++i) {
        parts[worker][i].insert(parts[worker][i].end(), block.columns[i].begin(), block.columns[i].end());
      }
      units[worker].insert(units[worker].end(), block.units.begin(), block.units.end());
    });
  }
  for (unsigned worker = 1; worker < threads; ++worker) {
    for (std::size_t i = 0; i < parts[0].size(); ++i) {
      parts[0][i].insert(parts[0][i].end(), parts[worker][i].begin(), parts[worker][i].end());
    }
    units[0].insert(units[0].end(), units[worker].begin(), units[worker].end());
  }
  nb::list texts;
  for (const std::string& unit : units[0]) texts.append(nb::bytes(unit.data(), unit.size()));
  nb::dict result;
  result["names"] = points->names();
  result["columns"] = to_numpy(std::move(parts[0]));
  result["units"] = texts;
  result["skipped"] = points->skipped();
  return result;
}

// Rows and the sum of each column: the least that a consumer can do.
std::pair<std::uint64_t, std::vector<double>> sum_csv(const std::string& path, const shoal::CsvOptions& options,
                                                      unsigned threads) {
  struct alignas(64) Part {
    std::uint64_t rows = 0;
    std::vector<double> sums;
  };
  const nb::gil_scoped_release unlocked;
  const auto points = shoal::open_csv(path, options);
  std::vector<Part> parts(threads, {0, std::vector<double>(points->dimensions())});
  points->scan(threads, [&](unsigned worker, const shoal::PointBlock& block) {
    parts[worker].rows += block.rows();
    for (std::size_t i = 0; i < block.columns.size(); ++i) {
      double sum = 0;
      for (const double x : block.columns[i]) sum += x;
      parts[worker].sums[i] += sum;
    }
  });
  for (unsigned worker = 1; worker < threads; ++worker) {
    parts[0].rows += parts[worker].rows;
    for (std::size_t i = 0; i < parts[0].sums.size(); ++i) parts[0].sums[i] += parts[worker].sums[i];
  }
  return {parts[0].rows, parts[0].sums};
}

void bind_csv(nb::module_& internal) {
  internal.def(
      "read_csv",
      [](const std::string& path, std::vector<std::string> columns, std::optional<std::string> unit_column,
         const std::optional<std::string>& delimiter, const std::string& header, bool multiline, bool skip_bad_rows,
         std::size_t block_bytes, unsigned threads) {
        return read_csv(path,
                        csv_options(std::move(columns), std::move(unit_column), delimiter, header, multiline,
                                    skip_bad_rows, block_bytes),
                        std::max(1U, threads));
      },
      nb::arg("path"), nb::kw_only(), nb::arg("columns") = std::vector<std::string>{},
      nb::arg("unit_column") = nb::none(), nb::arg("delimiter") = nb::none(), nb::arg("header") = "detect",
      nb::arg("multiline") = false, nb::arg("skip_bad_rows") = false, nb::arg("block_bytes") = std::size_t{1} << 18,
      nb::arg("threads") = 1);
  internal.def(
      "sum_csv",
      [](const std::string& path, std::vector<std::string> columns, unsigned threads) {
        shoal::CsvOptions options;
        options.columns = std::move(columns);
        return sum_csv(path, options, std::max(1U, threads));
      },
      nb::arg("path"), nb::arg("columns") = std::vector<std::string>{}, nb::arg("threads") = 1);
}

nb::dict make_dataset(const std::string& name, std::uint64_t seed, std::uint64_t points) {
  shoal::Dataset dataset = [&] {
    const nb::gil_scoped_release unlocked;
    return shoal::make_dataset(name, seed, points);
  }();
  nb::dict result;
  result["names"] = dataset.settings.names;
  result["columns"] = to_numpy(std::move(dataset.columns));
  result["labels"] = to_numpy(std::move(dataset.labels));
  result["bounds"] = dataset.settings.bounds;
  result["grid"] = dataset.settings.cells;
  result["percentile"] = dataset.settings.percentile;
  return result;
}

}  // namespace

void bind_datasets(nb::module_& m) {
  m.def("make_dataset", &make_dataset, nb::arg("name"), nb::arg("seed"), nb::arg("points") = 0,
        "Columns, labels and suited settings of an example set.");
  m.def("dataset_names", &shoal::dataset_names);
  nb::module_ internal =
      nb::hasattr(m, "internal") ? nb::cast<nb::module_>(m.attr("internal")) : m.def_submodule("internal");
  bind_csv(internal);
}
