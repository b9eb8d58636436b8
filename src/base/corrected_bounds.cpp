#include "base/corrected_bounds.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "base/dates.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }
bool is_letter(char letter) {
  return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_' || static_cast<signed char>(letter) < 0;
}

std::size_t leading_digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

struct Value {
  std::string text;
  std::size_t length = 0;  // in the text as it was typed
  bool is_date = false;
  std::string before;  // what separates it from the value before it, without spaces
};

struct WrittenAxis {
  std::string name;
  std::vector<Value> values;
  std::string words;     // such as :int
  std::string verbatim;  // a list of categories
};

// Parses 31.12.2026, 31.12.26, 31/12/2026 and 12/31/2026 at the start of the text. Returns nothing for other texts, and
// for one that could mean two dates.
std::optional<Value> calendar_date(std::string_view text) {
  std::array<std::string_view, 3> parts;
  std::size_t at = 0;
  const std::size_t mark = leading_digits(text);
  for (std::size_t i = 0; i < 3; ++i) {
    parts[i] = text.substr(at, leading_digits(text.substr(at)));
    at += parts[i].size();
    if (parts[i].empty() || (i < 2 && parts[i].size() > 2)) return std::nullopt;
    if (i == 2) break;
    if (at >= text.size() || text[at] != text[mark] || (text[at] != '.' && text[at] != '/')) return std::nullopt;
    ++at;
  }
  auto [day, month, year] = parts;
  if (year.size() != 4 && year.size() != 2) return std::nullopt;
  if (text[mark] == '/' && day != month) {
    const bool first_is_day = *number_of(day) > 12, second_is_day = *number_of(month) > 12;
    if (first_is_day == second_is_day) return std::nullopt;
    if (second_is_day) std::swap(day, month);
  }
  const char* const century = year.size() == 4 ? "" : *number_of(year) < 69 ? "20" : "19";  // as strptime reads %y
  const std::string date = fmt::format("{}{}-{:0>2}-{:0>2}", century, year, month, day);
  if (!leading_date(date)) return std::nullopt;
  return Value{.text = date, .length = at, .is_date = true, .before = {}};
}

