// Draws into pixels, with the font of drawing/font.hpp. It uses no instruction whose result depends on the machine.
#include <algorithm>
#include <cmath>

#include "drawing/canvas.hpp"
#include "drawing/font.hpp"

namespace shoal {

namespace {

constexpr double halo_width = 3.2;

// The pixels of a canvas, and where the picture lies on it.
struct Frame {
  std::size_t width = 0, height = 0;
  double left = 0, top = 0;  // of the picture, in pixels
  double scale = 1;          // pixels per CSS pixel
};

Frame frame_of(double width, double height, double scale) {
  return {static_cast<std::size_t>(std::ceil(width * scale)), static_cast<std::size_t>(std::ceil(height * scale)), 0, 0,
          scale};
}

Frame frame_of(double width, double height, Sheet sheet) {
  constexpr double dots_per_mm = 300 / 25.4;
  constexpr double paper_width = 170 * dots_per_mm, paper_height = 240 * dots_per_mm;
  constexpr std::size_t slide_width = 4000, slide_height = 2250;
  if (sheet == Sheet::paper) return frame_of(width, height, std::min(paper_width / width, paper_height / height));
  const double scale = std::min(slide_width / width, slide_height / height);
  return {slide_width, slide_height, (slide_width - width * scale) / 2, (slide_height - height * scale) / 2, scale};
}

// The pixels right of `left` and below `top`, each with the share that lies inside an odd number of rings.
class PixelShares {
 public:
  PixelShares(std::size_t left, std::size_t top, std::size_t width, std::size_t height)
      : left_(left), top_(top), width_(width), height_(height), change_((width + 1) * height, 0.0) {}

  // Adds the edge of a ring. Along a row, `change_` holds by how much the signed area to the right of the edge grows
  // from one pixel to the next; visit() sums it up.
  void add(Point from, Point to) {
    from = {from.x - static_cast<double>(left_), from.y - static_cast<double>(top_)};
    to = {to.x - static_cast<double>(left_), to.y - static_cast<double>(top_)};
    if (from.y == to.y) return;
    const double sign = from.y < to.y ? 1 : -1;
    if (sign < 0) std::swap(from, to);
    const double slope = (to.x - from.x) / (to.y - from.y);
    const double first = std::max(from.y, 0.0), last = std::min(to.y, static_cast<double>(height_));
    for (double y = first; y < last;) {
      const double next = std::min(std::floor(y) + 1, last);
      const double x0 = from.x + (y - from.y) * slope, x1 = from.x + (next - from.y) * slope;
      add_in_row(static_cast<std::size_t>(y), std::min(x0, x1), std::max(x0, x1), sign * (next - y));
      y = next;
    }
  }

  template <class Visit>
  void visit(Visit visit) const {
    for (std::size_t y = 0; y < height_; ++y) {
      double sum = 0;
      for (std::size_t x = 0; x < width_; ++x) {
        sum += change_[y * (width_ + 1) + x];
        const double turns = std::abs(sum) - 2 * std::floor(std::abs(sum) / 2);
        const double share = turns > 1 ? 2 - turns : turns;
        if (share > 1.0 / 512) visit(left_ + x, top_ + y, share);
      }
    }
  }

 private:
  // An edge that crosses a part of one row, `height` high with its sign, from x0 to x1.
  void add_in_row(std::size_t row, double x0, double x1, double height) {
    double* change = change_.data() + row * (width_ + 1);
    const double limit = static_cast<double>(width_);
    if (x0 >= limit) return;
    if (x1 <= 0) {
      change[0] += height;
      return;
    }
    if (x0 < 0 || x1 > limit) {  // the parts outside become upright at the sides
      const double per_x = height / (x1 - x0);
      if (x0 < 0) change[0] += -x0 * per_x;
      const double inner0 = std::max(x0, 0.0), inner1 = std::min(x1, limit);
      if (inner1 > inner0) add_in_row(row, inner0, inner1, (inner1 - inner0) * per_x);
      return;
    }
    const auto first = static_cast<std::size_t>(x0), last = std::min(static_cast<std::size_t>(x1), width_ - 1);
    if (first >= last) {
      const double middle = std::min((x0 + x1) / 2 - static_cast<double>(first), 1.0);
      change[first] += height * (1 - middle);
      change[first + 1] += height * middle;
      return;
    }
    const double per_x = height / (x1 - x0);
    for (std::size_t x = first; x <= last; ++x) {
      const double a = std::max(x0, static_cast<double>(x)), b = std::min(x1, static_cast<double>(x + 1));
      const double part = (b - a) * per_x, middle = (a + b) / 2 - static_cast<double>(x);
      change[x] += part * (1 - middle);
      change[x + 1] += part * middle;
    }
  }

