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
  // Number of units in an epsilon of 1: 10^12.
  static constexpr std::uint64_t units_per_one = 1'000'000'000'000;

  // Returns a budget of zero. There is no default constructor, so that a budget is always stated.
  static Epsilon zero() { return Epsilon(0); }
  static Epsilon from_units(std::uint64_t units) { return Epsilon(units); }
  // Parses a decimal such as "0.5", "1" or "1e-3". Throws if the text is anything else, has more than 12 decimals, is
  // not above 0, or is above 1,000,000.
  static Epsilon parse(std::string_view text);
  // Converts the double to its shortest decimal and parses that.
  static Epsilon from_double(double value);

  [[nodiscard]] std::uint64_t units() const noexcept { return units_; }
  [[nodiscard]] double value() const noexcept { return static_cast<double>(units_) / 1e12; }
  // Returns the shortest exact decimal.
  [[nodiscard]] std::string text() const;

  // Splits the budget into two parts that add up to it exactly. The first part is `share` of the budget, rounded down
  // to a unit. Throws if `share` is not in (0, 1) or if a part would be zero.
  [[nodiscard]] std::pair<Epsilon, Epsilon> split(double share) const;

  // Throws if the sum overflows.
  friend Epsilon operator+(Epsilon a, Epsilon b);
  // Throws if the result would be negative.
  friend Epsilon operator-(Epsilon a, Epsilon b);
  friend auto operator<=>(const Epsilon&, const Epsilon&) = default;

 private:
  explicit Epsilon(std::uint64_t units) : units_(units) {}
  std::uint64_t units_;
};

// An exact ratio epsilon / sensitivity. It is the rate of a discrete Laplace distribution: P(x) is proportional to
// exp(-|x| numerator / denominator).
struct Rate {
  std::uint64_t numerator;
  std::uint64_t denominator;
  // Returns epsilon / sensitivity in lowest terms. Throws if either is 0, or if the denominator overflows.
  static Rate of(Epsilon epsilon, std::uint64_t sensitivity);
  [[nodiscard]] double value() const noexcept {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  friend bool operator==(const Rate&, const Rate&) = default;
};

}  // namespace shoal
