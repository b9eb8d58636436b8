#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "drawing/canvas.hpp"
#include "drawing/font.hpp"

namespace shoal {

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
