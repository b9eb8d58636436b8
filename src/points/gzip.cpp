#include "points/gzip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::size_t packed_bytes = std::size_t{1} << 17;
constexpr std::size_t most_in_block = std::size_t{1} << 16;
constexpr std::size_t block_header = 18, least_block = 26;
constexpr std::size_t blocks_per_thread = 8;

std::string_view fault(int status) {
  switch (status) {
    case ISAL_INVALID_BLOCK:
      return "invalid block";
    case ISAL_INVALID_SYMBOL:
      return "invalid code";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance";
    case ISAL_INVALID_WRAPPER:
      return "invalid header";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect checksum";
    default:
      return "incorrect length";
  }
}

// Returns the packed size of the member that starts here, if its header is the one that bgzip writes; 0 for others.
//   1f 8b 08 04 | time, flags, system: 6 bytes | 6 0: length of the extra field | B C 2 0 | size - 1: 2 bytes
std::size_t block_size(std::string_view start) {
  if (start.size() < block_header || !start.starts_with("\x1f\x8b\x08\x04") ||
      start.substr(10, 6) != std::string_view("\6\0BC\2\0", 6)) {
    return 0;
  }
  const auto low = static_cast<unsigned char>(start[16]), high = static_cast<unsigned char>(start[17]);
  const std::size_t size = std::size_t{1} + low + (std::size_t{high} << 8U);
  return size < least_block ? 0 : size;
}

std::unique_ptr<inflate_state> new_state() {
  auto state = std::make_unique_for_overwrite<inflate_state>();
  ::isal_inflate_init(state.get());
  state->crc_flag = ISAL_GZIP;
  return state;
}

}  // namespace

Gzip::Gzip(std::string name, ReadPacked read_packed)
    : name_(std::move(name)), read_packed_(std::move(read_packed)), state_(new_state()) {}

void Gzip::refuse(int status) const {
  throw InputError(fmt::format("'{}' has damaged gzip data ({}); get it again, or decompress it with gzip to see more",
                               name_, fault(status)));
}

// Brings the packed bytes to `size`, or to all there are. Returns whether there are any.
bool Gzip::refill(std::size_t size) {
  std::copy(packed_.begin() + static_cast<std::ptrdiff_t>(begin_), packed_.begin() + static_cast<std::ptrdiff_t>(end_),
            packed_.begin());
  end_ -= std::exchange(begin_, 0);
  if (packed_.size() < size) packed_.resize(size);
  if (!at_end_ && end_ < size) {
    end_ += read_packed_(packed_.data() + end_, size - end_);
    at_end_ = end_ < size;
  }
  return end_ > 0;
}

// A gzip file is one member after another; zeros behind the last one are padding.
std::size_t Gzip::read(char* out, std::size_t size, unsigned threads) {
  std::size_t got = 0;
  while (got < size) {
    if (block_ < blocks_.size()) {
      got += read_blocks(out + got, size - got);
    } else if (inside_member_ || !take_blocks(threads)) {
      got += read_member(out + got, size - got);
      if (at_end_ && begin_ == end_ && !inside_member_) break;
    }
  }
  return got;
}

// Unpacks the blocks that come next. Returns false if the next member is not a block, or not whole.
bool Gzip::take_blocks(unsigned threads) {
  blocks_.clear();
  block_ = in_block_ = 0;
  const auto next = [this] { return block_size({packed_.data() + begin_, end_ - begin_}); };
  if (end_ - begin_ < block_header) refill(packed_bytes);
  if (next() == 0) return false;
  const std::size_t most = blocks_per_thread * thread_count(threads);
  refill(most * most_in_block);
  while (blocks_.size() < most) {
    const std::size_t size = next();
    if (size == 0 || size > end_ - begin_) break;
    blocks_.push_back({.first = begin_, .size = size});
    begin_ += size;
  }
  unpacked_.resize(std::max(unpacked_.size(), blocks_.size() * most_in_block));
  parallel_stretches(blocks_.size(), 4 * thread_count(threads), threads, [this](std::uint64_t from, std::uint64_t to) {
    const auto state = new_state();
    for (std::uint64_t i = from; i < to; ++i) {
      Block& block = blocks_[i];
      ::isal_inflate_reset(state.get());
      state->crc_flag = ISAL_GZIP;
      state->next_in = reinterpret_cast<std::uint8_t*>(packed_.data() + block.first);
      state->avail_in = static_cast<std::uint32_t>(block.size);
      state->next_out = reinterpret_cast<std::uint8_t*>(unpacked_.data() + i * most_in_block);
      state->avail_out = most_in_block;
      block.status = ::isal_inflate_stateless(state.get());
      block.unpacked = most_in_block - state->avail_out;
      if (block.status == ISAL_DECOMP_OK && state->avail_in > 0) block.status = ISAL_END_INPUT;
    }
  });
  return !blocks_.empty();
}

std::size_t Gzip::read_blocks(char* out, std::size_t size) {
  const Block& block = blocks_[block_];
  if (block.status != ISAL_DECOMP_OK) refuse(block.status);
  const std::size_t count = std::min(size, block.unpacked - in_block_);
  std::copy_n(unpacked_.data() + block_ * most_in_block + in_block_, count, out);
  in_block_ += count;
  if (in_block_ == block.unpacked) {
    ++block_;
    in_block_ = 0;
  }
  return count;
}

// Returns at the end of a member, when `out` is full or at the end of the file.
std::size_t Gzip::read_member(char* out, std::size_t size) {
  inflate_state& state = *state_;
  state.next_out = reinterpret_cast<std::uint8_t*>(out);
  state.avail_out = static_cast<std::uint32_t>(size);
  while (state.avail_out > 0) {
    if (begin_ == end_ && !refill(packed_bytes)) {
      if (!inside_member_) break;
      throw InputError(fmt::format("'{}' is truncated: it ends in the middle of its gzip data; get it again", name_));
    }
    if (!inside_member_ && packed_[begin_] == 0) {
      ++begin_;
      continue;
    }
    // ISA-L would first wait for a whole header.
    const std::size_t known = std::min(gzip_magic.size(), end_ - begin_);
    if (!inside_member_ && !gzip_magic.starts_with({packed_.data() + begin_, known})) refuse(ISAL_INVALID_WRAPPER);
    inside_member_ = true;
    state.next_in = reinterpret_cast<std::uint8_t*>(packed_.data() + begin_);
    state.avail_in = static_cast<std::uint32_t>(end_ - begin_);
    const int status = ::isal_inflate(&state);
    begin_ = end_ - state.avail_in;
    if (status != ISAL_DECOMP_OK) refuse(status);
    if (state.block_state == ISAL_BLOCK_FINISH) {
      ::isal_inflate_reset(&state);
      state.crc_flag = ISAL_GZIP;
      inside_member_ = false;
      break;
    }
  }
  return size - state.avail_out;
}

}  // namespace shoal
