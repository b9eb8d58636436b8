#include "drawing/picture.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "base/scale.hpp"
#include "drawing/canvas.hpp"
#include "drawing/font.hpp"
#include "drawing/palette.hpp"
#include "drawing/panel.hpp"
#include "release_examples.hpp"

namespace shoal {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Squares of 2 x 2 cells, one every `apart` cells on both axes, each a cluster of its own.
struct Squares {
  Cells<std::int64_t> counts;
  ClusterMap map;
};

Squares squares(std::uint64_t side, std::uint64_t apart) {
  std::vector<std::int64_t> values(side * side, 0);
  for (std::uint64_t i = 0; i < side; ++i) {
    for (std::uint64_t j = 0; j < side; ++j) {
      if (i % apart < 2 && j % apart < 2) values[i * side + j] = 10;
    }
  }
  auto counts = Cells<std::int64_t>::dense({side, side}, values);
  ClusterOptions options{.threshold = Percentile(0)};
  Segmentation result = segment(transform(counts, options), options);
  ClusterMap map(examples::grid_of({side, side}), 1, Transform::decimated, std::move(result.clusters));
  return {std::move(counts), std::move(map)};
}

TEST(Picture, ShowsNumbersColoursTitleAndAxisNames) {
  const Squares drawn = squares(32, 8);
  ASSERT_EQ(drawn.map.clusters().count(), 16U);
  PictureOptions options;
  options.title = "Sixteen <squares>";
  const Picture picture(drawn.counts, drawn.map, options);
  const std::string svg = picture.svg();
  EXPECT_NE(svg.find(">Sixteen &lt;squares&gt;</text>"), std::string::npos);
  EXPECT_NE(svg.find(">x</text>"), std::string::npos);
  EXPECT_NE(svg.find(">y</text>"), std::string::npos);
  for (int id = 1; id <= 16; ++id) {
    EXPECT_NE(svg.find(">" + std::to_string(id) + "</text>"), std::string::npos) << id;
    EXPECT_NE(svg.find(picture.color(static_cast<std::uint32_t>(id))), std::string::npos) << id;
  }
}

TEST(Picture, NeighboursLookDifferentAlsoToColourBlindReaders) {
  const Squares drawn = squares(160, 10);  // 256 clusters
  const Picture picture(drawn.counts, drawn.map, {});
  const PixelAxis x = pixel_axis(drawn.map, drawn.counts.shape(), 0, 160);
  const PixelAxis y = pixel_axis(drawn.map, drawn.counts.shape(), 1, 160);
  std::vector<std::vector<std::uint32_t>> neighbors(drawn.map.clusters().count());
  add_neighbors(project(drawn.counts, drawn.map, x, y), neighbors);
  const auto color = [&picture](std::uint32_t id) {
    const auto value = static_cast<unsigned>(std::stoul(picture.color(id).substr(1), nullptr, 16));
    return Color{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8 & 255),
                 static_cast<std::uint8_t>(value & 255)};
  };
  std::size_t pairs = 0;
  for (std::uint32_t i = 0; i < neighbors.size(); ++i) {
    for (const std::uint32_t other : neighbors[i]) {
      ++pairs;
      EXPECT_GE(apart(color(i + 1), color(other + 1)), 20) << i + 1 << " and " << other + 1;
    }
  }
  EXPECT_GT(pairs, 900U);  // a lattice of 16 x 16 has 480 pairs, seen from both sides
}

TEST(Picture, CrowdedColoursAreStillNeverTheSame) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 2 + random() % 60;
    std::vector<std::vector<std::uint32_t>> neighbors(count);
    for (std::size_t i = 1; i < count; ++i) {
      for (int j = 0; j < 4; ++j) {  // at most four that come before: nine colours are enough
        const auto other = static_cast<std::uint32_t>(random() % i);
        neighbors[i].push_back(other);
        neighbors[other].push_back(static_cast<std::uint32_t>(i));
      }
    }
    const std::vector<std::uint8_t> colors = colored(neighbors);
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::uint32_t other : neighbors[i]) EXPECT_NE(colors[i], colors[other]);
    }
  }
}

TEST(Picture, OfALargeGridIsSmall) {
  const Squares drawn = squares(2048, 64);
  const Picture picture(drawn.counts, drawn.map, {});
  EXPECT_LT(picture.svg().size(), 1000000U);
  EXPECT_NE(picture.svg().find("points per"), std::string::npos);
}

TEST(Picture, NoiseEverywhereIsEmbeddedAsAnImage) {
  const Release release(examples::parts(examples::blobs({200, 200}, 1)));
  const std::string svg = Picture(release.parts().counts()->counts.value(), release.map(), {}).svg();
  EXPECT_EQ(occurrences(svg, "data:image/png;base64,"), 1U);
  EXPECT_LT(svg.size(), 300000U);
}

TEST(Picture, OfThreeAxesShowsAllPairs) {
  const Release release(examples::parts(examples::blobs({12, 10, 9}, 1)));
  const std::string svg = Picture(release.parts().counts()->counts.value(), release.map(), {}).svg();
  EXPECT_EQ(occurrences(svg, "<svg x="), 3U);
  EXPECT_GE(occurrences(svg, ">z</text>"), 2U);
}

