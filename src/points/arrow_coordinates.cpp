#include "points/arrow_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/dates.hpp"
#include "base/wide.hpp"
#include "points/numbers.hpp"
#include "shoal/points.hpp"

namespace shoal {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

bool is_real(std::string_view format) { return format == "g" || format == "f" || format == "e"; }

// d:precision,scale[,bits]; 128 bits where none are said.
struct Decimal {
  int scale = 0, bits = 128;
};
std::optional<Decimal> decimal_of(std::string_view format) {
  if (!format.starts_with("d:")) return std::nullopt;
  std::array<int, 3> numbers{0, 0, 128};
  std::size_t at = 2, count = 0;
  while (at < format.size() && count < numbers.size()) {
    const char* const end = format.data() + format.size();
    const auto [stopped, error] = std::from_chars(format.data() + at, end, numbers[count++]);
    if (error != std::errc{} || (stopped != end && *stopped != ',')) return std::nullopt;
    at = static_cast<std::size_t>(stopped - format.data()) + 1;
  }
  const bool known = numbers[2] == 32 || numbers[2] == 64 || numbers[2] == 128;
  if (count < 2 || !known || numbers[1] < -400 || numbers[1] > 400) return std::nullopt;
  return Decimal{numbers[1], numbers[2]};
}

// Ticks a second of dates and times; 0: neither. A date counts days.
struct Clock {
  std::int64_t a_second = 0;
  bool is_day = false, has_zone = false;
};
Clock clock_of(std::string_view format) {
  if (format == "tdD") return {1, true, false};
  if (format == "tdm") return {1'000, false, false};
  if (!format.starts_with("ts") || format.size() < 4 || format[3] != ':') return {};
  const std::int64_t a_second = format[2] == 's'   ? 1
                                : format[2] == 'm' ? 1'000
                                : format[2] == 'u' ? 1'000'000
                                : format[2] == 'n' ? 1'000'000'000
                                                   : 0;
  return {a_second, false, format.size() > 4};
}

std::string in_words(std::string_view format) {
  if (is_arrow_text(format)) return "text";
  if (is_arrow_whole(format)) return "whole numbers";
  if (is_real(format) || format.starts_with("d:")) return "numbers";
  if (clock_of(format).a_second != 0) return "dates or times";
  if (format == "b") return "true and false";
  if (format.starts_with('+')) return "nested values";
  return "values that are not numbers";
}

double half(std::uint16_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const auto exponent = static_cast<int>(bits >> 10U & 0x1FU), fraction = static_cast<int>(bits & 0x3FFU);
  if (exponent == 31) return fraction != 0 ? missing : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

// The nearest double, as reading its digits gives it.
double decimal_value(Int128 value, int scale) {
  Uint128 left = value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
  if (left <= Uint128{1} << 53U && scale >= 0 && scale <= 22) {
    double power = 1;
    for (int i = 0; i < scale; ++i) power *= 10;  // exact up to 10^22
    const double result = static_cast<double>(left) / power;
    return value < 0 ? -result : result;
  }
  std::array<char, 56> text{};
  char* const digits_end = text.data() + 45;
  char* first = digits_end;
  do {
    *--first = static_cast<char>('0' + static_cast<int>(left % 10));
    left /= 10;
  } while (left != 0);
  if (value < 0) *--first = '-';
  const char* const end = fmt::format_to(digits_end, "e{}", -scale);
  double result = missing;
  parse_number({first, static_cast<std::size_t>(end - first)}, result);
  return result;
}

// As dates in text become seconds: never rounded up to the next whole second.
double seconds_of(std::int64_t ticks, const Clock& clock) {
  if (clock.is_day) return static_cast<double>(ticks) * static_cast<double>(seconds_a_day);
  std::int64_t whole = ticks / clock.a_second, part = ticks % clock.a_second;
  if (part < 0) {
    part += clock.a_second;
    --whole;
  }
  const auto second = static_cast<double>(whole);
  const double exact = second + static_cast<double>(part) / static_cast<double>(clock.a_second);
  return std::min(exact, std::nextafter(second + 1, second));
}

class Reader {
 public:
  Reader(const ArrowColumn& column, const AxisKind& kind, std::vector<double>& out,
         std::span<const std::string> missing_texts)
      : column_(column), kind_(kind), out_(out), missing_texts_(missing_texts) {
    out_.resize(static_cast<std::size_t>(column.length));
  }

  void read() {
    const std::string_view format = column_.format();
    if (column_.schema.dictionary != nullptr) return look_up();
    if (std::holds_alternative<Names>(kind_.scale)) return read_names();
    if (const Clock clock = clock_of(format); clock.a_second != 0) return read_times(clock);
    if (is_arrow_text(format)) return each([&](std::int64_t row) { return parsed(arrow_text(column_, row)); });
    if (const auto decimal = decimal_of(format)) return read_decimals(*decimal);
    read_numbers(format.front());
  }

 private:
  template <class Value>
  void each(const Value& value) {
    for (std::int64_t row = 0; row < column_.length; ++row) {
      out_[static_cast<std::size_t>(row)] = column_.is_null(row) ? missing : value(row);
    }
  }

  [[nodiscard]] double parsed(std::string_view text) const {
    text = unit_key(text);
    if (std::find(missing_texts_.begin(), missing_texts_.end(), text) != missing_texts_.end()) return missing;
    return kind_.parse(text).value_or(missing);
  }

  // The dictionary is read as a column of its own; rows look their values up.
  void look_up() {
    std::vector<double> copy;
    const std::span<const double> words = arrow_coordinates(arrow_words(column_), kind_, copy, missing_texts_);
    each([&](std::int64_t row) { return words[static_cast<std::size_t>(arrow_word(column_, row))]; });
  }

  // Names that are whole numbers go by their digits.
  void read_names() {
    std::array<char, 24> digits;
    each([&](std::int64_t row) { return parsed(arrow_unit(column_, row, digits)); });
  }

  void read_times(const Clock& clock) {
    const double offset = clock.has_zone ? 0 : std::get<Instants>(kind_.scale).offset;
    if (clock.is_day) {
      const auto* const data = column_.values<std::int32_t>() + column_.offset;
      return each([&](std::int64_t row) { return seconds_of(data[row], clock) - offset; });
    }
    const auto* const data = column_.values<std::int64_t>() + column_.offset;
    each([&](std::int64_t row) { return seconds_of(data[row], clock) - offset; });
  }

  void read_decimals(const Decimal& decimal) {
    const auto width = static_cast<std::int64_t>(decimal.bits / 8);
    const char* const data = column_.values<char>() + column_.offset * width;
    const double divisor = a_second();
    each([&](std::int64_t row) {
      Int128 value = 0;
      if (decimal.bits == 128) std::memcpy(&value, data + row * width, sizeof value);
      if (decimal.bits == 64) value = taken<std::int64_t>(data + row * width);
      if (decimal.bits == 32) value = taken<std::int32_t>(data + row * width);
      return decimal_value(value, decimal.scale) / divisor;
    });
  }

  void read_numbers(char format) {
    switch (format) {
      case 'g':
        return numbers<double>();
      case 'f':
        return numbers<float>();
      case 'c':
        return numbers<std::int8_t>();
      case 'C':
        return numbers<std::uint8_t>();
      case 's':
        return numbers<std::int16_t>();
      case 'S':
        return numbers<std::uint16_t>();
      case 'i':
        return numbers<std::int32_t>();
      case 'I':
        return numbers<std::uint32_t>();
      case 'l':
        return numbers<std::int64_t>();
      case 'L':
        return numbers<std::uint64_t>();
      default:
        const auto* const data = column_.values<std::uint16_t>() + column_.offset;
        return each([&](std::int64_t row) { return half(data[row]) / a_second(); });
    }
  }

  template <class T>
  void numbers() {
    const T* const data = column_.values<T>() + column_.offset;
    const double divisor = a_second();
    if (!column_.has_nulls()) {
      for (std::size_t row = 0; row < out_.size(); ++row) out_[row] = static_cast<double>(data[row]) / divisor;
      return;
    }
    each([&](std::int64_t row) { return static_cast<double>(data[row]) / divisor; });
  }

  template <class T>
  static T taken(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }

  [[nodiscard]] double a_second() const {
    const auto* instants = std::get_if<Instants>(&kind_.scale);
    return instants == nullptr ? 1 : static_cast<double>(instants->a_second);
  }

  const ArrowColumn& column_;
  const AxisKind& kind_;
  std::vector<double>& out_;
  std::span<const std::string> missing_texts_;
};

}  // namespace

std::optional<std::string> arrow_misfit(const ArrowSchema& schema, const AxisKind& kind) {
  const ArrowSchema& values = schema.dictionary == nullptr ? schema : *schema.dictionary;
  const std::string_view format = values.format;
  const bool text = is_arrow_text(format), whole = is_arrow_whole(format), times = clock_of(format).a_second != 0;
  const bool number = whole || is_real(format) || decimal_of(format);
  if (std::holds_alternative<Names>(kind.scale)) {
    if (text || whole) return std::nullopt;
    return fmt::format("holds {}; an axis of categories reads text and whole numbers", in_words(format));
  }
  if (std::holds_alternative<Instants>(kind.scale)) {
    if (text || times || number) return std::nullopt;
    return fmt::format("holds {}; an axis of dates reads dates, times, text and numbers", in_words(format));
  }
  if (number) return std::nullopt;
  if (times) {
    return "holds dates or times; give its bounds as dates, such as day=2026-01-01:2026-12-31 (docs/axes.md)";
  }
  return fmt::format("holds {}; coordinates are numbers{}", in_words(format),
                     text ? ", and text is read only on axes of dates and categories (docs/axes.md)" : "");
}

std::span<const double> arrow_coordinates(const ArrowColumn& column, const AxisKind& kind, std::vector<double>& copy,
                                          std::span<const std::string> missing_texts) {
  const auto* instants = std::get_if<Instants>(&kind.scale);
  const bool as_is = !std::holds_alternative<Names>(kind.scale) && (instants == nullptr || instants->a_second == 1);
  if (as_is && column.schema.dictionary == nullptr && column.format() == "g" && !column.has_nulls()) {
    return {column.values<double>() + column.offset, static_cast<std::size_t>(column.length)};
  }
  Reader(column, kind, copy, missing_texts).read();
  return copy;
}

}  // namespace shoal
