// Uniform random words: AES-256 in counter mode, keyed from the operating system or, for studies, from a seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace shoal {

// The key of a seeded stream. Streams with different numbers are independent.
struct StudyKey {
  std::array<unsigned char, 32> bytes{};
  // Returns the SHA-256 of a fixed text and the numbers.
  static StudyKey of(std::uint64_t seed, std::uint64_t call);
};

// A generator for one thread. Every failure of the operating system or of OpenSSL throws before a word is returned.
//
// - The key comes from getrandom(2) and is replaced by a fresh one after every 2^20 bytes (rekey_bytes).
// - Words that were returned are wiped by wipe_used(), at every refill, and on destruction. Keys are wiped too.
// - The next generator of a thread reuses the wiped buffer of its last one.
// - A forked child never repeats its parent's words: the buffer lies in memory that the kernel clears on fork, and a
//   counter that fork handlers advance is compared before every use. Either alone suffices; a child starts with a new
//   key. Seeded streams are repeated in a child on purpose, because they are not secret.
class RandomBits {
 public:
  static constexpr std::size_t buffer_words = 4096;  // 32 KiB
  static constexpr std::size_t rekey_bytes = std::size_t{1} << 20;

  static RandomBits from_system();
  static RandomBits from_seed_not_private(const StudyKey& key, std::uint64_t stream);
  ~RandomBits();
  RandomBits(RandomBits&&) noexcept;
  RandomBits& operator=(RandomBits&&) noexcept;

  std::uint64_t next() {
    if (used_ == filled_ || forked()) refill();
    return words_[used_++];
  }
  // Returns between 1 and `wanted` (>= 1) words, which stay in the buffer until the next call of any method.
  std::span<const std::uint64_t> take(std::size_t wanted);
  void fill(std::span<std::uint64_t> words);
  // Returns an exactly uniform integer in [0, bound), bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  // Overwrites the words that were returned. The owner of the generator calls it at the end of every draw.
  void wipe_used() noexcept;

 private:
  struct Cipher;
  explicit RandomBits(bool from_system);
  [[nodiscard]] bool forked() const noexcept;
  void rekey();
  void refill();
  void release() noexcept;

  std::unique_ptr<Cipher> cipher_;
  std::uint64_t* words_ = nullptr;  // its own mapping, followed by one word that is 1 unless a fork cleared it
  std::size_t used_ = 0, wiped_ = 0, filled_ = 0;
  std::size_t next_fill_ = 0;     // refills start small and grow, so a single draw stays cheap
  std::size_t bytes_left_ = 0;    // until the next key
  std::uint64_t generation_ = 0;  // number of forks when the key was made
  bool from_system_;
};

// Draws `words` words from the cipher alone and returns the exclusive or of some of them. Benchmarks use its speed as
// the upper limit.
std::uint64_t raw_words(std::uint64_t words);

}  // namespace shoal
