// A plain stroke font. A glyph is written as lines of points, a point as two digits: x, then y + 2 (2 is the baseline,
// 7 the height of x, 9 that of capitals, 0 the depth of descenders). Blanks separate the lines.
#include <array>
#include <string_view>
#include <utility>

#include "drawing/canvas.hpp"

namespace shoal {

namespace {

struct Drawn {
  char32_t character;
  double advance;
  std::string_view lines;
};

constexpr std::array drawn{
    Drawn{' ', 3.5, ""},
    Drawn{'!', 3, "1915 13"},
    Drawn{'"', 4, "0907 2927"},
    Drawn{'#', 6, "1218 3238 0646 0444"},
    Drawn{'$', 6, "483919080716364543321203 2921"},
    Drawn{'%', 7, "0259 0819281708 3344534233"},
    Drawn{'&', 7, "5217182938370403123255"},
    Drawn{'\'', 2.5, "0907"},
    Drawn{'(', 3.5, "29171421"},
    Drawn{')', 3.5, "09272401"},
    Drawn{'*', 5, "2824 0745 4705"},
    Drawn{'+', 6, "2723 0545"},
    Drawn{',', 3, "1201"},
    Drawn{'-', 4.5, "0535"},
    Drawn{'.', 3, "12"},
    Drawn{'/', 5, "0149"},
    Drawn{'0', 6, "123243483919080312"},
    Drawn{'1', 6, "182922 1232"},
    Drawn{'2', 6, "08193948470242"},
    Drawn{'3', 6, "0819394847364543321203 3626"},
    Drawn{'4', 6, "32390444"},
    Drawn{'5', 6, "490906364543321203"},
    Drawn{'6', 6, "483919080312324345361605"},
    Drawn{'7', 6, "094912"},
    Drawn{'8', 6, "16070819394847361605031232434536"},
    Drawn{'9', 6, "031232434839190806153546"},
    Drawn{':', 3, "12 16"},
    Drawn{';', 3, "1201 16"},
    Drawn{'<', 6, "470543"},
    Drawn{'=', 6, "0646 0444"},
    Drawn{'>', 6, "074503"},
    Drawn{'?', 5.5, "08193948472524 22"},
    Drawn{'@', 8, "53421204071949575444 46262444"},
    Drawn{'A', 6.5, "022952 1545"},
    Drawn{'B', 6.5, "02093948473606 3645433202"},
    Drawn{'C', 6.5, "4839190803123243"},
    Drawn{'D', 6.5, "02092947442202"},
    Drawn{'E', 6, "49090242 0636"},
    Drawn{'F', 5.8, "490902 0636"},
    Drawn{'G', 6.8, "48391908031232434525"},
    Drawn{'H', 6.5, "0902 4942 0646"},
    Drawn{'I', 2.8, "0902"},
    Drawn{'J', 5.5, "3933221203"},
    Drawn{'K', 6.3, "0902 4905 1642"},
    Drawn{'L', 5.6, "090242"},
    Drawn{'M', 7.5, "0209265952"},
    Drawn{'N', 6.5, "02094249"},
    Drawn{'O', 6.8, "123243483919080312"},
    Drawn{'P', 6.2, "02093948463505"},
    Drawn{'Q', 6.8, "123243483919080312 2441"},
    Drawn{'R', 6.4, "02093948463505 2542"},
    Drawn{'S', 6.2, "483919080716364543321203"},
    Drawn{'T', 6, "0949 2922"},
    Drawn{'U', 6.5, "090312324349"},
    Drawn{'V', 6.2, "092249"},
    Drawn{'W', 8, "0912275269"},
    Drawn{'X', 6.2, "0942 0249"},
    Drawn{'Y', 6, "092549 2522"},
    Drawn{'Z', 6, "09490242"},
    Drawn{'[', 3.5, "29090121"},
    Drawn{'\\', 5, "0941"},
    Drawn{']', 3.5, "09292101"},
    Drawn{'^', 5, "062946"},
    Drawn{'_', 6, "0151"},
    Drawn{'`', 3, "0918"},
    Drawn{'a', 5.8, "0617374642 45150403123243"},
    Drawn{'b', 6, "0902 0617374643321203"},
    Drawn{'c', 5.5, "4637170603123243"},
    Drawn{'d', 6, "4942 4637170603123243"},
    Drawn{'e', 5.8, "05454637170603123243"},
    Drawn{'f', 4, "39291812 0737"},
    Drawn{'g', 6, "47413010 4637170604133344"},
    Drawn{'h', 6, "0902 0617374642"},
    Drawn{'i', 2.6, "0702 09"},
    Drawn{'j', 3, "171100 19"},
    Drawn{'k', 5.4, "0902 3704 1532"},
    Drawn{'l', 2.6, "0902"},
    Drawn{'m', 8.4, "0702 0617273632 3647576662"},
    Drawn{'n', 6, "0702 0617374642"},
    Drawn{'o', 6, "123243463717060312"},
    Drawn{'p', 6, "0700 0617374643321203"},
    Drawn{'q', 6, "4740 4637170603123243"},
    Drawn{'r', 4.2, "0702 051737"},
    Drawn{'s', 5.4, "46371706153544321203"},
    Drawn{'t', 4, "19132232 0737"},
    Drawn{'u', 6, "0703123243 4742"},
    Drawn{'v', 5.6, "072247"},
    Drawn{'w', 7.6, "0712255267"},
    Drawn{'x', 5.6, "0742 0247"},
    Drawn{'y', 5.8, "0722 471000"},
    Drawn{'z', 5.4, "07470242"},
    Drawn{'{', 4, "29181605141221"},
    Drawn{'|', 3, "1911"},
    Drawn{'}', 4, "09181625141201"},
    Drawn{'~', 6, "0516263545"},
    Drawn{0x00B0, 4, "0819281708"},
    Drawn{0x00B7, 3, "15"},
    Drawn{0x00D7, 6, "0743 0347"},
    Drawn{0x03B5, 5.4, "362717061525 150403122233"},
    Drawn{0x2212, 6, "0545"},
    Drawn{0x2013, 6, "0545"},
    Drawn{0x2265, 6, "084604 0242"},
};

constexpr std::string_view box = "0242490902";  // for every other character

}  // namespace

Glyph glyph(char32_t character) {
  const Drawn* found = nullptr;
  for (const Drawn& candidate : drawn) {
    if (candidate.character == character) found = &candidate;
  }
  Glyph result;
  result.advance = found == nullptr ? 6 : found->advance;
  const std::string_view lines = found == nullptr ? box : found->lines;
  result.strokes.emplace_back();
  for (std::size_t i = 0; i < lines.size();) {
    if (lines[i] == ' ') {
      if (!result.strokes.back().empty()) result.strokes.emplace_back();
      ++i;
      continue;
    }
    result.strokes.back().emplace_back(lines[i] - '0' + 0.5, lines[i + 1] - '2');
    i += 2;
  }
  return result;
}

}  // namespace shoal
