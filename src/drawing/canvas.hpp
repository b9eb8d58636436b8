// The surface on which a picture is drawn. Lengths are CSS pixels; y grows downwards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shoal/text.hpp"

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
  bool has_clear_ground = false;  // pixels of colour 0 show what lies under the image
};

struct Point {
  double x = 0, y = 0;
};
using Loop = std::vector<Point>;  // a closed line: the last point is joined to the first

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

// Returns the width of a text in the font of pictures, with a little to spare for readers whose SVG viewer lacks it.
double text_width(std::string_view text, double size, bool bold = false);

// Returns the text, shortened with an ellipsis if it is wider than `width`.
std::string fitted(std::string text, double size, double width);
// Returns the text in lines that are at most `width` wide; single words may be wider.
std::vector<std::string> wrapped(std::string_view text, double size, bool bold, double width);

class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void fill(const Box& box, Color color) = 0;
  // Draws an image into `box`. Only what lies in `clip` is visible.
  virtual void image(const Box& box, const Box& clip, const IndexedImage& image) = 0;
  // Fills what lies inside an odd number of the loops. Only what lies in `clip` is visible.
  virtual void area(std::span<const Loop> loops, const Box& clip, Color color) = 0;
  virtual void lines(std::span<const Segment> segments, Color color, double width) = 0;
  // (x, y): where the baseline starts, has its middle or ends, depending on the anchor.
  virtual void text(double x, double y, std::string_view text, const TextStyle& style) = 0;
  [[nodiscard]] virtual std::string finished() = 0;
};

// What a picture is made for.
enum class Sheet {
  paper,  // its own shape; PNG: 170 mm wide, or 240 mm high if it is narrow, at 300 dots per inch
  slide,  // 16 to 9, the picture in its middle; PNG: 4000 x 2250 pixels, 300 dots per inch of a slide
};

Sheet sheet_of(std::string_view path);  // slide if it ends with .slide.svg or .slide.png, else paper

// width, height: of the picture that is drawn, in CSS pixels.
std::unique_ptr<Canvas> svg_canvas(double width, double height, const std::string& title, Sheet sheet = Sheet::paper);
std::unique_ptr<Canvas> png_canvas(double width, double height, Sheet sheet = Sheet::paper);
std::unique_ptr<Canvas> png_canvas(double width, double height, double scale);  // scale: pixels per CSS pixel
// Chooses format and sheet by the suffix of `path`: .svg or .png, and before it perhaps .slide.
std::unique_ptr<Canvas> canvas_for(std::string_view path, double width, double height, const std::string& title);

std::string png_bytes(const IndexedImage& image);
std::string png_bytes(std::size_t width, std::size_t height, std::span<const Color> pixels);

}  // namespace shoal
