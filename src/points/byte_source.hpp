// Bytes of a file or of standard input, unpacked when they are gzip or zstd.
#pragma once

#include <zstd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "points/gzip.hpp"

namespace shoal {

// How far the reading is. Safe to look at while it goes on.
struct ByteProgress {
  std::atomic<std::int64_t> taken = 0;
  std::atomic<std::int64_t> size = -1;  // negative: unknown
  // Bytes taken over the size, in [0, 1]; negative when the size is unknown.
  [[nodiscard]] double share() const noexcept;
};

class ByteSource {
 public:
  // path "-": standard input. Sets progress back and keeps it up to date. poll is called when a signal interrupts a
  // read; what it throws ends the reading.
  ByteSource(const std::string& path, ByteProgress& progress, std::function<void()> poll);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Fills `out` as far as there are bytes; less than size only at the end.
  std::size_t read(char* out, std::size_t size);

  // Returns the size of a file whose bytes can be read at any place as they are; 0 for packed files and streams.
  [[nodiscard]] std::uint64_t plain_size() const noexcept;
  // Fills `out` with the bytes starting at `offset`; less than size only at the end. Does not count as taken. Calls may
  // run at the same time.
  std::size_t read_at(char* out, std::size_t size, std::uint64_t offset) const;
  // Say how many bytes are taken, for read_at().
  void set_taken(std::uint64_t bytes) noexcept { progress_.taken = static_cast<std::int64_t>(bytes); }
  void add_taken(std::uint64_t bytes) noexcept {
    progress_.taken.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }

  // Unpacks blocked gzip on this many threads; 0 uses all cores.
  void use_threads(unsigned threads) noexcept { threads_ = threads; }

  // How the source is called in messages.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Can be opened again and gives the same bytes.
  [[nodiscard]] bool is_regular_file() const noexcept { return progress_.size >= 0; }

 private:
  std::size_t read_raw(char* out, std::size_t size);
  std::size_t read_packed(char* out, std::size_t size);
  std::size_t read_zstd(char* out, std::size_t size);
  void check_format(std::string_view start) const;

  std::string name_;
  ByteProgress& progress_;
  std::function<void()> poll_;
  int descriptor_ = -1;
  std::string start_;  // first bytes, read to recognise the format, still to be handed out
  unsigned threads_ = 1;
  std::unique_ptr<Gzip> gzip_;
  std::vector<char> packed_;  // of zstd
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> zstd_{nullptr, ZSTD_freeDStream};
  ZSTD_inBuffer zstd_in_{};
  bool zstd_holds_more_ = false;  // output that found no room
  bool inside_frame_ = false;
};

}  // namespace shoal
