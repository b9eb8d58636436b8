// Points of text files, on several threads: what the text formats share.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "points/ordered_scan.hpp"
#include "points/text_blocks.hpp"
#include "points/text_rows.hpp"

namespace shoal {

// How text is read, whatever its format.
struct TextReading {
  std::vector<std::string> paths;  // read one after the other; "-" is standard input
  std::string too_long;            // what to check where a record is too long
  OnBadRow on_bad_row = OnBadRow::fail;
  std::function<void(std::uint64_t line, const std::string& fault)> on_bad_line = {};
  std::size_t block_bytes = 0;
};

// Where the records of a file lie.
struct TextStart {
  std::size_t first_byte = 0;
  std::uint64_t first_line = 1;  // number of the line there, starting at 1
  bool multiline = false;        // as BlockCutter::start() takes it
};

// Workers take turns at cutting a block off and then parse it on their own. At most one block per worker is in memory.
class TextPoints : public Points, public OrderedScan {
 public:
  void scan(unsigned threads, const Visit& visit) override { read(threads, visit, nullptr); }
  void scan_in_order(unsigned threads, const Visit& visit, const HandOver& hand_over) override {
    read(threads, visit, &hand_over);
  }
  [[nodiscard]] double progress() const override;
  [[nodiscard]] Taken taken() const override { return {rows_, bytes_before_ + progress_bytes()}; }
  [[nodiscard]] std::uint64_t skipped() const override { return skipped_; }

 protected:
  // Opens the first file.
  explicit TextPoints(TextReading reading);

  // Where the records of the file that is open start. Called once per file and scan, before anything else is read of
  // it.
  virtual TextStart start(BlockCutter& cutter) = 0;
  [[nodiscard]] virtual std::unique_ptr<TextRows> parser(OnBadRow on_bad_row, unsigned worker,
                                                         const Visit& visit) const = 0;
  // The file that is open.
  [[nodiscard]] BlockCutter& cutter() { return *cutter_; }

 private:
  void read(unsigned threads, const Visit& visit, const HandOver* hand_over);
  void open(std::size_t file);
  [[nodiscard]] std::uint64_t progress_bytes() const { return static_cast<std::uint64_t>(progress_.taken.load()); }

  TextReading reading_;
  ByteProgress progress_;  // of the file that is open
  std::unique_ptr<BlockCutter> cutter_;
  bool used_ = false;
  std::atomic<std::size_t> file_ = 0;            // the file that is open
  std::atomic<std::uint64_t> bytes_before_ = 0;  // of the files before it
  std::uint64_t skipped_ = 0;
  std::atomic<std::uint64_t> rows_ = 0;
};

}  // namespace shoal
