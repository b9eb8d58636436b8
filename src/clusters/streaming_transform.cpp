#include "clusters/streaming_transform.hpp"

#include <algorithm>
#include <utility>

namespace shoal {

namespace {
constexpr std::uint64_t least_slab = std::uint64_t{1} << 14;  // in cells; a smaller slab is not worth a call
constexpr std::uint64_t most_slab = std::uint64_t{1} << 18;   // in cells; a larger slab does not stay in a core's cache

bool has_slabs(const ClusterOptions& options) {
  return options.transform == Transform::decimated && options.wavelet.is_haar();
}

// Returns the number of cells of the smallest slabs that are worth a call. Returns 0 if they would be too large, or if
// one slab would hold all cells.
std::uint64_t slab_cells(const Shape& shape, std::uint64_t row, unsigned level) {
  const std::uint64_t block = std::uint64_t{1} << std::min(level, 62U);
  if (!shape.side(0).pooled || row > most_slab || block >= shape.front() || shape.front() * row <= least_slab) return 0;
  const std::uint64_t blocks = std::max<std::uint64_t>(1, least_slab / (block * row));
  return blocks * block * row <= most_slab ? blocks * block * row : 0;
}
}  // namespace

StreamingTransform::StreamingTransform(Shape shape, const ClusterOptions& options)
    : shape_(std::move(shape)), options_(options) {
  const Shape to = transformed_shape(shape_, options.level, options.transform);  // throws if the level is out of range
  row_ = cell_count(shape_) / shape_.front();
  slab_cells_ = has_slabs(options) ? slab_cells(shape_, row_, options.level) : 0;
  if (slab_cells_ == 0) return;
  missing_ = std::vector<std::atomic<std::uint64_t>>((cell_count(shape_) - 1) / slab_cells_ + 1);
  for (std::uint64_t i = 0; i < slabs(); ++i) missing_[i] = slab(i).end - slab(i).begin;
  sums_ = Cells<std::int64_t>::dense(to, Values<std::int64_t>(cell_count(to)));
}

StreamingTransform::Slab StreamingTransform::slab(std::uint64_t i) const noexcept {
  return {i * slab_cells_, std::min((i + 1) * slab_cells_, row_ * shape_.front())};
}

void StreamingTransform::on_filled(std::span<const std::int64_t> counts, std::uint64_t begin, std::uint64_t end) {
  if (slabs() == 0) return;
  while (begin < end) {
    const std::uint64_t i = begin / slab_cells_;
    const Slab all = slab(i);
    const std::uint64_t filled = std::min(end, all.end) - begin;
    if (missing_[i].fetch_sub(filled, std::memory_order_acq_rel) == filled) {
      sum(i, counts.subspan(all.begin, all.end - all.begin));
    }
    begin += filled;
  }
}

void StreamingTransform::sum(std::uint64_t i, std::span<const std::int64_t> counts) {
  Shape box = shape_;
  box.front() = counts.size() / row_;
  const Cells<std::int64_t> sums = haar_sums(box, counts, options_.level, Transform::decimated, 1);
  // All slabs except the last produce the same number of sums.
  const std::uint64_t rows = (slab_cells_ / row_) >> std::min(options_.level, 63U);
  const std::uint64_t row = sums_.stored() / sums_.shape().front();
  std::copy(sums.values().begin(), sums.values().end(),
            sums_.values().begin() + static_cast<std::ptrdiff_t>(i * rows * row));
}

Transformed StreamingTransform::finish(const Cells<std::int64_t>& counts) && {
  return slabs() == 0 ? transform(counts, options_) : std::move(*this).finish();
}

Transformed StreamingTransform::finish() && { return {std::move(sums_), options_.level}; }

}  // namespace shoal
