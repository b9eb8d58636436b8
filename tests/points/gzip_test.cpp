// gzip is unpacked to the bytes that zlib packed, in any pieces and on any number of threads.
#include "points/gzip.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <random>
#include <string>

#include "packed_texts.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// extra: the extra field of the header, with its length; empty for none.
std::string member(const std::string& text, int level, const std::string& extra = "") {
  const std::string packed = deflated(text, level, -15);
  const auto little_endian = [](std::uint64_t number, int bytes) {
    std::string result;
    for (int i = 0; i < bytes; ++i) result += static_cast<char>(number >> (8 * i));
    return result;
  };
  const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  const std::string header = std::string("\x1f\x8b\x08", 3) + (extra.empty() ? '\0' : '\4') + std::string(6, '\0');
  return header + extra + packed + little_endian(sum, 4) + little_endian(text.size(), 4);
}

// A member of blocked gzip, as bgzip writes it.
std::string block(const std::string& text, int level = 6) {
  std::string packed = member(text, level, std::string("\6\0BC\2\0..", 8));
  const std::size_t last = packed.size() - 1;
  EXPECT_LT(last, std::size_t{1} << 16);
  packed[16] = static_cast<char>(last & 0xff);
  packed[17] = static_cast<char>(last >> 8);
  return packed;
}

struct Pieces {
  std::size_t unpacked = 1 << 16;  // number of bytes that are asked for at a time
  unsigned threads = 1;
};

// What was unpacked before the end, or before the error.
struct Unpacked {
  std::string text, error;
};

Unpacked unpack(const std::string& packed, Pieces pieces = {}) {
  std::size_t at = 0;
  Gzip gzip("points.csv.gz", [&](char* out, std::size_t size) {
    const std::size_t count = std::min(size, packed.size() - at);
    std::copy_n(packed.data() + at, count, out);
    at += count;
    return count;
  });
  Unpacked result;
  std::string piece(pieces.unpacked, '\0');
  try {
    for (std::size_t got = piece.size(); got == piece.size();) {
      got = gzip.read(piece.data(), piece.size(), pieces.threads);
      result.text.append(piece, 0, got);
    }
  } catch (const InputError& error) {
    result.error = error.what();
  }
  return result;
}

std::string some_text(std::mt19937_64& random, std::size_t size) {
  std::string text;
  const std::uint64_t kind = random() % 3;
  while (text.size() < size) {
    text += kind == 0   ? fmt::format("{},", random())
            : kind == 1 ? std::string(1, static_cast<char>(random()))
                        : "1,2\n";
  }
  text.resize(size);
  return text;
}

TEST(Gzip, MembersAndBlocksInAnyOrderGiveTheirTexts) {
  std::mt19937_64 random(20);
  for (int i = 0; i < 400; ++i) {
    std::string text, packed;
    for (std::uint64_t members = random() % 6; members > 0; --members) {
      const std::string one = some_text(random, random() % 3 == 0 ? 0 : random() % (random() % 4 == 0 ? 65'000 : 80));
      text += one;
      const int level = static_cast<int>(1 + random() % 9);
      packed += random() % 2 == 0 ? member(one, level) : block(one, level);
      if (random() % 8 == 0) packed += std::string(random() % 40, '\0');
    }
    const Pieces pieces{.unpacked = 1 + random() % (random() % 2 == 0 ? 20 : 100'000),
                        .threads = static_cast<unsigned>(1 + random() % 3)};
    const Unpacked unpacked = unpack(packed, pieces);
    ASSERT_EQ(unpacked.error, "") << i;
    ASSERT_TRUE(unpacked.text == text) << i;
  }
}

TEST(Gzip, ThreadsDoNotChangeTheBytesOfBlocks) {
  std::mt19937_64 random(21);
  std::string text, packed;
  for (int i = 0; i < 100; ++i) {
    const std::string one = some_text(random, i % 7 == 0 ? 1000 : 65'000);
    text += one;
    packed += block(one);
  }
  packed += block("");  // bgzip's mark of the end
  for (const unsigned threads : {1U, 2U, 5U}) {
    const Unpacked unpacked = unpack(packed, {.threads = threads});
    EXPECT_EQ(unpacked.error, "") << threads;
    EXPECT_TRUE(unpacked.text == text) << threads;
  }
}

TEST(Gzip, AnyCutIsTruncatedAfterAllThatIsWhole) {
  std::mt19937_64 random(22);
  const std::string first = some_text(random, 3000), second = some_text(random, 400);
  const std::string whole = block(first), packed = whole + block(second);
  for (std::size_t size = whole.size() + 1; size < packed.size(); ++size) {
    const Unpacked unpacked = unpack(packed.substr(0, size), {.unpacked = 100});
    ASSERT_NE(unpacked.error.find("'points.csv.gz' is truncated"), std::string::npos) << size << unpacked.error;
    ASSERT_GE(unpacked.text.size(), first.size());
    ASSERT_EQ(unpacked.text, (first + second).substr(0, unpacked.text.size())) << size;
  }
  EXPECT_EQ(unpack(whole).text, first);
}

TEST(Gzip, ADamagedByteNeverGivesOtherBytesUnnoticed) {
  std::mt19937_64 random(23);
  for (const bool blocked : {false, true}) {
    const std::string first = some_text(random, 5000), second = some_text(random, 5000);
    const std::string whole = blocked ? block(first) : member(first, 6);
    const std::string packed = whole + (blocked ? block(second) : member(second, 6));
    int damaged = 0;
    for (int i = 0; i < 500; ++i) {
      std::string changed = packed;
      const std::size_t at = whole.size() + random() % (packed.size() - whole.size());
      changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
      const Unpacked unpacked = unpack(changed, {.unpacked = 100, .threads = 2});
      // Only the header's time, flags and system may differ without harm.
      if (unpacked.error.empty()) {
        ASSERT_EQ(unpacked.text, first + second) << at;
      } else {
        ++damaged;
        ASSERT_TRUE(unpacked.text.starts_with(first)) << at;
      }
    }
    EXPECT_GT(damaged, 400);
  }
}

TEST(Gzip, AWrongSizeInABlockIsDamage) {
  const std::string text(2000, '7');
  std::string packed = block(text) + block(text);
  packed[16] = static_cast<char>(packed[16] + 1);
  EXPECT_NE(unpack(packed).error.find("damaged gzip data"), std::string::npos);
  EXPECT_EQ(unpack(packed, {.unpacked = 100}).text, "");
}

// ISA-L unpacks more than it is asked for and keeps it; no part of it may be lost where the packed bytes end.
TEST(Gzip, APackedRunOfOneByteIsReadInSmallPieces) {
  const std::string text(40'000, '1');
  for (std::size_t piece = 1; piece < 3000; piece = 2 * piece + 1) {
    const Unpacked unpacked = unpack(member(text, 9), {.unpacked = piece});
    ASSERT_EQ(unpacked.error, "") << piece;
    ASSERT_EQ(unpacked.text, text) << piece;
  }
}

TEST(Gzip, OtherBytesBehindAMemberAreDamage) {
  EXPECT_NE(unpack(member("1,2\n", 6) + "rubbish").error.find("damaged gzip data (invalid header)"), std::string::npos);
  EXPECT_EQ(unpack(member("1,2\n", 6) + std::string(500, '\0')).error, "");
}

}  // namespace
}  // namespace shoal
