// The guarantee of a release: its budget, the privacy unit, the neighbour relation and the spending; and the options of
// a private release.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shoal/clusters.hpp"

namespace shoal {

// Privacy budgets as exact decimals: whole multiples of 10^-12. Sums and splits are exact.
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

// How two neighbouring datasets differ.
enum class Neighbors {
  add_remove,  // One unit is present in only one of the two datasets.
  replace,     // One unit has other records in one dataset than in the other.
};

// Describes a release of several groups in which a unit counts in at most `most` of the groups in which it has records.
// These groups are chosen at random.
struct CountedGroups {
  // The word for a group: "week", or the name of the column.
  std::string word;
  // Maximum number of groups per unit, and number of groups of the release.
  std::uint64_t most = 1, groups = 1;
  friend bool operator==(const CountedGroups&, const CountedGroups&) = default;
};

// The unit whose presence a release hides.
struct PrivacyUnit {
  Neighbors neighbors = Neighbors::add_remove;
  // Column that identifies the unit. If empty, the unit is a record.
  std::string column;
  // Maximum number of records that are kept per unit. It is 1 if the unit is a record.
  std::uint64_t max_contributions = 1;
  // If set, each unit counts once: all of its records are kept and share one weight, in whole parts of it. A weight
  // then takes the place of a record. Raw counts are in parts; all noised values and all sensitivities are in weights.
  bool share = false;
  // Set if a unit may count in fewer groups than it has records in. The number of a group then is not the number of
  // units that were there.
  std::optional<CountedGroups> groups = std::nullopt;
  // The owner's word for the units: "patients", "patient", or "person/people" for an irregular plural. If empty,
  // noun_of() derives the word from the column.
  std::string name = {};

  // Throws if max_contributions is out of range or is above 1 without a column, if the column is blank, or if `share`
  // is set without a column or with max_contributions above 1.
  void check() const;
  // Returns the number of records (or weights) that may differ between two neighbours: max_contributions, or twice that
  // under Neighbors::replace. Throws as check() does.
  [[nodiscard]] std::uint64_t records_changed() const;
  // Returns the number of parts per weight. It is 1 if whole records are counted.
  [[nodiscard]] constexpr std::uint64_t parts_per_weight() const noexcept { return share ? std::uint64_t{1} << 16 : 1; }
};

// The spending of one mechanism in a release.
struct Spent {
  std::string mechanism;
  std::uint64_t sensitivity;
  Epsilon epsilon;
  friend bool operator==(const Spent&, const Spent&) = default;
};

// Base measure of the exponential mechanism that draws a threshold from {1, ..., max}.
enum class BaseMeasure {
  uniform,  // The base measure of the paper.
  // Each octave [2^k, 2^(k+1)) of x + shift has the same mass, so that x has a mass of about 1 / (x + shift). A large
  // max then does little harm, and the shift keeps the smallest thresholds from receiving most of the mass.
  logarithmic,
};

// Options of a private release.
struct PrivateOptions {
  // Options of the clustering. Its threshold has no default.
  ClusterOptions cluster;
  PrivacyUnit unit{};
  // Share of epsilon for the counts. If not set, the technique chooses it. privthr uses 0.9, and privthr-em 0.7.
  std::optional<double> alpha{};
  // The public Max of privthr-em, in the units of W. If not set, it corresponds to 2^20 records in a cell,
  // independently of the data.
  std::optional<double> max_density{};
  BaseMeasure base = BaseMeasure::logarithmic;
  // The method that publishes synthetic points. Only for baseline.
  std::string publisher = "adaptive-grid";
  // Maximum number of cells for noise on every cell. On larger grids, only noisy values that reach a floor are drawn
  // and released (docs/techniques.md).
  std::uint64_t dense_limit = shoal::dense_limit;
  // Hash of the ledger entry of the debit, which the release states. The function that charges the ledger sets it.
  std::string ledger_head{};
};

}  // namespace shoal
