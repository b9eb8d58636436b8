#include "privacy/random_bits.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/wide.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {
constexpr std::size_t first_fill_words = 64;
constexpr std::size_t mapped_bytes = (RandomBits::buffer_words + 1) * sizeof(std::uint64_t);

// The fork handler advances it in every child. It is not part of a generator's state; it only tells a child that it is
// one.
std::atomic<std::uint64_t> fork_generation{0};

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorKind::internal, fmt::format("no random bits: {}; nothing was drawn", what));
}

void watch_forks() {
  static const int status = ::pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1); });
  if (status != 0) fail(fmt::format("the fork handler cannot be set ({})", std::strerror(status)));
}

void from_operating_system(std::span<unsigned char> bytes) {
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t step = ::getrandom(bytes.data() + got, bytes.size() - got, 0);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) fail(fmt::format("getrandom fails ({})", std::strerror(errno)));
    got += static_cast<std::size_t>(step);
  }
}

// The last buffer of a thread, wiped, for its next generator. Mapping and unmapping a buffer takes longer than a small
// draw and evicts the processor's address translations.
struct SpareBuffer {
  std::uint64_t* words = nullptr;

  SpareBuffer() = default;
  SpareBuffer(const SpareBuffer&) = delete;
  SpareBuffer& operator=(const SpareBuffer&) = delete;
  ~SpareBuffer() {
    if (words != nullptr) ::munmap(words, mapped_bytes);
  }
};
thread_local SpareBuffer spare_buffer;

std::uint64_t* map_buffer() {
  if (spare_buffer.words != nullptr) return std::exchange(spare_buffer.words, nullptr);
  void* memory = ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail(fmt::format("no memory for the buffer ({})", std::strerror(errno)));
  // On kernels without these, the fork handler is the only guard, and core dumps contain the buffer.
  ::madvise(memory, mapped_bytes, MADV_WIPEONFORK);
  ::madvise(memory, mapped_bytes, MADV_DONTDUMP);
  return static_cast<std::uint64_t*>(memory);
}
}  // namespace

struct RandomBits::Cipher {
  std::unique_ptr<EVP_CIPHER_CTX, void (*)(EVP_CIPHER_CTX*)> context{EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free};

  // key: 32 bytes. counter: the 16 bytes of the first block.
  void start(const unsigned char* key, const unsigned char* counter) {
    if (!context || EVP_EncryptInit_ex(context.get(), EVP_aes_256_ctr(), nullptr, key, counter) != 1) {
      fail("OpenSSL cannot set up AES-256-CTR");
    }
  }
  // Overwrites the words with the next words of the key stream, which is the encryption of zeros.
  void encrypt(std::uint64_t* words, std::size_t count) {
    alignas(64) static const std::array<std::uint64_t, buffer_words> zeros{};
    auto* bytes = reinterpret_cast<unsigned char*>(words);
    const int wanted = static_cast<int>(count * sizeof(std::uint64_t));
    int made = 0;
    const auto* text = reinterpret_cast<const unsigned char*>(zeros.data());
    if (EVP_EncryptUpdate(context.get(), bytes, &made, text, wanted) != 1 || made != wanted) {
      ::explicit_bzero(bytes, static_cast<std::size_t>(wanted));
      fail("OpenSSL's AES-256-CTR fails");
    }
  }
};

StudyKey StudyKey::of(std::uint64_t seed, std::uint64_t call) {
  std::string text = fmt::format("shoal study seed {} call {}", seed, call);
  StudyKey key;
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), key.bytes.data(), &size, EVP_sha256(), nullptr) != 1) {
    fail("OpenSSL cannot compute SHA-256");
  }
  return key;
}

RandomBits::RandomBits(bool from_system)
    : cipher_(std::make_unique<Cipher>()), next_fill_(first_fill_words), from_system_(from_system) {
  words_ = map_buffer();
}

RandomBits RandomBits::from_system() {
  watch_forks();
  RandomBits bits(true);
  bits.rekey();
  return bits;
}

RandomBits RandomBits::from_seed_not_private(const StudyKey& key, std::uint64_t stream) {
  RandomBits bits(false);
  std::array<unsigned char, 16> counter{};  // the stream number, then the block number
  for (std::size_t i = 0; i < 8; ++i) counter[i] = static_cast<unsigned char>(stream >> (56 - 8 * i));
  bits.cipher_->start(key.bytes.data(), counter.data());
  return bits;
}

