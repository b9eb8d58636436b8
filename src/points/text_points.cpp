#include "points/text_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.hpp"
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

// One pass over a file. Workers do not wait for a slow one.
class Pass {
 public:
  using OnBadLine = std::function<void(std::uint64_t line, const std::string& fault)>;

  Pass(BlockCutter& cutter, std::uint64_t first_line, OnBadLine on_bad_line, std::function<void()> check_stop)
      : cutter_(cutter),
        first_line_(first_line),
        on_bad_line_(std::move(on_bad_line)),
        check_stop_(std::move(check_stop)) {}

  // hand_over: null if the order of the rows does not matter.
  void work(unsigned worker, TextRows& parser, const HandOver* hand_over) {
    if (on_bad_line_) parser.keep_faults();
    TextBlock block;
    try {
      while (take(block)) {
        if (!read(block)) continue;
        try {
          const std::uint64_t lines = parser.parse(block);  // before its faults are taken
          if (block.leads_to_too_long) {
            report(parser.take_faults());
            throw cutter_.too_long(lines);
          }
          done(block.index, lines, parser.take_faults());
          if (hand_over != nullptr) turns_.end(block.index, [&] { (*hand_over)(worker); });
        } catch (const TextFault& fault) {
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
          fmt::format("{}, line {}{}", cutter_.source().name(), first_line_ + lines_.lines() + *line, what));
    }
  }

  [[nodiscard]] std::uint64_t skipped() const noexcept { return skipped_; }

 private:
  struct Failure {
    std::optional<std::uint64_t> line;  // in its block; none when it is no matter of a line
    std::string what;                   // what follows the line number, or the whole message
  };

  void done(std::uint64_t block, std::uint64_t lines, const std::vector<TextFault>& skipped) {
    const std::lock_guard lock(mutex_);
    report(skipped);
    lines_.done(block, lines);
  }

  // There are only faults with one thread: all blocks before are done.
  void report(const std::vector<TextFault>& skipped) const {
    for (const TextFault& fault : skipped) on_bad_line_(first_line_ + lines_.lines() + fault.line, fault.what);
  }

  bool read(TextBlock& block) {
    try {
      cutter_.read(block);
      return true;
    } catch (const InputError& error) {
      const std::lock_guard lock(mutex_);
      fail(block.index, std::nullopt, error.what());
      return false;
    }
  }

  bool take(TextBlock& block) {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    check_stop_();
    try {
      if (cutter_.next(block)) return true;
    } catch (const TextFault& fault) {
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
  std::uint64_t first_line_;
  OnBadLine on_bad_line_;
  std::function<void()> check_stop_;
  std::mutex mutex_;
  Turns turns_;
  LineCounter lines_;
  std::map<std::uint64_t, Failure> faults_;
  std::atomic<bool> ended_ = false;
  std::atomic<std::uint64_t> skipped_ = 0;
};
}  // namespace

TextPoints::TextPoints(TextReading reading) : reading_(std::move(reading)) { open(0); }

double TextPoints::progress() const {
  const double share = progress_.share();
  if (share < 0 || reading_.paths.size() == 1) return share;
  return (static_cast<double>(file_) + share) / static_cast<double>(reading_.paths.size());
}

void TextPoints::open(std::size_t file) {
  file_ = file;
  cutter_ = std::make_unique<BlockCutter>(
      std::make_unique<ByteSource>(reading_.paths[file], progress_, [this] { check_stop(); }), reading_.block_bytes,
      reading_.too_long);
}

void TextPoints::read(unsigned threads, const Visit& visit, const HandOver* hand_over) {
  if (used_ && !cutter_->source().is_regular_file()) {
    throw InputError(fmt::format("'{}' can be read only once; save it in a file first", cutter_->source().name()));
  }
  skipped_ = 0;
  rows_ = 0;
  bytes_before_ = 0;
  const Visit counted = [&](unsigned worker, const PointBlock& block) {
    visit(worker, block);
    rows_.fetch_add(block.rows(), std::memory_order_relaxed);
  };
  const unsigned workers = reading_.on_bad_line ? 1 : std::max(1U, threads);
  for (std::size_t file = 0; file < reading_.paths.size(); ++file) {
    if (file > 0) bytes_before_ += progress_bytes();
    if (used_) open(file);
    used_ = true;
    cutter_->use_threads(threads);
    const TextStart begin = start(*cutter_);
    cutter_->start(begin.first_byte, begin.multiline);
    const std::string& name = reading_.paths[file];
    const auto on_bad_line = [&](std::uint64_t line, const std::string& fault) {
      reading_.on_bad_line(line, reading_.paths.size() == 1 ? fault : fmt::format("{} (file '{}')", fault, name));
    };
    Pass pass(*cutter_, begin.first_line, reading_.on_bad_line ? Pass::OnBadLine(on_bad_line) : Pass::OnBadLine(),
              [this] { check_stop(); });
    const OnBadRow on_bad_row = reading_.on_bad_line ? OnBadRow::skip : reading_.on_bad_row;
    parallel_for(workers, workers, [&](std::uint64_t worker) {
      const auto rows = parser(on_bad_row, static_cast<unsigned>(worker), counted);
      pass.work(static_cast<unsigned>(worker), *rows, hand_over);
    });
    pass.finish();
    skipped_ += pass.skipped();
  }
}

}  // namespace shoal
