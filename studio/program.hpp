// Runs commands of this program as separate processes, in the studio's folder. So a page does exactly what its command
// line does, and a charged release is kept as the command keeps it, even if the server ends. If the server ends or is
// killed, the command is asked to end. It ends at once if nothing was charged, otherwise after the release is
// written.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shoal::studio {

struct Finished {
  int code = 0;  // the exit code; at least 128 if a signal ended it
  std::string out, err;
  // The error message, without "shoal: ".
  [[nodiscard]] std::string failure() const;
};

class Program {
 public:
  Program(std::string executable, std::string folder)
      : executable_(std::move(executable)), folder_(std::move(folder)) {}

  // Waits for the end of the command. progress: receives its share in [0, 1]; negative if unknown.
  Finished run(const std::vector<std::string>& words, const std::function<void(double)>& progress = {});
  // Asks all running commands to end. No command starts after this call.
  void end();

 private:
  std::string executable_, folder_;
  std::mutex mutex_;
  std::set<int> running_;
  bool ended_ = false;
};

// Returns the command as text for a shell, one line per option.
std::string command_line(const std::vector<std::string>& words);

}  // namespace shoal::studio
