#include "points/json_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/utf8.hpp"

namespace shoal {

namespace {
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

// The next byte of a string that is a quote, a backslash, a control character or not ASCII. There is a line end, and
// padding behind it.
char* plain_end(char* p) {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
    const auto below = [](std::uint64_t word, std::uint64_t bound) { return (word - ones * bound) & ~word; };
    for (;; p += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, p, sizeof word);
      const std::uint64_t found =
          (below(word ^ (ones * '"'), 1) | below(word ^ (ones * '\\'), 1) | below(word, 0x20) | word) & tops;
      if (found != 0) return p + std::countr_zero(found) / 8;
    }
  }
  while (is_plain(*p)) ++p;
  return p;
}

char* write_utf8(std::uint32_t code, char* to) {
  const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
  return to;
}
}  // namespace

JsonRows::JsonRows(const JsonLayout& layout, OnBadRow on_bad_row, unsigned worker, const Points::Visit& visit)
    : TextRows(layout, on_bad_row, worker, visit), layout_(layout), seen_(layout.members.size()) {}

std::uint64_t JsonRows::parse(TextBlock& block) {
  std::uint64_t lines = 0;
  char* const end = block.text() + block.size;
  for (line_ = block.text(); line_ < end; line_ = line_end_ + 1) {
    // Looked for before escapes are replaced, one of which is that of a line end.
    line_end_ = static_cast<char*>(std::memchr(line_, '\n', static_cast<std::size_t>(end - line_)));
    row_line_ = lines++;
    p_ = line_;
    skip_space();
    if (p_ == line_end_) continue;
    parse_object();
    end_record();
  }
  flush();  // the units point into the block
  return lines;
}

bool JsonRows::refuse(RecordFault fault) {
  report(fault, static_cast<std::size_t>(p_ - line_) + 1, {});
  return false;
}

std::optional<std::size_t> JsonRows::find(std::string_view key) const {
  const auto found = std::find(layout_.members.begin(), layout_.members.end(), key);
  if (found == layout_.members.end()) return std::nullopt;
  return static_cast<std::size_t>(found - layout_.members.begin());
}

bool JsonRows::parse_object() {
  if (*p_ != '{') return refuse(not_an_object);
  ++p_;
  std::fill(seen_.begin(), seen_.end(), false);
  skip_space();
  if (*p_ == '}') {
    ++p_;
  } else {
    for (bool more = true; more; ++p_) {
      const auto key = take_key();
      if (!key) return false;
      if (key == layout_.refused) {
        throw TextFault{row_line_, fmt::format(" has a member {0}, but --unit {1} means single records; remove --unit "
                                               "to protect single records, or rename the member",
                                               quoted_excerpt(*key), *key)};
      }
      const auto field = find(*key);
      if (!(field ? parse_member(*field) : skip_value())) return false;
      skip_space();
      more = *p_ == ',';
      if (!more && *p_ != '}') return refuse();
    }
  }
  skip_space();
  if (p_ != line_end_) return refuse();
  for (std::size_t field = 0; field < seen_.size(); ++field) {
    if (!seen_[field]) set_text(field, {});
  }
  return true;
}

bool JsonRows::parse_member(std::size_t field) {
  if (seen_[field]) report(twice, field, {});
  seen_[field] = true;
  skip_space();
  if (*p_ == '{' || *p_ == '[') {
    report(targets_[field].condition >= 0 ? int{nested_condition} : int{nested}, field, {});
    return skip_value();
  }
  const auto text = take_scalar();
  if (text) set_text(field, *text);
  return text.has_value();
}

bool JsonRows::skip_value() {
  open_.clear();
  for (;;) {
    skip_space();
    if (*p_ == '{' || *p_ == '[') {
      const bool object = *p_++ == '{';
      const char close = object ? '}' : ']';
      skip_space();
      if (*p_ != close) {
        open_.push_back(close);
        if (object && !take_key()) return false;
        continue;
      }
      ++p_;
    } else if (!take_scalar()) {
      return false;
    }
    for (;; ++p_, open_.pop_back()) {  // a value has ended
      if (open_.empty()) return true;
      skip_space();
      if (*p_ == ',') break;
      if (*p_ != open_.back()) return refuse();
    }
    ++p_;
    if (open_.back() == '}' && !take_key()) return false;
  }
}

// With the colon behind it.
std::optional<std::string_view> JsonRows::take_key() {
  skip_space();
  if (*p_ != '"') {
    refuse();
    return std::nullopt;
  }
  const auto key = take_string();
  if (!key) return key;
  skip_space();
  if (*p_ != ':') {
    refuse();
    return std::nullopt;
  }
  ++p_;
  return key;
}

