// Writes the lists of a file that may have very many entries straight as text, the same as nlohmann's dump() writes
// them, without a document in memory.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shoal/clusters.hpp"

namespace shoal {

enum class NumberForm {
  plain,     // a double has a point or an exponent
  canonical  // whole numbers are written as integers (see canonical_text() in release_json.hpp)
};

// Divides clusters of these sizes into parts of about as many cells, whatever the number of threads. Returns the end of
// each part, as an index of clusters.
std::vector<std::size_t> ends_of_parts(std::span<const std::uint64_t> sizes);

// Appends numbers and lists of them. Doubles that come again, as those of outlines do, are converted once.
class JsonNumbers {
 public:
  explicit JsonNumbers(NumberForm form) : form_(form) {}

  static void append(std::string& text, std::integral auto number) {
    std::array<char, 24> digits{};
    append_digits(text, std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr, digits.data());
  }
  void append(std::string& text, double number);
  void append(std::string& text, std::span<const double> numbers);
  // [[first, second], ...]. swapped: the second axis first, and the points in reverse, so that the ring turns as
  // before.
  void append(std::string& text, const Ring& ring, bool swapped);
  // The coordinates of a GeoJSON polygon, of its exterior and its holes.
  void append(std::string& text, const Polygon& polygon, bool swapped);
  // The coordinates of a MultiPolygon.
  void append(std::string& text, std::span<const Polygon> polygons, bool swapped);

 private:
  struct Known {
    std::uint64_t bits = 0;  // 0: none
    std::uint8_t length = 0;
    std::array<char, 31> text{};
  };
  static void append_digits(std::string& text, const char* end, const char* begin) {
    text.append(begin, static_cast<std::size_t>(end - begin));
  }

  NumberForm form_;
  std::vector<Known> known_ = std::vector<Known>(std::size_t{1} << known_bits);
  static constexpr unsigned known_bits = 9;
};

}  // namespace shoal
