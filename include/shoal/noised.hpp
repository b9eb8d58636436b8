// What may cross the wall: values that a mechanism has noised. Only Mechanisms (and the reader of a
// release file, whose values were noised when it was written) can make one.
#pragma once

#include <cstdint>
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
  friend class ReleaseReader;
  friend class PostProcessing;
};

// Copied by functions of its own: std::bit_cast makes none of raw values.
template <class T>
class Noised {
 public:
  Noised(NoisedKey, T value) : value_(std::move(value)) {}
  Noised(const Noised& other) : value_(other.value_) {}
  Noised(Noised&& other) noexcept : value_(std::move(other.value_)) {}
  Noised& operator=(const Noised& other) {
    value_ = other.value_;
    return *this;
  }
  Noised& operator=(Noised&& other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Noised() = default;
  [[nodiscard]] const T& value() const noexcept { return value_; }

 private:
  T value_;
};

// Counts plus noise on every cell of the grid.
using NoisyCounts = Noised<Cells<std::int64_t>>;

// What post-processing may see: noised values, parameters that are public by their type, lists of these and of lists.
// Concepts cannot be specialized for other types.
template <class T>
concept PublicOne = std::is_same_v<T, Grid> || std::is_same_v<T, Epsilon> || std::is_same_v<T, PrivacyUnit> ||
    std::is_same_v<T, ClusterOptions> || requires(std::type_identity<T> type) {
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
// function, which cannot capture, and its arguments are public by their types; docs/privacy.md says what that does not
// hold. The second form may draw more randomness, which says nothing about the data.
class PostProcessing {
 public:
  template <class R, PublicValue... A>
  static Noised<R> of(R (*make)(const A&...), const std::type_identity_t<A>&... values) {
    return Noised<R>(NoisedKey(), make(values...));
  }
  template <class R, PublicValue... A>
  static Noised<R> of(R (*make)(Noise&, const A&...), Noise& noise, const std::type_identity_t<A>&... values) {
    return Noised<R>(NoisedKey(), make(noise, values...));
  }
};

}  // namespace shoal
