// Keys that somebody chose spread over a table as any others do.
#include "grid/table_hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "grid/unit_table.hpp"

namespace shoal {
namespace {

constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15U;

// A key of 8 bytes that a hash without a secret, two rounds of word * multiplier ^ >> 32, sends to `hash`.
std::string chosen_key(std::uint64_t hash) {
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - multiplier * inverse;
  for (int round = 0; round < 2; ++round) hash = (hash ^ hash >> 32) * inverse;
  hash ^= 8;  // the length of the key
  return {reinterpret_cast<const char*>(&hash), sizeof hash};
}

TEST(TableHash, ChosenIdentifiersDoNotMeetInOneSlot) {
  std::set<std::uint64_t> slots, parts;
  for (std::uint64_t i = 1; i <= 4096; ++i) {
    const std::uint64_t hash = UnitTable::hash(chosen_key(i << 20 & 0x00FFFFFFFFFFFFFFU));
    slots.insert(hash & 4095);
    parts.insert(hash >> 56);
  }
  // 4096 keys at random fill 63 % of 4096 slots: less than half has a chance below 1e-100.
  EXPECT_GT(slots.size(), 2048U);
  EXPECT_EQ(parts.size(), 256U);
}

TEST(TableHash, TheSecretDecidesTheSlot) {
  const TableSecret one(1, 2), other(1, 3);
  for (const std::string key : {"", "7", "12345678", "somebody with a long key"}) {
    EXPECT_NE(one.hash(key), other.hash(key));
    EXPECT_EQ(one.hash(key), TableSecret(1, 2).hash(key));
  }
  EXPECT_EQ(TableSecret::of_process().odd() % 2, 1U);
}

// The authors' key 00 01 ... 0f. The values are those of CPython's siphash13 and of Rust's SipHasher13.
TEST(TableHash, IsSipHash13) {
  const TableSecret secret(0x0706050403020100U, 0x0F0E0D0C0B0A0908U);
  EXPECT_EQ(secret.hash(""), 0xABAC0158050FC4DCU);
}

TEST(TableHash, EveryByteOfAKeyCounts) {
  std::set<std::uint64_t> hashes;
  for (std::size_t length = 0; length < 40; ++length) hashes.insert(UnitTable::hash(std::string(length, 'a')));
  for (std::size_t at = 0; at < 40; ++at) {
    std::string key(40, 'a');
    key[at] = 'b';
    hashes.insert(UnitTable::hash(key));
  }
  EXPECT_EQ(hashes.size(), 80U);
}

TEST(TableHash, NumbersOfUnitsAreTheOrderOfTheirFirstCalls) {
  UnitTable table;
  for (std::uint32_t i = 0; i < 3000; ++i) EXPECT_EQ(table.number("unit number " + std::to_string(i)), i);
  for (std::uint32_t i = 0; i < 3000; ++i) EXPECT_EQ(table.number("unit number " + std::to_string(i)), i);
}

}  // namespace
}  // namespace shoal
