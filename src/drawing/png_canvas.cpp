// Draws into pixels. Text is drawn with strokes, because a font library would be out of proportion here.
#include <algorithm>
#include <cmath>

#include "drawing/canvas.hpp"

namespace shoal {

namespace {

class PngCanvas : public Canvas {
 public:
  PngCanvas(double width, double height, double scale)
      : width_(static_cast<std::size_t>(std::ceil(width * scale))),
        height_(static_cast<std::size_t>(std::ceil(height * scale))),
        scale_(scale),
        pixels_(width_ * height_, Color{255, 255, 255}) {}

  void fill(const Box& box, Color color) override {
    each_pixel(box, [&](std::size_t at, std::size_t, std::size_t) { pixels_[at] = color; });
  }

  void image(const Box& box, const Box& clip, const IndexedImage& image) override {
    const double columns = static_cast<double>(image.width) / (box.width * scale_);
    const double rows = static_cast<double>(image.height) / (box.height * scale_);
    each_pixel(clip, [&](std::size_t at, std::size_t x, std::size_t y) {
      const double column = std::floor((static_cast<double>(x) + 0.5 - box.x * scale_) * columns);
      const double row = std::floor((static_cast<double>(y) + 0.5 - box.y * scale_) * rows);
      if (column < 0 || row < 0 || column >= static_cast<double>(image.width) ||
          row >= static_cast<double>(image.height)) {
        return;
      }
      const std::size_t pixel = static_cast<std::size_t>(row) * image.width + static_cast<std::size_t>(column);
      pixels_[at] = image.palette[image.pixels[pixel]];
    });
  }

  void lines(std::span<const Segment> segments, Color color, double width) override {
    for (const Segment& segment : segments) stroke(segment, color, width);
  }

  void text(double x, double y, std::string_view text, const TextStyle& style) override {
    const std::u32string characters = code_points(text);
    const double unit = style.size / 10.0;
    double advance = 0;
    for (const char32_t character : characters) advance += glyph(character).advance * unit;
    const double start = style.anchor == Anchor::start ? 0 : (style.anchor == Anchor::middle ? -advance / 2 : -advance);
    if (style.halo) draw_text(x, y, start, characters, style, {255, 255, 255}, 4.2);
    draw_text(x, y, start, characters, style, style.color, style.size * (style.bold ? 0.135 : 0.092));
  }

  std::string finished() override { return png_bytes(width_, height_, pixels_); }

 private:
  template <class Visit>
  void each_pixel(const Box& box, Visit visit) {
    const auto from = [](double value) { return static_cast<std::size_t>(std::max(0.0, std::round(value))); };
    const std::size_t right = std::min(width_, from(box.right() * scale_));
    const std::size_t bottom = std::min(height_, from(box.bottom() * scale_));
    for (std::size_t y = from(box.y * scale_); y < bottom; ++y) {
      for (std::size_t x = from(box.x * scale_); x < right; ++x) visit(y * width_ + x, x, y);
    }
  }

  void draw_text(double x, double y, double start, const std::u32string& characters, const TextStyle& style,
                 Color color, double width) {
    const double unit = style.size / 10.0;
    double along = start;
    const auto place = [&](const std::pair<double, double>& point) {
      const double right = along + point.first * unit;
      const double up = point.second * unit;
      return style.upwards ? std::pair(x - up, y - right) : std::pair(x + right, y - up);
    };
    for (const char32_t character : characters) {
      const Glyph shape = glyph(character);
      for (const auto& line : shape.strokes) {
        for (std::size_t i = 0; i < line.size(); ++i) {
          const auto [x1, y1] = place(line[i]);
          const auto [x2, y2] = place(line[std::min(i + 1, line.size() - 1)]);
          if (i + 1 < line.size() || line.size() == 1) stroke({x1, y1, x2, y2}, color, width);
        }
      }
      along += shape.advance * unit;
    }
  }

  // Draws a line with round ends. The coverage of a pixel is how deep its centre lies inside.
  void stroke(const Segment& line, Color color, double width) {
    const double x1 = line.x1 * scale_, y1 = line.y1 * scale_, x2 = line.x2 * scale_, y2 = line.y2 * scale_;
    const double half = std::max(width * scale_, 1.0) / 2;
    const double reach = half + 1;
    const auto low = [](double value) { return static_cast<std::size_t>(std::max(0.0, std::floor(value))); };
    const std::size_t right = std::min(width_, low(std::max(x1, x2) + reach + 1));
    const std::size_t bottom = std::min(height_, low(std::max(y1, y2) + reach + 1));
    const double dx = x2 - x1, dy = y2 - y1, squared = dx * dx + dy * dy;
    for (std::size_t y = low(std::min(y1, y2) - reach); y < bottom; ++y) {
      for (std::size_t x = low(std::min(x1, x2) - reach); x < right; ++x) {
        const double px = static_cast<double>(x) + 0.5 - x1, py = static_cast<double>(y) + 0.5 - y1;
        const double share = squared == 0 ? 0 : std::clamp((px * dx + py * dy) / squared, 0.0, 1.0);
        const double distance = std::hypot(px - share * dx, py - share * dy);
        const double cover = std::clamp(half + 0.5 - distance, 0.0, 1.0);
        if (cover > 0) pixels_[y * width_ + x] = mix(pixels_[y * width_ + x], color, cover);
      }
    }
  }

  std::size_t width_, height_;
  double scale_;
  std::vector<Color> pixels_;
};

}  // namespace

std::unique_ptr<Canvas> png_canvas(double width, double height, double scale) {
  return std::make_unique<PngCanvas>(width, height, scale);
}

}  // namespace shoal
