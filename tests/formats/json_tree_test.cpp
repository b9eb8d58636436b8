#include "formats/json_tree.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <random>

#include "shoal/error.hpp"

namespace shoal {
namespace {

using nlohmann::json;
using Kind = JsonTree::Kind;

constexpr std::size_t deepest = 8;

// Rebuilds what nlohmann's parser gives for the same text.
json rebuilt(const JsonTree& tree, const JsonTree::Node& node) {
  const auto items = tree.items(node.kind == Kind::list || node.kind == Kind::object ? node : JsonTree::Node{});
  json result;
  switch (node.kind) {
    case Kind::null:
      return nullptr;
    case Kind::truth:
      return node.bits != 0;
    case Kind::unsigned_integer:
      return node.bits;
    case Kind::negative_integer:
      return static_cast<std::int64_t>(node.bits);
    case Kind::real:
      return std::bit_cast<double>(node.bits);
    case Kind::text:
      return std::string(tree.text(node));
    case Kind::list:
      result = json::array();
      for (const JsonTree::Node& item : items) result.push_back(rebuilt(tree, item));
      return result;
    case Kind::object:
      result = json::object();
      for (std::size_t i = 0; i < items.size(); i += 2) {
        result[std::string(tree.text(items[i]))] = rebuilt(tree, items[i + 1]);
      }
      return result;
  }
  return result;
}

bool is_read(const std::string& text) {
  try {
    const JsonTree tree(text, deepest);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// Equal, with the types of numbers and the signs of zeros.
void expect_same(const std::string& text) {
  const json expected = json::parse(text, nullptr, false);
  ASSERT_EQ(is_read(text), !expected.is_discarded()) << text;
  if (expected.is_discarded()) return;
  const JsonTree tree(text, deepest);
  const json read = rebuilt(tree, tree.top());
  EXPECT_EQ(read.type(), expected.type()) << text;
  EXPECT_EQ(read.dump(), expected.dump()) << text;
}

TEST(JsonTree, ReadsWhatNlohmannReads) {
  for (const char* text : {"null", " [1, 2.5, -3, -0, -0.0, 0, 1e3, 1E+2, 2e-3, 0.1, 0.30000000000000004]\n",
                           "[18446744073709551615, 18446744073709551616, -9223372036854775808, -9223372036854775809]",
                           "[0.12345678901234567, 9007199254740993.0, 1.7976931348623157e308, 5e-324, 1e-400]",
                           "[123456789012345678901234567890, 0.1234567890123456789012345678901234567890]",
                           R"({"b": [], "a": {}, "c": {"x": [[1, 2], [3]]}, "": true, "aa": false})",
                           R"(["plain", "\"\\\/\b\f\n\r\t", "\u00e4\u20ac\ud83d\ude00", "ä€😀", "a\u0000b"])",
                           "\xef\xbb\xbf[1]", "\"\x7f\""}) {
    expect_same(text);
  }
}

TEST(JsonTree, RefusesWhatIsNotJson) {
  for (const std::string text : {"",
                                 " ",
                                 "[",
                                 "]",
                                 "[1",
                                 "[1,",
                                 "[1,]",
                                 "[,1]",
                                 "{",
                                 "{\"a\"",
                                 "{\"a\":",
                                 "{\"a\":1",
                                 "{\"a\":1,}",
                                 "{a:1}",
                                 "1 2",
                                 "[1] x",
                                 "01",
                                 "-",
                                 "+1",
                                 ".5",
                                 "1.",
                                 "1e",
                                 "1e+",
                                 "-a",
                                 "0x10",
                                 "nul",
                                 "truE",
                                 "nan",
                                 "1e999",
                                 "-1e999",
                                 "\"",
                                 "\"a",
                                 "\"\\",
                                 "\"\\x\"",
                                 "\"\\u12\"",
                                 "\"\\u12g4\"",
                                 "\"\\ud800\"",
                                 "\"\\ud800\\u0041\"",
                                 "\"\\udc00\"",
                                 "\"\n\"",
                                 "\"\xff\"",
                                 "\"\xc0\x80\"",
                                 "\"\xed\xa0\x80\"",
                                 "'a'",
                                 "[1] // x"}) {
    EXPECT_FALSE(is_read(text)) << text;
    expect_same(text);
  }
  EXPECT_FALSE(is_read(std::string("[1]\0", 4)));
  EXPECT_FALSE(is_read(std::string("\"a\0b\"", 5)));
}

TEST(JsonTree, RefusesAKeyThatOccursTwice) {
  EXPECT_FALSE(is_read(R"({"a": 1, "b": 2, "a": 3})"));
  EXPECT_FALSE(is_read("{\"a\": 1, \"\\u0061\": 2}"));
  EXPECT_TRUE(is_read(R"({"a": 1, "b": {"a": 3}})"));
}

TEST(JsonTree, RefusesDeepNesting) {
  EXPECT_TRUE(is_read(std::string(deepest, '[') + std::string(deepest, ']')));
  EXPECT_FALSE(is_read(std::string(deepest + 1, '[') + std::string(deepest + 1, ']')));
  EXPECT_FALSE(is_read(std::string(1'000'000, '[')));
}

TEST(JsonTree, PointersNameThePlaceOfAValue) {
  const JsonTree tree(R"({"z": [0, {"b": [7, 7]}], "a": []})", deepest);
  const JsonTree::Node* z = tree.find(tree.top(), "z");
  ASSERT_NE(z, nullptr);
  const JsonTree::Node* b = tree.find(tree.items(*z)[1], "b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(tree.pointer(tree.top(), tree.items(*b)[1]), "/z/1/b/1");
  EXPECT_EQ(tree.pointer(*z, tree.items(*b)[0]), "/1/b/0");
  EXPECT_EQ(tree.pointer(tree.top(), tree.top()), "");
  EXPECT_EQ(tree.find(tree.top(), "b"), nullptr);
  EXPECT_EQ(tree.find(*z, "b"), nullptr);
}

std::size_t keys_of(const json& value) {
  if (!value.is_structured()) return 0;
  std::size_t count = value.is_object() ? value.size() : 0;
  for (const json& item : value) count += keys_of(item);
  return count;
}

// Random bytes of JSON's alphabet, and valid documents with a few bytes changed.
TEST(JsonTree, DecidesAsNlohmannAboutAnyText) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string alphabet = "[]{}:,\"\\u0123456789.-+eE aft\n\xc3\xa4";
  const std::string whole =
      R"({"id":12,"runs":[3,4,-5.25e-1],"x":{"y":"a\u00e4\n","t":true,"n":null},"d":0.30000000000000004})";
  for (int i = 0; i < 200'000; ++i) {
    std::string text = i % 2 == 0 ? whole : std::string(1 + below(12), ' ');
    if (i % 2 == 0) {
      for (std::size_t change = 1 + below(3); change > 0; --change)
        text[below(text.size())] = alphabet[below(alphabet.size())];
    } else {
      for (char& letter : text) letter = alphabet[below(alphabet.size())];
    }
    std::size_t keys = 0;
    const json expected = json::parse(
        text,
        [&keys](int /*depth*/, json::parse_event_t event, json& /*value*/) {
          keys += event == json::parse_event_t::key ? 1 : 0;
          return true;
        },
        false);
    // A key that occurs twice is the one thing that nlohmann accepts.
    const bool accepted = !expected.is_discarded() && keys_of(expected) == keys;
    ASSERT_EQ(is_read(text), accepted) << text;
    if (!accepted) continue;
    const JsonTree tree(text, deepest);
    ASSERT_EQ(rebuilt(tree, tree.top()).dump(), expected.dump()) << text;
  }
}

}  // namespace
}  // namespace shoal
