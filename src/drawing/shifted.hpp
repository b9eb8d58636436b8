// Draws on another canvas, shifted: pictures within pictures.
#pragma once

#include "drawing/canvas.hpp"

namespace shoal {

// Draws on `canvas`, shifted by (x, y).
class Shifted : public Canvas {
 public:
  Shifted(Canvas& canvas, double x, double y) : canvas_(canvas), x_(x), y_(y) {}
  void fill(const Box& box, Color color) override { canvas_.fill(moved(box), color); }
  void image(const Box& box, const Box& clip, const IndexedImage& image) override {
    canvas_.image(moved(box), moved(clip), image);
  }
  void area(std::span<const Loop> loops, const Box& clip, Color color) override {
    std::vector<Loop> all(loops.begin(), loops.end());
    for (Loop& loop : all) {
      for (Point& point : loop) point = {point.x + x_, point.y + y_};
    }
    canvas_.area(all, moved(clip), color);
  }
  void lines(std::span<const Segment> segments, Color color, double width) override {
    std::vector<Segment> all(segments.begin(), segments.end());
    for (Segment& segment : all) segment = {segment.x1 + x_, segment.y1 + y_, segment.x2 + x_, segment.y2 + y_};
    canvas_.lines(all, color, width);
  }
  void text(double x, double y, std::string_view text, const TextStyle& style) override {
    canvas_.text(x + x_, y + y_, text, style);
  }
  [[nodiscard]] std::string finished() override { return canvas_.finished(); }

 private:
  [[nodiscard]] Box moved(const Box& box) const { return {box.x + x_, box.y + y_, box.width, box.height}; }
  Canvas& canvas_;
  double x_, y_;
};

}  // namespace shoal
