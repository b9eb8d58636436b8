// Blocks of points from batches of Arrow columns.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "points/arrow_columns.hpp"
#include "points/condition.hpp"
#include "points/ordered_scan.hpp"
#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

// Where coordinates and units stand in a batch.
struct ArrowPlaces {
  std::vector<std::size_t> columns;
  std::vector<AxisKind> kinds;  // one per column; each column fits its kind (arrow_misfit)
  std::optional<std::size_t> unit = std::nullopt;
  std::vector<std::string> missing = {};  // texts of coordinates that are missing values
  bool skip_without_unit = false;         // such a row keeps its place, and lies in no cell
  // Rows that are handed on, and the columns of the condition; none: all rows.
  std::optional<BoundCondition> condition = std::nullopt;
  std::vector<std::size_t> condition_columns = {};
};

class ArrowBatches {
 public:
  // Sets the next batch, which the caller must release. Returns false after the last batch.
  using Next = std::function<bool(ArrowArray&)>;

  explicit ArrowBatches(ArrowPlaces places) : places_(std::move(places)) {}

  // As Points::scan, or as scan_in_order if hand_over is not null. One thread at a time calls `next`; check_stop is
  // called before each block and may throw.
  void scan(unsigned threads, const ArrowSchema& schema, const Next& next, const std::function<void()>& check_stop,
            const Points::Visit& visit, const HandOver* hand_over = nullptr);
  // Return figures of the last scan. Safe to call while scanning.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  class Worker;
  ArrowPlaces places_;
  std::atomic<std::uint64_t> rows_ = 0, skipped_ = 0;
};

}  // namespace shoal