RandomBits::~RandomBits() { release(); }

RandomBits::RandomBits(RandomBits&& other) noexcept
    : cipher_(std::move(other.cipher_)),
      words_(std::exchange(other.words_, nullptr)),
      used_(std::exchange(other.used_, 0)),
      wiped_(std::exchange(other.wiped_, 0)),
      filled_(std::exchange(other.filled_, 0)),
      next_fill_(other.next_fill_),
      bytes_left_(std::exchange(other.bytes_left_, 0)),
      generation_(other.generation_),
      from_system_(other.from_system_) {}

RandomBits& RandomBits::operator=(RandomBits&& other) noexcept {
  if (this != &other) {
    release();
    std::construct_at(this, std::move(other));
  }
  return *this;
}

void RandomBits::release() noexcept {
  if (words_ != nullptr) {
    ::explicit_bzero(words_, filled_ * sizeof(std::uint64_t));  // the memory beyond was never written
    words_[buffer_words] = 0;
    if (spare_buffer.words == nullptr) {
      spare_buffer.words = words_;
    } else {
      ::munmap(words_, mapped_bytes);
    }
  }
  words_ = nullptr;
  cipher_.reset();  // OpenSSL wipes the key schedule
}

bool RandomBits::forked() const noexcept {
  return from_system_ && (words_[buffer_words] != 1 || generation_ != fork_generation.load(std::memory_order_relaxed));
}

void RandomBits::rekey() {
  struct Secret {
    std::array<unsigned char, 48> bytes{};
    ~Secret() { ::explicit_bzero(bytes.data(), bytes.size()); }
  } secret;
  from_operating_system(secret.bytes);
  cipher_->start(secret.bytes.data(), secret.bytes.data() + 32);
  bytes_left_ = rekey_bytes;
  generation_ = fork_generation.load();
  words_[buffer_words] = 1;
}

// The new words overwrite all of the old ones, because a fill is never smaller than the one before it; with a new key,
// the old ones are wiped first. Until the new words are complete, the buffer counts as empty, so that a failure cannot
// return any word.
void RandomBits::refill() {
  const bool child = forked();
  const std::size_t count = next_fill_, old = std::exchange(filled_, 0);
  used_ = wiped_ = 0;
  if (from_system_ && (child || bytes_left_ < count * sizeof(std::uint64_t))) {
    ::explicit_bzero(words_, old * sizeof(std::uint64_t));
    rekey();
  }
  cipher_->encrypt(words_, count);
  if (from_system_) bytes_left_ -= count * sizeof(std::uint64_t);
  filled_ = count;
  next_fill_ = std::min(buffer_words, 2 * count);
}

std::span<const std::uint64_t> RandomBits::take(std::size_t wanted) {
  if (used_ == filled_ || forked()) refill();
  const std::size_t count = std::min(wanted, filled_ - used_);
  used_ += count;
  return {words_ + used_ - count, count};
}

void RandomBits::fill(std::span<std::uint64_t> words) {
  while (!words.empty()) {
    const auto part = take(words.size());
    std::copy(part.begin(), part.end(), words.begin());
    words = words.subspan(part.size());
  }
}

// Lemire 2019: the high half of word * bound is uniform once the excess low halves are rejected.
std::uint64_t RandomBits::below(std::uint64_t bound) {
  for (;;) {
    const Uint128 product = static_cast<Uint128>(next()) * bound;
    const auto low = static_cast<std::uint64_t>(product);
    if (low >= bound || low >= (0 - bound) % bound) return static_cast<std::uint64_t>(product >> 64);
  }
}

void RandomBits::wipe_used() noexcept {
  ::explicit_bzero(words_ + wiped_, (used_ - wiped_) * sizeof(std::uint64_t));
  wiped_ = used_;
}

std::uint64_t raw_words(std::uint64_t words) {
  RandomBits bits = RandomBits::from_system();
  std::uint64_t all = 0;
  for (std::uint64_t done = 0; done < words;) {
    const auto block = bits.take(std::min<std::uint64_t>(words - done, RandomBits::buffer_words));
    all ^= block.front();
    done += block.size();
  }
  return all;
}

}  // namespace shoal
