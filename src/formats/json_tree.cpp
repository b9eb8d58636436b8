#include "formats/json_tree.hpp"

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/utf8.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

using Node = JsonTree::Node;
using Kind = JsonTree::Kind;

// The bytes that stand for themselves in a text.
constexpr std::array<bool, 256> plain_bytes() {
  std::array<bool, 256> result{};
  for (std::size_t byte = 0x20; byte < 0x80; ++byte) result[byte] = byte != '"' && byte != '\\';
  return result;
}
constexpr std::array<bool, 256> plain = plain_bytes();

bool is_plain(char letter) { return plain[static_cast<unsigned char>(letter)]; }
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

constexpr std::array<double, 23> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

}  // namespace

// Items wait on a stack until their list ends; then they move to the nodes, side by side.
class JsonParser {
 public:
  JsonParser(JsonTree& tree, std::size_t deepest)
      : tree_(tree),
        deepest_(deepest),
        begin_(tree.text_.data()),
        end_(begin_ + tree.text_.size()),  // the character there is 0, which ends every loop
        p_(begin_) {}

  void parse() {
    if (std::string_view(tree_.text_).starts_with("\xef\xbb\xbf")) p_ += 3;
    const Node top = value(0);
    skip_space();
    if (p_ != end_) fail("there is more after the end");
    tree_.nodes_.push_back(top);
  }

