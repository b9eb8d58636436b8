// Noised values, the only values that pass to the public side. Only mechanisms create them from raw values. They also
// come from post-processing of other noised values, and from a release file, whose values were noised when the file was
// written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "shoal/cells.hpp"
#include "shoal/grid.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

class Noise;
class Release;
struct ReleaseDocument;
struct ClusterOptions;
struct PrivateOptions;

// Reads values that were noised when their file was written. The class is complete here, so that no other class can
// take its name.
class ReleaseReader {
  friend class Release;
  friend class ReleaseSet;
  static Release read(const ReleaseDocument& document);
};

// The permission to create a noised value. A key cannot be copied, and therefore cannot be created from other bytes.
class NoisedKey {
  NoisedKey() = default;
  NoisedKey(const NoisedKey&) = delete;
  NoisedKey& operator=(const NoisedKey&) = delete;
  friend class Mechanisms;
  friend class ProfileSession;
  friend class ReleaseReader;
  friend class PostProcessing;
};

// The distribution of the noise, as stated by the mechanism that drew it. The noise on each value is discrete Laplace
// with rate epsilon / sensitivity.
struct NoiseLaw {
  Epsilon epsilon;
  std::uint64_t sensitivity = 1;
  // If above 0, only values that reach the floor with their noise are present.
  std::int64_t floor = 0;
  // If above 0, values below this bound were raised to it before noise was added.
  std::int64_t censored_below = 0;
  // Number of parts per unit of a value (PrivacyUnit::share). If above 1, the noise is drawn in parts, at a rate that
  // is smaller by this factor, and the sum is rounded to a whole unit. The rounding is up or down at random, with
  // probabilities that preserve the mean.
  std::uint64_t parts_per_unit = 1;
  // Only for a profile: number of its first levels that were observed with less noise, and the larger epsilon of that
  // noise.
  unsigned refined_levels = 0;
  Epsilon refined_epsilon = Epsilon::zero();

  [[nodiscard]] double rate() const noexcept { return epsilon.value() / static_cast<double>(sensitivity); }
  friend bool operator==(const NoiseLaw&, const NoiseLaw&) = default;
};

// What a mechanism charged, and its position among the charges of a release.
struct Receipt {
  std::size_t order;
  Spent spent;
};
// The charges for a value, in ascending order of position and without duplicates. Values that were charged together
// share a receipt. joined() merges two lists, and spent_of() returns the spending that a list records.
using Receipts = std::vector<std::shared_ptr<const Receipt>>;
Receipts joined(const Receipts& a, const Receipts& b);
std::vector<Spent> spent_of(const Receipts& receipts);

// A value that may become public, together with its receipts and the distribution of its noise. The receipts are not
// trivially copyable, so std::bit_cast cannot create a noised value from raw bytes. Copies share the value, which never
// changes.
template <class T>
class Noised {
 public:
  Noised(NoisedKey, T value, Receipts paid, std::optional<NoiseLaw> law = std::nullopt)
      : value_(std::make_shared<T>(std::move(value))), paid_(std::move(paid)), law_(law) {}
  [[nodiscard]] const T& value() const noexcept { return *value_; }
  [[nodiscard]] std::shared_ptr<const T> shared() const noexcept { return value_; }
  // Returns the value itself if there is no copy of this object.
  [[nodiscard]] T take() && { return value_.use_count() == 1 ? std::move(*value_) : *value_; }
  [[nodiscard]] const Receipts& paid() const noexcept { return paid_; }
  // Returns the distribution of the noise. Not set for results of post-processing whose noise has no such law.
  [[nodiscard]] const std::optional<NoiseLaw>& law() const noexcept { return law_; }

 private:
  std::shared_ptr<T> value_;
  Receipts paid_;
  std::optional<NoiseLaw> law_;
};

// Noisy counts of the cells of a box.
using NoisyCounts = Noised<Cells<std::int64_t>>;

// The values that post-processing may read: noised values, parameters that are public by their type, and lists and
// lists of lists of these. Concepts cannot be specialized for other types.
template <class T>
concept PublicOne = std::is_same_v<T, Grid> || std::is_same_v<T, Epsilon> || std::is_same_v<T, PrivacyUnit> ||
    std::is_same_v<T, ClusterOptions> || std::is_same_v<T, PrivateOptions> || requires(std::type_identity<T> type) {
  []<class U>(std::type_identity<Noised<U>>) {}(type);
};
template <class T>
concept PublicList = PublicOne<T> || requires(std::type_identity<T> type) {
  []<PublicOne U>(std::type_identity<std::vector<U>>) {}(type);
};
template <class T>
concept PublicValue = PublicList<T> || requires(std::type_identity<T> type) {
  []<PublicList U>(std::type_identity<std::vector<U>>) {}(type);
};

// Post-processing. A value that is computed only from noised and public values is itself noised and costs no budget.
// `make` is a plain function, which cannot capture, and its arguments are public by their types; docs/proofs.md
// explains what this does not prevent. The second form of of() may draw additional randomness, which does not depend on
// the data.
class PostProcessing {
 public:
  template <class R, PublicValue... A>
  static Noised<R> of(R (*make)(const A&...), const std::type_identity_t<A>&... values) {
    return Noised<R>(NoisedKey(), make(values...), paid_for(values...));
  }
  template <class R, PublicValue... A>
  static Noised<R> of(R (*make)(Noise&, const A&...), Noise& noise, const std::type_identity_t<A>&... values) {
    return Noised<R>(NoisedKey(), make(noise, values...), paid_for(values...));
  }
  // For results whose noise is the noise of the first argument, summed or scaled by public numbers. They keep its law.
  template <class R, class T, PublicValue... A>
  static Noised<R> with_law_of_first(R (*make)(const Noised<T>&, const A&...),
                                     const std::type_identity_t<Noised<T>>& first,
                                     const std::type_identity_t<A>&... values) {
    return Noised<R>(NoisedKey(), make(first, values...), paid_for(first, values...), first.law());
  }

 private:
  template <class T>
  static void add_paid(Receipts& /*all*/, const T& /*a public parameter*/) {}
  template <class T>
  static void add_paid(Receipts& all, const Noised<T>& value) {
    all = joined(all, value.paid());
  }
  template <class T>
  static void add_paid(Receipts& all, const std::vector<T>& values) {
    for (const T& value : values) add_paid(all, value);
  }
  template <class... A>
  static Receipts paid_for(const A&... values) {
    Receipts all;
    (add_paid(all, values), ...);
    return all;
  }
};

// The profile of values on cells, which is the second query of privwave: how the values are distributed over octaves.
//
//   level j of U:  the sum over all cells of clip(W - 2^j + 1, 0, 2^j)
//
// This is the number of cells with W >= w, summed over w in [2^j, 2^(j+1)). Level 0 is |L|. A value is poured into
// buckets of size 1, 2, 4 and so on, one after the other. Adding 1 to a cell therefore adds 1 to one bucket: all levels
// together change by as much as the values do.

// Number of levels. Values above 2^24 - 1 count as 2^24 - 1.
inline constexpr std::size_t profile_levels = 24;
// One noisy sum per level.
using ProfileSums = std::array<std::int64_t, profile_levels>;

}  // namespace shoal
