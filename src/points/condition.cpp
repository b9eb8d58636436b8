#include "points/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/dates.hpp"
#include "base/utf8.hpp"
#include "points/numbers.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"

namespace shoal {

namespace {

constexpr std::size_t longest_condition = std::size_t{1} << 16;  // bytes
constexpr int deepest_nesting = 100;

struct Token {
  enum class Kind { word, name, text, number, symbol, end };  // name: a word in double quotes
  Kind kind = Kind::end;
  std::string text = {};  // without quotes
  std::size_t begin = 0;  // byte
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return c < 0x80 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c); });
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_word(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_keyword(const std::string& word) {
  static constexpr std::array<std::string_view, 8> keywords{"and", "or", "not", "in", "between", "like", "is", "null"};
  return std::find(keywords.begin(), keywords.end(), lower(word)) != keywords.end();
}

// Seconds since 1970 of a text that is a date and nothing else. A date without a zone is in UTC.
std::optional<double> whole_date(std::string_view text) {
  const auto date = leading_date(text);
  if (!date || date->length != text.size()) return std::nullopt;
  return date->seconds - date->offset.value_or(0);
}

std::size_t character_at(std::string_view text, std::size_t byte) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < byte && i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80) ++count;
  }
  return count;
}

[[noreturn]] void fail_at(std::size_t character, const std::string& what) {
  throw InputError(fmt::format("the condition is not valid at character {}: {}", character, what));
}

