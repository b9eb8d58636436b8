// Finds the members of JSON objects, one object per line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "points/text_rows.hpp"

namespace shoal {

// Which members of an object are read, and how.
struct JsonLayout : RowLayout {
  std::vector<std::string> members;    // one per role
  std::optional<std::string> refused;  // a member that no object may have
};

class JsonRows final : public TextRows {
 public:
  JsonRows(const JsonLayout& layout, OnBadRow on_bad_row, unsigned worker, const Points::Visit& visit);

  // Replaces escapes in strings in place.
  std::uint64_t parse(TextBlock& block) override;

 private:
  enum RecordFault { twice = of_record, nested_condition, not_utf8, not_json, not_an_object };

  // Each of these starts at p_ and moves it. They return false or nothing, with a fault reported, where the text is not
  // valid JSON.
  bool parse_object();
  bool parse_member(std::size_t field);
  bool skip_value();
  std::optional<std::string_view> take_key();
  std::optional<std::string_view> take_scalar();
  std::optional<std::string_view> take_string();
  std::optional<std::string_view> take_number();
  std::optional<std::string_view> take_word(std::string_view word, std::string_view text);
  bool take_digits();
  // From the backslash of an escape: writes its character to `to`, which moves.
  bool take_escape(char*& to);
  std::optional<std::uint32_t> take_hexadecimal();
  void skip_space() {
    while (*p_ == ' ' || *p_ == '\t' || *p_ == '\r') ++p_;
  }
  bool refuse(RecordFault fault = not_json);
  [[nodiscard]] std::optional<std::size_t> find(std::string_view key) const;
  [[nodiscard]] std::string explain(const BadRow& bad) const override;

  const JsonLayout& layout_;
  char* p_ = nullptr;
  char* line_ = nullptr;      // start of the line at hand
  char* line_end_ = nullptr;  // its \n
  std::vector<bool> seen_;    // which members the object has
  std::vector<char> open_;    // what closes the arrays and objects that are open
};

}  // namespace shoal