TEST(Picture, HasNoNamesThatCouldClashWithAnotherPictureOnThePage) {
  const Release release(examples::parts(examples::blobs({12, 10, 9}, 1)));
  const std::string svg = Picture(release.parts().counts()->counts.value(), release.map(), {}).svg();
  EXPECT_EQ(svg.find(" id="), std::string::npos);
}

TEST(Picture, HatchesWhatMayBeNoiseAndSaysSo) {
  const Squares all = squares(32, 8);
  const std::string sure = Picture(all.counts, all.map, {}).svg();
  const std::string doubtful = Picture(all.counts, all.map, {.title = "", .subtitle = "", .doubtful = {2}}).svg();
  const std::string line = "stroke=\"#1e1e1e\" stroke-width=\"1\"";  // of borders and hatching
  EXPECT_EQ(occurrences(sure, "doubtful"), 0U);
  EXPECT_EQ(occurrences(doubtful, line), occurrences(sure, line) + 2);  // the cluster and the legend
  EXPECT_EQ(occurrences(doubtful, "hatched: doubtful"), 1U);
}

TEST(Picture, OfMoreAxesThanItShowsSaysSo) {
  const auto counts = Cells<std::int64_t>::dense(Shape(9, 2), std::vector<std::int64_t>(512, 3));
  const ClusterMap map(examples::grid_of(Shape(9, 2)), 1, Transform::decimated, connect(Shape(9, 1), {}));
  EXPECT_EQ(occurrences(Picture(counts, map, {}).svg(), "the first 8 of 9 axes"), 1U);
}

TEST(Picture, TakesNothingAtAll) {
  const auto nothing = Cells<std::int64_t>::dense({5, 4}, std::vector<std::int64_t>(20, 0));
  const ClusterMap map(examples::grid_of({5, 4}), 1, Transform::decimated, connect({3, 2}, {}));
  const Picture picture(nothing, map, {});
  EXPECT_FALSE(picture.svg().empty());
  EXPECT_FALSE(picture.png(2).empty());
}

TEST(Font, LinesUpLettersWithKerningAndKnowsEuropeanScripts) {
  const double apart_letters = text_length("A", 100, Weight::regular) + text_length("V", 100, Weight::regular);
  EXPECT_LT(text_length("AV", 100, Weight::regular), apart_letters);
  EXPECT_GT(text_length("12 clusters", 12, Weight::semibold), text_length("12 clusters", 12, Weight::regular));
  const std::vector<Loop> unknown = text_outlines("\u4eac", 12, Weight::regular);
  for (const char* text : {"\u017b", "\u0416", "\u03a9", "\u1ed9", "\u00d7", "\u2026", "\u2265"}) {
    const std::vector<Loop> known = text_outlines(text, 12, Weight::regular);
    ASSERT_FALSE(known.empty()) << text;
    EXPECT_FALSE(known.size() == unknown.size() && known.front().front().x == unknown.front().front().x) << text;
  }
}

TEST(Font, TextThatIsTooLongIsShortenedOrWrapped) {
  const std::string text = "Visitors of the inner city in one week of October";
  EXPECT_EQ(fitted(text, 12, 1000), text);
  const std::string cut = fitted(text, 12, 90);
  EXPECT_TRUE(cut.ends_with("\u2026")) << cut;
  EXPECT_LE(text_width(cut, 12), 90);
  const std::vector<std::string> lines = wrapped(text, 12, false, 120);
  EXPECT_GE(lines.size(), 3U);
  std::string whole;
  for (const std::string& line : lines) {
    EXPECT_LE(text_width(line, 12), 120) << line;
    whole += (whole.empty() ? "" : " ") + line;
  }
  EXPECT_EQ(whole, text);
}

// Width, height and dots per metre of a PNG.
std::array<std::uint32_t, 3> png_facts(const std::string& bytes) {
  const auto at = [&bytes](std::size_t i) {
    std::uint32_t value = 0;
    for (std::size_t byte = i; byte < i + 4; ++byte) value = value << 8 | static_cast<unsigned char>(bytes.at(byte));
    return value;
  };
  const std::size_t physical = bytes.find("pHYs");
  return {at(16), at(20), physical == std::string::npos ? 0 : at(physical + 4)};
}

TEST(Picture, OnPaperIs170MillimetresWideAt300DotsPerInch) {
  const Squares drawn = squares(32, 8);
  PictureOptions options;
  options.title = "A title that is much longer than the map is wide, so that it needs a second line below the first";
  options.subtitle = options.title + " and a subtitle that is longer still, with a source, a date and a contact";
  const Picture picture(drawn.counts, drawn.map, options);
  const auto [width, height, dots] = png_facts(picture.file("map.png"));
  EXPECT_EQ(width, 2008U);
  EXPECT_EQ(dots, 11811U);
  EXPECT_LE(height, 2835U);
  EXPECT_LE(picture.width(), 760);  // the long texts are wrapped
}

