#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/parallel.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"

namespace shoal {

namespace {
constexpr std::size_t block_rows = 8192;
constexpr std::size_t most_blocks = 8;  // that a worker takes in a turn; the processor prefetches the next

// Few rows make short turns, so that all workers get some.
std::size_t rows_a_turn(std::size_t rows, unsigned workers) {
  return block_rows * std::clamp<std::size_t>(rows / (block_rows * 8 * workers), 1, most_blocks);
}

class ArrayPoints final : public Points {
 public:
  ArrayPoints(std::vector<Column> columns, std::size_t rows, std::span<const std::string_view> units)
      : columns_(std::move(columns)), rows_(rows), units_(units) {
    if (columns_.empty()) throw InputError("points need at least one column");
    if (!units_.empty() && units_.size() != rows_) {
      throw InputError(fmt::format("{} units were given for {} rows; give one per row", units_.size(), rows_));
    }
  }

  [[nodiscard]] std::size_t dimensions() const override { return columns_.size(); }
  [[nodiscard]] std::vector<std::string> names() const override { return std::vector<std::string>(columns_.size()); }
  [[nodiscard]] double progress() const override {
    return rows_ == 0 ? 1 : static_cast<double>(std::min(next_.load(), rows_)) / static_cast<double>(rows_);
  }

  void scan(unsigned threads, const Visit& visit) override {
    next_ = 0;
    // A thread is worth its start for some blocks.
    const auto workers =
        static_cast<unsigned>(std::clamp<std::size_t>(rows_ / (4 * block_rows), 1, std::max(1U, threads)));
    const std::size_t turn = rows_a_turn(rows_, workers);
    parallel_for(workers, workers, [&](std::uint64_t worker) { serve(static_cast<unsigned>(worker), turn, visit); });
  }

 private:
  // Takes turns until none is left. An exception of one worker ends the others after their turn.
  void serve(unsigned worker, std::size_t turn, const Visit& visit) {
    std::vector<std::vector<double>> copies(columns_.size());
    PointBlock block;
    block.columns.resize(columns_.size());
    try {
      for (;;) {
        std::size_t first = next_.fetch_add(turn);
        if (first >= rows_) return;
        for (const std::size_t end = std::min(rows_, first + turn); first < end; first += block_rows) {
          check_stop();
          fill(block, copies, first, std::min(block_rows, end - first));
          visit(worker, block);
        }
      }
    } catch (...) {
      next_ = rows_;
      throw;
    }
  }

  void fill(PointBlock& block, std::vector<std::vector<double>>& copies, std::size_t first, std::size_t rows) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const auto [data, stride] = columns_[i];
      if (stride == 1) {
        block.columns[i] = {data + first, rows};
        continue;
      }
      copies[i].resize(block_rows);
      const double* from = data + static_cast<std::ptrdiff_t>(first) * stride;
      for (std::size_t row = 0; row < rows; ++row) copies[i][row] = from[static_cast<std::ptrdiff_t>(row) * stride];
      block.columns[i] = {copies[i].data(), rows};
    }
    if (!units_.empty()) block.units = units_.subspan(first, rows);
  }

  std::vector<Column> columns_;
  std::size_t rows_;
  std::span<const std::string_view> units_;
  std::atomic<std::size_t> next_ = 0;
};

class IteratedPoints final : public Points {
 public:
  IteratedPoints(std::size_t dimensions, std::function<PointBlock()> next)
      : dimensions_(dimensions), next_(std::move(next)) {
    if (dimensions_ == 0) throw InputError("points need at least one column");
  }

  [[nodiscard]] std::size_t dimensions() const override { return dimensions_; }
  [[nodiscard]] std::vector<std::string> names() const override { return std::vector<std::string>(dimensions_); }

  void scan(unsigned, const Visit& visit) override {
    if (used_) throw InputError("an iterator of points can be read only once; collect it first, or make a new one");
    used_ = true;
    for (;;) {
      check_stop();
      const PointBlock block = next_();
      if (block.rows() == 0) return;
      check(block);
      visit(0, block);
    }
  }

 private:
  void check(const PointBlock& block) const {
    if (block.columns.size() != dimensions_) {
      throw InputError(
          fmt::format("a block has {} columns where {} were announced", block.columns.size(), dimensions_));
    }
    for (const auto& column : block.columns) {
      if (column.size() != block.rows()) throw InputError("the columns of a block differ in length");
    }
    if (!block.units.empty() && block.units.size() != block.rows()) {
      throw InputError("a block has more or fewer units than rows");
    }
  }

  std::size_t dimensions_;
  std::function<PointBlock()> next_;
  bool used_ = false;
};
}  // namespace

void Points::check_stop() const {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) {
    throw Error(ErrorKind::input, "interrupted while reading points");
  }
}

std::unique_ptr<Points> array_points(std::vector<Column> columns, std::size_t rows,
                                     std::span<const std::string_view> units) {
  return std::make_unique<ArrayPoints>(std::move(columns), rows, units);
}

std::unique_ptr<Points> iterated_points(std::size_t dimensions, std::function<PointBlock()> next) {
  return std::make_unique<IteratedPoints>(dimensions, std::move(next));
}

}  // namespace shoal
