// Privacy budgets as exact decimals: whole multiples of 10^-12. Sums and splits are exact.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace shoal {

class Epsilon {
 public:
  static constexpr std::uint64_t units_per_one = 1'000'000'000'000;  // 10^12

  // No default: a budget is always given.
  static Epsilon zero() { return Epsilon(0); }
  static Epsilon from_units(std::uint64_t units) { return Epsilon(units); }
  // "0.5", "1", "1e-3". Refuses anything else, more than 12 decimals, zero or less, and more than 1,000,000.
  static Epsilon parse(std::string_view text);
  // The shortest decimal of the double, then as parse.
  static Epsilon from_double(double value);

  [[nodiscard]] std::uint64_t units() const noexcept { return units_; }
  [[nodiscard]] double value() const noexcept { return static_cast<double>(units_) / 1e12; }
  [[nodiscard]] std::string text() const;  // shortest exact decimal

  // share in (0, 1), rounded down to a unit; the two parts add up to this exactly. Refuses a part of zero.
  [[nodiscard]] std::pair<Epsilon, Epsilon> split(double share) const;

  friend Epsilon operator+(Epsilon a, Epsilon b);  // refuses overflow
  friend Epsilon operator-(Epsilon a, Epsilon b);  // refuses a negative result
  friend auto operator<=>(const Epsilon&, const Epsilon&) = default;

 private:
  explicit Epsilon(std::uint64_t units) : units_(units) {}
  std::uint64_t units_;
};

// An exact ratio epsilon / sensitivity: the rate of a discrete Laplace, P(x) proportional to exp(-|x| numerator /
// denominator).
struct Rate {
  std::uint64_t numerator;
  std::uint64_t denominator;
  // Epsilon over an integer sensitivity, in lowest terms. Refuses sensitivity 0 and products that overflow.
  static Rate of(Epsilon epsilon, std::uint64_t sensitivity);
  [[nodiscard]] double value() const noexcept {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  friend bool operator==(const Rate&, const Rate&) = default;
};

}  // namespace shoal
