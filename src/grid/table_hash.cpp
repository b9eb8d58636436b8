#include "grid/table_hash.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>

#include "shoal/error.hpp"

namespace shoal {

TableSecret::TableSecret() {
  std::array<std::uint64_t, 2> bits{};
  ssize_t got = 0;
  do {
    got = ::getrandom(bits.data(), sizeof bits, 0);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof bits)) {
    throw Error(ErrorKind::internal, "the operating system gives no random bits; nothing was drawn");
  }
  first_ = bits[0];
  second_ = bits[1];
}

const TableSecret& TableSecret::of_process() {
  static const TableSecret secret;
  return secret;
}

}  // namespace shoal
