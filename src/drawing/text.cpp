#include <fmt/format.h>

#include <algorithm>

#include "drawing/canvas.hpp"
#include "drawing/font.hpp"

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

namespace {
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
}  // namespace

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

double text_width(std::string_view text, double size, bool bold) {
  constexpr double spare = 1.06;  // Arial and Segoe UI are narrower than Inter, Verdana is wider
  return spare * text_length(text, size, bold ? Weight::semibold : Weight::regular);
}

std::string fitted(std::string text, double size, double width) {
  if (text_width(text, size) <= width) return text;
  std::u32string characters = code_points(text);
  do {
    characters.pop_back();
    text.clear();
    for (const char32_t character : characters) append_utf8(text, character);
    text += "\u2026";
  } while (!characters.empty() && text_width(text, size) > width);
  return text;
}

std::vector<std::string> wrapped(std::string_view text, double size, bool bold, double width) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word(text.substr(at, end - at));
    const std::string longer = lines.empty() ? word : lines.back() + ' ' + word;
    if (lines.empty() || text_width(longer, size, bold) > width) {
      lines.push_back(word);
    } else {
      lines.back() = longer;
    }
    at = end + 1;
  }
  return lines;
}

Sheet sheet_of(std::string_view path) {
  return path.ends_with(".slide.svg") || path.ends_with(".slide.png") ? Sheet::slide : Sheet::paper;
}

std::unique_ptr<Canvas> canvas_for(std::string_view path, double width, double height, const std::string& title) {
  const Sheet sheet = sheet_of(path);
  return path.ends_with(".png") ? png_canvas(width, height, sheet) : svg_canvas(width, height, title, sheet);
}

std::string hex(Color color) { return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b); }

Color mix(Color from, Color to, double share) {
  const auto between = [share](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::clamp(a + (b - a) * share + 0.5, 0.0, 255.0));
  };
  return {between(from.r, to.r), between(from.g, to.g), between(from.b, to.b)};
}

}  // namespace shoal
