// The one exception of the library. Its message says what is wrong, where, and how to correct it.
#pragma once

#include <stdexcept>
#include <string>

namespace shoal {

// What went wrong; it gives the program its exit code.
enum class ErrorKind {
  internal,  // a fault of ours (program exit code 1)
  usage,     // the call itself is malformed (2)
  input,     // bad data or a bad parameter (3)
  budget,    // the privacy budget refuses (4)
  nothing,   // the release was made and paid for, but almost no record was counted (5)
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] int exit_code() const noexcept { return 1 + static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

// The common case: bad data or a bad parameter.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ErrorKind::input, message) {}
};

}  // namespace shoal
