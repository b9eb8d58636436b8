// Writes files so that no half-written file is left behind and no data is lost. A file is written under a temporary
// name and then renamed. A file that was read is never overwritten, and any other existing file only on request.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shoal {

// What happens if an output has the name of an existing file: the call throws, or the file is replaced.
enum class Existing : std::uint8_t { refuse, replace };

// A file that is being written. commit() truncates it to what was written, syncs it and renames it to its final name.
// Without commit(), the destructor removes it, also after an exception. With Existing::refuse, an existing file is
// never replaced, even if it appeared while this one was being written. Errors name the path and the system's reason
// (full disk, no such folder, no permission). "-" is standard output. Devices, pipes, and files in /dev or /proc are
// written to directly.
class PendingFile {
 public:
  explicit PendingFile(std::string path, Existing existing = Existing::refuse);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  // Reserves this number of bytes on the disk, so that writing them cannot fail because the disk is full. Must be
  // called before the first write. Does nothing for streams.
  void reserve(std::uint64_t bytes);
  void write(std::string_view bytes);
  void commit();
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] bool committed() const noexcept { return committed_; }

 private:
  [[noreturn]] void fail(int error) const;
  void put_in_place();

  std::string path_, temporary_;
  Existing existing_;
  int file_ = -1;
  std::uint64_t reserved_ = 0, written_ = 0;
  bool committed_ = false;
};

// All files that one run writes. Each is opened under a temporary name when it is added, before anything is read or
// charged. add() throws if an output is an input or another output, under any name, symbolic link or hard link, and
// also if it already exists, unless files may be replaced. Standard input always counts as an input.
class Outputs {
 public:
  explicit Outputs(Existing existing = Existing::refuse);
  ~Outputs();
  Outputs(Outputs&&) noexcept;
  Outputs& operator=(Outputs&&) noexcept;

  // Declares a file that the run must not overwrite, such as an input. Must be called before the outputs are added.
  // Empty names and "-" are ignored. Names that cannot be files of this machine, such as addresses, have no effect.
  void keep(const std::string& path);
  void add(const std::string& path);

  // Returns an output that was added and is not yet committed. Throws if there is none of this name.
  [[nodiscard]] PendingFile& at(const std::string& path);
  // Writes the whole contents of an output and commits it.
  void write(const std::string& path, std::string_view contents);

 private:
  struct Known;
  Existing existing_;
  std::vector<Known> inputs_, outputs_;
  std::vector<std::unique_ptr<PendingFile>> files_;
};

// Writes one file.
void write_file(const std::string& path, std::string_view contents, Existing existing = Existing::refuse);
// Returns the contents of a file. Throws if the file is larger than `limit` bytes or cannot be read.
std::string read_file(const std::string& path, std::size_t limit = std::size_t{1} << 32);

// Removes the temporary files of all pending outputs. Async-signal-safe, so the program's Ctrl-C handler may call it.
void remove_pending_files() noexcept;

}  // namespace shoal
