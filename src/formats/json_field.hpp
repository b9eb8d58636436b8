// The values of a JSON document with their places. Every type and range is checked, and errors name the place as a JSON
// pointer.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>

#include "formats/json_tree.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// The nesting: clusters / item / outline / polygon / ring / point / number, and the document itself.
inline constexpr std::size_t deepest_release = 8;

inline constexpr std::size_t longest_text = 1000;

class Items;

// A value of a document, which must outlive it.
class JsonField {
 public:
  using Kind = JsonTree::Kind;

  // The whole document.
  explicit JsonField(const JsonTree& tree) : JsonField(tree, tree.top(), tree.top()) {}

  // Returns the value as a document of its own: places in messages start here.
  [[nodiscard]] JsonField as_document() const { return {*tree_, *node_, *node_}; }

  [[noreturn]] void refuse(const std::string& what) const {
    const std::string place = tree_->pointer(*document_, *node_);
    throw InputError(fmt::format("at {}: {}", place.empty() ? "the top" : place, what));
  }

  // Throws unless the value is an object that has all required keys, and no others except the optional ones.
  void expect_keys(std::initializer_list<std::string_view> required,
                   std::initializer_list<std::string_view> optional = {}) const {
    if (node_->kind != Kind::object) refuse("must be an object");
    for (const std::string_view key : required) {
      if (!has(key)) refuse(fmt::format("lacks '{}'", key));
    }
    const auto is_in = [](std::initializer_list<std::string_view> keys, std::string_view key) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    const std::span<const JsonTree::Node> members = tree_->items(*node_);
    for (std::size_t i = 0; i < members.size(); i += 2) {
      const std::string_view key = tree_->text(members[i]);
      if (!is_in(required, key) && !is_in(optional, key)) refuse(fmt::format("has the unknown key '{}'", key));
    }
  }

  [[nodiscard]] bool has(std::string_view key) const { return tree_->find(*node_, key) != nullptr; }
  [[nodiscard]] JsonField operator[](std::string_view key) const {
    const JsonTree::Node* const found = tree_->find(*node_, key);
    if (found == nullptr) refuse(fmt::format("lacks '{}'", key));
    return {*tree_, *document_, *found};
  }

  // Returns the items of a list. They are created when they are accessed, because a list may be long.
  [[nodiscard]] Items items() const;
  // Returns the keys of an object, ascending.
  [[nodiscard]] std::vector<std::string> keys() const {
    if (node_->kind != Kind::object) refuse("must be an object");
    const std::span<const JsonTree::Node> members = tree_->items(*node_);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < members.size(); i += 2) result.emplace_back(tree_->text(members[i]));
    return result;
  }

  [[nodiscard]] bool is_string() const { return node_->kind == Kind::text; }

  // Returns the text where the document holds it.
  [[nodiscard]] std::string_view view(std::size_t longest = longest_text) const {
    if (!is_string()) refuse("must be a string");
    if (node_->size > longest) refuse(fmt::format("must not be longer than {} bytes", longest));
    return tree_->text(*node_);
  }
  [[nodiscard]] std::string text(std::size_t longest = longest_text) const { return std::string(view(longest)); }

  [[nodiscard]] bool truth() const {
    if (node_->kind != Kind::truth) refuse("must be true or false");
    return node_->bits != 0;
  }

  [[nodiscard]] double number() const {
    switch (node_->kind) {
      case Kind::real:
        return __builtin_bit_cast(double, node_->bits);
      case Kind::unsigned_integer:
        return static_cast<double>(node_->bits);
      case Kind::negative_integer:
        return static_cast<double>(static_cast<std::int64_t>(node_->bits));
      default:
        refuse("must be a number");
    }
  }

  [[nodiscard]] std::uint64_t whole(std::uint64_t least, std::uint64_t most) const {
    const bool fits = node_->kind == Kind::unsigned_integer && node_->bits >= least && node_->bits <= most;
    if (!fits) refuse(fmt::format("must be a whole number from {} to {}", least, most));
    return node_->bits;
  }

  [[nodiscard]] std::int64_t integer() const {
    const bool fits = node_->kind == Kind::negative_integer ||
                      (node_->kind == Kind::unsigned_integer && node_->bits <= std::uint64_t{INT64_MAX});
    if (!fits) refuse("must be a whole number of at most 64 bits");
    return static_cast<std::int64_t>(node_->bits);
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

  [[nodiscard]] const JsonTree& tree() const noexcept { return *tree_; }
  [[nodiscard]] const JsonTree::Node& node() const noexcept { return *node_; }

 private:
  friend class Items;
  JsonField(const JsonTree& tree, const JsonTree::Node& document, const JsonTree::Node& node)
      : tree_(&tree), document_(&document), node_(&node) {}

  const JsonTree* tree_;
  const JsonTree::Node* document_;
  const JsonTree::Node* node_;
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

  explicit Items(const JsonField& list) : list_(list), nodes_(list.tree().items(list.node())) {}

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  JsonField operator[](std::size_t i) const { return {*list_.tree_, *list_.document_, nodes_[i]}; }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

 private:
  JsonField list_;
  std::span<const JsonTree::Node> nodes_;
};

inline Items JsonField::items() const {
  if (node_->kind != Kind::list) refuse("must be a list");
  return Items(*this);
}

// Returns the budget that epsilon and epsilon_exact of an object state.
Epsilon epsilon_of(const JsonField& parent);

}  // namespace shoal
