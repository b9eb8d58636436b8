// A JSON document for reading. Files of releases hold hundreds of thousands of numbers, so a value takes 16 bytes, the
// items of a list lie side by side, and texts stay where they were read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shoal {

class JsonTree {
 public:
  enum class Kind : std::uint8_t { null, truth, unsigned_integer, negative_integer, real, text, list, object };

  struct Node {
    Kind kind = Kind::null;
    std::uint32_t size = 0;  // bytes of a text, items of a list, members of an object
    std::uint64_t bits = 0;  // the number or truth, or the place of the text or of the first item
  };

  // Throws if the text is not JSON in UTF-8, if a number is too large for a double, if lists and objects are nested
  // more deeply, or if an object has a key twice (programs differ in which of the two they read).
  JsonTree(std::string text, std::size_t deepest);

  [[nodiscard]] const Node& top() const noexcept { return nodes_.back(); }
  [[nodiscard]] std::string_view text(const Node& text) const {
    return std::string_view(text_).substr(text.bits, text.size);
  }
  // Returns the items of a list. For an object: a key, its value, the next key, ..., in ascending order of the keys.
  [[nodiscard]] std::span<const Node> items(const Node& node) const {
    return std::span(nodes_).subspan(node.bits, node.kind == Kind::object ? std::size_t{2} * node.size : node.size);
  }
  // Returns the value of the key, or null if the node is not an object or lacks it.
  [[nodiscard]] const Node* find(const Node& object, std::string_view key) const;
  // Returns the JSON pointer that leads from a value to a value inside it. It takes a search, for messages.
  [[nodiscard]] std::string pointer(const Node& from, const Node& to) const;

 private:
  friend class JsonParser;
  bool add_steps(const Node& from, const Node& to, std::string& path) const;

  std::string text_;
  std::vector<Node> nodes_;  // the last one is the top
};

}  // namespace shoal