std::optional<std::string_view> JsonRows::take_scalar() {
  switch (*p_) {
    case '"':
      return take_string();
    case 't':
      return take_word("true", "true");
    case 'f':
      return take_word("false", "false");
    case 'n':
      return take_word("null", "");
    default:
      return take_number();
  }
}

std::optional<std::string_view> JsonRows::take_word(std::string_view word, std::string_view text) {
  for (const char c : word) {
    if (*p_ != c) {
      refuse();
      return std::nullopt;
    }
    ++p_;
  }
  return text;
}

bool JsonRows::take_digits() {
  if (*p_ < '0' || *p_ > '9') return refuse();
  while (*p_ >= '0' && *p_ <= '9') ++p_;
  return true;
}

// As it is written.
std::optional<std::string_view> JsonRows::take_number() {
  const char* const begin = p_;
  if (*p_ == '-') ++p_;
  if (*p_ == '0') {
    ++p_;
  } else if (!take_digits()) {
    return std::nullopt;
  }
  if (*p_ == '.') {
    ++p_;
    if (!take_digits()) return std::nullopt;
  }
  if (*p_ == 'e' || *p_ == 'E') {
    ++p_;
    if (*p_ == '+' || *p_ == '-') ++p_;
    if (!take_digits()) return std::nullopt;
  }
  return std::string_view(begin, static_cast<std::size_t>(p_ - begin));
}

std::optional<std::string_view> JsonRows::take_string() {
  char* const begin = ++p_;
  char* to = p_;
  for (;;) {
    char* const plain = p_;
    p_ = plain_end(p_);
    if (to != plain) std::memmove(to, plain, static_cast<std::size_t>(p_ - plain));
    to += p_ - plain;
    if (*p_ == '"') {
      ++p_;
      return std::string_view(begin, static_cast<std::size_t>(to - begin));
    }
    if (*p_ == '\\') {
      if (!take_escape(to)) return std::nullopt;
      continue;
    }
    const std::size_t length = utf8_length({p_, static_cast<std::size_t>(line_end_ - p_ + 1)});
    if (length < 2) {
      refuse(length == 0 ? not_utf8 : not_json);
      return std::nullopt;
    }
    std::memmove(to, p_, length);
    to += length;
    p_ += length;
  }
}

bool JsonRows::take_escape(char*& to) {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  ++p_;
  if (*p_ != 'u') {
    const std::size_t at = letters.find(*p_);
    if (at == std::string_view::npos) return refuse();
    *to++ = meant[at];
    ++p_;
    return true;
  }
  ++p_;
  auto code = take_hexadecimal();
  if (!code) return false;
  if (*code >= 0xd800 && *code < 0xe000) {  // a pair of surrogates is one character
    if (*code >= 0xdc00 || p_[0] != '\\' || p_[1] != 'u') return refuse();
    p_ += 2;
    const auto low = take_hexadecimal();
    if (!low) return false;
    if (*low < 0xdc00 || *low >= 0xe000) return refuse();
    code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
  }
  to = write_utf8(*code, to);
  return true;
}

std::optional<std::uint32_t> JsonRows::take_hexadecimal() {
  std::uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++p_) {
    const std::uint32_t digit = *p_ >= '0' && *p_ <= '9'   ? *p_ - '0'
                                : *p_ >= 'a' && *p_ <= 'f' ? *p_ - 'a' + 10
                                : *p_ >= 'A' && *p_ <= 'F' ? *p_ - 'A' + 10
                                                           : 16;
    if (digit == 16) {
      refuse();
      return std::nullopt;
    }
    code = code * 16 + digit;
  }
  return code;
}

std::string JsonRows::explain(const BadRow& bad) const {
  constexpr const char* or_skip = ", or skip such rows with --on-bad-row skip";
  const auto column = [&] { return fmt::format("column {}", quoted_excerpt(layout_.members[bad.field])); };
  switch (bad.kind) {
    case not_an_object:
      return fmt::format(" is not a JSON object; write one object per line{}", or_skip);
    case not_json:
      return fmt::format(" is not valid JSON at byte {}; correct it{}", bad.field, or_skip);
    case not_utf8:
      return fmt::format(" is not valid UTF-8 at byte {}; correct it{}", bad.field, or_skip);
    case twice:
      return fmt::format(", {} is there twice; keep one of them{}", column(), or_skip);
    case nested:
    case nested_condition:
      return fmt::format(", {} is an array or an object; give it a single value{}", column(), or_skip);
    case empty:
      if (layout_.roles[bad.field].unit) {
        return fmt::format(", {} is null, empty or not there; correct it{}", column(), or_skip);
      }
      return fmt::format(", {} is null, empty or not there; correct it, or count such values as missing with --na NA",
                         column());
    default:
      return explain_value(bad, column());
  }
}

}  // namespace shoal
