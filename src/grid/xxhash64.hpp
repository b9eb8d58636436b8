// XXH64, the 64-bit hash of Yann Collet (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). Spark, Trino and ClickHouse
// offer it under the name xxhash64. It is even and fast; it is not a cryptographic hash.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace shoal {

class Xxhash64 {
 public:
  static std::uint64_t of(std::string_view bytes, std::uint64_t seed) noexcept {
    const std::size_t size = bytes.size();
    std::uint64_t hash = seed + prime5;
    if (size >= 32) {
      std::uint64_t a = seed + prime1 + prime2, b = seed + prime2, c = seed, d = seed - prime1;
      for (; bytes.size() >= 32; bytes.remove_prefix(32)) {
        a = round(a, word<std::uint64_t>(bytes));
        b = round(b, word<std::uint64_t>(bytes.substr(8)));
        c = round(c, word<std::uint64_t>(bytes.substr(16)));
        d = round(d, word<std::uint64_t>(bytes.substr(24)));
      }
      hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
      for (const std::uint64_t lane : {a, b, c, d}) hash = (hash ^ round(0, lane)) * prime1 + prime4;
    }
    hash += size;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) hash = with_word(hash, word<std::uint64_t>(bytes));
    if (bytes.size() >= 4) {
      hash = std::rotl(hash ^ word<std::uint32_t>(bytes) * prime1, 23) * prime2 + prime3;
      bytes.remove_prefix(4);
    }
    for (const char byte : bytes) hash = std::rotl(hash ^ static_cast<unsigned char>(byte) * prime5, 11) * prime1;
    return finished(hash);
  }

  // Hashes the 8 bytes of a number, the lowest first.
  static std::uint64_t of(std::uint64_t number, std::uint64_t seed) noexcept {
    return finished(with_word(seed + prime5 + 8, number));
  }

 private:
  static constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87U, prime2 = 0xC2B2AE3D27D4EB4FU,
                                 prime3 = 0x165667B19E3779F9U, prime4 = 0x85EBCA77C2B2AE63U,
                                 prime5 = 0x27D4EB2F165667C5U;

  template <class Word>
  static std::uint64_t word(std::string_view bytes) noexcept {
    static_assert(std::endian::native == std::endian::little);
    Word word;
    std::memcpy(&word, bytes.data(), sizeof word);
    return word;
  }
  static std::uint64_t round(std::uint64_t lane, std::uint64_t word) noexcept {
    return std::rotl(lane + word * prime2, 31) * prime1;
  }
  static std::uint64_t with_word(std::uint64_t hash, std::uint64_t word) noexcept {
    return std::rotl(hash ^ round(0, word), 27) * prime1 + prime4;
  }
  static std::uint64_t finished(std::uint64_t hash) noexcept {
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
  }
};

}  // namespace shoal
