// The SHA-256 hash of a text.
#pragma once

#include <string>

namespace shoal {

// Returns the hash as 64 hexadecimal digits. Throws if OpenSSL fails.
std::string sha256(const std::string& text);

}  // namespace shoal
