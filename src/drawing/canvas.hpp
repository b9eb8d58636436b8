// What a picture is drawn on. Lengths are CSS pixels, y grows downwards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shoal {

struct Color {
  std::uint8_t r = 0, g = 0, b = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

std::string hex(Color color);                   // "#rrggbb"
Color mix(Color from, Color to, double share);  // share 0: from, 1: to

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] double right() const noexcept { return x + width; }
  [[nodiscard]] double bottom() const noexcept { return y + height; }
};

// At most 256 colours; row 0 on top.
struct IndexedImage {
  std::size_t width = 0, height = 0;
  std::vector<Color> palette;
  std::vector<std::uint8_t> pixels;
};

struct Segment {
  double x1, y1, x2, y2;
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12;
  Color color;
  Anchor anchor = Anchor::start;
  bool bold = false;
  bool halo = false;     // a white rim, to be read on any ground
  bool upwards = false;  // turned a quarter to the left
};

// A generous guess: no font of a reader may be wider by much.
double text_width(std::string_view text, double size);

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void fill(const Box& box, Color color) = 0;
  // Only what lies in `clip` shows.
  virtual void image(const Box& box, const Box& clip, const IndexedImage& image) = 0;
  virtual void lines(std::span<const Segment> segments, Color color, double width) = 0;
  // (x, y): where the baseline starts, has its middle or ends.
  virtual void text(double x, double y, std::string_view text, const TextStyle& style) = 0;
  [[nodiscard]] virtual std::string finished() = 0;
};

std::unique_ptr<Canvas> svg_canvas(double width, double height, const std::string& title);
std::unique_ptr<Canvas> png_canvas(double width, double height, double scale);

std::string png_bytes(const IndexedImage& image);
std::string png_bytes(std::size_t width, std::size_t height, std::span<const Color> pixels);

// Text made safe for XML and HTML: & < > " escaped, control characters dropped, bytes that are no UTF-8 replaced.
std::string escaped(std::string_view text);

// Line strokes of a character in a box where the baseline is 0, x-height 5, capitals 7, descenders -2.
struct Glyph {
  double advance = 0;
  std::vector<std::vector<std::pair<double, double>>> strokes;
};
Glyph glyph(char32_t character);
std::u32string code_points(std::string_view utf8);

}  // namespace shoal
