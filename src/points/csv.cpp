#include "shoal/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.hpp"
#include "points/byte_source.hpp"
#include "points/csv_blocks.hpp"
#include "points/csv_layout.hpp"
#include "points/csv_rows.hpp"
#include "points/ordered_scan.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
// Lines of the blocks that are done, in whatever order they get done: knows how many lines lie before a block once
// all blocks before it are done.
class LineCounter {
 public:
  void done(std::uint64_t block, std::uint64_t lines) {
    ahead_[block] = lines;
    for (auto first = ahead_.begin(); first != ahead_.end() && first->first == blocks_; first = ahead_.erase(first)) {
      ++blocks_;
      lines_ += first->second;
    }
  }
  // Lines in all the blocks up to the first that is not done.
  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }

 private:
  std::uint64_t blocks_ = 0;
  std::uint64_t lines_ = 0;
  std::map<std::uint64_t, std::uint64_t> ahead_;
};

// One pass over the text. Workers take turns at cutting a block off and then parse it on their own: at most one
// block a worker is in memory, and a slow worker holds nobody up.
class Pass {
 public:
  Pass(BlockCutter& cutter, const CsvLayout& layout, const CsvOptions& options, std::function<void()> check_stop)
      : cutter_(cutter),
        layout_(layout),
        on_bad_row_(options.on_bad_line ? OnBadRow::skip : options.on_bad_row),
        on_bad_line_(options.on_bad_line),
        check_stop_(std::move(check_stop)) {}

  // hand_over: null if the order of the rows does not matter.
  void work(unsigned worker, const Points::Visit& visit, const HandOver* hand_over) {
    RowParser parser(layout_, on_bad_row_, worker, visit);
    if (on_bad_line_) parser.keep_faults();
    TextBlock block;
    try {
      while (take(block)) {
        try {
          const std::uint64_t lines = parser.parse(block);  // before its faults are taken
          done(block.index, lines, parser.take_faults());
          if (hand_over != nullptr) turns_.end(block.index, [&] { (*hand_over)(worker); });
        } catch (const CsvFault& fault) {
          const std::lock_guard lock(mutex_);
          fail(block.index, fault.line, fault.what);
        }
      }
    } catch (...) {
      ended_ = true;
      turns_.fail(0);
      throw;
    }
    skipped_ += parser.skipped();
  }

  // Throws the earliest fault, if there was one. Every block before it was parsed to its end, so that it is the same
  // one however the work was shared out.
  void finish() const {
    if (!faults_.empty()) {
      const auto& [line, what] = faults_.begin()->second;
      if (!line) throw InputError(what);
      throw InputError(
          fmt::format("{}, line {}{}", cutter_.source().name(), layout_.first_line + lines_.lines() + *line, what));
    }
  }

  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  struct Failure {
    std::optional<std::uint64_t> line;  // in its block; none when it is no matter of a line
    std::string what;                   // from behind the line number on, or the whole message
  };

  void done(std::uint64_t block, std::uint64_t lines, const std::vector<CsvFault>& skipped) {
    const std::lock_guard lock(mutex_);
    for (const CsvFault& fault : skipped) {  // one thread: all blocks before are done
      on_bad_line_(layout_.first_line + lines_.lines() + fault.line, fault.what);
    }
    lines_.done(block, lines);
  }

  bool take(TextBlock& block) {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    check_stop_();
    try {
      if (cutter_.next(block)) return true;
    } catch (const CsvFault& fault) {
      fail(cutter_.blocks(), fault.line, fault.what);
    } catch (const InputError& error) {
      fail(cutter_.blocks(), std::nullopt, error.what());
    }
    ended_ = true;
    return false;
  }

  void fail(std::uint64_t block, std::optional<std::uint64_t> line, const std::string& what) {
    ended_ = true;
    turns_.fail(block);
    faults_.emplace(block, Failure{line, what});
  }

  BlockCutter& cutter_;
  const CsvLayout& layout_;
  OnBadRow on_bad_row_;
  std::function<void(std::uint64_t, const std::string&)> on_bad_line_;
  std::function<void()> check_stop_;
  std::mutex mutex_;
  Turns turns_;
  LineCounter lines_;
  std::map<std::uint64_t, Failure> faults_;
  std::atomic<bool> ended_ = false;
  std::atomic<std::uint64_t> skipped_ = 0;
};

class CsvPoints final : public Points, public OrderedScan {
 public:
  CsvPoints(std::string path, const CsvOptions& options) : path_(std::move(path)), options_(options) {
    open();
    try {
      const std::string_view head = cutter_->head([&](std::string_view text) { return holds_record(text, options_); });
      layout_ = find_layout(head, cutter_->at_end(), options_, source().name());
    } catch (const CsvFault& fault) {
      throw InputError(fmt::format("{}, line 1{}", source().name(), fault.what));
    }
  }

  [[nodiscard]] std::size_t dimensions() const override { return layout_.columns; }

  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names(layout_.columns);
    if (!layout_.known_header) return names;
    for (std::size_t field = 0; field < layout_.field_names.size(); ++field) {
      const int column = layout_.roles[field].column;
      if (column >= 0) names[static_cast<std::size_t>(column)] = layout_.field_names[field];
    }
    return names;
  }

  void scan(unsigned threads, const Visit& visit) override { read(threads, visit, nullptr); }

  void scan_in_order(unsigned threads, const Visit& visit, const HandOver& hand_over) override {
    read(threads, visit, &hand_over);
  }

  [[nodiscard]] double progress() const override { return progress_.share(); }
  [[nodiscard]] Taken taken() const override { return {rows_, static_cast<std::uint64_t>(progress_.taken)}; }
  [[nodiscard]] std::uint64_t skipped() const override { return skipped_; }

 private:
  void read(unsigned threads, const Visit& visit, const HandOver* hand_over) {
    if (used_) open_again();
    used_ = true;
    skipped_ = 0;
    rows_ = 0;
    cutter_->start(layout_.first_byte, layout_.multiline);
    Pass pass(*cutter_, layout_, options_, [this] { check_stop(); });
    const unsigned workers = options_.on_bad_line ? 1 : std::max(1U, threads);
    const Visit counted = [&](unsigned worker, const PointBlock& block) {
      visit(worker, block);
      rows_.fetch_add(block.rows(), std::memory_order_relaxed);
    };
    parallel_for(workers, workers,
                 [&](std::uint64_t worker) { pass.work(static_cast<unsigned>(worker), counted, hand_over); });
    pass.finish();
    skipped_ = pass.skipped();
  }

  void open() {
    cutter_ = std::make_unique<BlockCutter>(std::make_unique<ByteSource>(path_, progress_, [this] { check_stop(); }),
                                            options_.block_bytes);
  }

  void open_again() {
    if (!source().is_regular_file()) {
      throw InputError(fmt::format("'{}' can be read only once; save it in a file first", source().name()));
    }
    open();
    (void)cutter_->head([&](std::string_view head) { return head.size() >= layout_.first_byte; });
  }

  [[nodiscard]] const ByteSource& source() const { return cutter_->source(); }

  std::string path_;
  CsvOptions options_;
  ByteProgress progress_;
  std::unique_ptr<BlockCutter> cutter_;
  CsvLayout layout_;
  bool used_ = false;
  std::uint64_t skipped_ = 0;
  std::atomic<std::uint64_t> rows_ = 0;
};
}  // namespace

std::unique_ptr<Points> open_csv(const std::string& path, const CsvOptions& options) {
  return std::make_unique<CsvPoints>(path, options);
}

}  // namespace shoal