class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string>& columns) : text_(text), columns_(columns) {
    if (text.size() > longest_condition) {
      throw InputError(fmt::format("the condition is longer than {} KiB; shorten it", longest_condition >> 10U));
    }
    if (!is_utf8(text)) throw InputError("the condition is not UTF-8 text; correct its encoding");
    advance();
  }

  ConditionNode parse() {
    ConditionNode root = alternatives();
    if (token_.kind != Token::Kind::end) fail("and, or, or the end");
    return root;
  }

 private:
  [[noreturn]] void fail(std::string_view wanted, std::string_view advice = {}) const {
    const std::string found = token_.kind == Token::Kind::end ? "its end" : fmt::format("'{}'", token_.text);
    fail_at(character_at(text_, token_.begin), fmt::format("expected {}, found {}{}", wanted, found, advice));
  }

  // ---- tokens

  void advance() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    token_ = {.begin = at_};
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    const bool sign = c == '-' || c == '+';
    if (c == '\'' || c == '"') return take_quoted(c);
    if (begins_word(c)) return take(Token::Kind::word, [](char d) { return begins_word(d) || is_digit(d); });
    if (is_digit(c) || (c == '.' && is_digit(next)) || (sign && (is_digit(next) || next == '.'))) return take_number();
    for (const std::string_view symbol : {"<=", ">=", "<>", "!=", "=", "<", ">", "(", ")", ","}) {
      if (!text_.substr(at_).starts_with(symbol)) continue;
      at_ += symbol.size();
      token_.kind = Token::Kind::symbol;
      token_.text = std::string(symbol);
      return;
    }
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text_.substr(at_)));
    const bool shown = static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    fail_at(character_at(text_, at_),
            fmt::format("{} is not part of a condition",
                        shown ? fmt::format("'{}'", text_.substr(at_, length)) : "a control character"));
  }

  template <class Belongs>
  void take(Token::Kind kind, const Belongs& belongs) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    token_.kind = kind;
    token_.text = text_.substr(begin, at_ - begin);
  }

  void take_number() {
    const std::size_t begin = at_++;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_], before = text_[at_ - 1];
      const bool exponent_sign = (c == '-' || c == '+') && (before == 'e' || before == 'E');
      if (!is_digit(c) && !begins_word(c) && c != '.' && !exponent_sign) break;
    }
    token_.kind = Token::Kind::number;
    token_.text = text_.substr(begin, at_ - begin);
  }

  // A quote inside is written twice.
  void take_quoted(char quote) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote) {
        if (at_ + 1 == text_.size() || text_[at_ + 1] != quote) break;
        ++at_;
      }
      token_.text += text_[at_];
    }
    if (at_ == text_.size()) fail_at(character_at(text_, token_.begin), "a quote is not closed");
    ++at_;
    token_.kind = quote == '"' ? Token::Kind::name : Token::Kind::text;
  }

  [[nodiscard]] bool is_word(std::string_view word) const {
    return token_.kind == Token::Kind::word && lower(token_.text) == word;
  }
  [[nodiscard]] bool is_symbol(std::string_view symbol) const {
    return token_.kind == Token::Kind::symbol && token_.text == symbol;
  }
  bool take_word(std::string_view word) {
    const bool found = is_word(word);
    if (found) advance();
    return found;
  }
  void need_symbol(std::string_view symbol) {
    if (!is_symbol(symbol)) fail(fmt::format("'{}'", symbol));
    advance();
  }

  // ---- the grammar

  ConditionNode alternatives() {
    return list(ConditionNode::Kind::any, "or",
                [this] { return list(ConditionNode::Kind::all, "and", [this] { return factor(); }); });
  }

  template <class Part>
  ConditionNode list(ConditionNode::Kind kind, std::string_view word, const Part& part) {
    ConditionNode first = part();
    if (!is_word(word)) return first;
    ConditionNode result{.kind = kind};
    result.parts.push_back(std::move(first));
    while (take_word(word)) result.parts.push_back(part());
    return result;
  }

  ConditionNode factor() {
    if (++depth_ > deepest_nesting) {
      fail_at(character_at(text_, token_.begin),
              fmt::format("more than {} levels of not and brackets", deepest_nesting));
    }
    ConditionNode result;
    if (take_word("not")) {
      result = negated(factor());
    } else if (is_symbol("(")) {
      advance();
      result = alternatives();
      need_symbol(")");
    } else {
      result = test();
    }
    --depth_;
    return result;
  }

  static ConditionNode negated(ConditionNode part) {
    ConditionNode result{.kind = ConditionNode::Kind::negation};
    result.parts.push_back(std::move(part));
    return result;
  }

  ConditionNode test() {
    ConditionNode result{.column = column()};
    if (take_word("is")) {
      const bool negate = take_word("not");
      if (!take_word("null")) fail("null");
      return negate ? negated(std::move(result)) : result;
    }
    const bool negate = take_word("not");
    if (take_word("in")) {
      result.test = ConditionTest::in;
      need_symbol("(");
      do result.values.push_back(value());
      while (take_comma());
      need_symbol(")");
    } else if (take_word("between")) {
      result.test = ConditionTest::between;
      result.values.push_back(value());
      if (!take_word("and")) fail("and");
      result.values.push_back(value());
    } else if (take_word("like")) {
      result.test = ConditionTest::like;
      result.values.push_back(pattern());
    } else {
      if (negate) fail("in, between or like");
      result.test = comparison();
      result.values.push_back(value());
    }
    return negate ? negated(std::move(result)) : result;
  }

  bool take_comma() {
    const bool found = is_symbol(",");
    if (found) advance();
    return found;
  }

  std::size_t column() {
    const bool plain = token_.kind == Token::Kind::word && !is_keyword(token_.text);
    if (!plain && token_.kind != Token::Kind::name) {
      fail("a column", token_.kind == Token::Kind::text ? "; write columns plainly or in double quotes" : "");
    }
    if (token_.text.empty()) fail("a column");
    auto found = std::find(columns_.begin(), columns_.end(), token_.text);
    if (found == columns_.end()) found = columns_.insert(found, token_.text);
    advance();
    return static_cast<std::size_t>(found - columns_.begin());
  }

  ConditionTest comparison() {
    static constexpr std::array<std::pair<std::string_view, ConditionTest>, 7> symbols{
        {{"<", ConditionTest::less},
         {"<=", ConditionTest::at_most},
         {"=", ConditionTest::equal},
         {"<>", ConditionTest::not_equal},
         {"!=", ConditionTest::not_equal},
         {">=", ConditionTest::at_least},
         {">", ConditionTest::greater}}};
    for (const auto& [symbol, test] : symbols) {
      if (!is_symbol(symbol)) continue;
      advance();
      return test;
    }
    fail("a comparison, in, between, like or is",
         is_symbol("(") ? "; a condition has no functions (a whole query goes to --sql)" : "");
  }

  ConditionLiteral value() {
    ConditionLiteral result{.at = character_at(text_, token_.begin)};
    if (token_.kind == Token::Kind::number) {
      if (!parse_number(token_.text, result.number) || !std::isfinite(result.number)) {
        fail_at(result.at, fmt::format("'{}' is not a number", token_.text));
      }
    } else if (token_.kind == Token::Kind::text) {
      result.kind = ConditionKind::text;
    } else if (take_word("date")) {
      if (token_.kind != Token::Kind::text) fail("a date in single quotes");
      const auto seconds = whole_date(token_.text);
      if (!seconds)
        fail_at(result.at, fmt::format("'{}' is not a date, such as '2026-03-01' or '2026-03-01 14:30'", token_.text));
      result.kind = ConditionKind::date;
      result.number = *seconds;
    } else {
      fail("a value", is_word("null") ? "; write: is null"
                      : token_.kind == Token::Kind::word || token_.kind == Token::Kind::name
                          ? "; write texts in single quotes; columns are compared with values only"
                          : "");
    }
    result.text = token_.text;
    advance();
    return result;
  }

  ConditionLiteral pattern() {
    if (token_.kind != Token::Kind::text) fail("a pattern in single quotes");
    ConditionLiteral result = value();
    for (std::size_t i = 0; i < result.text.size(); ++i) {
      if (result.text[i] != '\\') continue;
      if (++i == result.text.size() || std::string_view("%_\\").find(result.text[i]) == std::string_view::npos) {
        fail_at(result.at, "a backslash in a pattern stands before %, _ or another backslash");
      }
    }
    return result;
  }

  std::string_view text_;
  std::vector<std::string>& columns_;
  std::size_t at_ = 0;
  Token token_;
  int depth_ = 0;
};

