#include "paid.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <tuple>

#include "shoal/error.hpp"

namespace shoal::cli {

namespace {

std::atomic<int> waiting = 0;

void on_signal(int signal) {
  static constexpr char message[] = "\nshoal: epsilon is spent; the result is written before the program stops\n";
  if (waiting.exchange(signal) == 0) std::ignore = ::write(STDERR_FILENO, message, sizeof message - 1);
}

}  // namespace

HeldSignals::HeldSignals() {
  waiting = 0;
  struct sigaction held {};
  held.sa_handler = on_signal;
  held.sa_flags = SA_RESTART;
  sigemptyset(&held.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;  // nohup stays nohup
    if (::sigaction(signal, &held, &old) == 0) before_.emplace_back(signal, old);
  }
}

HeldSignals::~HeldSignals() {
  std::fflush(stdout);
  for (const auto& [signal, old] : before_) ::sigaction(signal, &old, nullptr);
  if (const int signal = waiting.exchange(0); signal != 0 && std::uncaught_exceptions() == 0) std::raise(signal);
}

bool HeldSignals::one_waits() { return waiting != 0; }

std::string spent_for_nothing(const Payment& payment) {
  return fmt::format("; epsilon {} is spent, and nothing was released", payment.epsilon.text());
}

void keep_elsewhere(const Payment& payment, const std::vector<std::string>& failures, const std::string& suffix,
                    const std::string& how, const std::function<void(PendingFile&)>& write) {
  std::vector<std::string> places;
  if (payment.entry) places.push_back(fmt::format("{}.entry-{}{}", payment.ledger, *payment.entry, suffix));
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (!error) places.push_back((folder / fmt::format("shoal-{}{}", ::getpid(), suffix)).string());
  places.emplace_back(payment.to_stdout ? "/dev/stderr" : "-");
  const std::string spent = fmt::format("{}; epsilon {} is spent", fmt::join(failures, "; "), payment.epsilon.text());
  for (const std::string& place : places) {
    try {
      PendingFile file(place);
      write(file);
      file.commit();
    } catch (const std::exception&) {
      continue;  // the next place
    }
    const std::string where = place == "-"             ? "was printed to standard output instead"
                              : place == "/dev/stderr" ? "was printed to standard error instead"
                                                       : fmt::format("is kept in '{}'", place);
    throw InputError(fmt::format("{}, and the {} {}; {}", spent, payment.what, where, how));
  }
  throw InputError(fmt::format("{}, and the {} could not be written anywhere", spent, payment.what));
}

}  // namespace shoal::cli