TEST(Picture, OnASlideIsSixteenToNineAndItsLegendStandsBesideTheMap) {
  const Squares drawn = squares(32, 8);
  PictureOptions options;
  options.sheet = Sheet::slide;
  const Picture picture(drawn.counts, drawn.map, options);
  const auto [width, height, dots] = png_facts(picture.file("map.slide.png"));
  EXPECT_EQ(width, 4000U);
  EXPECT_EQ(height, 2250U);
  EXPECT_NE(picture.file("map.slide.svg").find("width=\"960\" height=\"540\""), std::string::npos);
  EXPECT_GT(picture.panels().front().box.height, 400);
}

TEST(Canvas, FillsAreasEvenlyAndLeavesHoles) {
  const std::unique_ptr<Canvas> canvas = png_canvas(40, 40, 1);
  const std::vector<Loop> loops{{{5, 5}, {35, 5}, {35, 35}, {5, 35}}, {{15, 15}, {25, 15}, {25, 25}, {15, 25}}};
  canvas->area(loops, {0, 0, 30, 40}, {0, 0, 0});
  const std::unique_ptr<Canvas> boxes = png_canvas(40, 40, 1);
  boxes->fill({5, 5, 25, 30}, {0, 0, 0});
  boxes->fill({15, 15, 10, 10}, {255, 255, 255});
  EXPECT_EQ(canvas->finished(), boxes->finished());
}

TEST(Panel, LabelsAreThoseOfTheCells) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    ReleaseParts parts = examples::parts(examples::blobs({13, 22}, seed));
    parts.options.transform = seed % 2 == 0 ? Transform::stationary : Transform::decimated;
    const Release release(parts);
    const ClusterMap map = release.map();
    const Cells<std::int64_t>& counts = parts.counts()->counts.value();
    const Panel panel =
        project(counts, map, pixel_axis(map, counts.shape(), 0, 100), pixel_axis(map, counts.shape(), 1, 100));
    ASSERT_EQ(panel.x.pixels, 13U);
    ASSERT_EQ(panel.y.pixels, 22U);
    for (std::uint64_t i = 0; i < 13; ++i) {
      for (std::uint64_t j = 0; j < 22; ++j) {
        const double x = (parts.grid.axis(0).edge(i) + parts.grid.axis(0).edge(i + 1)) / 2;
        const double y = (parts.grid.axis(1).edge(j) + parts.grid.axis(1).edge(j + 1)) / 2;
        EXPECT_EQ(panel.label[j * 13 + i], map.label(std::vector<double>{x, y}));
        EXPECT_EQ(panel.density[j * 13 + i], static_cast<double>(std::max<std::int64_t>(0, counts.at(i * 22 + j))));
      }
    }
  }
}

TEST(Panel, BordersEncloseTheClusters) {
  const Squares drawn = squares(16, 8);
  const Panel panel = project(drawn.counts, drawn.map, pixel_axis(drawn.map, drawn.counts.shape(), 0, 100),
                              pixel_axis(drawn.map, drawn.counts.shape(), 1, 100));
  double length = 0;
  for (const Segment& piece : borders(panel)) length += std::abs(piece.x2 - piece.x1) + std::abs(piece.y2 - piece.y1);
  EXPECT_EQ(length, 4 * 8);
}

TEST(Ticks, AreRoundAndInside) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-6, 12);
  for (int i = 0; i < 2000; ++i) {
    const double lo = (random() % 2 == 0 ? 1 : -1) * std::pow(10, exponent(random));
    const double hi = lo + std::pow(10, exponent(random));
    if (!(hi > lo)) continue;
    std::set<std::string> texts;
    for (const Tick& tick : ticks(lo, hi, 8)) {
      EXPECT_GE(tick.value, lo);
      EXPECT_LE(tick.value, hi);
      texts.insert(tick.text);
    }
    EXPECT_LE(texts.size(), 10U);
  }
  const auto all = ticks(0, 1, 6);
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all[1].text, "0.2");
  EXPECT_EQ(ticks(0, 1000000, 6)[1].text, "0.2M");
  EXPECT_EQ(ticks(0, 50000, 6)[1].text, "10k");
}

TEST(DensityScale, GrowsWithTheValueAndKeepsZeroApart) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i * i % 977);
  const DensityScale scale(values);
  EXPECT_EQ(scale.step(0), 0);
  EXPECT_EQ(scale.step(-3), 0);
  int last = 0;
  for (int halves = 1; halves <= 2 * 976; ++halves) {
    const double value = halves / 2.0;
    EXPECT_GE(scale.step(value), std::max(last, 1));
    last = scale.step(value);
  }
  EXPECT_EQ(last, DensityScale::steps - 1);
}

TEST(Text, IsMadeSafe) {
  EXPECT_EQ(escaped("a<b>&\"c\"\n\x01"), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(escaped("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(escaped("caf\xe9"), "caf\xef\xbf\xbd");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\xef\xbf\xbd");  // a surrogate is not a character
}

}  // namespace
}  // namespace shoal
