// Ensures that a charged release is kept. From the debit until the release is written, signals wait. If the release
// cannot be written to its file, it is written elsewhere (docs/privacy.md).
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/privacy.hpp"

namespace shoal::cli {

// While an object of this class exists, Ctrl-C and requests to end wait. The destructor obeys a signal that arrived
// meanwhile, unless an exception ends the run anyway. At most one object exists at a time.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  // Returns whether a signal arrived and waits for the destructor.
  [[nodiscard]] static bool one_waits();

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

// What epsilon was spent on. If there is no ledger, `ledger` is empty and there is no entry.
struct Payment {
  std::string what;  // "release"
  Epsilon epsilon;
  std::string ledger;
  std::optional<std::uint64_t> entry;
  bool to_stdout = false;  // whether it was written to standard output, which may hold a part of it
};

std::string spent_for_nothing(const Payment& payment);
// Returns the result of `draw`. If it fails, the error says that epsilon is spent.
template <class Draw>
auto drawn(const Payment& payment, const Draw& draw) {
  try {
    return draw();
  } catch (const Error& error) {
    throw Error(error.kind(), std::string(error.what()) + spent_for_nothing(payment));
  } catch (const std::exception& error) {
    throw Error(ErrorKind::internal, std::string(error.what()) + spent_for_nothing(payment));
  }
}

// Writes the release to the first place that accepts it: beside the ledger, in the folder for temporary files, to
// standard output or, if that may already hold a part of it, to standard error. `suffix` ends the file name. Then
// throws `failures`, with the place of the release and `how` it can be used.
[[noreturn]] void keep_elsewhere(const Payment& payment, const std::vector<std::string>& failures,
                                 const std::string& suffix, const std::string& how,
                                 const std::function<void(PendingFile&)>& write);

}  // namespace shoal::cli
