// Sources of points: files, pipes, arrays, generators. Raw side: for the data owner only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shoal {

// The key of a unit, the same for every source: the text without the spaces and tabs around it, byte for byte.
// " 17", "17 " and "17" are one unit; "17.0" and "017" are others. Empty: nobody's row, which is
// refused. Every source that reads units as text hands on this key.
constexpr std::string_view unit_key(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Some consecutive rows: one contiguous array of coordinates per axis, all of the same length.
// A row that a reader was told to skip keeps its place: all its coordinates are NaN, its unit is empty.
struct PointBlock {
  std::vector<std::span<const double>> columns;
  // The unit of each row, one key per row (unit_key() of what was read), compared byte by byte; empty unless a unit
  // column was given.
  std::span<const std::string_view> units;
  [[nodiscard]] std::size_t rows() const noexcept { return columns.empty() ? 0 : columns.front().size(); }
};

class Points {
 public:
  using Visit = std::function<void(unsigned worker, const PointBlock& block)>;

  virtual ~Points() = default;
  [[nodiscard]] virtual std::size_t dimensions() const = 0;
  // Names of the columns when known (from a header), else empty strings.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  // Hands every row to visit exactly once, in blocks, from up to `threads` workers at once (worker in
  // [0, threads); 0 threads are taken as 1). With one thread the blocks come in the order of the input. A block lives
  // until visit returns; what visit throws ends the scan and is thrown on. Memory does not grow with the rows.
  // May be called once for a stream, again for anything that can be re-read.
  virtual void scan(unsigned threads, const Visit& visit) = 0;
  // Bytes read so far over bytes in all, in [0, 1]; negative when unknown. Safe to call while scanning.
  [[nodiscard]] virtual double progress() const { return -1; }
  // What the last scan has taken so far, for inputs of unknown size. Safe to call while scanning.
  struct Taken {
    std::uint64_t rows = 0, bytes = 0;
  };
  [[nodiscard]] virtual Taken taken() const { return {}; }
  // How many rows of the last scan were skipped because they could not be read. They were handed on as NaN, so
  // whoever counts points takes them off.
  [[nodiscard]] virtual std::uint64_t skipped() const { return 0; }
  // Once *stop is true, a scan ends soon with an Error. For Ctrl-C. stop must outlive the scans; nullptr: never.
  virtual void stop_when(const std::atomic<bool>* stop) noexcept { stop_ = stop; }

 protected:
  // To be called once a block. Throws when stop_when says so.
  void check_stop() const;

 private:
  const std::atomic<bool>* stop_ = nullptr;
};

// Columns in memory that outlive the source; each may be strided (in elements, also backwards or zero).
struct Column {
  const double* data = nullptr;
  std::ptrdiff_t stride = 1;
};
// Contiguous columns are handed on without a copy. units: one per row, or empty; they outlive the source too.
std::unique_ptr<Points> array_points(std::vector<Column> columns, std::size_t rows,
                                     std::span<const std::string_view> units = {});

// Calls next until it returns an empty block: data larger than memory, one thread, once.
std::unique_ptr<Points> iterated_points(std::size_t dimensions, std::function<PointBlock()> next);

}  // namespace shoal
