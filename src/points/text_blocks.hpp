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

  std::vector<char> bytes;  // padding, the text, padding
  std::size_t size = 0;     // of the text: whole records, the last byte is \n
  bool quotes = false;      // there is a quote in it
  std::uint64_t index = 0;  // number of the block, starting at 0

  [[nodiscard]] char* text() noexcept { return bytes.data() + padding; }
};

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

  // Fills `block` with the next records; false when there are none. Throws TextFault (its block is the one that
  // would have come next) for a record past csv_longest_record and, with multiline, for a quote that is never closed.
  bool next(TextBlock& block);

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
  [[nodiscard]] TextFault too_long() const;
  void fill(TextBlock& block, std::size_t size);
  bool finish(TextBlock& block, const Cut& cut);

  std::unique_ptr<ByteSource> source_;
  std::size_t block_bytes_;
  std::string advice_;
  bool multiline_ = false;
  std::string carry_;  // read, but not handed out yet
  bool at_end_ = false;
  std::uint64_t blocks_ = 0;
};

}  // namespace shoal