 private:
  struct Member {
    Node key, value;
  };

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("it is cut off or damaged (at byte {}: {})", p_ - begin_ + 1, what));
  }

  void skip_space() {
    while (*p_ == ' ' || *p_ == '\n' || *p_ == '\t' || *p_ == '\r') ++p_;
  }

  Node value(std::size_t depth) {
    skip_space();
    switch (*p_) {
      case '{':
      case '[':
        if (depth == deepest_) throw InputError("at the top: its lists and objects are nested too deeply");
        return *p_ == '{' ? object(depth + 1) : list(depth + 1);
      case '"':
        return text();
      case 't':
        return word("true", {Kind::truth, 0, 1});
      case 'f':
        return word("false", {Kind::truth, 0, 0});
      case 'n':
        return word("null", {});
      default:
        return number();
    }
  }

  Node word(std::string_view letters, Node node) {
    if (!std::string_view(p_, static_cast<std::size_t>(end_ - p_)).starts_with(letters)) fail("no value");
    p_ += letters.size();
    return node;
  }

  // Whether a list or an object goes on after an item.
  bool goes_on(char closing) {
    skip_space();
    if (*p_ == ',') {
      ++p_;
      return true;
    }
    if (*p_ != closing) fail("an item is followed by neither a comma nor the end of its list or object");
    ++p_;
    return false;
  }

  // Whether there is nothing between the brackets.
  bool is_empty(char closing) {
    ++p_;
    skip_space();
    if (*p_ != closing) return false;
    ++p_;
    return true;
  }

  Node closed(Kind kind, std::size_t first, std::size_t size) {
    const Node node{kind, static_cast<std::uint32_t>(size), tree_.nodes_.size()};
    tree_.nodes_.insert(tree_.nodes_.end(), stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
    stack_.resize(first);
    return node;
  }

  Node list(std::size_t depth) {
    const std::size_t first = stack_.size();
    if (!is_empty(']')) {
      do {
        const Node item = value(depth);
        stack_.push_back(item);
      } while (goes_on(']'));
    }
    return closed(Kind::list, first, stack_.size() - first);
  }

  Node object(std::size_t depth) {
    const std::size_t first = stack_.size();
    if (!is_empty('}')) {
      do {
        skip_space();
        if (*p_ != '"') fail("a key is missing");
        stack_.push_back(text());
        skip_space();
        if (*p_ != ':') fail("a key is not followed by a colon");
        ++p_;
        const Node item = value(depth);
        stack_.push_back(item);
      } while (goes_on('}'));
    }
    sort_members(first);
    return closed(Kind::object, first, (stack_.size() - first) / 2);
  }

  void sort_members(std::size_t first) {
    members_.clear();
    for (std::size_t i = first; i < stack_.size(); i += 2) members_.push_back({stack_[i], stack_[i + 1]});
    const auto key = [this](const Member& member) { return tree_.text(member.key); };
    std::sort(members_.begin(), members_.end(), [&](const Member& a, const Member& b) { return key(a) < key(b); });
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (i > 0 && key(members_[i]) == key(members_[i - 1])) {
        throw InputError(fmt::format("at the top: the key '{}' occurs twice", key(members_[i])));
      }
      stack_[first + 2 * i] = members_[i].key;
      stack_[first + 2 * i + 1] = members_[i].value;
    }
  }

  Node text() {
    char* const first = ++p_;
    while (is_plain(*p_)) ++p_;
    char* end = p_;
    while (*p_ != '"') {  // what escapes stand for is written over them; it is never longer
      if (*p_ == '\\') {
        end = unescaped(end);
      } else if (is_plain(*p_)) {
        *end++ = *p_++;
      } else {
        if (p_ == end_) fail("a text has no end");
        if (static_cast<unsigned char>(*p_) < 0x20) fail("a text has a control character, which must be escaped");
        const std::size_t length = utf8_length({p_, static_cast<std::size_t>(end_ - p_)});
        if (length == 0) fail("a text is not UTF-8");
        end = std::copy_n(p_, length, end);
        p_ += length;
      }
    }
    ++p_;
    return {Kind::text, static_cast<std::uint32_t>(end - first), static_cast<std::uint64_t>(first - begin_)};
  }

  // Reads one escape and writes what it stands for at `out`. Returns where that ends.
  char* unescaped(char* out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const char letter = *++p_;
    if (letter == 'u') {
      std::string point;
      append_utf8(point, escaped_point());
      return std::copy(point.begin(), point.end(), out);
    }
    const std::size_t at = letters.find(letter);
    if (letter == '\0' || at == std::string_view::npos) fail("a text has an unknown escape");
    ++p_;
    *out = meanings[at];
    return out + 1;
  }

  char32_t four_digits() {
    ++p_;  // u
    std::uint32_t value = 0;
    if (end_ - p_ < 4 || std::from_chars(p_, p_ + 4, value, 16).ptr != p_ + 4) fail("\\u needs four digits");
    p_ += 4;
    return value;
  }

  char32_t escaped_point() {
    const char32_t first = four_digits();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF || p_[0] != '\\' || p_[1] != 'u') fail("\\u is half of a pair");
    ++p_;
    const char32_t second = four_digits();
    if (second < 0xDC00 || second > 0xDFFF) fail("\\u is half of a pair");
    return 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
  }

  Node number() {
    const char* const first = p_;
    const bool negative = *p_ == '-';
    p_ += negative ? 1 : 0;
    const char* const digits = p_;
    std::uint64_t mantissa = 0;
    const auto read_digits = [&] {
      if (!is_digit(*p_)) fail(p_ == first ? "no value" : "a number lacks a digit");
      for (; is_digit(*p_); ++p_) mantissa = mantissa * 10 + static_cast<std::uint64_t>(*p_ - '0');
    };
    if (*p_ == '0') {
      ++p_;
    } else {
      read_digits();
    }
    if (*p_ != '.' && *p_ != 'e' && *p_ != 'E') return integer(first, static_cast<std::size_t>(p_ - digits), mantissa);
    std::size_t decimals = 0, count = static_cast<std::size_t>(p_ - digits);
    if (*p_ == '.') {
      const char* const point = p_++;
      read_digits();
      decimals = static_cast<std::size_t>(p_ - point) - 1;
      count += decimals;
    }
    if (*p_ == 'e' || *p_ == 'E') {
      ++p_;
      if (*p_ == '+' || *p_ == '-') ++p_;
      const std::uint64_t exact = mantissa;
      read_digits();
      mantissa = exact;
      count = most_digits + 1;
    }
    constexpr std::uint64_t most_exact = std::uint64_t{1} << 53;
    if (count > most_digits || mantissa > most_exact) return real(first);
    const double value = static_cast<double>(mantissa) / powers_of_ten[decimals];  // both exact: rounded once
    return {Kind::real, 0, __builtin_bit_cast(std::uint64_t, negative ? -value : value)};
  }

  Node integer(const char* first, std::size_t digits, std::uint64_t mantissa) const {
    const bool negative = *first == '-';
    if (digits > most_digits && std::from_chars(first + (negative ? 1 : 0), p_, mantissa).ec != std::errc{}) {
      return real(first);
    }
    if (!negative) return {Kind::unsigned_integer, 0, mantissa};
    if (mantissa > std::uint64_t{1} << 63) return real(first);
    return {Kind::negative_integer, 0, ~mantissa + 1};
  }

  // The number that ends here.
  Node real(const char* first) const {
    double value = 0;
    fast_float::from_chars(first, static_cast<const char*>(p_), value);
    if (!std::isfinite(value)) fail("a number is too large");
    return {Kind::real, 0, __builtin_bit_cast(std::uint64_t, value)};
  }

  static constexpr std::size_t most_digits = 19;  // every number of so many digits fits in 64 bits

  JsonTree& tree_;
  std::size_t deepest_;
  char* begin_;
  char* end_;
  char* p_;
  std::vector<Node> stack_;
  std::vector<Member> members_;
};

JsonTree::JsonTree(std::string text, std::size_t deepest) : text_(std::move(text)) {
  if (text_.size() > UINT32_MAX) throw InputError("it is too long");
  JsonParser(*this, deepest).parse();
}

const JsonTree::Node* JsonTree::find(const Node& object, std::string_view key) const {
  if (object.kind != Kind::object) return nullptr;
  const std::span<const Node> members = items(object);
  for (std::size_t i = 0; i < members.size(); i += 2) {
    if (text(members[i]) == key) return &members[i + 1];
  }
  return nullptr;
}

std::string JsonTree::pointer(const Node& from, const Node& to) const {
  std::string path;
  add_steps(from, to, path);
  return path;
}

bool JsonTree::add_steps(const Node& from, const Node& to, std::string& path) const {
  if (&from == &to) return true;
  if (from.kind != Kind::list && from.kind != Kind::object) return false;
  const std::span<const Node> nodes = items(from);
  const std::size_t step = from.kind == Kind::object ? 2 : 1, length = path.size();
  for (std::size_t i = step - 1; i < nodes.size(); i += step) {
    path += step == 2 ? fmt::format("/{}", text(nodes[i - 1])) : fmt::format("/{}", i);
    if (add_steps(nodes[i], to, path)) return true;
    path.resize(length);
  }
  return false;
}

}  // namespace shoal
