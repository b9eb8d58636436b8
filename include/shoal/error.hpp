// The only exception type of the library. Its message says what is wrong, where, and how to correct it.
#pragma once

#include <stdexcept>
#include <string>

namespace shoal {

// The kind of an error, which determines the exit code of the program.
enum class ErrorKind {
  internal,  // A fault of Shoal itself (exit code 1).
  usage,     // The call itself is malformed (exit code 2).
  input,     // The data or a parameter is invalid (exit code 3).
  budget,    // The privacy budget does not allow the call (exit code 4).
  nothing,   // The release was made and charged, but almost no record was counted (exit code 5).
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] int exit_code() const noexcept { return 1 + static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

// The most common error: the data or a parameter is invalid.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ErrorKind::input, message) {}
};

}  // namespace shoal
