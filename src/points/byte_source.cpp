#include "points/byte_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::size_t packed_bytes = std::size_t{1} << 17;
constexpr std::size_t start_bytes = 6;
constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

struct Format {
  std::string_view magic;
  std::string_view advice;
};
constexpr std::array<Format, 6> refused = {{
    {"PK\x03\x04", "is a zip archive; unpack it first, for example with unzip"},
    {"BZh", "is compressed with bzip2; decompress it first: bzip2 -dc FILE | ... -"},
    {"\xfd\x37zXZ", "is compressed with xz; decompress it first: xz -dc FILE | ... -"},
    {"PAR1", "is a Parquet file; give it a name that ends in .parquet"},
    {"\xff\xfe", "is text in UTF-16; convert it first: iconv -f UTF-16 -t UTF-8 FILE"},
    {"\xfe\xff", "is text in UTF-16; convert it first: iconv -f UTF-16 -t UTF-8 FILE"},
}};
}  // namespace

ByteSource::ByteSource(const std::string& path, ByteProgress& progress, std::function<void()> poll)
    : name_(path == "-" ? "standard input" : path), progress_(progress), poll_(std::move(poll)) {
  progress_.taken = 0;
  progress_.size = -1;
  descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw InputError(fmt::format("cannot read '{}': {}", name_, std::strerror(errno)));
  try {
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0) {
      if (S_ISDIR(status.st_mode)) throw InputError(fmt::format("'{}' is a directory; give a file in it", name_));
      if (S_ISREG(status.st_mode) && path != "-") progress_.size = status.st_size;
    }
    start_.resize(start_bytes);
    start_.resize(read_raw(start_.data(), start_bytes));
    check_format(start_);
    if (start_.starts_with(gzip_magic)) {
      gzip_ = std::make_unique<Gzip>(name_, [this](char* out, std::size_t size) { return read_packed(out, size); });
    }
    if (start_.starts_with(zstd_magic)) {
      packed_.resize(packed_bytes);
      zstd_.reset(ZSTD_createDStream());
      if (!zstd_) throw Error(ErrorKind::internal, "zstd cannot be started");
    }
  } catch (...) {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
    throw;
  }
}

ByteSource::~ByteSource() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

void ByteSource::check_format(std::string_view start) const {
  for (const auto& [magic, advice] : refused) {
    if (start.starts_with(magic)) throw InputError(fmt::format("'{}' {}", name_, advice));
  }
}

double ByteProgress::share() const noexcept {
  const std::int64_t all = size;
  if (all < 0) return -1;
  return all == 0 ? 1 : std::min(1.0, static_cast<double>(taken.load()) / static_cast<double>(all));
}

std::size_t ByteSource::read_raw(char* out, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t count = ::read(descriptor_, out + got, size - got);
    if (count > 0) {
      got += static_cast<std::size_t>(count);
      progress_.taken.fetch_add(count, std::memory_order_relaxed);
    } else if (count == 0) {
      break;
    } else if (errno == EINTR) {
      poll_();
    } else {
      throw InputError(fmt::format("cannot read '{}': {}", name_, std::strerror(errno)));
    }
  }
  return got;
}

std::uint64_t ByteSource::plain_size() const noexcept {
  return gzip_ || zstd_ || !is_regular_file() ? 0 : static_cast<std::uint64_t>(progress_.size.load());
}

std::size_t ByteSource::read_at(char* out, std::size_t size, std::uint64_t offset) const {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t count = ::pread(descriptor_, out + got, size - got, static_cast<off_t>(offset + got));
    if (count > 0) {
      got += static_cast<std::size_t>(count);
    } else if (count == 0) {
      break;
    } else if (errno != EINTR) {
      throw InputError(fmt::format("cannot read '{}': {}", name_, std::strerror(errno)));
    }
  }
  return got;
}

std::size_t ByteSource::read(char* out, std::size_t size) {
  if (gzip_) return gzip_->read(out, size, threads_);
  if (zstd_) return read_zstd(out, size);
  return read_packed(out, size);
}

// The bytes of the file as they are.
std::size_t ByteSource::read_packed(char* out, std::size_t size) {
  const std::size_t first = std::min(size, start_.size());
  std::copy_n(start_.data(), first, out);
  start_.erase(0, first);
  return first + read_raw(out + first, size - first);
}

// One frame after another.
std::size_t ByteSource::read_zstd(char* out, std::size_t size) {
  ZSTD_outBuffer to{out, size, 0};
  while (to.pos < size) {
    if (zstd_in_.pos == zstd_in_.size && !zstd_holds_more_) {
      zstd_in_ = {packed_.data(), read_packed(packed_.data(), packed_.size()), 0};
    }
    if (zstd_in_.size == 0) {
      if (!inside_frame_) break;
      throw InputError(fmt::format("'{}' is truncated: it ends in the middle of its zstd data; get it again", name_));
    }
    const std::size_t left = ZSTD_decompressStream(zstd_.get(), &to, &zstd_in_);
    if (ZSTD_isError(left) != 0) {
      throw InputError(fmt::format("'{}' has damaged zstd data ({}); get it again", name_, ZSTD_getErrorName(left)));
    }
    inside_frame_ = left != 0;
    zstd_holds_more_ = inside_frame_ && to.pos == size;
  }
  return to.pos;
}

}  // namespace shoal