const char* in_words(ConditionKind kind) {
  return kind == ConditionKind::number ? "numbers" : kind == ConditionKind::text ? "text" : "dates";
}

Truth truth(bool value) { return value ? Truth::yes : Truth::no; }

// Whether the text matches a pattern: % is any text, _ one character, a backslash takes the next character as it is.
bool matches(std::string_view text, std::string_view pattern) {
  std::string_view retry_text, retry_pattern;  // behind the last %
  bool can_retry = false;
  for (;;) {
    if (!pattern.empty() && pattern.front() == '%') {
      pattern.remove_prefix(1);
      retry_text = text;
      retry_pattern = pattern;
      can_retry = true;
      continue;
    }
    if (text.empty() && pattern.empty()) return true;
    std::size_t step = 0;
    if (!text.empty() && !pattern.empty()) {
      const bool escaped = pattern.front() == '\\';
      const std::string_view rest = pattern.substr(escaped ? 1 : 0);
      if (!escaped && pattern.front() == '_') {
        step = std::max<std::size_t>(1, utf8_length(text));
        pattern.remove_prefix(1);
      } else if (rest.front() == text.front()) {
        step = 1;
        pattern = rest.substr(1);
      }
    }
    if (step > 0) {
      text.remove_prefix(step);
      continue;
    }
    if (!can_retry || retry_text.empty()) return false;
    retry_text.remove_prefix(std::max<std::size_t>(1, utf8_length(retry_text)));
    text = retry_text;
    pattern = retry_pattern;
  }
}

// Compares a value with those of a test; `value_of` returns a literal as a value of the same type.
template <class Value, class ValueOf>
bool compares(ConditionTest test, const Value& value, const std::vector<ConditionLiteral>& literals,
              const ValueOf& value_of) {
  switch (test) {
    case ConditionTest::less:
      return value < value_of(literals[0]);
    case ConditionTest::at_most:
      return value <= value_of(literals[0]);
    case ConditionTest::equal:
      return value == value_of(literals[0]);
    case ConditionTest::not_equal:
      return value != value_of(literals[0]);
    case ConditionTest::at_least:
      return value >= value_of(literals[0]);
    case ConditionTest::greater:
      return value > value_of(literals[0]);
    case ConditionTest::between:
      return value_of(literals[0]) <= value && value <= value_of(literals[1]);
    case ConditionTest::in:
      return std::any_of(literals.begin(), literals.end(),
                         [&](const auto& literal) { return value == value_of(literal); });
    default:
      return false;
  }
}

}  // namespace

Condition::Condition(std::string_view text) { root_ = Parser(text, columns_).parse(); }

BoundCondition::BoundCondition(const Condition& condition, std::vector<ConditionKind> kinds, InputMarks marks)
    : columns_(condition.columns()), kinds_(std::move(kinds)), root_(condition.root()), marks_(std::move(marks)) {
  for (const std::string& text : marks_.missing) {
    if (double number = 0; parse_number(text, number)) missing_numbers_.push_back(number);
  }
  if (kinds_.size() != columns_.size()) throw Error(ErrorKind::internal, "a condition needs a type per column");
  bind(root_);
}

