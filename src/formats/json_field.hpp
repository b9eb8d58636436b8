// The values of a JSON document with their places. Every type and range is checked, and errors name the place as a JSON
// pointer.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

using nlohmann::json;

// The nesting: clusters / item / outline / polygon / ring / point / number, and the document itself.
inline constexpr std::size_t deepest_release = 8;
// Throws if the text is not JSON, is nested more deeply, or has the same key twice in an object (programs differ in
// which of the two they read).
json parse_strictly(const std::string& text, std::size_t deepest = deepest_release);

inline constexpr std::size_t longest_text = 1000;

class Items;

// The way from the top of a document to a value. It becomes text only in an error: files hold hundreds of thousands of
// values.
class JsonPlace {
 public:
  // key: a literal.
  [[nodiscard]] JsonPlace at(const char* key) const { return then({key, 0}); }
  [[nodiscard]] JsonPlace at(std::size_t index) const { return then({nullptr, index}); }

  // A JSON pointer.
  [[nodiscard]] std::string text() const {
    std::string result;
    for (std::size_t i = 0; i < length_; ++i) {
      result += steps_[i].key != nullptr ? fmt::format("/{}", steps_[i].key) : fmt::format("/{}", steps_[i].index);
    }
    return result.empty() ? "the top" : result;
  }

 private:
  struct Step {
    const char* key = nullptr;  // null in a list
    std::size_t index = 0;
  };
  static constexpr std::size_t most = deepest_release + 4;  // no document is nested more deeply

  [[nodiscard]] JsonPlace then(Step step) const {
    JsonPlace result;
    std::copy_n(steps_.begin(), length_, result.steps_.begin());
    result.steps_.at(length_) = step;
    result.length_ = length_ + 1;
    return result;
  }

  std::array<Step, most> steps_{};
  std::size_t length_ = 0;
};

// A value and its place in the document.
class JsonField {
 public:
  // The whole document.
  explicit JsonField(const json& document) : value_(&document) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("at {}: {}", place_.text(), what));
  }

  // Throws unless the value is an object that has all required keys, and no others except the optional ones.
  void expect_keys(const std::vector<const char*>& required, const std::vector<const char*>& optional = {}) const {
    if (!value_->is_object()) refuse("must be an object");
    for (const char* key : required) {
      if (!value_->contains(key)) refuse(fmt::format("lacks '{}'", key));
    }
    const auto is_in = [](const std::vector<const char*>& keys, const std::string& key) {
      return std::any_of(keys.begin(), keys.end(), [&key](const char* known) { return key == known; });
    };
    for (const auto& item : value_->items()) {
      if (!is_in(required, item.key()) && !is_in(optional, item.key())) {
        refuse(fmt::format("has the unknown key '{}'", item.key()));
      }
    }
  }

  [[nodiscard]] bool has(const char* key) const { return value_->contains(key); }
  [[nodiscard]] JsonField operator[](const char* key) const { return {value_->at(key), place_.at(key)}; }

  [[nodiscard]] const json& value() const { return *value_; }

  // Returns the items of a list. They are created when they are accessed, because a list may be long.
  [[nodiscard]] Items items() const;

  [[nodiscard]] bool is_string() const { return value_->is_string(); }

  [[nodiscard]] const std::string& text(std::size_t longest = longest_text) const {
    if (!value_->is_string()) refuse("must be a string");
    const auto& result = value_->get_ref<const std::string&>();
    if (result.size() > longest) refuse(fmt::format("must not be longer than {} bytes", longest));
    return result;
  }

  [[nodiscard]] bool truth() const {
    if (!value_->is_boolean()) refuse("must be true or false");
    return value_->get<bool>();
  }

  [[nodiscard]] double number() const {
    if (!value_->is_number()) refuse("must be a number");
    const auto result = value_->get<double>();
    if (!std::isfinite(result)) refuse("must be a finite number");
    return result;
  }

  [[nodiscard]] std::uint64_t whole(std::uint64_t least, std::uint64_t most) const {
    const bool fits =
        value_->is_number_unsigned() && value_->get<std::uint64_t>() >= least && value_->get<std::uint64_t>() <= most;
    if (!fits) refuse(fmt::format("must be a whole number from {} to {}", least, most));
    return value_->get<std::uint64_t>();
  }

  [[nodiscard]] std::int64_t integer() const {
    const bool fits = value_->is_number_integer() &&
                      (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    if (!fits) refuse("must be a whole number of at most 64 bits");
    return value_->get<std::int64_t>();
  }

  template <class Value, std::size_t count>
  [[nodiscard]] Value one_of(const Words<Value, count>& words) const {
    const auto result = meaning(words, text());
    if (!result) {
      std::vector<std::string_view> known;
      for (const auto& entry : words) known.push_back(entry.second);
      refuse(fmt::format("is '{}', but must be one of {}", text(), fmt::join(known, ", ")));
    }
    return *result;
  }

  // Calls a function of the library on this value. If it throws an InputError, the error is thrown again with the
  // place.
  template <class Make>
  auto made_by(Make make) const {
    try {
      return make();
    } catch (const InputError& error) {
      refuse(error.what());
    }
  }

 private:
  friend class Items;
  JsonField(const json& value, const JsonPlace& place) : value_(&value), place_(place) {}

  const json* value_;
  JsonPlace place_;
};

class Items {
 public:
  class Iterator {
   public:
    Iterator(const Items& items, std::size_t at) : items_(&items), at_(at) {}
    JsonField operator*() const { return (*items_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const Items* items_;
    std::size_t at_;
  };

  explicit Items(JsonField list) : list_(std::move(list)) {}

  [[nodiscard]] std::size_t size() const { return list_.value_->size(); }
  JsonField operator[](std::size_t i) const { return {(*list_.value_)[i], list_.place_.at(i)}; }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

 private:
  JsonField list_;
};

inline Items JsonField::items() const {
  if (!value_->is_array()) refuse("must be a list");
  return Items(*this);
}

// Returns the budget that epsilon and epsilon_exact of an object state.
Epsilon epsilon_of(const JsonField& parent);

}  // namespace shoal
