#include "drawing/font.hpp"

#include "base/utf8.hpp"
#include "drawing/font_data.hpp"
#include "shoal/error.hpp"

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb/stb_truetype.h>

namespace shoal {

namespace {

stbtt_fontinfo opened(const unsigned char* bytes) {
  stbtt_fontinfo font{};
  if (stbtt_InitFont(&font, bytes, 0) == 0) throw Error(ErrorKind::internal, "the font of pictures cannot be read");
  return font;
}

const stbtt_fontinfo& font_of(Weight weight) {
  static const stbtt_fontinfo regular = opened(font_data::regular), semibold = opened(font_data::semibold);
  return weight == Weight::regular ? regular : semibold;
}

// Calls visit(glyph, x) for each character, with the place of its origin in units of the font. Returns the whole
// advance.
template <class Visit>
double lay_out(std::string_view text, const stbtt_fontinfo& font, Visit visit) {
  double x = 0;
  int last = 0;
  for (const char32_t character : code_points(text)) {
    const int glyph = stbtt_FindGlyphIndex(&font, static_cast<int>(character));
    if (last != 0) x += stbtt_GetGlyphKernAdvance(&font, last, glyph);
    visit(glyph, x);
    int advance = 0, bearing = 0;
    stbtt_GetGlyphHMetrics(&font, glyph, &advance, &bearing);
    x += advance;
    last = glyph;
  }
  return x;
}

double scale_of(const stbtt_fontinfo& font, double size) {
  return static_cast<double>(stbtt_ScaleForMappingEmToPixels(&font, static_cast<float>(size)));
}

// Collects the rings of a glyph. Curves become lines short enough for the size.
class Outliner {
 public:
  Outliner(std::vector<Loop>& rings, double scale) : rings_(rings), scale_(scale) {}

  void add(const stbtt_fontinfo& font, int glyph, double origin) {
    stbtt_vertex* vertices = nullptr;
    const int count = stbtt_GetGlyphShape(&font, glyph, &vertices);
    for (int i = 0; i < count; ++i) {
      const stbtt_vertex& vertex = vertices[i];
      const Point to = placed(origin, vertex.x, vertex.y);
      switch (vertex.type) {
        case STBTT_vmove:
          rings_.emplace_back(Loop{to});
          break;
        case STBTT_vline:
          rings_.back().push_back(to);
          break;
        case STBTT_vcurve: {
          const Point control = placed(origin, vertex.cx, vertex.cy);
          const Point from = rings_.back().back();
          curve(from, mixed(from, control, 2.0 / 3), mixed(to, control, 2.0 / 3), to);
          break;
        }
        default:
          curve(rings_.back().back(), placed(origin, vertex.cx, vertex.cy), placed(origin, vertex.cx1, vertex.cy1), to);
      }
    }
    stbtt_FreeShape(&font, vertices);
  }

 private:
  [[nodiscard]] Point placed(double origin, double x, double y) const { return {(origin + x) * scale_, -y * scale_}; }

  static Point mixed(Point from, Point to, double share) {
    return {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
  }

  void curve(Point a, Point b, Point c, Point d) {
    constexpr int pieces = 6;  // enough for letters of 100 pixels
    for (int i = 1; i <= pieces; ++i) {
      const double t = i / double{pieces}, u = 1 - t;
      const double wa = u * u * u, wb = 3 * u * u * t, wc = 3 * u * t * t, wd = t * t * t;
      rings_.back().push_back({wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y});
    }
  }

  std::vector<Loop>& rings_;
  double scale_;
};

}  // namespace

std::vector<Loop> text_outlines(std::string_view text, double size, Weight weight) {
  const stbtt_fontinfo& font = font_of(weight);
  std::vector<Loop> rings;
  Outliner outliner(rings, scale_of(font, size));
  lay_out(text, font, [&](int glyph, double x) { outliner.add(font, glyph, x); });
  return rings;
}

double text_length(std::string_view text, double size, Weight weight) {
  const stbtt_fontinfo& font = font_of(weight);
  return scale_of(font, size) * lay_out(text, font, [](int, double) {});
}

}  // namespace shoal