void BoundCondition::bind(ConditionNode& node) const {
  for (ConditionNode& part : node.parts) bind(part);
  if (node.kind != ConditionNode::Kind::test || node.test == ConditionTest::null) return;
  const ConditionKind declared = kinds_[node.column];
  const std::string& name = columns_[node.column];
  if (declared == ConditionKind::number && node.test == ConditionTest::like) {
    fail_at(node.values[0].at, fmt::format("column '{}' holds numbers, and like compares text", name));
  }
  for (ConditionLiteral& value : node.values) {
    if (declared == ConditionKind::date && value.kind == ConditionKind::text && node.test != ConditionTest::like) {
      const auto seconds = whole_date(unit_key(value.text));
      if (!seconds) {
        fail_at(value.at, fmt::format("column '{}' holds dates, and '{}' is not one, such as '2026-03-01' or "
                                      "'2026-03-01 14:30'",
                                      name, value.text));
      }
      value.kind = ConditionKind::date;
      value.number = *seconds;
    }
    if (declared != ConditionKind::text && value.kind != declared) {
      fail_at(value.at, fmt::format("column '{}' holds {}, and the value is {}{}", name, in_words(declared),
                                    value.kind == ConditionKind::number ? "a number"
                                    : value.kind == ConditionKind::text ? "a text"
                                                                        : "a date",
                                    declared == ConditionKind::number ? "; write numbers without quotes" : ""));
    }
    if (value.kind != node.values[0].kind) fail_at(value.at, "the values of a test are of different types");
    if (value.kind == ConditionKind::text && node.test != ConditionTest::like)
      value.text = std::string(unit_key(value.text));
  }
  node.compared = node.values[0].kind;
}

Truth BoundCondition::evaluate(const ConditionNode& node, std::span<const ConditionValue> record) const {
  switch (node.kind) {
    case ConditionNode::Kind::test:
      return evaluate_test(node, record[node.column]);
    case ConditionNode::Kind::negation: {
      const Truth part = evaluate(node.parts[0], record);
      return part == Truth::unknown ? part : truth(part == Truth::no);
    }
    case ConditionNode::Kind::all: {
      Truth result = Truth::yes;
      for (const ConditionNode& part : node.parts) result = std::min(result, evaluate(part, record));
      return result;
    }
    default: {
      Truth result = Truth::no;
      for (const ConditionNode& part : node.parts) result = std::max(result, evaluate(part, record));
      return result;
    }
  }
}

bool BoundCondition::is_missing(ConditionKind kind, std::string_view text, double number) const {
  if (kind == ConditionKind::text) {
    if (text.empty() || std::find(marks_.missing.begin(), marks_.missing.end(), text) != marks_.missing.end()) {
      return true;
    }
    if (missing_numbers_.empty() || !parse_marked_number(text, marks_.decimal, marks_.thousands, number)) return false;
  }
  if (kind == ConditionKind::date) return std::isnan(number);
  const bool listed = std::find(missing_numbers_.begin(), missing_numbers_.end(), number) != missing_numbers_.end();
  return listed || (kind == ConditionKind::number && std::isnan(number));
}

Truth BoundCondition::evaluate_test(const ConditionNode& node, const ConditionValue& value) const {
  const bool is_text = kinds_[node.column] == ConditionKind::text;
  const std::string_view text = is_text ? unit_key(value.text) : std::string_view{};
  const bool missing = is_missing(kinds_[node.column], text, value.number);
  if (node.test == ConditionTest::null) return truth(missing);
  if (missing) return Truth::unknown;
  if (node.compared == ConditionKind::text) {
    if (node.test == ConditionTest::like) return truth(matches(text, node.values[0].text));
    return truth(compares(node.test, text, node.values,
                          [](const ConditionLiteral& literal) { return std::string_view(literal.text); }));
  }
  double number = value.number;
  if (is_text && node.compared == ConditionKind::number) {
    if (!parse_marked_number(text, marks_.decimal, marks_.thousands, number)) return Truth::unknown;
  } else if (is_text) {
    const std::string& layout = marks_.date_layout;
    const std::optional<std::string> rewritten = layout.empty() ? std::nullopt : rewritten_date(text, layout);
    const bool known = layout.empty() || rewritten;
    number = (known ? whole_date(rewritten ? *rewritten : text) : std::nullopt)
                 .value_or(std::numeric_limits<double>::quiet_NaN());
  }
  if (std::isnan(number)) return Truth::unknown;
  return truth(
      compares(node.test, number, node.values, [](const ConditionLiteral& literal) { return literal.number; }));
}

}  // namespace shoal
