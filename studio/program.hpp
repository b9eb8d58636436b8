// Runs this program's own commands in processes of their own, in the studio's folder. So a page does exactly what its
// command line does, and a release that is charged is kept as the command keeps it, whatever becomes of the server:
// when the server ends or is killed, the command is asked to end, and it ends at once before the charge, or after it
// when the release is written.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace shoal::studio {

struct Finished {
  int code = 0;  // the exit code; 128 and more: ended by a signal
  std::string out, err;
  // The one line that says what was wrong, without "shoal: ".
  [[nodiscard]] std::string failure() const;
};

class Program {
 public:
  Program(std::string executable, std::string folder)
      : executable_(std::move(executable)), folder_(std::move(folder)) {}

  // Waits for its end. progress: how far it is, in [0, 1]; negative: not known.
  Finished run(const std::vector<std::string>& words, const std::function<void(double)>& progress = {});
  // Asks all that run to end; nothing starts after this.
  void end();

 private:
  std::string executable_, folder_;
  std::mutex mutex_;
  std::set<int> running_;
  bool ended_ = false;
};

// As it can be pasted into a shell: a line for every option.
std::string command_line(const std::vector<std::string>& words);

}  // namespace shoal::studio
