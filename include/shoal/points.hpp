// Sources of points: files, pipes, arrays and generators. This header is on the raw side, which is the code that sees
// records. Nothing there is private: it is for the data owner only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shoal/grid.hpp"

namespace shoal {

// Returns the key of a unit: the text without surrounding spaces and tabs, byte for byte. " 17", "17 " and "17" are the
// same unit; "17.0" and "017" are other units. An empty key means that the row belongs to no unit; such a row is
// refused. Every source that reads units as text passes on this key.
constexpr std::string_view unit_key(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A block of consecutive rows. It has one contiguous array of coordinates per axis, all of the same length. A row that
// the reader was told to skip keeps its place: all of its coordinates are NaN and its unit is empty.
struct PointBlock {
  std::vector<std::span<const double>> columns;
  // The key of the unit of each row (unit_key() of the text that was read), compared byte by byte. Empty unless a unit
  // column was requested.
  std::span<const std::string_view> units;
  [[nodiscard]] std::size_t rows() const noexcept { return columns.empty() ? 0 : columns.front().size(); }
};

// A source of points that can be scanned.
class Points {
 public:
  using Visit = std::function<void(unsigned worker, const PointBlock& block)>;

  virtual ~Points() = default;
  [[nodiscard]] virtual std::size_t dimensions() const = 0;
  // Returns the names of the columns if they are known (from a header), else empty strings.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  // Passes every row to `visit` exactly once, in blocks, from up to `threads` workers at the same time. The number of a
  // worker is in [0, threads); 0 threads are treated as 1. With one thread, the blocks arrive in the order of the
  // input. A block is valid until `visit` returns. An exception from `visit` ends the scan and is rethrown. Memory does
  // not grow with the number of rows. A stream can be scanned once; a source that can be read again can be scanned
  // again.
  virtual void scan(unsigned threads, const Visit& visit) = 0;
  // Returns the fraction of bytes that were read, in [0, 1], or a negative number if it is unknown. Safe to call during
  // a scan.
  [[nodiscard]] virtual double progress() const { return -1; }
  // The rows and bytes that the last scan has read so far, for inputs of unknown size. Safe to call during a scan.
  struct Taken {
    std::uint64_t rows = 0, bytes = 0;
  };
  [[nodiscard]] virtual Taken taken() const { return {}; }
  // Returns the number of rows that the last scan skipped because they could not be read. They were passed on as NaN,
  // so a caller that counts points must subtract them.
  [[nodiscard]] virtual std::uint64_t skipped() const { return 0; }
  // Sets a flag that stops scans: a scan ends soon with an Error after *stop becomes true, for example on Ctrl-C.
  // `stop` must outlive the scans; nullptr means never.
  virtual void stop_when(const std::atomic<bool>* stop) noexcept { stop_ = stop; }

 protected:
  // Throws if the flag of stop_when() is set. Sources call it once per block.
  void check_stop() const;

 private:
  const std::atomic<bool>* stop_ = nullptr;
};

// A column in memory. The stride is in elements and may be negative or zero. The memory must outlive the source.
struct Column {
  const double* data = nullptr;
  std::ptrdiff_t stride = 1;
};
// Returns points that read columns in memory. Contiguous columns are passed on without a copy. `units` holds one unit
// per row, or is empty; it must outlive the source.
std::unique_ptr<Points> array_points(std::vector<Column> columns, std::size_t rows,
                                     std::span<const std::string_view> units = {});

// Returns points that call `next` until it returns an empty block. The data may be larger than memory. The points can
// be scanned once, with one thread.
std::unique_ptr<Points> iterated_points(std::size_t dimensions, std::function<PointBlock()> next);

// Receives what a worker made of the rows that it visited since its last call.
using HandOver = std::function<void(unsigned worker)>;

// A source of points that can keep the order of the input on several threads.
class OrderedScan {
 public:
  OrderedScan() = default;
  OrderedScan(const OrderedScan&) = delete;
  OrderedScan& operator=(const OrderedScan&) = delete;
  virtual ~OrderedScan() = default;
  // As the function of this name below.
  virtual void scan_in_order(unsigned threads, const Points::Visit& visit, const HandOver& hand_over) = 0;
};

// Calls visit for every row as Points::scan does. A worker visits consecutive rows of the input, block after block, and
// then hands them over. Calls of hand_over do not overlap and come in the order of the rows. A worker that is ahead
// waits, so memory does not grow with the rows. Other sources are read on one thread.
void scan_in_order(Points& points, unsigned threads, const Points::Visit& visit, const HandOver& hand_over);

// Returns the points with NaN for every coordinate that equals one of the numbers in `missing`. Columns whose kind
// reads text (AxisKind::reads_text) are passed on unchanged. `kinds` holds the kind of each column; if it is shorter,
// the other columns hold numbers.
std::unique_ptr<Points> without_missing(std::unique_ptr<Points> points, std::vector<double> missing,
                                        std::vector<AxisKind> kinds);

// Example datasets that are generated from a seed. They contain no personal data.
//
//   ds1        15 overlapping Gaussians, 30,000 points
//   ds2        3 interleaved spirals, 31,200 points
//   ds3        5 shapes, two of them pairs joined by a thin bridge, 31,520 points
//   world      check-ins by longitude and latitude: dense cities, thin country, empty oceans
//   visits     days and places in six weeks, in which some change; the day in seconds since 1970
//   mixtureN   5 Gaussians in N dimensions, N from 1 to 16
//
// ds1, ds2 and ds3 resemble the datasets of the paper (Chen, Yu, Chirkova 2015) and lie in the unit square. With the
// settings of each dataset, WaveCluster (haar, level 1, full adjacency) finds 15, 3 and 5 clusters. Row i depends only
// on the seed and on i, and is the same on every machine. A prefix is therefore a smaller dataset of the same kind.
// Coordinates have six decimals.

// Suitable settings for a dataset.
struct DatasetSettings {
  std::vector<std::string> names;                 // Names of the columns.
  std::vector<std::pair<double, double>> bounds;  // One pair of bounds per axis.
  std::vector<std::uint64_t> cells;               // Number of cells of the grid, one per axis.
  double percentile = 0;
  std::uint64_t points = 0;  // Number of points, unless the caller requests another.
};

// A whole dataset in memory.
struct Dataset {
  DatasetSettings settings;
  std::vector<std::vector<double>> columns;  // One column per axis.
  // The cluster for which each row was generated, starting at 1. 0 means that the row belongs to none.
  std::vector<int> labels;
};

// Returns the names of the datasets: ds1, ds2, ds3, world, visits, mixture2 and mixture3.
std::vector<std::string> dataset_names();
// Returns the settings of a dataset. This and the functions below throw if the name is unknown; the message lists the
// known names.
DatasetSettings dataset_settings(const std::string& name);
// Generates a dataset. If `points` is 0, the dataset has its usual number of points.
Dataset make_dataset(const std::string& name, std::uint64_t seed, std::uint64_t points = 0);
// Returns the same rows as a stream of any length, in constant memory. If `with_labels` is set, the last column is
// "label".
std::unique_ptr<Points> dataset_points(const std::string& name, std::uint64_t seed, std::uint64_t points = 0,
                                       bool with_labels = false);

}  // namespace shoal
