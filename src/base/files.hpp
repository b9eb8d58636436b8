// Writing files so that nothing is ever left half written: aside first, then renamed over the target.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace shoal {

// A file in the making. commit() flushes, syncs and renames it into place; without it, destruction (also by an
// exception) removes every trace. Errors name the path and the system's reason (full disk, no such folder, no
// permission).
class PendingFile {
 public:
  explicit PendingFile(std::string path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
};

void write_file(const std::string& path, std::string_view contents);
// Refuses a file over `limit` bytes, and one that cannot be read.
std::string read_file(const std::string& path, std::size_t limit = std::size_t{1} << 32);

// Removes the temporary files that are pending now. Async-signal-safe: for the program's Ctrl-C handler.
void remove_pending_files() noexcept;

}  // namespace shoal
