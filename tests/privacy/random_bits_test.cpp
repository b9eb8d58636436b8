#include "privacy/random_bits.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <csignal>
#include <optional>
#include <set>
#include <thread>

#include "chi_square.hpp"
#include "no_getrandom.hpp"
#include "shoal/error.hpp"

namespace shoal {
namespace {

constexpr std::size_t words_sent = 64;
using Words = std::array<std::uint64_t, words_sent>;

Words draw(RandomBits& bits) {
  Words words;
  for (auto& word : words) word = bits.next();
  return words;
}

// What a child draws from a generator that it inherited.
template <class Fork>
Words drawn_by_child(RandomBits& bits, const Fork& fork) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const auto child = static_cast<pid_t>(fork());
  if (child == 0) {
    const Words words = draw(bits);
    const bool sent = ::write(ends[1], words.data(), sizeof words) == sizeof words;
    ::_exit(sent ? 0 : 1);
  }
  ::close(ends[1]);
  Words words{};
  EXPECT_EQ(::read(ends[0], words.data(), sizeof words), static_cast<ssize_t>(sizeof words));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return words;
}

void expect_all_different(const std::vector<Words>& draws) {
  std::set<std::uint64_t> seen;
  for (const Words& words : draws) seen.insert(words.begin(), words.end());
  EXPECT_EQ(seen.size(), draws.size() * words_sent);
}

TEST(RandomBits, ChildrenRepeatNeitherTheirParentNorEachOther) {
  RandomBits bits = RandomBits::from_system();
  bits.next();  // the buffer holds words that a child would inherit
  std::vector<Words> draws;
  for (int i = 0; i < 5; ++i) draws.push_back(drawn_by_child(bits, [] { return ::fork(); }));
  draws.push_back(draw(bits));
  expect_all_different(draws);
}

// The C library's fork handlers do not run here; the cleared memory alone must tell.
TEST(RandomBits, ChildrenOfABareCloneDoNotRepeatEither) {
  RandomBits bits = RandomBits::from_system();
  bits.next();
  std::vector<Words> draws;
  for (int i = 0; i < 3; ++i)
    draws.push_back(drawn_by_child(bits, [] { return ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }));
  draws.push_back(draw(bits));
  expect_all_different(draws);
}

// How many words a generator gives until it refuses, in a child that has lost the operating system's randomness.
// -1: no refusal, or none that says why.
long words_without_the_system(RandomBits* inherited) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    long given = testing::take_getrandom_away() ? 0 : -2;
    try {
      std::optional<RandomBits> fresh;
      if (inherited == nullptr) fresh.emplace(RandomBits::from_system());
      RandomBits& bits = inherited != nullptr ? *inherited : *fresh;
      while (given >= 0 && given < 1'000'000) {
        bits.next();
        ++given;
      }
      given = given == -2 ? -2 : -1;
    } catch (const Error& error) {
      if (std::string(error.what()).find("getrandom") == std::string::npos) given = -1;
    }
    ::_exit(::write(ends[1], &given, sizeof given) == sizeof given ? 0 : 1);
  }
  long given = 0;
  EXPECT_EQ(::read(ends[0], &given, sizeof given), static_cast<ssize_t>(sizeof given));
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return given;
}

TEST(RandomBits, FailsClosedWhenTheOperatingSystemGivesNoKey) {
  const long fresh = words_without_the_system(nullptr);
  if (fresh == -2) GTEST_SKIP() << "system calls cannot be filtered here";
  EXPECT_EQ(fresh, 0);
  RandomBits bits = RandomBits::from_system();
  bits.next();
  EXPECT_EQ(words_without_the_system(&bits), 0);  // a child needs a new key before its first word
}

TEST(RandomBits, GeneratorsAndThreadsDiffer) {
  std::vector<Words> draws(8);
  {
    std::vector<std::jthread> threads;
    for (auto& words : draws) {
      threads.emplace_back([&words] {
        RandomBits bits = RandomBits::from_system();
        words = draw(bits);
      });
    }
  }
  expect_all_different(draws);
}

TEST(RandomBits, StaysDifferentAcrossRefillsAndNewKeys) {
  RandomBits bits = RandomBits::from_system();
  std::vector<std::uint64_t> words(3 * RandomBits::rekey_bytes / sizeof(std::uint64_t));
  bits.fill(words);
  EXPECT_EQ(std::set<std::uint64_t>(words.begin(), words.end()).size(), words.size());  // a repeat: chance 4e-9
}

