// Noised values, which alone pass to the public side. Only Mechanisms (and the reader of a
// release file, whose values were noised when it was written) can make one.
#pragma once

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
struct ClusterOptions;
struct PrivateOptions;

// Reads what was noised when its file was written. Complete here, so that no other class can take its name.
class ReleaseReader {
  friend class Release;
  static Release read(const std::string& json_text, const std::string& where);
};

// Cannot be copied, and so not be made of other bytes either.
class NoisedKey {
  NoisedKey() = default;
  NoisedKey(const NoisedKey&) = delete;
  NoisedKey& operator=(const NoisedKey&) = delete;
  friend class Mechanisms;
  friend class LargestSession;
  friend class ProfileSession;
  friend class ReleaseReader;
  friend class PostProcessing;
};

// The distribution of the noise, set by the mechanism that drew it: on each value discrete Laplace of rate
// epsilon / sensitivity.
struct NoiseLaw {
  Epsilon epsilon;
  std::uint64_t sensitivity = 1;
  std::uint64_t terms = 1;          // independent draws that are added up on each value
  std::int64_t floor = 0;           // above 0: only the values that reach it with their noise are there
  std::int64_t censored_below = 0;  // above 0: values below were raised to it before their noise
  // Above 1: drawn on so many parts of a value's unit, at a rate so many times smaller, and the sum rounded up or down
  // at random to a whole, the nearer one more likely: its mean stays (PrivacyUnit::share). Where only the
  // values from a rank on are there it is rounded to the nearest whole.
  std::uint64_t parts = 1;
  // Of a profile: its first levels may have been seen with the noise of more of epsilon.
  unsigned refined_levels = 0;
  Epsilon refined_epsilon = Epsilon::zero();

  [[nodiscard]] double rate() const noexcept { return epsilon.value() / static_cast<double>(sensitivity); }
  friend bool operator==(const NoiseLaw&, const NoiseLaw&) = default;
};

// What a mechanism charged, and as which of a release's charges.
struct Receipt {
  std::size_t order;
  Spent spent;
};
// The charges of a value: ascending by order, each once. Values that were charged together share a receipt.
using Receipts = std::vector<std::shared_ptr<const Receipt>>;
Receipts joined(const Receipts& a, const Receipts& b);
std::vector<Spent> spent_of(const Receipts& receipts);

// Its receipts have copy functions of their own: std::bit_cast makes none of raw values.
template <class T>
class Noised {
 public:
  Noised(NoisedKey, T value, Receipts paid, std::optional<NoiseLaw> law = std::nullopt)
      : value_(std::move(value)), paid_(std::move(paid)), law_(law) {}
  [[nodiscard]] const T& value() const noexcept { return value_; }
  [[nodiscard]] T take() && { return std::move(value_); }
  [[nodiscard]] const Receipts& paid() const noexcept { return paid_; }
  // None: not known as a law of its own (post-processing).
  [[nodiscard]] const std::optional<NoiseLaw>& law() const noexcept { return law_; }

 private:
  T value_;
  Receipts paid_;
  std::optional<NoiseLaw> law_;
};

// Counts plus noise on every cell of the grid.
using NoisyCounts = Noised<Cells<std::int64_t>>;

// What post-processing may see: noised values, parameters that are public by their type, lists of these and of lists.
// Concepts cannot be specialized for other types.
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

// Post-processing: what is made of noised and public values alone is noised too, and costs nothing. `make` is a plain
// function, which cannot capture, and its arguments are public by their types; docs/proofs.md says what that does not
// prevent. The second form may draw more randomness, which does not depend on the data.
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
  // For results whose noise is that of the first argument, added up or scaled by public numbers: they keep its law.
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

}  // namespace shoal
