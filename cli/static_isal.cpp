// The functions of ISA-L that src/points/gzip.cpp calls, by zlib: ISA-L's package has no static library. For the static
// program alone; it unpacks gzip at the speed of zlib.
#include <isa-l/igzip_lib.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

namespace {

constexpr int gzip_window = 15 + 16;  // zlib's number for gzip with the largest window

// zlib's stream and all that it allocates lie in a buffer of the state that zlib has no other use for. So nothing has
// to be freed when the state goes.
struct Held {
  z_stream stream;
  std::size_t used;
};

Held& held(inflate_state* state) {
  const auto address = reinterpret_cast<std::uintptr_t>(state->tmp_out_buffer);
  const std::uintptr_t aligned = (address + alignof(Held) - 1) / alignof(Held) * alignof(Held);
  return *reinterpret_cast<Held*>(aligned);
}

void* allocate(void* opaque, unsigned count, unsigned size) {
  auto* const state = static_cast<inflate_state*>(opaque);
  Held& mine = held(state);
  constexpr std::size_t unit = alignof(std::max_align_t);
  const std::size_t wanted = (std::size_t{count} * size + unit - 1) / unit * unit;
  auto* const place = reinterpret_cast<std::uint8_t*>(&mine) + mine.used;
  if (place + wanted > state->tmp_out_buffer + sizeof state->tmp_out_buffer) return nullptr;
  mine.used += wanted;
  return place;
}

void keep(void* /*opaque*/, void* /*place*/) {}

// Starts a member.
bool start(inflate_state* state) {
  Held& mine = *new (&held(state)) Held{};
  constexpr std::size_t unit = alignof(std::max_align_t);
  mine.used = (sizeof(Held) + unit - 1) / unit * unit;
  mine.stream.zalloc = allocate;
  mine.stream.zfree = keep;
  mine.stream.opaque = state;
  state->tmp_in_size = 1;
  return ::inflateInit2(&mine.stream, gzip_window) == Z_OK;
}

int status_of(int result, const z_stream& stream) {
  if (result != Z_DATA_ERROR) return ISAL_INVALID_STATE;
  const std::string_view said = stream.msg == nullptr ? "" : stream.msg;
  if (said.find("block") != std::string_view::npos) return ISAL_INVALID_BLOCK;
  if (said.find("too far back") != std::string_view::npos) return ISAL_INVALID_LOOKBACK;
  if (said.find("header") != std::string_view::npos) return ISAL_INVALID_WRAPPER;
  if (said.find("method") != std::string_view::npos) return ISAL_UNSUPPORTED_METHOD;
  if (said.find("data check") != std::string_view::npos) return ISAL_INCORRECT_CHECKSUM;
  if (said.find("length check") != std::string_view::npos) return ISAL_INVALID_STATE;
  return ISAL_INVALID_SYMBOL;
}

// Runs zlib on the input and output of the state.
int run(inflate_state* state, int flush) {
  z_stream& stream = held(state).stream;
  stream.next_in = state->next_in;
  stream.avail_in = state->avail_in;
  stream.next_out = state->next_out;
  stream.avail_out = state->avail_out;
  const int result = ::inflate(&stream, flush);
  state->next_in = stream.next_in;
  state->avail_in = stream.avail_in;
  state->next_out = stream.next_out;
  state->avail_out = stream.avail_out;
  return result;
}

}  // namespace

void isal_inflate_init(inflate_state* state) { ::isal_inflate_reset(state); }

void isal_inflate_reset(inflate_state* state) {
  state->block_state = ISAL_BLOCK_NEW_HDR;
  state->tmp_in_size = 0;  // not started
}

int isal_inflate(inflate_state* state) {
  if (state->tmp_in_size == 0 && !start(state)) return ISAL_INVALID_STATE;
  const int result = run(state, Z_NO_FLUSH);
  if (result == Z_STREAM_END) state->block_state = ISAL_BLOCK_FINISH;
  return result == Z_STREAM_END || result == Z_OK || result == Z_BUF_ERROR ? ISAL_DECOMP_OK
                                                                           : status_of(result, held(state).stream);
}

int isal_inflate_stateless(inflate_state* state) {
  if (!start(state)) return ISAL_INVALID_STATE;
  const int result = run(state, Z_FINISH);
  if (result == Z_STREAM_END) return ISAL_DECOMP_OK;
  if (result == Z_OK || result == Z_BUF_ERROR) return state->avail_out == 0 ? ISAL_OUT_OVERFLOW : ISAL_END_INPUT;
  return status_of(result, held(state).stream);
}
