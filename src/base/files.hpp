// Writing files so that nothing is ever left half written and nothing is lost: aside first, then put in place; never
// over a file that was read, and over another only where that was asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shoal/existing.hpp"

namespace shoal {

// A file in the making. commit() cuts it to what was written, syncs it and puts it in place under its name; without it,
// destruction (also by an exception) removes every trace. Under Existing::refuse a file that is there is never
// replaced, also one that appeared meanwhile. Errors name the path and the system's reason (full disk, no such folder,
// no permission). "-" is standard output. Devices, pipes and what lies in /dev or /proc are written to directly.
class PendingFile {
 public:
  explicit PendingFile(std::string path, Existing existing = Existing::refuse);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  // Sets so many bytes aside on the disk, so that writing them cannot fail for want of room. Before the first write;
  // streams have no room to set aside.
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

// All files that one run writes, opened (aside) one by one as they are added, before anything is read or charged.
// Refused is an output that is an input or another output, by whatever name, symbolic or hard link, and one that is
// there already, unless it may be replaced. Standard input is an input always.
class Outputs {
 public:
  explicit Outputs(Existing existing = Existing::refuse);
  ~Outputs();
  Outputs(Outputs&&) noexcept;
  Outputs& operator=(Outputs&&) noexcept;

  // A file that the run reads, or that must stay for another reason; what is no file of this machine counts for
  // nothing. Before the outputs. An empty name is none.
  void keep(const std::string& path);
  void add(const std::string& path);

  // Of an output that was added.
  [[nodiscard]] PendingFile& at(const std::string& path);
  // All of it, put in place.
  void write(const std::string& path, std::string_view contents);

 private:
  struct Known;
  Existing existing_;
  std::vector<Known> inputs_, outputs_;
  std::vector<std::unique_ptr<PendingFile>> files_;
};

// One file and nothing else.
void write_file(const std::string& path, std::string_view contents, Existing existing = Existing::refuse);
// Refuses a file over `limit` bytes, and one that cannot be read.
std::string read_file(const std::string& path, std::size_t limit = std::size_t{1} << 32);

// Removes the temporary files that are pending now. Async-signal-safe: for the program's Ctrl-C handler.
void remove_pending_files() noexcept;

}  // namespace shoal
