// Where points come from: files, pipes, arrays, generators. Raw side: the owner's only.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shoal {

// Some consecutive rows: one contiguous array of coordinates an axis, all of the same length.
struct PointBlock {
  std::vector<std::span<const double>> columns;
  std::span<const std::string_view> units;  // whose row it is; empty unless a unit column was asked for
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
  // [0, threads)). With one thread the blocks come in the order of the input. A block lives until visit returns.
  // Memory does not grow with the rows. May be called once for a stream, again for anything that can be re-read.
  virtual void scan(unsigned threads, const Visit& visit) = 0;
  // Bytes read so far over bytes in all, in [0, 1]; negative when unknown. Safe to call while scanning.
  [[nodiscard]] virtual double progress() const { return -1; }
};

// Columns in memory that outlive the source; each may be strided (in elements).
struct Column {
  const double* data;
  std::ptrdiff_t stride = 1;
};
std::unique_ptr<Points> array_points(std::vector<Column> columns, std::size_t rows);

// Calls next until it returns an empty block: data larger than memory, one thread.
std::unique_ptr<Points> iterated_points(std::size_t dimensions, std::function<PointBlock()> next);

}  // namespace shoal
