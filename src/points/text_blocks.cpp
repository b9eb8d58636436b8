#include "points/text_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "shoal/readers.hpp"

namespace shoal {

namespace {
constexpr std::size_t head_bytes = std::size_t{1} << 16;
constexpr std::size_t bytes_ahead = std::size_t{1} << 10;  // of a range, to find the end of its last record

}  // namespace

BlockCutter::BlockCutter(std::unique_ptr<ByteSource> source, std::size_t block_bytes, std::string advice)
    : source_(std::move(source)),
      block_bytes_(std::clamp<std::size_t>(block_bytes, 1, csv_longest_record)),
      advice_(std::move(advice)) {}

TextFault BlockCutter::too_long(std::uint64_t line) const {
  return {line, fmt::format(" is longer than {} MiB; {}", csv_longest_record >> 20, advice_)};
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
  const std::uint64_t size = multiline ? 0 : source_->plain_size();
  multiline_ = multiline;
  if (size > first_byte && size >= carry_.size()) {
    first_ = next_ = first_byte;
    size_ = size;
    source_->set_taken(first_byte);
    carry_.clear();
    return;
  }
  carry_.erase(0, first_byte);
}

bool BlockCutter::next(TextBlock& block) {
  if (size_ > 0) {
    if (next_ >= size_) return false;
    block.offset = next_;
    block.index = blocks_++;
    next_ += block_bytes_;
    return true;
  }
  block.start = block.size = 0;
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

void BlockCutter::read(TextBlock& block) const {
  if (size_ > 0) read_range(block);
}

// A record belongs to the range in which its first byte lies. So the byte before the range is read too, which tells
// whether a record starts with the range, and what follows up to the end of the last record.
void BlockCutter::read_range(TextBlock& block) const {
  block.start = block.size = 0;
  block.quotes = block.leads_to_too_long = false;
  const std::uint64_t end = std::min(block.offset + block_bytes_, size_);
  source_->add_taken(end - block.offset);
  const bool is_first = block.offset == first_;
  const std::uint64_t from = block.offset - (is_first ? 0 : 1);
  std::size_t held = 0;
  bool is_all = false;  // that the file has
  std::string_view text;
  const auto hold = [&](std::size_t size) {
    if (block.bytes.size() < size + 2 * TextBlock::padding) block.bytes.resize(size + 2 * TextBlock::padding);
    char* const bytes = block.bytes.data() + TextBlock::padding;
    held += source_->read_at(bytes + held, size - held, from + held);
    is_all = held < size;
    text = {bytes, held};
  };
  hold(end - from + bytes_ahead);
  const std::size_t own = std::min<std::size_t>(held, end - from);
  const std::size_t before = is_first || own == 0 ? 0 : text.substr(0, own - 1).find('\n') + 1;  // npos + 1 is 0
  if (own == 0 || (!is_first && before == 0)) return;
  block.start = before;
  std::size_t line_end = text.find('\n', own - 1);
  if (line_end == std::string_view::npos) {
    const std::size_t last = std::max(before, text.substr(0, own - 1).rfind('\n') + 1);
    while (line_end == std::string_view::npos && !is_all && held - last <= csv_longest_record) {
      const std::size_t seen = held;
      hold(std::min(2 * held, last + csv_longest_record + 1));
      line_end = text.find('\n', seen);
    }
    if (line_end == std::string_view::npos && is_all) {  // the last record of a file may lack a line end
      block.bytes[TextBlock::padding + held] = '\n';
      line_end = held;
    }
    block.leads_to_too_long = line_end == std::string_view::npos;
    if (block.leads_to_too_long) line_end = last - 1;  // last is 0 only in front of the first record
  }
  block.size = line_end + 1 - before;
  block.quotes = std::string_view(block.text(), block.size).find('"') != std::string_view::npos;
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
