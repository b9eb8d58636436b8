// Cuts text into blocks of whole records, for workers to parse.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "points/byte_source.hpp"

namespace shoal {

// Passed over at the start of a file. Elsewhere a record that starts with one is bad: what it holds must not depend on
// whether it comes first.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// What is wrong with the text, and where in its block. Becomes an InputError once the lines before are known.
struct TextFault {
  std::uint64_t line;  // in the block, starting at 0
  std::string what;    // the text after the line number
};

struct TextBlock {
  static constexpr std::size_t padding = 64;  // bytes before and behind the text that may be read

  std::vector<char> bytes;         // padding, the text, padding
  std::size_t start = 0;           // bytes between the padding and the text
  std::size_t size = 0;            // of the text: whole records, the last byte is \n
  bool quotes = false;             // there is a quote in it
  bool leads_to_too_long = false;  // the record behind it is past csv_longest_record
  std::uint64_t index = 0;         // number of the block, starting at 0
  std::uint64_t offset = 0;        // in the file, of the bytes that the block is read from

  [[nodiscard]] char* text() noexcept { return bytes.data() + padding + start; }
};

// A stream is cut by whoever takes the next block. From a plain file, workers take ranges of bytes, and each reads the
// records that start in its range at the same time as the others.
class BlockCutter {
 public:
  // advice: what to check where a record is too long, for messages.
  BlockCutter(std::unique_ptr<ByteSource> source, std::size_t block_bytes, std::string advice);

  // The first bytes: as many as `enough` asks for, or all there are.
  std::string_view head(const std::function<bool(std::string_view)>& enough);
  [[nodiscard]] bool at_end() const noexcept { return at_end_; }
  // Starts the records at a byte of the head. Before the first next(). multiline: a line end lies between records
  // where the number of quotes before it is even; else everywhere.
  void start(std::size_t first_byte, bool multiline);

  // Takes the next block; false when there are none. One call at a time. Throws TextFault (its block is the one that
  // would have come next) for a record past csv_longest_record and, with multiline, for a quote that is never closed.
  bool next(TextBlock& block);
  // Fills a block that was taken with its records, which may be none. Calls may run at the same time.
  void read(TextBlock& block) const;
  [[nodiscard]] TextFault too_long(std::uint64_t line = 0) const;

  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  // As ByteSource::use_threads.
  void use_threads(unsigned threads) noexcept { source_->use_threads(threads); }
  [[nodiscard]] const ByteSource& source() const noexcept { return *source_; }

 private:
  struct Cut {
    std::size_t end = 0;      // behind the last record that is whole
    bool quotes = false;      // there are some
    bool open_quote = false;  // one is open at the end of the text
  };
  [[nodiscard]] Cut find_cut(std::string_view text) const;
  void fill(TextBlock& block, std::size_t size);
  bool finish(TextBlock& block, const Cut& cut);
  void read_range(TextBlock& block) const;

  std::unique_ptr<ByteSource> source_;
  std::size_t block_bytes_;
  std::string advice_;
  bool multiline_ = false;
  std::string carry_;  // read, but not handed out yet
  bool at_end_ = false;
  std::uint64_t blocks_ = 0;
  std::uint64_t first_ = 0, next_ = 0, size_ = 0;  // of a file that is read by ranges; size_ is 0 for all others
};

}  // namespace shoal
