// The geometric sampler of Google's differential-privacy library as its report "Secure Noise Generation" (2020) tells
// it, written anew: a binary search in which every step halves the probability that is left, then a sign, and -0 again.
// Probabilities are doubles, bits come from the operating system through a small buffer. A peer for benchmarks only.
#include <sys/random.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace {
class SystemBits {
 public:
  double uniform() {
    if (used_ == size) {
      for (std::size_t got = 0; got < sizeof words_;) {
        const ssize_t step = ::getrandom(reinterpret_cast<char*>(words_) + got, sizeof words_ - got, 0);
        if (step < 0) std::abort();
        got += static_cast<std::size_t>(step);
      }
      used_ = 0;
    }
    return static_cast<double>(words_[used_++] >> 11) * 0x1p-53;
  }

 private:
  static constexpr std::size_t size = 1024;
  std::uint64_t words_[size];
  std::size_t used_ = size;
};

std::int64_t geometric(double rate, SystemBits& bits) {
  if (bits.uniform() > -std::expm1(-rate * static_cast<double>(INT64_MAX))) return INT64_MAX;
  std::int64_t left = 0;
  std::int64_t right = INT64_MAX;
  while (left + 1 < right) {
    const double span = rate * static_cast<double>(right - left);
    const double half = (std::log(2.0) - std::log1p(std::exp(-span))) / rate;
    std::int64_t middle = left + static_cast<std::int64_t>(std::ceil(half));
    if (middle <= left) middle = left + 1;
    if (middle >= right) middle = right - 1;
    const double below = std::expm1(-rate * static_cast<double>(middle - left)) / std::expm1(-span);
    if (bits.uniform() <= below) {
      right = middle;
    } else {
      left = middle;
    }
  }
  return right - 1;  // failures before the first success
}
}  // namespace

extern "C" void google_laplace(double rate, std::int64_t* values, std::size_t count) {
  SystemBits bits;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t magnitude = 0;
    bool negative = false;
    do {
      magnitude = geometric(rate, bits);
      negative = bits.uniform() < 0.5;
    } while (negative && magnitude == 0);
    values[i] += negative ? -magnitude : magnitude;
  }
}