  std::size_t left_, top_, width_, height_;
  std::vector<double> change_;
};

class PngCanvas : public Canvas {
 public:
  explicit PngCanvas(const Frame& frame) : frame_(frame), pixels_(frame.width * frame.height, Color{255, 255, 255}) {}

  void fill(const Box& box, Color color) override {
    each_pixel(box, [&](std::size_t at, std::size_t, std::size_t) { pixels_[at] = color; });
  }

  void image(const Box& box, const Box& clip, const IndexedImage& image) override {
    const double columns = static_cast<double>(image.width) / (box.width * frame_.scale);
    const double rows = static_cast<double>(image.height) / (box.height * frame_.scale);
    each_pixel(clip, [&](std::size_t at, std::size_t x, std::size_t y) {
      const double column = std::floor((static_cast<double>(x) + 0.5 - across(box.x)) * columns);
      const double row = std::floor((static_cast<double>(y) + 0.5 - down(box.y)) * rows);
      if (column < 0 || row < 0 || column >= static_cast<double>(image.width) ||
          row >= static_cast<double>(image.height)) {
        return;
      }
      const std::uint8_t color =
          image.pixels[static_cast<std::size_t>(row) * image.width + static_cast<std::size_t>(column)];
      if (color != 0 || !image.has_clear_ground) pixels_[at] = image.palette[color];
    });
  }

  void area(std::span<const Loop> rings, const Box& clip, Color color) override {
    std::vector<Loop> placed(rings.begin(), rings.end());
    for (Loop& ring : placed) {
      for (Point& point : ring) point = {across(point.x), down(point.y)};
    }
    fill_rings(placed, {across(clip.x), down(clip.y), clip.width * frame_.scale, clip.height * frame_.scale}, color);
  }

  void lines(std::span<const Segment> segments, Color color, double width) override {
    for (const Segment& segment : segments) {
      stroke({across(segment.x1), down(segment.y1)}, {across(segment.x2), down(segment.y2)}, color,
             width * frame_.scale);
    }
  }

  void text(double x, double y, std::string_view text, const TextStyle& style) override {
    const Weight weight = style.bold ? Weight::semibold : Weight::regular;
    const double size = style.size * frame_.scale;
    const double length = text_length(text, size, weight);
    const double start = style.anchor == Anchor::start ? 0 : (style.anchor == Anchor::middle ? -length / 2 : -length);
    std::vector<Loop> rings = text_outlines(text, size, weight);
    for (Loop& ring : rings) {
      for (Point& point : ring) {
        const double along = start + point.x;
        point =
            style.upwards ? Point{across(x) + point.y, down(y) - along} : Point{across(x) + along, down(y) + point.y};
      }
    }
    if (style.halo) {
      for (const Loop& ring : rings) {
        for (std::size_t i = 0; i < ring.size(); ++i) {
          stroke(ring[i], ring[(i + 1) % ring.size()], {255, 255, 255}, halo_width * frame_.scale);
        }
      }
    }
    fill_rings(rings, {0, 0, static_cast<double>(frame_.width), static_cast<double>(frame_.height)}, style.color);
  }

  std::string finished() override { return png_bytes(frame_.width, frame_.height, pixels_); }

