#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "shoal/error.hpp"
#include "shoal/ledger.hpp"

namespace shoal {

std::string sha256(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorKind::internal, "OpenSSL could not compute a hash");
  }
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace shoal
