#include "points/arrow_batches.hpp"

#include <algorithm>
#include <limits>
#include <mutex>

#include "base/parallel.hpp"
#include "points/arrow_condition.hpp"
#include "points/arrow_coordinates.hpp"

namespace shoal {

namespace {

constexpr std::int64_t block_rows = 8192;

struct OwnedBatch {
  ArrowArray value{};
  OwnedBatch() = default;
  OwnedBatch(const OwnedBatch&) = delete;
  OwnedBatch& operator=(const OwnedBatch&) = delete;
  ~OwnedBatch() { clear(); }
  void clear() {
    if (value.release != nullptr) value.release(&value);
    value = {};
  }
};

}  // namespace

// What one thread makes blocks with.
class ArrowBatches::Worker {
 public:
  explicit Worker(ArrowBatches& batches) : batches_(batches), places_(batches.places_) {
    copies_.resize(places_.columns.size());
    if (places_.condition) selection_.emplace(*places_.condition);
  }

  template <class Use>
  void read(const ArrowSchema& schema, const ArrowArray& batch, const Use& use) {
    for (std::int64_t first = 0; first < batch.length; first += block_rows) {
      const std::int64_t rows = std::min(block_rows, batch.length - first);
      const auto column = [&](std::size_t i) -> ArrowColumn {
        const ArrowArray& array = *batch.children[i];
        return {*schema.children[i], array, array.offset + batch.offset + first, rows};
      };
      block_.columns.clear();
      for (std::size_t i = 0; i < copies_.size(); ++i) {
        block_.columns.push_back(
            arrow_coordinates(column(places_.columns[i]), places_.kinds[i], copies_[i], places_.missing));
      }
      batches_.rows_ += static_cast<std::uint64_t>(rows);
      const std::vector<std::size_t>* selected = nullptr;
      if (selection_) {
        std::vector<ArrowColumn> tested;
        for (const std::size_t i : places_.condition_columns) tested.push_back(column(i));
        selected = &selection_->select(tested);
        keep(*selected);
      }
      if (places_.unit) read_units(column(*places_.unit), selected);
      if (block_.rows() > 0) use(block_);
    }
  }

 private:
  // selected: the rows that are left; nullptr: all.
  void read_units(const ArrowColumn& column, const std::vector<std::size_t>* selected) {
    const std::size_t rows = block_.rows();
    digits_.resize(rows);
    units_.resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t place = selected == nullptr ? row : (*selected)[row];
      units_[row] = unit_key(arrow_unit(column, static_cast<std::int64_t>(place), digits_[row]));
      if (units_[row].empty() && places_.skip_without_unit) skip(row);
    }
    block_.units = units_;
  }

  void keep(const std::vector<std::size_t>& selected) {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      const std::span<const double> all = block_.columns[i];
      if (all.data() != copies_[i].data()) copies_[i].resize(selected.size());
      for (std::size_t row = 0; row < selected.size(); ++row) copies_[i][row] = all[selected[row]];
      block_.columns[i] = std::span<const double>(copies_[i]).first(selected.size());
    }
  }

  void skip(std::size_t row) {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      if (block_.columns[i].data() != copies_[i].data()) {
        copies_[i].assign(block_.columns[i].begin(), block_.columns[i].end());
        block_.columns[i] = copies_[i];
      }
      copies_[i][row] = std::numeric_limits<double>::quiet_NaN();
    }
    ++batches_.skipped_;
  }

  ArrowBatches& batches_;
  const ArrowPlaces& places_;
  std::optional<ArrowSelection> selection_;
  std::vector<std::vector<double>> copies_;
  std::vector<std::array<char, 24>> digits_;
  std::vector<std::string_view> units_;
  PointBlock block_;
};

void ArrowBatches::scan(unsigned threads, const ArrowSchema& schema, const Next& next,
                        const std::function<void()>& check_stop, const Points::Visit& visit,
                        const HandOver* hand_over) {
  const unsigned workers = std::max(1U, threads);
  rows_ = skipped_ = 0;
  std::mutex mutex;
  bool ended = false;
  std::uint64_t taken = 0;
  Turns turns;
  parallel_for(workers, workers, [&](std::uint64_t worker) {
    OwnedBatch batch;
    std::uint64_t turn = 0;
    const auto take = [&] {
      const std::lock_guard lock(mutex);
      batch.clear();
      if (ended) return false;
      ended = true;  // unless a batch comes: what is thrown ends the others too
      ended = !next(batch.value);
      turn = taken++;
      return !ended;
    };
    Worker reader(*this);
    try {
      while (take()) {
        reader.read(schema, batch.value, [&](const PointBlock& block) {
          check_stop();
          visit(static_cast<unsigned>(worker), block);
        });
        if (hand_over != nullptr) turns.end(turn, [&] { (*hand_over)(static_cast<unsigned>(worker)); });
      }
    } catch (...) {
      turns.fail(0);
      const std::lock_guard lock(mutex);
      ended = true;
      throw;
    }
  });
}

}  // namespace shoal
