#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/packed.hpp"
#include "drawing/canvas.hpp"

namespace shoal {

namespace {

// Formats a length to a hundredth of a pixel, without trailing zeros.
std::string length(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

// Formats a length to a tenth of a pixel, for long outlines.
std::string coarse(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

struct PixelRun {
  std::uint8_t color;
  std::size_t x, y, width;
};

std::vector<PixelRun> pixel_runs(const IndexedImage& image, std::size_t most) {
  std::vector<PixelRun> runs;
  for (std::size_t y = 0; y < image.height; ++y) {
    for (std::size_t x = 0; x < image.width;) {
      const std::uint8_t color = image.pixels[y * image.width + x];
      std::size_t end = x + 1;
      while (end < image.width && image.pixels[y * image.width + end] == color) ++end;
      runs.push_back({color, x, y, end - x});
      if (runs.size() > most) return runs;
      x = end;
    }
  }
  return runs;
}

// Repeats every pixel, so that the image stays crisp in a viewer that smooths images.
IndexedImage enlarged(const IndexedImage& image, std::size_t factor) {
  IndexedImage result{image.width * factor, image.height * factor, image.palette, {}, image.has_clear_ground};
  result.pixels.reserve(result.width * result.height);
  for (std::size_t y = 0; y < result.height; ++y) {
    for (std::size_t x = 0; x < result.width; ++x) {
      result.pixels.push_back(image.pixels[y / factor * image.width + x / factor]);
    }
  }
  return result;
}

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height, const std::string& title, Sheet sheet) {
    double left = 0, top = 0;
    if (sheet == Sheet::slide) {
      const double wide = std::max(width, height * 16 / 9), high = wide * 9 / 16;
      left = (wide - width) / 2;
      top = (high - height) / 2;
      width = wide;
      height = high;
    }
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{0} {1} {2} {3}\" width=\"{2}\" height=\"{3}\" "
        "role=\"img\" "
        "font-family=\"Inter, system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', "
        "sans-serif\">\n<title>{4}</title>\n",
        length(-left), length(-top), length(width), length(height), escaped(title));
    if (sheet == Sheet::slide) SvgCanvas::fill({-left, -top, width, height}, {255, 255, 255});
  }

  void fill(const Box& box, Color color) override {
    text_ +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" shape-rendering=\"crispEdges\"/>\n",
                    length(box.x), length(box.y), length(box.width), length(box.height), hex(color));
  }

  void image(const Box& box, const Box& clip, const IndexedImage& image) override {
    begin_clip(clip);
    constexpr std::size_t most_runs = 6000;  // above this, an embedded PNG is smaller
    const std::vector<PixelRun> runs = pixel_runs(image, most_runs);
    if (runs.size() <= most_runs) {
      draw_runs(box, image, runs);
    } else {
      embed(box, image);
    }
    text_ += "</svg>\n";
  }

  void area(std::span<const Loop> rings, const Box& clip, Color color) override {
    if (rings.empty()) return;
    begin_clip(clip);
    text_ += fmt::format("<path fill=\"{}\" fill-rule=\"evenodd\" d=\"", hex(color));
    for (const Loop& ring : rings) {
      char command = 'M';
      for (const Point& point : ring) {
        text_ += fmt::format("{}{} {}", command, coarse(point.x), coarse(point.y));
        command = command == 'M' ? 'L' : ' ';
      }
      text_ += 'z';
    }
    text_ += "\"/>\n</svg>\n";
  }

  void lines(std::span<const Segment> segments, Color color, double width) override {
    if (segments.empty()) return;
    text_ += fmt::format(
        "<path fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"square\" stroke-linejoin=\"round\" "
        "d=\"",
        hex(color), length(width));
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const Segment& segment = segments[i];
      const bool goes_on = i > 0 && segments[i - 1].x2 == segment.x1 && segments[i - 1].y2 == segment.y1;
      if (!goes_on) text_ += fmt::format("M{} {}", length(segment.x1), length(segment.y1));
      if (segment.y1 == segment.y2) {
        text_ += fmt::format("H{}", length(segment.x2));
      } else if (segment.x1 == segment.x2) {
        text_ += fmt::format("V{}", length(segment.y2));
      } else {
        text_ += fmt::format("L{} {}", length(segment.x2), length(segment.y2));
      }
    }
    text_ += "\"/>\n";
  }

  void text(double x, double y, std::string_view text, const TextStyle& style) override {
    constexpr const char* anchors[] = {"start", "middle", "end"};
    const std::string turned =
        style.upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", length(x), length(y)) : std::string();
    const char* halo =
        style.halo ? " stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"" : "";
    text_ +=
        fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}{}{}>{}</text>\n",
                    length(x), length(y), length(style.size), hex(style.color), anchors[static_cast<int>(style.anchor)],
                    style.bold ? " font-weight=\"600\"" : "", halo, turned, escaped(text));
  }

  std::string finished() override { return text_ + "</svg>\n"; }

 private:
  // A nested <svg> clips without needing an id, because several pictures may be on one page.
  void begin_clip(const Box& clip) {
    text_ += fmt::format("<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\">\n",
                         length(clip.x), length(clip.y), length(clip.width), length(clip.height));
  }

  void draw_runs(const Box& box, const IndexedImage& image, const std::vector<PixelRun>& runs) {
    text_ += fmt::format("<g shape-rendering=\"crispEdges\" transform=\"translate({} {}) scale({} {})\">\n",
                         length(box.x), length(box.y), box.width / static_cast<double>(image.width),
                         box.height / static_cast<double>(image.height));
    std::vector<std::string> paths(image.palette.size());
    for (const PixelRun& run : runs) {
      if (image.has_clear_ground && run.color == 0) continue;
      paths[run.color] += fmt::format("M{} {}h{}v1h-{}z", run.x, run.y, run.width, run.width);
    }
    for (std::size_t color = 0; color < paths.size(); ++color) {
      if (paths[color].empty()) continue;
      text_ += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", hex(image.palette[color]), paths[color]);
    }
    text_ += "</g>\n";
  }

  void embed(const Box& box, const IndexedImage& image) {
    constexpr std::size_t wanted = 1024;
    const std::size_t factor = std::max<std::size_t>(1, wanted / std::max(image.width, image.height));
    text_ += fmt::format(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>\n",
        length(box.x), length(box.y), length(box.width), length(box.height),
        base64(png_bytes(factor == 1 ? image : enlarged(image, factor))));
  }

  std::string text_;
};

}  // namespace

std::unique_ptr<Canvas> svg_canvas(double width, double height, const std::string& title, Sheet sheet) {
  return std::make_unique<SvgCanvas>(width, height, title, sheet);
}

}  // namespace shoal