TEST(RandomBits, ASeedGivesTheSameStreamAndStreamsDiffer) {
  const auto stream = [](std::uint64_t seed, std::uint64_t call, std::uint64_t number) {
    RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(seed, call), number);
    return draw(bits);
  };
  EXPECT_EQ(stream(1, 0, 0), stream(1, 0, 0));
  expect_all_different({stream(1, 0, 0), stream(1, 0, 1), stream(1, 1, 0), stream(2, 0, 0), stream(11, 0, 0)});
}

TEST(RandomBits, TakeFillAndNextReadOneStream) {
  const StudyKey key = StudyKey::of(3, 0);
  RandomBits a = RandomBits::from_seed_not_private(key, 0);
  RandomBits b = RandomBits::from_seed_not_private(key, 0);
  std::vector<std::uint64_t> words(20'000);
  a.fill(words);
  for (std::size_t i = 0; i < words.size();) {
    if (i % 3 == 0) {
      ASSERT_EQ(b.next(), words[i]);
      ++i;
    } else {
      for (const std::uint64_t word : b.take(i % 977 + 1)) {
        if (i == words.size()) break;
        ASSERT_EQ(word, words[i]);
        ++i;
      }
    }
    b.wipe_used();
  }
}

TEST(RandomBits, UsedWordsAreWiped) {
  RandomBits bits = RandomBits::from_system();
  const auto words = bits.take(32);
  ASSERT_GT(std::popcount(words[0]), 0);
  bits.wipe_used();
  for (const std::uint64_t word : words) EXPECT_EQ(word, 0U);  // the buffer is still mapped
}

// A thread's generators use one buffer after another: what one leaves in it would show in the next, which encrypts
// zeros.
TEST(RandomBits, ABufferThatServedBeforeChangesNothing) {
  constexpr std::size_t words = 2 * RandomBits::buffer_words + 5;
  const auto stream = [] {
    std::vector<std::uint64_t> drawn(words);
    RandomBits::from_seed_not_private(StudyKey::of(8, 0), 0).fill(drawn);
    return drawn;
  };
  std::vector<std::uint64_t> expected;
  std::thread([&] { expected = stream(); }).join();  // a thread of its own: a buffer of its own
  for (const std::size_t before : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{100}, words}) {
    std::vector<std::uint64_t> drawn(before);
    RandomBits::from_system().fill(drawn);
    RandomBits other = RandomBits::from_system();
    RandomBits::from_system().fill(drawn);
    other.fill(drawn);
    other = RandomBits::from_system();
    EXPECT_EQ(stream(), expected) << before;
  }
}

TEST(RandomBits, MovedGeneratorsGoOn) {
  RandomBits a = RandomBits::from_seed_not_private(StudyKey::of(4, 0), 0);
  RandomBits b = RandomBits::from_seed_not_private(StudyKey::of(4, 0), 0);
  a.next();
  RandomBits c = RandomBits::from_system();
  c = std::move(a);
  b.next();
  EXPECT_EQ(draw(b), draw(c));
}

TEST(RandomBits, EveryBitIsFair) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(5, 0), 0);
  constexpr int count = 1'000'000;
  std::array<int, 64> ones{};
  for (int i = 0; i < count; ++i) {
    const std::uint64_t word = bits.next();
    for (unsigned bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(word >> bit & 1);
  }
  for (const int one : ones) EXPECT_NEAR(one, count / 2.0, 6 * std::sqrt(count) / 2);
}

TEST(RandomBits, BelowIsUniformForAnyBound) {
  RandomBits bits = RandomBits::from_seed_not_private(StudyKey::of(6, 0), 0);
  for (const std::uint64_t bound : {1, 2, 3, 7, 10, 64, 100}) {
    constexpr int count = 200'000;
    std::vector<double> observed(bound, 0);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t x = bits.below(bound);
      ASSERT_LT(x, bound);
      observed[x] += 1;
    }
    const std::vector<double> expected(bound, static_cast<double>(count) / static_cast<double>(bound));
    EXPECT_LT(bound == 1 ? 0 : testing::deviations(observed, expected), testing::accepted) << bound;
  }
  // A bound that does not divide 2^64 by far: without the refusals the first half would be drawn twice as often.
  const std::uint64_t bound = (std::uint64_t{1} << 63) + (std::uint64_t{1} << 62);
  double first_half = 0;
  for (int i = 0; i < 100'000; ++i) first_half += bits.below(bound) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(first_half, 100'000 / 3.0, 5 * std::sqrt(100'000 * 2 / 9.0));
}

}  // namespace
}  // namespace shoal
