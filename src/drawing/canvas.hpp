// The surface on which a picture is drawn. Lengths are CSS pixels; y grows downwards.
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

// An image of at most 256 colours. Row 0 is at the top.
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
  bool halo = false;     // a white rim, so that it can be read on any background
  bool upwards = false;  // turned a quarter to the left
};

// Returns a generous estimate of the width of a text: hardly any font of a reader is wider.
double text_width(std::string_view text, double size);

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void fill(const Box& box, Color color) = 0;
  // Draws an image into `box`. Only what lies in `clip` is visible.
  virtual void image(const Box& box, const Box& clip, const IndexedImage& image) = 0;
  virtual void lines(std::span<const Segment> segments, Color color, double width) = 0;
  // (x, y): where the baseline starts, has its middle or ends, depending on the anchor.
  virtual void text(double x, double y, std::string_view text, const TextStyle& style) = 0;
  [[nodiscard]] virtual std::string finished() = 0;
};

std::unique_ptr<Canvas> svg_canvas(double width, double height, const std::string& title);
std::unique_ptr<Canvas> png_canvas(double width, double height, double scale);

std::string png_bytes(const IndexedImage& image);
std::string png_bytes(std::size_t width, std::size_t height, std::span<const Color> pixels);

// Returns text that is safe in XML and HTML: & < > " are escaped, control characters are dropped, and bytes that are
// not UTF-8 are replaced.
std::string escaped(std::string_view text);

// The strokes of a character, in a box where the baseline is 0, the x-height 5, the height of capitals 7, and the depth
// of descenders -2.
struct Glyph {
  double advance = 0;
  std::vector<std::vector<std::pair<double, double>>> strokes;
};
Glyph glyph(char32_t character);
std::u32string code_points(std::string_view utf8);

}  // namespace shoal
