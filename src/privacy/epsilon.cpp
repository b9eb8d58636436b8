#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numeric>

#include "base/wide.hpp"
#include "shoal/error.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

namespace {
constexpr int decimals = 12;
constexpr std::uint64_t largest = 1'000'000 * Epsilon::units_per_one;

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  if (const std::size_t comma = text.find(','); comma != std::string_view::npos) {
    throw InputError(
        fmt::format("epsilon '{}' has a comma; write {}.{}", text, text.substr(0, comma), text.substr(comma + 1)));
  }
  throw InputError(fmt::format("epsilon '{}' {}; give a decimal above 0 such as 1 or 0.25", text, why));
}
}  // namespace

// Parses digits, a point and an exponent by hand: a budget must be the decimal that was written, not the nearest
// double.
Epsilon Epsilon::parse(std::string_view text) {
  std::string digits;
  int point = 0;  // number of digits after the decimal point
  bool seen_point = false;
  std::size_t i = text.starts_with('+') ? 1 : 0;
  for (; i < text.size() && (text[i] == '.' || (text[i] >= '0' && text[i] <= '9')); ++i) {
    if (text[i] == '.') {
      if (seen_point) refuse(text, "is not a number");
      seen_point = true;
    } else {
      digits += text[i];
      point += seen_point ? 1 : 0;
    }
  }
  if (digits.empty() || digits.size() > 40) refuse(text, "is not a number above 0");
  int exponent = 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t start = i + 1;
    if (start + 1 < text.size() && text[start] == '+' && text[start + 1] != '-') ++start;
    const auto [end, error] = std::from_chars(text.data() + start, text.data() + text.size(), exponent);
    if (error != std::errc{} || end != text.data() + text.size()) refuse(text, "is not a number");
    i = text.size();
  }
  if (i != text.size()) refuse(text, "is not a number above 0");
  if (exponent < -100 || exponent > 100) refuse(text, "is out of range");

  int shift = decimals - point + exponent;  // units = digits * 10^shift
  while (shift < 0 && !digits.empty() && digits.back() == '0') {
    digits.pop_back();
    ++shift;
  }
  if (digits.find_first_not_of('0') == std::string::npos) refuse(text, "is zero");
  if (shift < 0) refuse(text, "has more than 12 decimals");
  Uint128 units = 0;
  for (const char digit : digits) {
    units = units * 10 + static_cast<unsigned>(digit - '0');
    if (units > largest) refuse(text, "is more than 1,000,000");
  }
  for (; shift > 0; --shift) {
    units *= 10;
    if (units > largest) refuse(text, "is more than 1,000,000");
  }
  return Epsilon(static_cast<std::uint64_t>(units));
}

Epsilon Epsilon::from_double(double value) { return parse(fmt::format("{}", value)); }

std::string Epsilon::text() const {
  std::string text = fmt::format("{}.{:012}", units_ / units_per_one, units_ % units_per_one);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::pair<Epsilon, Epsilon> Epsilon::split(double share) const {
  if (!(share > 0 && share < 1)) {
    throw InputError(fmt::format("a share of {} of the budget is not between 0 and 1", share));
  }
  // The share is rounded to a multiple of 10^-12, so that 0.9 means exactly nine tenths.
  const auto parts = static_cast<std::uint64_t>(std::llround(share * 1e12));
  const auto first = static_cast<std::uint64_t>(static_cast<Uint128>(units_) * parts / units_per_one);
  if (first == 0 || first == units_) {
    throw InputError(fmt::format("epsilon {} is too small to be split by {}", text(), share));
  }
  return {Epsilon(first), Epsilon(units_ - first)};
}

Epsilon operator+(Epsilon a, Epsilon b) {
  if (a.units_ > UINT64_MAX - b.units_) throw InputError("the sum of two privacy budgets is too large");
  return Epsilon(a.units_ + b.units_);
}

Epsilon operator-(Epsilon a, Epsilon b) {
  if (b.units_ > a.units_) {
    throw Error(ErrorKind::internal, fmt::format("cannot take epsilon {} from {}", b.text(), a.text()));
  }
  return Epsilon(a.units_ - b.units_);
}

Rate Rate::of(Epsilon epsilon, std::uint64_t sensitivity) {
  if (sensitivity == 0) throw Error(ErrorKind::internal, "a mechanism needs a sensitivity of at least 1");
  if (epsilon.units() == 0) throw Error(ErrorKind::internal, "a mechanism needs an epsilon above 0");
  const std::uint64_t common = std::gcd(epsilon.units(), Epsilon::units_per_one);
  const std::uint64_t denominator = Epsilon::units_per_one / common;
  if (sensitivity > UINT64_MAX / denominator) {
    throw InputError(fmt::format("a sensitivity of {} is too large for epsilon {}", sensitivity, epsilon.text()));
  }
  const std::uint64_t numerator = epsilon.units() / common;
  const std::uint64_t product = denominator * sensitivity;
  const std::uint64_t again = std::gcd(numerator, product);
  return {numerator / again, product / again};
}

void PrivacyUnit::check() const {
  if (max_contributions == 0 || max_contributions > UINT32_MAX) {
    throw InputError(fmt::format("max-contributions is {}; choose 1 to {}", max_contributions, UINT32_MAX));
  }
  if (column.empty() && max_contributions != 1) {
    throw InputError(
        fmt::format("max-contributions is {}, but no unit column is given, and a record contributes one row; give the "
                    "column, or leave "
                    "max-contributions out",
                    max_contributions));
  }
  if (share && (column.empty() || max_contributions != 1)) {
    throw InputError("shares need a unit column and keep all records; give the column, and no max-contributions");
  }
  if (!column.empty() && column.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError("the name of the unit column is blank; give the name, or remove it to protect records");
  }
}

std::uint64_t PrivacyUnit::records_changed() const {
  check();
  return max_contributions * (neighbors == Neighbors::replace ? 2 : 1);
}

}  // namespace shoal
