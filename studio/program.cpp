#include "studio/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>

#include "shoal/error.hpp"

namespace shoal::studio {

namespace {

constexpr std::size_t most_output = std::size_t{1} << 26;
constexpr std::string_view progress_mark = "progress ";

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(ErrorKind::internal, "no pipe is left");
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

// Variables of this process, with ours in place of theirs.
std::vector<std::string> variables(const std::string& folder) {
  std::vector<std::string> all{"TMPDIR=" + folder, "SHOAL_PROGRESS=lines"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with("TMPDIR=") && !text.starts_with("SHOAL_PROGRESS=")) all.emplace_back(text);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// In the child, between fork and exec: calls that are safe there alone.
[[noreturn]] void become(char* const* words, char* const* environment, const char* folder, int out, int err,
                         pid_t parent) {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  if (::getppid() != parent) ::_exit(127);
  ::setsid();  // Ctrl-C goes to the server, which asks us to end
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0 || ::chdir(folder) != 0) {
    ::_exit(127);
  }
#ifdef SYS_close_range
  const bool closed = ::syscall(SYS_close_range, 3U, ~0U, 0U) == 0;
#else
  const bool closed = false;
#endif
  for (int file = 3; !closed && file < 4096; ++file) ::close(file);
  ::execve(words[0], words, environment);
  ::_exit(127);
}

}  // namespace

std::string Finished::failure() const {
  constexpr std::string_view program_prefix = "shoal: ";
  if (code >= 128) return "the command was ended; the budget shows whether it had spent anything";
  const std::size_t at = err.rfind(program_prefix, std::string::npos);
  if (at == std::string::npos || (at > 0 && err[at - 1] != '\n')) return "the command ended without saying why";
  std::string line = err.substr(at + program_prefix.size());
  return line.substr(0, line.find('\n'));
}

Finished Program::run(const std::vector<std::string>& given, const std::function<void(double)>& progress) {
  Pipe out, err;
  std::vector<std::string> words{executable_}, environment = variables(folder_);
  words.insert(words.end(), given.begin(), given.end());
  const std::vector<char*> word_pointers = pointers(words), environment_pointers = pointers(environment);
  pid_t child = -1;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) throw InputError("the studio is ending");
    const pid_t parent = ::getpid();
    child = ::fork();
    if (child == 0) {
      become(word_pointers.data(), environment_pointers.data(), folder_.c_str(), out.ends[1], err.ends[1], parent);
    }
    if (child < 0) throw Error(ErrorKind::internal, "no process is left");
    running_.insert(child);
  }
  out.close(1);
  err.close(1);

  Finished result;
  std::string line;
  const auto on_error = [&](std::string_view text) {
    for (const char c : text) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (line.starts_with(progress_mark)) {
        double share = -1;
        const char* end = line.data() + line.size();
        std::from_chars(line.data() + progress_mark.size(), end, share);
        if (progress) progress(share);
      } else {
        result.err += line + "\n";
      }
      line.clear();
    }
  };
  std::array<char, 1 << 16> bytes{};
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    std::array<pollfd, 2> waiting{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      const ssize_t got = ::read(waiting[i].fd, bytes.data(), bytes.size());
      if (got < 0 && errno == EINTR) continue;
      const std::string_view text(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
      if (text.empty()) (i == 0 ? out : err).close(0);
      if (i == 1 && result.err.size() < most_output) on_error(text);
      if (i == 0 && result.out.size() < most_output) result.out += text;
    }
  }
  if (!line.empty()) on_error("\n");
  int status = 0;
  {
    // Until the process is waited for, its number belongs to it alone, so end() may signal it.
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    const std::lock_guard lock(mutex_);
    running_.erase(child);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

void Program::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (const int child : running_) ::kill(child, SIGTERM);
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line = "shoal";
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?[]#~`!{}") == std::string::npos;
    line += word.starts_with('-') ? " \\\n  " : " ";
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace shoal::studio
