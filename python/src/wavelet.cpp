#include "shoal/wavelet.hpp"

#include <memory>
#include <span>
#include <utility>

#include "options.hpp"

namespace {

using shoal::Cells;
using shoal::Shape;
using shoal::Transform;
using shoal_python::transform_named;

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

template <class T>
Shape shape_of(const Array<T>& array) {
  Shape shape;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) shape.push_back(array.shape(axis));
  return shape;
}

template <class T>
std::span<const T> values_of(const Array<T>& array) {
  return {array.data(), array.size()};
}

// Hands what `owned` holds over to NumPy without a copy.
template <class T>
nb::ndarray<nb::numpy, T> dense_to_numpy(Cells<T> cells) {
  auto owned = std::make_unique<Cells<T>>(std::move(cells));
  std::vector<std::size_t> extents(owned->shape().begin(), owned->shape().end());
  T* data = owned->values().data();
  const nb::capsule owner(owned.release(), [](void* held) noexcept { delete static_cast<Cells<T>*>(held); });
  return {data, extents.size(), extents.data(), owner};
}

template <class T>
std::vector<T> copied(std::span<const T> values) {
  return {values.begin(), values.end()};
}

template <class T>
nb::ndarray<nb::numpy, T> line_to_numpy(std::span<const T> values) {
  return dense_to_numpy(Cells<T>::dense({values.size()}, copied(values)));
}

template <class T>
nb::tuple sparse_to_numpy(const Cells<T>& cells) {
  return nb::make_tuple(cells.shape(), line_to_numpy(cells.index()), line_to_numpy(cells.values()));
}

template <class T>
Cells<T> sparse_cells(const Shape& shape, const Array<std::uint64_t>& index, const Array<T>& values) {
  return Cells<T>::sparse(shape, {index.data(), index.data() + index.size()},
                          {values.data(), values.data() + values.size()});
}

void bind_dense(nb::module_& m) {
  m.def(
      "average_subband",
      [](const Array<double>& values, const std::string& wavelet, unsigned level, const std::string& transform,
         unsigned threads) {
        const Transform kind = transform_named(transform);
        Cells<double> result;
        {
          const nb::gil_scoped_release release;
          result = shoal::average_subband(shape_of(values), values_of(values), shoal::Wavelet::named(wavelet), level,
                                          kind, threads);
        }
        return dense_to_numpy(std::move(result));
      },
      nb::arg("values"), nb::arg("wavelet") = "haar", nb::arg("level") = 1, nb::arg("transform") = "decimated",
      nb::arg("threads") = 0);
  m.def(
      "haar_sums",
      [](const Array<std::int64_t>& values, unsigned level, const std::string& transform, unsigned threads) {
        const Transform kind = transform_named(transform);
        Cells<std::int64_t> result;
        {
          const nb::gil_scoped_release release;
          result = shoal::haar_sums(shape_of(values), values_of(values), level, kind, threads);
        }
        return dense_to_numpy(std::move(result));
      },
      nb::arg("values"), nb::arg("level") = 1, nb::arg("transform") = "decimated", nb::arg("threads") = 0);
}

void bind_sparse(nb::module_& m) {
  m.def("sparse_average_subband", [](const Shape& shape, const Array<std::uint64_t>& index, const Array<double>& values,
                                     const std::string& wavelet, unsigned level, const std::string& transform) {
    return sparse_to_numpy(shoal::average_subband(sparse_cells(shape, index, values), shoal::Wavelet::named(wavelet),
                                                  level, transform_named(transform)));
  });
  m.def("sparse_haar_sums", [](const Shape& shape, const Array<std::uint64_t>& index, const Array<std::int64_t>& values,
                               unsigned level, const std::string& transform) {
    return sparse_to_numpy(shoal::haar_sums(sparse_cells(shape, index, values), level, transform_named(transform)));
  });
}

}  // namespace

void bind_wavelet(nb::module_& m) {
  m.def("wavelet_names", &shoal::Wavelet::names);
  m.def("low_pass", [](const std::string& name) { return shoal::Wavelet::named(name).low_pass(); });
  m.def(
      "reach",
      [](const std::string& name, std::uint64_t size, unsigned level, const std::string& transform) {
        const shoal::Reach reach = shoal::Wavelet::named(name).reach(size, level, transform_named(transform));
        return nb::make_tuple(reach.outputs, reach.l1, reach.l2);
      },
      nb::arg("wavelet"), nb::arg("size"), nb::arg("level") = 1, nb::arg("transform") = "decimated");
  bind_dense(m);
  bind_sparse(m);
}
