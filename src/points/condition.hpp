// Conditions on one record, as --where takes them. docs/where.md defines the language. Raw side.
//
//   condition  = part { "or" part }        part = factor { "and" factor }
//   factor     = "not" factor | "(" condition ")" | test
//   test       = COLUMN ( "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=" ) value
//              | COLUMN [ "not" ] "in" "(" value { "," value } ")"
//              | COLUMN [ "not" ] "between" value "and" value
//              | COLUMN [ "not" ] "like" TEXT
//              | COLUMN "is" [ "not" ] "null"
//   value      = NUMBER | TEXT | "date" TEXT
//
// A test compares one column of a record with values of the condition. There are no functions, no queries and no second
// column, so nothing in the language can refer to another record. Every source evaluates the same tree by the same
// code.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shoal {

// The type of a value, and of a column as its source declares it. Fields of CSV files and JSON lines are texts.
enum class ConditionKind : std::uint8_t { number, text, date };

// A value of the condition.
struct ConditionLiteral {
  ConditionKind kind = ConditionKind::number;
  double number = 0;      // of a number; of a date: seconds since 1970 in UTC
  std::string text = {};  // as written, without the quotes
  std::size_t at = 1;     // the character of the condition that it starts at, counted from 1
};

enum class ConditionTest : std::uint8_t { less, at_most, equal, not_equal, at_least, greater, in, between, like, null };

// The syntax tree.
struct ConditionNode {
  enum class Kind : std::uint8_t { all, any, negation, test };
  Kind kind = Kind::test;
  std::vector<ConditionNode> parts = {};  // of all, any and negation
  // The rest describes a test. BoundCondition sets `compared`, the type in which column and values are compared.
  ConditionTest test = ConditionTest::null;
  std::size_t column = 0;  // index into Condition::columns()
  std::vector<ConditionLiteral> values = {};
  ConditionKind compared = ConditionKind::text;
};

class Condition {
 public:
  // Parses the text. Throws InputError with the position of the first fault.
  explicit Condition(std::string_view text);
  // The names of the columns, each once.
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }
  [[nodiscard]] const ConditionNode& root() const noexcept { return root_; }

 private:
  std::vector<std::string> columns_;
  ConditionNode root_;
};

// What one record holds in one column: the text of a column of texts, empty if there is none; else the number, or the
// seconds since 1970, NaN if there is none.
struct ConditionValue {
  std::string_view text = {};
  double number = 0;
};

// How an input writes numbers, dates and missing values.
struct InputMarks {
  char decimal = '.', thousands = '\0';   // 0: no such mark
  std::string date_layout = {};           // as rewritten_date() takes it; empty: ISO 8601
  std::vector<std::string> missing = {};  // these texts, and the numbers among them, stand for no value
};

enum class Truth : std::uint8_t { no, unknown, yes };

// A condition on columns of known types.
class BoundCondition {
 public:
  // kinds: of condition.columns(), in their order. Throws InputError if a value cannot be compared with its column.
  BoundCondition(const Condition& condition, std::vector<ConditionKind> kinds, InputMarks marks = {});

  // Kleene's logic: a test of a missing value is unknown, and so is a comparison of a text that is not a number with a
  // number, or not a date with a date. A record is selected if and only if the answer is yes.
  [[nodiscard]] Truth evaluate(std::span<const ConditionValue> record) const { return evaluate(root_, record); }
  [[nodiscard]] bool selects(std::span<const ConditionValue> record) const { return evaluate(record) == Truth::yes; }

  [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }
  [[nodiscard]] const std::vector<ConditionKind>& kinds() const noexcept { return kinds_; }
  [[nodiscard]] const ConditionNode& root() const noexcept { return root_; }

 private:
  void bind(ConditionNode& node) const;
  [[nodiscard]] Truth evaluate(const ConditionNode& node, std::span<const ConditionValue> record) const;
  [[nodiscard]] bool is_missing(ConditionKind kind, std::string_view text, double number) const;
  [[nodiscard]] Truth evaluate_test(const ConditionNode& node, const ConditionValue& value) const;

  std::vector<std::string> columns_;
  std::vector<ConditionKind> kinds_;
  ConditionNode root_;
  InputMarks marks_;
  std::vector<double> missing_numbers_;
};

}  // namespace shoal
