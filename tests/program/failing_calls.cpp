// Loaded before the C library (LD_PRELOAD): makes one system call that changes files fail, or ends the process there.
//
//   FAIL_AT=n       the n-th such call, counted from 1; 0: none
//   FAIL_WITH=e     this error number; 0: the process is killed before the call
//   FAIL_ON=1       all later calls that take room on a disk fail as well: the disk stays full
//   FAIL_WAIT=path  the process makes this file and waits there until it is gone, once, in place of failing
//   FAIL_FOR=name   only in processes that have this variable
//   FAIL_THREADS=1  no thread starts
//   FAIL_COUNT=path where the number of calls is written when the process ends
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace {

long setting(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

template <class Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

long calls = 0;
bool full = false;

void wait_while_there(const char* path) {
  real(&::close, "close")(real(&::creat, "creat")(path, 0644));
  while (::access(path, F_OK) == 0) ::usleep(1000);
}

// Whether this call is to fail; errno is set then. takes_room: on a disk.
bool fails(bool takes_room) {
  static const long at = setting("FAIL_AT"), with = setting("FAIL_WITH"), on = setting("FAIL_ON");
  static const char* const only = std::getenv("FAIL_FOR");
  static const char* const wait = std::getenv("FAIL_WAIT");
  if (only != nullptr && std::getenv(only) == nullptr) return false;
  ++calls;
  if (calls == at && wait != nullptr) {
    wait_while_there(wait);
    return false;
  }
  if (calls == at && with == 0) std::raise(SIGKILL);
  full = full || (calls == at && on != 0);
  if (calls != at && !(full && takes_room)) return false;
  errno = static_cast<int>(with);
  return true;
}

bool is_file(int file) {
  struct stat info {};
  return ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
}

struct AtExit {
  ~AtExit() {
    const char* const only = std::getenv("FAIL_FOR");
    if (const char* path = only != nullptr && std::getenv(only) == nullptr ? nullptr : std::getenv("FAIL_COUNT")) {
      const int file = real(&::creat, "creat")(path, 0644);
      char text[32];
      const int size = std::snprintf(text, sizeof text, "%ld", calls);
      static_cast<void>(!real(&::write, "write")(file, text, static_cast<std::size_t>(size)));
    }
  }
} at_exit;

int opened(const char* name, const char* path, int flags, mode_t mode) {
  if ((flags & (O_WRONLY | O_RDWR)) != 0 && fails((flags & O_CREAT) != 0)) return -1;
  using Open = int(const char*, int, ...);
  return reinterpret_cast<Open*>(::dlsym(RTLD_NEXT, name))(path, flags, mode);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*start)(void*), void* with) noexcept {
  static const bool none = setting("FAIL_THREADS") != 0;
  return none ? EAGAIN : real(&pthread_create, "pthread_create")(thread, how, start, with);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = static_cast<mode_t>(va_arg(more, int));
  va_end(more);
  return opened("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto mode = static_cast<mode_t>(va_arg(more, int));
  va_end(more);
  return opened("open64", path, flags, mode);
}

// A write that fails has taken half of the bytes when it has more than one, as a disk that fills up does.
ssize_t write(int file, const void* bytes, size_t size) {
  if (!fails(is_file(file))) return real(&write, "write")(file, bytes, size);
  const int error = errno;
  if (size > 1) static_cast<void>(!real(&write, "write")(file, bytes, size / 2));
  errno = error;
  return -1;
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t at) {
  return fails(true) ? -1 : real(&pwrite64, "pwrite64")(file, bytes, size, at);
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  return fails(true) ? -1 : real(&pwrite, "pwrite")(file, bytes, size, at);
}
int posix_fallocate(int file, off_t at, off_t size) {
  return fails(true) ? errno : real(&posix_fallocate, "posix_fallocate")(file, at, size);
}
int posix_fallocate64(int file, off64_t at, off64_t size) {
  return fails(true) ? errno : real(&posix_fallocate64, "posix_fallocate64")(file, at, size);
}
int ftruncate(int file, off_t size) noexcept { return fails(false) ? -1 : real(&ftruncate, "ftruncate")(file, size); }
int ftruncate64(int file, off64_t size) noexcept {
  return fails(false) ? -1 : real(&ftruncate64, "ftruncate64")(file, size);
}
int fsync(int file) { return fails(false) ? -1 : real(&fsync, "fsync")(file); }
int fdatasync(int file) { return fails(false) ? -1 : real(&fdatasync, "fdatasync")(file); }
int rename(const char* from, const char* to) noexcept { return fails(false) ? -1 : real(&rename, "rename")(from, to); }
int link(const char* from, const char* to) noexcept { return fails(false) ? -1 : real(&link, "link")(from, to); }
int unlink(const char* path) noexcept { return fails(false) ? -1 : real(&unlink, "unlink")(path); }
int close(int file) {
  const bool failed = is_file(file) && fails(false);
  const int error = errno;
  const int result = real(&close, "close")(file);
  if (!failed) return result;
  errno = error;
  return -1;
}
}