// Parses the value at the start of the text.
std::optional<Value> leading_value(std::string_view text) {
  if (const auto date = leading_date(text)) {
    return Value{
        .text = std::string(text.substr(0, date->length)), .length = date->length, .is_date = true, .before = {}};
  }
  if (auto date = calendar_date(text)) return date;
  std::size_t end = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  const std::size_t digits = leading_digits(text.substr(end));
  end += digits;
  if (end < text.size() && text[end] == '.' && (end + 1 == text.size() || text[end + 1] != '.')) {
    end += 1 + leading_digits(text.substr(end + 1));
  }
  if (end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t sign = text[end + 1] == '-' || text[end + 1] == '+' ? 1 : 0;
    const std::size_t exponent = leading_digits(text.substr(end + 1 + sign));
    if (exponent > 0) end += 1 + sign + exponent;
  }
  if (!number_of(text.substr(0, end))) return std::nullopt;
  return Value{.text = std::string(text.substr(0, end)), .length = end, .is_date = false, .before = {}};
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  // The axes, or nothing if a part has no meaning.
  std::optional<std::vector<WrittenAxis>> axes() {
    while (!rest_.empty()) {
      if (!take_part()) return std::nullopt;
    }
    if (!axes_.empty() && !separator_.empty() && separator_ != "]" && separator_ != ")") return std::nullopt;
    return axes_;
  }

 private:
  bool take_part() {
    const bool may_be_negative = axes_.empty() || axes_.back().values.size() % 2 == 0 || !separator_.empty();
    const bool negative = rest_.starts_with('-') && rest_.size() > 1 && (is_digit(rest_[1]) || rest_[1] == '.');
    const bool is_dot = rest_.front() == '.' && !rest_.starts_with("..");
    if (is_digit(rest_.front()) || is_dot || (negative && may_be_negative)) {
      if (auto value = leading_value(rest_)) return take_value(std::move(*value));
    }
    if (is_letter(rest_.front())) return take_letters();
    if (std::string_view(":-.;,=[]() ").find(rest_.front()) == std::string_view::npos) return false;
    const std::size_t length = rest_.starts_with("..") ? 2 : 1;
    if (rest_.front() != ' ') separator_ += rest_.substr(0, length);
    rest_.remove_prefix(length);
    return true;
  }

  bool take_value(Value value) {
    rest_.remove_prefix(value.length);
    if (axes_.empty() || (axes_.back().name.empty() && is_full(axes_.back().values)) || !axes_.back().words.empty() ||
        !axes_.back().verbatim.empty()) {
      axes_.emplace_back();
    }
    value.before = std::move(separator_);
    separator_.clear();
    axes_.back().values.push_back(std::move(value));
    return true;
  }

  // Whether the next value belongs to another axis. An axis has two values, or four if their decimal mark is a comma.
  [[nodiscard]] bool is_full(const std::vector<Value>& values) const {
    const bool decimal = values.size() >= 2 && values[1].before == "," &&
                         (values.size() > 2 || separator_.find_first_of(",)]") == std::string::npos);
    return values.size() >= (decimal ? 4U : 2U);
  }

  bool take_letters() {
    std::size_t end = 0;
    while (end < rest_.size() && (is_letter(rest_[end]) || is_digit(rest_[end]))) ++end;
    const std::string_view word = rest_.substr(0, end);
    const std::size_t comma = rest_.find(',');
    const std::string_view part = rest_.substr(0, comma);
    const std::size_t after = rest_.find_first_not_of(' ', end);
    const bool option = word == "step" || word == "zone" || word == "epoch" || word == "unit";
    const bool in_an_axis = !axes_.empty() && !axes_.back().values.empty() && axes_.back().verbatim.empty();
    if (in_an_axis && rest_.starts_with("to") && (end == 2 || is_digit(rest_[2]))) {
      separator_ += "to";
      rest_.remove_prefix(2);
    } else if (in_an_axis && axes_.back().values.size() % 2 == 0 && separator_ == ":") {
      const std::size_t word_end = option ? std::min(part.size(), rest_.find(' ')) : end;
      axes_.back().words += fmt::format(":{}", rest_.substr(0, word_end));
      separator_.clear();
      rest_.remove_prefix(word_end);
    } else if (part.find('|') != std::string_view::npos) {
      axes_.emplace_back();
      axes_.back().verbatim = part;
      axes_.back().name = part.substr(0, part.find('='));
      separator_.clear();
      rest_.remove_prefix(part.size());
    } else if (after != std::string_view::npos && (rest_[after] == '=' || rest_[after] == ':')) {
      axes_.push_back({.name = std::string(word), .values = {}, .words = {}, .verbatim = {}});
      separator_.clear();
      rest_.remove_prefix(after + 1);
    } else {
      return false;
    }
    return true;
  }

  std::string_view rest_;
  std::vector<WrittenAxis> axes_;
  std::string separator_;
};

// The two ends of an axis; four values are two with decimal commas.
std::optional<std::string> range_of(const std::vector<Value>& values) {
  if (values.size() == 2 && values[0].is_date == values[1].is_date) {
    return fmt::format("{}:{}", values[0].text, values[1].text);
  }
  if (values.size() != 4 || values[1].before != "," || values[3].before != ",") return std::nullopt;
  const std::string lower = fmt::format("{}.{}", values[0].text, values[1].text);
  const std::string upper = fmt::format("{}.{}", values[2].text, values[3].text);
  if (!number_of(lower) || !number_of(upper)) return std::nullopt;
  return fmt::format("{}:{}", lower, upper);
}

}  // namespace

std::string corrected_bounds(std::string_view text) {
  const auto axes = Reader(text).axes();
  if (!axes) return {};
  std::string result;
  for (const WrittenAxis& axis : *axes) {
    if (axis.name.empty() != axes->front().name.empty()) return {};
    if (!result.empty()) result += ',';
    if (!axis.verbatim.empty()) {
      result += axis.verbatim;
      continue;
    }
    const auto range = range_of(axis.values);
    if (!range) return {};
    result += fmt::format("{}{}{}{}", axis.name, axis.name.empty() ? "" : "=", *range, axis.words);
  }
  return result == text ? "" : result;
}

}  // namespace shoal
