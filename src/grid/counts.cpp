#include "shoal/counts.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "base/parallel.hpp"
#include "grid/narrow_counts.hpp"
#include "shoal/error.hpp"

namespace shoal {

struct Counts::Stored {
  std::shared_mutex guard;
  Cells<std::int64_t> cells;
  std::optional<NarrowCounts> narrow;  // set until it is added to the cells
  unsigned threads = 1;
};

Counts::Counts(Grid grid, Cells<std::int64_t> cells, std::uint64_t points, std::uint64_t outside)
    : grid_(std::move(grid)), stored_(std::make_shared<Stored>()), points_(points), outside_(outside) {
  if (cells.shape() != grid_.shape()) throw InputError("the counts have another shape than their grid");
  stored_->cells = std::move(cells);
}

Counts CountsInTwoParts::made(Counts wide, NarrowCounts narrow, unsigned threads) {
  wide.stored_->narrow.emplace(std::move(narrow));
  wide.stored_->threads = threads;
  return wide;
}

bool Counts::is_dense() const noexcept { return stored_->cells.is_dense(); }

const Cells<std::int64_t>& Counts::raw() const {
  Stored& stored = *stored_;
  {
    const std::shared_lock lock(stored.guard);
    if (!stored.narrow) return stored.cells;
  }
  const std::unique_lock lock(stored.guard);
  if (stored.narrow) {
    std::int64_t* const values = stored.cells.values().data();
    const std::size_t cells = stored.cells.stored();
    parallel_stretches(cells, cells >> 16, stored.threads, [&](std::uint64_t begin, std::uint64_t end) {
      stored.narrow->widen(begin, end, values, values + begin);
    });
    stored.narrow.reset();
  }
  return stored.cells;
}

void Counts::read(std::uint64_t begin, std::uint64_t end, std::int64_t* out) const {
  const std::shared_lock lock(stored_->guard);
  const std::int64_t* const values = std::as_const(stored_->cells).values().data();
  if (stored_->narrow) {
    stored_->narrow->widen(begin, end, values, out);
  } else {
    std::copy(values + begin, values + end, out);
  }
}

Counts::Place Counts::take() && {
  const auto filled = [](std::uint64_t /*begin*/, std::uint64_t /*end*/) {};
  if (stored_.use_count() != 1) return {raw(), filled};  // shared with others: return a copy
  const std::shared_ptr<Stored> stored = std::move(stored_);
  if (!stored->narrow) return {std::move(stored->cells), filled};
  Cells<std::int64_t> cells = std::move(stored->cells);
  std::int64_t* const values = cells.values().data();  // the address stays the same when ownership moves
  const auto fill = [stored, values](std::uint64_t begin, std::uint64_t end) {
    stored->narrow->widen(begin, end, values, values + begin);
  };
  return {std::move(cells), fill};
}

}  // namespace shoal
