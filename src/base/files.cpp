#include "shoal/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "shoal/error.hpp"

namespace shoal {

namespace {

namespace fs = std::filesystem;

constexpr const char* standard_stream = "-";

// Names of pending files, for remove_pending_files. The table has a fixed size, because a signal handler must neither
// allocate nor lock.
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

fs::path folder_of(const std::string& path) {
  fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// Returns whether the file lies in /dev or /proc, where no temporary file can be created and renamed.
bool lies_among_devices(const std::string& path) {
  std::error_code error;
  const std::string folder = fs::canonical(folder_of(path), error).string();
  return !error && (folder == "/dev" || folder.starts_with("/proc"));
}

// Opens a device or a pipe. The name of an open file of this process (/dev/stdout, /dev/fd/3) yields that file, at its
// current position.
int open_stream(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  int open_file = name == "stdout" ? STDOUT_FILENO : name == "stderr" ? STDERR_FILENO : -1;
  const bool in_fd = folder_of(path).filename() == "fd";
  if (in_fd) std::from_chars(name.data(), name.data() + name.size(), open_file);
  if (open_file >= 0 && lies_among_devices(path)) return ::fcntl(open_file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
}

// Opens a temporary file under a name that no other process uses.
int open_aside(const std::string& path, std::string& temporary) {
  constexpr mode_t readable_by_umask = 0666;
  for (int attempt = 0;; ++attempt) {
    temporary = fmt::format("{}.{}-{}.part", path, ::getpid(), attempt);
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readable_by_umask);
    if (file >= 0 || errno != EEXIST || attempt == 100) return file;
  }
}

// Writes all bytes at the current position of the file. Returns 0 or an error number.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Reserves space for the file. Writes zeros where the file system cannot reserve space. Returns 0 or an error number.
int set_aside(int file, std::uint64_t bytes) {
  const int error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (error != EOPNOTSUPP && error != EINVAL && error != ENOSYS) return error;
  static const std::string zeros(std::size_t{1} << 16, '\0');
  for (std::uint64_t done = 0; done < bytes; done += zeros.size()) {
    const int failed =
        write_all(file, std::string_view(zeros).substr(0, std::min<std::uint64_t>(bytes - done, zeros.size())));
    if (failed != 0) return failed;
  }
  return ::lseek(file, 0, SEEK_SET) < 0 ? errno : 0;
}

bool cannot_link(int error) {
  return error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK || error == EINVAL;
}

// Syncs the folder, so that a power cut cannot undo the new name. Some file systems cannot sync folders; that is
// harmless.
void sync_folder(const std::string& path) noexcept {
  const int folder = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  static_cast<void>(::fsync(folder));
  ::close(folder);
}

[[noreturn]] void refuse_existing(const std::string& path) {
  throw InputError(fmt::format(
      "'{}' already exists; choose another name, or overwrite it with --force (Python: overwrite=True)", path));
}

}  // namespace

// ---- one file -------------------------------------------------------------------------------------------------------

PendingFile::PendingFile(std::string path, Existing existing) : path_(std::move(path)), existing_(existing) {
  if (path_ == standard_stream) {
    std::fflush(stdout);  // earlier output must come first
    file_ = STDOUT_FILENO;
    return;
  }
  struct stat there {};
  const bool exists = ::stat(path_.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) fail(EISDIR);
  if ((exists && !S_ISREG(there.st_mode)) || lies_among_devices(path_)) {
    std::fflush(stdout);
    file_ = open_stream(path_);
    if (file_ < 0) fail(errno);
    return;
  }
  if (existing_ == Existing::refuse && ::lstat(path_.c_str(), &there) == 0) refuse_existing(path_);
  file_ = open_aside(path_, temporary_);
  if (file_ < 0) {
    temporary_.clear();
    fail(errno);
  }
  remember(temporary_.c_str());
}

PendingFile::~PendingFile() {
  if (file_ >= 0 && file_ != STDOUT_FILENO) ::close(file_);
  if (!temporary_.empty()) {
    forget(temporary_.c_str());
    ::unlink(temporary_.c_str());
  }
}

void PendingFile::fail(int error) const {
  const std::string reason = std::strerror(error);
  if (path_ == standard_stream) throw InputError(fmt::format("cannot write to standard output: {}", reason));
  throw InputError(fmt::format("cannot write '{}': {}", path_, reason));
}

void PendingFile::reserve(std::uint64_t bytes) {
  if (temporary_.empty() || bytes <= reserved_) return;
  const int error = set_aside(file_, bytes);
  if (error != 0) {
    throw InputError(fmt::format("cannot reserve {} bytes for '{}': {}", bytes, path_, std::strerror(error)));
  }
  reserved_ = bytes;
}

void PendingFile::write(std::string_view bytes) {
  if (const int error = write_all(file_, bytes); error != 0) fail(error);
  written_ += bytes.size();
}

void PendingFile::commit() {
  if (!temporary_.empty()) {
    if (reserved_ > written_ && ::ftruncate(file_, static_cast<off_t>(written_)) != 0) fail(errno);
    if (::fsync(file_) != 0) fail(errno);
  }
  if (file_ != STDOUT_FILENO && ::close(std::exchange(file_, -1)) != 0) fail(errno);
  if (!temporary_.empty()) put_in_place();
  committed_ = true;
}

void PendingFile::put_in_place() {
  if (existing_ == Existing::replace) {
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  } else if (::link(temporary_.c_str(), path_.c_str()) == 0) {
    ::unlink(temporary_.c_str());
  } else if (errno == EEXIST) {
    refuse_existing(path_);
  } else if (!cannot_link(errno)) {
    fail(errno);
  } else {  // without hard links, the check and the renaming are two steps
    struct stat there {};
    if (::lstat(path_.c_str(), &there) == 0) refuse_existing(path_);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  }
  sync_folder(path_);
  forget(temporary_.c_str());
  temporary_.clear();
}

// ---- all files of a run ---------------------------------------------------------------------------------------------

// Identifies a file by its device and inode, and by the place where it is or will be.
struct Outputs::Known {
  struct Place {
    dev_t device;
    ino_t node;
    bool operator==(const Place&) const = default;
  };
  std::string path;
  std::optional<Place> file;    // set if the path is an existing regular file
  std::optional<Place> folder;  // empty for streams: a device may be written to twice
  std::string name;             // the name within the folder

