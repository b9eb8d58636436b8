// The work of the estimators' calls without Python: what bench/python/overhead.py sets them against.
#include "arrays.hpp"
#include "shoal/private_release.hpp"
#include "shoal/wavecluster.hpp"

namespace {

using namespace shoal;

// Two columns in the unit square, on 16 x 16 cells, with the densest 70 % of them. Each method does the C++ work of one
// call, and leaves the labels.
class Bare {
 public:
  Bare(const std::vector<shoal_python::ColumnArray>& columns, std::string technique)
      : technique_(std::move(technique)), labels_(shoal_python::rows_of(columns)) {
    for (const auto& column : columns) {
      auto& copy = columns_.emplace_back();
      for (std::size_t row = 0; row < labels_.size(); ++row) {
        copy.push_back(column.data()[static_cast<std::ptrdiff_t>(row) * column.stride(0)]);
      }
    }
    fit();
  }

  void fit() {
    const ClusterOptions options = cluster_options();
    const Grid over = grid();
    map_.emplace(over, options.level, options.transform,
                 wavecluster(quantize(*points(), over, {.threads = 1}), options).clusters);
    predict();
  }
  void release() {
    release_.emplace(private_release(*points(), {.grid = grid(),
                                                 .epsilon = Epsilon::parse("1"),
                                                 .options = {.cluster = cluster_options()},
                                                 .technique = technique_})
                         .first());
    map_.emplace(release_->map());
    predict();
  }
  void predict() {
    std::vector<std::span<const double>> columns(columns_.begin(), columns_.end());
    map_->label(columns, labels_);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& labels() const { return labels_; }

 private:
  static Grid grid() { return Grid({Axis(0, 1, 16, "axis 1"), Axis(0, 1, 16, "axis 2")}); }
  static ClusterOptions cluster_options() { return {.threshold = Percentile(30), .threads = 1}; }
  [[nodiscard]] std::unique_ptr<Points> points() const {
    std::vector<Column> columns;
    for (const auto& column : columns_) columns.push_back({column.data()});
    return array_points(std::move(columns), labels_.size());
  }

  std::vector<std::vector<double>> columns_;
  std::string technique_;
  std::vector<std::uint32_t> labels_;
  std::optional<ClusterMap> map_;
  std::optional<Release> release_;
};

}  // namespace

void bind_overhead(nb::module_& internal) {
  nb::class_<Bare>(internal, "Bare")
      .def(nb::init<const std::vector<shoal_python::ColumnArray>&, std::string>(), nb::arg("columns"),
           nb::arg("technique"))
      .def("fit", &Bare::fit)
      .def("release", &Bare::release)
      .def("predict", &Bare::predict)
      .def_prop_ro("labels", &Bare::labels);
}
