#include "points/text_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "shoal/readers.hpp"

namespace shoal {

namespace {
constexpr std::size_t head_bytes = std::size_t{1} << 16;

}  // namespace

BlockCutter::BlockCutter(std::unique_ptr<ByteSource> source, std::size_t block_bytes, std::string advice)
    : source_(std::move(source)),
      block_bytes_(std::clamp<std::size_t>(block_bytes, 1, csv_longest_record)),
      advice_(std::move(advice)) {}

TextFault BlockCutter::too_long() const {
  return {0, fmt::format(" is longer than {} MiB; {}", csv_longest_record >> 20, advice_)};
}

std::string_view BlockCutter::head(const std::function<bool(std::string_view)>& enough) {
  while (!at_end_ && !enough(carry_)) {
    const std::size_t held = carry_.size();
    const std::size_t size = std::max(head_bytes, 2 * held);
    carry_.resize(size);
    carry_.resize(held + source_->read(carry_.data() + held, size - held));
    at_end_ = carry_.size() < size;
    if (carry_.size() > csv_longest_record && !enough(carry_)) throw too_long();
  }
  return carry_;
}

void BlockCutter::start(std::size_t first_byte, bool multiline) {
  carry_.erase(0, first_byte);
  multiline_ = multiline;
}

bool BlockCutter::next(TextBlock& block) {
  block.size = 0;
  std::size_t target = block_bytes_;
  for (;;) {
    fill(block, target);
    const Cut cut = find_cut({block.text(), block.size});
    const bool last = at_end_ && carry_.empty();
    if (last && !cut.open_quote) return finish(block, cut);
    if (cut.end > 0) {
      carry_.insert(0, block.text() + cut.end, block.size - cut.end);
      block.size = cut.end;
      block.quotes = cut.quotes;
      block.index = blocks_++;
      return true;
    }
    if (last) {
      throw TextFault{
          0, " starts a record with a quote that never closes; close it, or double it if it belongs to the text"};
    }
    if (block.size > csv_longest_record) throw too_long();
    target = std::min(2 * block.size, csv_longest_record + 1);
  }
}

// Brings the block to `size` bytes, or to all there are: first what was carried over, then what the source gives.
void BlockCutter::fill(TextBlock& block, std::size_t size) {
  if (block.bytes.size() < size + 2 * TextBlock::padding) block.bytes.resize(size + 2 * TextBlock::padding);
  const std::size_t carried = std::min(carry_.size(), size - block.size);
  std::copy_n(carry_.data(), carried, block.text() + block.size);
  carry_.erase(0, carried);
  block.size += carried;
  if (block.size == size || at_end_) return;
  const std::size_t got = source_->read(block.text() + block.size, size - block.size);
  at_end_ = got < size - block.size;
  block.size += got;
}

// The last block: its last record may lack a line end.
bool BlockCutter::finish(TextBlock& block, const Cut& cut) {
  if (block.size == 0) return false;
  if (block.text()[block.size - 1] != '\n') block.text()[block.size++] = '\n';
  block.quotes = cut.quotes;
  block.index = blocks_++;
  return true;
}

// text starts with a record.
BlockCutter::Cut BlockCutter::find_cut(std::string_view text) const {
  Cut cut;
  if (!multiline_) {
    cut.end = text.rfind('\n') + 1;  // npos + 1 is 0
    cut.quotes = text.find('"') != std::string_view::npos;
    return cut;
  }
  for (std::size_t from = 0;;) {
    const std::size_t quote = text.find('"', from);
    if (!cut.open_quote) {
      const std::size_t line_end = text.substr(from, quote - from).rfind('\n');
      if (line_end != std::string_view::npos) cut.end = from + line_end + 1;
    }
    if (quote == std::string_view::npos) return cut;
    cut.quotes = true;
    cut.open_quote = !cut.open_quote;
    from = quote + 1;
  }
}

}  // namespace shoal
