#include "base/files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>

#include "shoal/error.hpp"

namespace shoal {

namespace {
// Names of pending files, for remove_pending_files: a fixed table, because a signal handler may not allocate or lock.
constexpr std::size_t most_pending = 64;
std::array<std::atomic<const char*>, most_pending> pending{};

void remember(const char* name) {
  for (auto& slot : pending) {
    const char* empty = nullptr;
    if (slot.compare_exchange_strong(empty, name)) return;
  }
}

void forget(const char* name) {
  for (auto& slot : pending) {
    const char* held = name;
    if (slot.compare_exchange_strong(held, nullptr)) return;
  }
}

std::string reason() { return std::strerror(errno); }
}  // namespace

PendingFile::PendingFile(std::string path) : path_(std::move(path)) {
  struct stat there {};
  if (::stat(path_.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) {
    file_ = std::fopen(path_.c_str(), "wb");  // a device or a pipe: nothing to rename over
  } else {
    temporary_ = fmt::format("{}.{}.part", path_, ::getpid());
    file_ = std::fopen(temporary_.c_str(), "wbx");
  }
  if (file_ == nullptr) throw InputError(fmt::format("cannot write '{}': {}", path_, reason()));
  if (!temporary_.empty()) remember(temporary_.c_str());
}

PendingFile::~PendingFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) {
    forget(temporary_.c_str());
    std::remove(temporary_.c_str());
  }
}

void PendingFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    throw InputError(fmt::format("cannot write '{}': {}; nothing was left there", path_, reason()));
  }
}

void PendingFile::commit() {
  if (std::fflush(file_) != 0 || (!temporary_.empty() && ::fsync(::fileno(file_)) != 0)) {
    throw InputError(fmt::format("cannot write '{}': {}; nothing was left there", path_, reason()));
  }
  std::fclose(file_);
  file_ = nullptr;
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw InputError(fmt::format("cannot write '{}': {}; nothing was left there", path_, reason()));
  }
  forget(temporary_.c_str());
  temporary_.clear();
}

void write_file(const std::string& path, std::string_view contents) {
  PendingFile file(path);
  file.write(contents);
  file.commit();
}

std::string read_file(const std::string& path, std::size_t limit) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw InputError(fmt::format("cannot read '{}': {}", path, reason()));
  std::string contents;
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (got == 0) break;
    if (contents.size() + got > limit) {
      throw InputError(fmt::format("'{}' is larger than the {} bytes that such a file can have", path, limit));
    }
    contents.append(buffer.data(), got);
  }
  if (std::ferror(file.get()) != 0) throw InputError(fmt::format("cannot read '{}': {}", path, reason()));
  return contents;
}

void remove_pending_files() noexcept {
  for (auto& slot : pending) {
    if (const char* name = slot.load()) ::unlink(name);
  }
}

}  // namespace shoal
