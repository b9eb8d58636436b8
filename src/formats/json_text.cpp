#include "formats/json_text.hpp"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace shoal {

std::vector<std::size_t> ends_of_parts(std::span<const std::uint64_t> sizes) {
  constexpr std::uint64_t most_cells = std::uint64_t{1} << 13;
  std::vector<std::size_t> ends;
  std::uint64_t cells = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    cells += sizes[i];
    if (cells < most_cells && i + 1 < sizes.size()) continue;
    ends.push_back(i + 1);
    cells = 0;
  }
  return ends;
}

void JsonNumbers::append(std::string& text, double number) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (form_ == NumberForm::canonical && std::floor(number) == number && std::fabs(number) < exact) {
    return append(text, static_cast<std::int64_t>(number));
  }
  const auto bits = __builtin_bit_cast(std::uint64_t, number);
  constexpr std::uint64_t spread =
      0x9E3779B97F4A7C15U;  // the golden ratio: neighbouring numbers go to different places
  Known& known = known_[bits * spread >> (64 - known_bits)];
  if (known.bits != bits || known.length == 0) {
    // JSON knows no infinities. All other doubles take at most 25 letters.
    char* const begin = known.text.data();
    const char* end = std::isfinite(number) ? nlohmann::detail::to_chars(begin, begin + known.text.size(), number)
                                            : static_cast<char*>(std::memcpy(begin, "null", 4)) + 4;
    known.bits = bits;
    known.length = static_cast<std::uint8_t>(end - begin);
  }
  text.append(known.text.data(), known.length);
}

void JsonNumbers::append(std::string& text, std::span<const double> numbers) {
  char before = '[';
  for (const double number : numbers) {
    text += before;
    append(text, number);
    before = ',';
  }
  text += numbers.empty() ? "[]" : "]";
}

void JsonNumbers::append(std::string& text, const Ring& ring, bool swapped) {
  const std::size_t count = ring.points.size();
  text += '[';
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [first, second] = ring.points[swapped ? count - 1 - i : i];
    text += i == 0 ? "[" : ",[";
    append(text, swapped ? second : first);
    text += ',';
    append(text, swapped ? first : second);
    text += ']';
  }
  text += ']';
}

void JsonNumbers::append(std::string& text, const Polygon& polygon, bool swapped) {
  text += '[';
  append(text, polygon.exterior, swapped);
  for (const Ring& hole : polygon.holes) {
    text += ',';
    append(text, hole, swapped);
  }
  text += ']';
}

void JsonNumbers::append(std::string& text, std::span<const Polygon> polygons, bool swapped) {
  text += '[';
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    if (i > 0) text += ',';
    append(text, polygons[i], swapped);
  }
  text += ']';
}

}  // namespace shoal
