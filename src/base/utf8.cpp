#include "base/utf8.hpp"

#include "shoal/text.hpp"

namespace shoal {

std::u32string code_points(std::string_view utf8) {
  constexpr char32_t unknown = 0xFFFD;
  std::u32string result;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i++]);
    const int more = lead < 0x80 ? 0 : (lead >> 5 == 6 ? 1 : (lead >> 4 == 14 ? 2 : (lead >> 3 == 30 ? 3 : -1)));
    char32_t point = more <= 0 ? lead : lead & (0x3FU >> more);
    int read = 0;
    for (; read < more && i < utf8.size() && (static_cast<unsigned char>(utf8[i]) & 0xC0U) == 0x80U; ++read) {
      point = point << 6 | (static_cast<unsigned char>(utf8[i++]) & 0x3FU);
    }
    constexpr char32_t least[] = {0, 0x80, 0x800, 0x10000};
    const bool good = more >= 0 && read == more && point >= least[more] && point <= 0x10FFFF &&
                      !(point >= 0xD800 && point <= 0xDFFF) && point != 0xFFFE && point != 0xFFFF;
    result += good ? point : unknown;
  }
  return result;
}

void append_utf8(std::string& text, char32_t point) {
  const auto add = [&text](char32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xC0 | point >> 6);
    add(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    add(0xE0 | point >> 12);
    add(0x80 | (point >> 6 & 0x3F));
    add(0x80 | (point & 0x3F));
  } else {
    add(0xF0 | point >> 18);
    add(0x80 | (point >> 12 & 0x3F));
    add(0x80 | (point >> 6 & 0x3F));
    add(0x80 | (point & 0x3F));
  }
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char32_t point : code_points(text)) {
    if (point == '&') {
      result += "&amp;";
    } else if (point == '<') {
      result += "&lt;";
    } else if (point == '>') {
      result += "&gt;";
    } else if (point == '"') {
      result += "&quot;";
    } else if (point >= 0x20 && !(point >= 0x7F && point < 0xA0)) {
      append_utf8(result, point);
    }
  }
  return result;
}

}  // namespace shoal