 private:
  [[nodiscard]] double across(double x) const noexcept { return frame_.left + x * frame_.scale; }
  [[nodiscard]] double down(double y) const noexcept { return frame_.top + y * frame_.scale; }

  static std::size_t pixel(double value) { return static_cast<std::size_t>(std::max(0.0, value)); }

  template <class Visit>
  void each_pixel(const Box& box, Visit visit) {
    const std::size_t right = std::min(frame_.width, pixel(std::round(across(box.right()))));
    const std::size_t bottom = std::min(frame_.height, pixel(std::round(down(box.bottom()))));
    for (std::size_t y = pixel(std::round(down(box.y))); y < bottom; ++y) {
      for (std::size_t x = pixel(std::round(across(box.x))); x < right; ++x) visit(y * frame_.width + x, x, y);
    }
  }

  // Rings and clip in pixels.
  void fill_rings(const std::vector<Loop>& rings, const Box& clip, Color color) {
    double left = clip.right(), right = clip.x, top = clip.bottom(), bottom = clip.y;
    for (const Loop& ring : rings) {
      for (const Point& point : ring) {
        left = std::min(left, point.x);
        right = std::max(right, point.x);
        top = std::min(top, point.y);
        bottom = std::max(bottom, point.y);
      }
    }
    const std::size_t x0 = pixel(std::floor(std::max(left, std::round(clip.x))));
    const std::size_t y0 = pixel(std::floor(std::max(top, std::round(clip.y))));
    const std::size_t x1 = std::min(frame_.width, pixel(std::ceil(std::min(right, std::round(clip.right())))));
    const std::size_t y1 = std::min(frame_.height, pixel(std::ceil(std::min(bottom, std::round(clip.bottom())))));
    if (x0 >= x1 || y0 >= y1) return;
    PixelShares shares(x0, y0, x1 - x0, y1 - y0);
    for (const Loop& ring : rings) {
      for (std::size_t i = 0; i < ring.size(); ++i) shares.add(ring[i], ring[(i + 1) % ring.size()]);
    }
    shares.visit([&](std::size_t x, std::size_t y, double share) {
      Color& below = pixels_[y * frame_.width + x];
      below = mix(below, color, share);
    });
  }

  // Draws a line with round ends, in pixels. The coverage of a pixel is how deep its centre lies inside.
  void stroke(Point from, Point to, Color color, double width) {
    const double half = std::max(width, 1.0) / 2;
    const double reach = half + 1;
    const std::size_t right = std::min(frame_.width, pixel(std::max(from.x, to.x) + reach + 1));
    const std::size_t bottom = std::min(frame_.height, pixel(std::max(from.y, to.y) + reach + 1));
    const double dx = to.x - from.x, dy = to.y - from.y, squared = dx * dx + dy * dy;
    for (std::size_t y = pixel(std::min(from.y, to.y) - reach); y < bottom; ++y) {
      for (std::size_t x = pixel(std::min(from.x, to.x) - reach); x < right; ++x) {
        const double px = static_cast<double>(x) + 0.5 - from.x, py = static_cast<double>(y) + 0.5 - from.y;
        const double share = squared == 0 ? 0 : std::clamp((px * dx + py * dy) / squared, 0.0, 1.0);
        const double ax = px - share * dx, ay = py - share * dy;
        const double cover = std::clamp(half + 0.5 - std::sqrt(ax * ax + ay * ay), 0.0, 1.0);
        if (cover > 0) pixels_[y * frame_.width + x] = mix(pixels_[y * frame_.width + x], color, cover);
      }
    }
  }

  Frame frame_;
  std::vector<Color> pixels_;
};

}  // namespace

std::unique_ptr<Canvas> png_canvas(double width, double height, Sheet sheet) {
  return std::make_unique<PngCanvas>(frame_of(width, height, sheet));
}

std::unique_ptr<Canvas> png_canvas(double width, double height, double scale) {
  return std::make_unique<PngCanvas>(frame_of(width, height, scale));
}

}  // namespace shoal
