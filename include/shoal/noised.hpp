// What may cross the wall: values that a mechanism has noised. Only Mechanisms (and the reader of a
// release file, whose values were noised when it was written) can make one.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "shoal/cells.hpp"
#include "shoal/grid.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

class Noise;
struct ClusterOptions;

class NoisedKey {
  NoisedKey() = default;
  friend class Mechanisms;
  friend class ReleaseReader;
  friend class PostProcessing;
};

template <class T>
class Noised {
 public:
  Noised(NoisedKey, T value) : value_(std::move(value)) {}
  [[nodiscard]] const T& value() const noexcept { return value_; }

 private:
  T value_;
};

// Counts plus noise on every cell of the grid.
using NoisyCounts = Noised<Cells<std::int64_t>>;

// What post-processing may see: noised values, and parameters that are public by their type.
template <class T>
inline constexpr bool is_public_value = std::is_same_v<T, Grid> || std::is_same_v<T, Epsilon> ||
                                        std::is_same_v<T, PrivacyUnit> || std::is_same_v<T, ClusterOptions>;
template <class T>
inline constexpr bool is_public_value<Noised<T>> = true;
template <class T>
inline constexpr bool is_public_value<std::vector<T>> = is_public_value<T>;

// Post-processing: what is made of noised and public values alone is noised too, and costs nothing. `make` is a plain
// function, which cannot capture, and its arguments are public by their types: raw values have no way in. The second
// form may draw more randomness, which says nothing about the data.
class PostProcessing {
 public:
  template <class R, class... A>
  static Noised<R> of(R (*make)(const A&...), const std::type_identity_t<A>&... values) {
    static_assert((is_public_value<A> && ...), "post-processing takes noised and public values only");
    return Noised<R>(NoisedKey(), make(values...));
  }
  template <class R, class... A>
  static Noised<R> of(R (*make)(Noise&, const A&...), Noise& noise, const std::type_identity_t<A>&... values) {
    static_assert((is_public_value<A> && ...), "post-processing takes noised and public values only");
    return Noised<R>(NoisedKey(), make(noise, values...));
  }
};

}  // namespace shoal