  static Known stream(int which) {
    Known known{standard_stream, {}, {}, {}};
    struct stat there {};
    if (::fstat(which, &there) == 0 && S_ISREG(there.st_mode)) known.file = {there.st_dev, there.st_ino};
    return known;
  }
  static Known named(const std::string& path) {
    Known known{path, {}, {}, fs::path(path).filename().string()};
    struct stat there {};
    const bool exists = ::stat(path.c_str(), &there) == 0;
    if (exists && !S_ISREG(there.st_mode)) return known;
    if (exists) known.file = {there.st_dev, there.st_ino};
    if (::stat(folder_of(path).c_str(), &there) == 0) known.folder = {there.st_dev, there.st_ino};
    return known;
  }
  [[nodiscard]] bool same_as(const Known& other) const {
    if (file && other.file && *file == *other.file) return true;
    return folder && other.folder && *folder == *other.folder && name == other.name;
  }
};

Outputs::Outputs(Existing existing) : existing_(existing) { inputs_.push_back(Known::stream(STDIN_FILENO)); }
Outputs::~Outputs() = default;
Outputs::Outputs(Outputs&&) noexcept = default;
Outputs& Outputs::operator=(Outputs&&) noexcept = default;

void Outputs::keep(const std::string& path) {
  if (!path.empty() && path != standard_stream) inputs_.push_back(Known::named(path));
}

void Outputs::add(const std::string& path) {
  const Known known = path == standard_stream ? Known::stream(STDOUT_FILENO) : Known::named(path);
  for (const Known& input : inputs_) {
    if (!input.same_as(known)) continue;
    throw InputError(fmt::format("{} would overwrite {}, which is an input; choose another name for the output",
                                 path == standard_stream ? "standard output" : fmt::format("'{}'", path),
                                 input.path == standard_stream ? "standard input" : fmt::format("'{}'", input.path)));
  }
  for (const Known& other : outputs_) {
    if (!other.same_as(known) && (path != standard_stream || other.path != path)) continue;
    throw InputError(
        fmt::format("the outputs '{}' and '{}' are the same file; give each its own name", other.path, path));
  }
  files_.push_back(std::make_unique<PendingFile>(path, existing_));
  outputs_.push_back(known);
}

PendingFile& Outputs::at(const std::string& path) {
  for (const auto& file : files_) {
    if (file->path() == path && !file->committed()) return *file;
  }
  throw Error(ErrorKind::internal, fmt::format("'{}' was not announced as an output", path));
}

void Outputs::write(const std::string& path, std::string_view contents) {
  PendingFile& file = at(path);
  file.write(contents);
  file.commit();
}

void write_file(const std::string& path, std::string_view contents, Existing existing) {
  PendingFile file(path, existing);
  file.write(contents);
  file.commit();
}

std::string read_file(const std::string& path, std::size_t limit) {
  const auto reason = [] { return std::string(std::strerror(errno)); };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw InputError(fmt::format("cannot read '{}': {}", path, reason()));
  std::string contents;
  std::array<char, 1 << 16> buffer{};
  for (;;) {
    const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (got == 0) break;
    if (contents.size() + got > limit) {
      throw InputError(fmt::format("'{}' is larger than the maximum of {} bytes", path, limit));
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
