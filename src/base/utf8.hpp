// Texts in UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shoal {

// Returns the length in bytes of the UTF-8 character at the start of the text, or 0 if the text does not start with a
// valid one. The text must not be empty.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (length > 2) {  // rejects overlong forms, surrogates, and values past the last code point
    const unsigned second = byte(1);
    if (first == 0xe0 && second < 0xa0) return 0;
    if (first == 0xed && second > 0x9f) return 0;
    if (first == 0xf0 && second < 0x90) return 0;
    if (first == 0xf4 && second > 0x8f) return 0;
  }
  return length;
}

inline bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// Returns the code points of a text. Bytes that are not UTF-8 are replaced by U+FFFD.
std::u32string code_points(std::string_view utf8);
// Appends a code point to a text in UTF-8.
void append_utf8(std::string& text, char32_t point);

}  // namespace shoal
