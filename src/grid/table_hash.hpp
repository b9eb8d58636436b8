// Hashes keys that others may choose, with a secret of this process. Without the secret, someone who chooses
// identifiers or places of records could put all of them into one slot of a table, and every look-up would search them
// all.
//
// The secret affects only which slot a key gets, and so the running time, never the result.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace shoal {

class TableSecret {
 public:
  // Draws the secret from the operating system at the first call. Throws Error if the system gives no random bits.
  static const TableSecret& of_process();
  // Uses a known secret, for tests.
  TableSecret(std::uint64_t first, std::uint64_t second) noexcept : first_(first), second_(second) {}

  // SipHash-1-3 (Aumasson and Bernstein 2012).
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept {
    State state{first_ ^ 0x736F6D6570736575U, second_ ^ 0x646F72616E646F6DU, first_ ^ 0x6C7967656E657261U,
                second_ ^ 0x7465646279746573U};
    const std::uint64_t size = key.size();
    for (; key.size() >= 8; key.remove_prefix(8)) state.take(word(key));
    state.take(word(key) | size << 56);
    return state.finish();
  }

  // An odd number: the high bits of `number * odd()` are evenly spread (Dietzfelbinger et al. 1997).
  [[nodiscard]] std::uint64_t odd() const noexcept { return first_ | 1; }

 private:
  TableSecret();

  struct State {
    std::uint64_t a, b, c, d;
    void round() noexcept {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32) + d;
      c += b;
      b = std::rotl(b, 17) ^ c;
      d = std::rotl(d, 21) ^ a;
      c = std::rotl(c, 32);
    }
    void take(std::uint64_t word) noexcept {
      d ^= word;
      round();
      a ^= word;
    }
    std::uint64_t finish() noexcept {
      c ^= 0xFF;
      for (int i = 0; i < 3; ++i) round();
      return a ^ b ^ c ^ d;
    }
  };

  // Returns the first 8 bytes, padded with zeros.
  static std::uint64_t word(std::string_view bytes) noexcept {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t result = 0;
    std::memcpy(&result, bytes.data(), bytes.size() < 8 ? bytes.size() : 8);
    return result;
  }

  std::uint64_t first_ = 0, second_ = 0;
};

}  // namespace shoal
