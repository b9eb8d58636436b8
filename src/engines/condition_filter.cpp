#include "engines/condition_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/dates.hpp"
#include "engines/query.hpp"
#include "points/arrow_columns.hpp"

namespace shoal {

namespace {

// Whole numbers below this are exact as doubles, and so are their neighbours.
constexpr double exact_below = 9007199254740992.0;

class Writer {
 public:
  Writer(std::span<const FilterColumn> columns, Engine engine) : columns_(columns), engine_(engine) {}

  // True for every row for which the node is true; with `negate`, for which it is false.
  [[nodiscard]] std::string write(const ConditionNode& node, bool negate) const {
    if (node.kind == ConditionNode::Kind::negation) return write(node.parts[0], !negate);
    if (node.kind == ConditionNode::Kind::test) return test(node, negate);
    const bool all = (node.kind == ConditionNode::Kind::all) != negate;
    std::vector<std::string> parts;
    for (const ConditionNode& part : node.parts) {
      std::string sql = write(part, negate);
      if (!sql.empty()) parts.push_back(std::move(sql));
    }
    if (parts.empty() || (!all && parts.size() < node.parts.size())) return {};
    return fmt::format("({})", fmt::join(parts, all ? " and " : " or "));
  }

 private:
  [[nodiscard]] std::string test(const ConditionNode& node, bool negate) const {
    const FilterColumn& column = columns_[node.column];
    if (node.test == ConditionTest::null) return negate ? column.name + " is not null" : std::string();
    const std::string_view format = column.format;
    if (node.compared == ConditionKind::number) return numbers(node, column, negate);
    if (node.compared == ConditionKind::date) return negate ? std::string() : dates(node, column);
    const bool text = format == "u" || format == "U" || format == "vu";
    const bool equal = !negate && (node.test == ConditionTest::equal || node.test == ConditionTest::in);
    return text && equal ? texts(node, column) : std::string();
  }

  // Exact: an integer and a whole literal are compared as integers, all else as doubles.
  [[nodiscard]] std::string numbers(const ConditionNode& node, const FilterColumn& column, bool negate) const {
    const std::string_view format = column.format;
    const bool whole_column = format == "c" || format == "s" || format == "i" || format == "l";
    if (!whole_column && format != "g" && format != "f") return {};
    const bool whole =
        whole_column && std::all_of(node.values.begin(), node.values.end(), [](const ConditionLiteral& value) {
          return std::abs(value.number) < exact_below && std::trunc(value.number) == value.number;
        });
    const std::string type = engine_ == Engine::duckdb ? "double" : "double precision";
    const std::string left =
        whole || format == "g" ? column.expression : fmt::format("cast({} as {})", column.expression, type);
    std::vector<std::string> values;
    for (const ConditionLiteral& value : node.values) {
      values.push_back(whole ? fmt::format("{:.0f}", value.number + 0.0)
                             : fmt::format("cast('{}' as {})", value.number, type));
    }
    const char* const no = negate ? "not " : "";
    switch (node.test) {
      case ConditionTest::in:
        return fmt::format("{} {}in ({})", left, no, fmt::join(values, ", "));
      case ConditionTest::between:
        return fmt::format("{} {}between {} and {}", left, no, values[0], values[1]);
      default:
        return fmt::format("{} {} {}", left, symbol(node.test, negate), values[0]);
    }
  }

  static const char* symbol(ConditionTest test, bool negate) {
    switch (test) {
      case ConditionTest::less:
        return negate ? ">=" : "<";
      case ConditionTest::at_most:
        return negate ? ">" : "<=";
      case ConditionTest::equal:
        return negate ? "<>" : "=";
      case ConditionTest::not_equal:
        return negate ? "=" : "<>";
      case ConditionTest::at_least:
        return negate ? "<" : ">=";
      default:
        return negate ? "<=" : ">";
    }
  }

  // Whole days around the instants, so that neither the zone of a session nor the rounding to doubles matters.
  [[nodiscard]] std::string dates(const ConditionNode& node, const FilterColumn& column) const {
    const std::string_view format = column.format;
    const bool zone = format.starts_with("tsu:") && format.size() > 4;
    const bool known = format == "tdD" || format == "tsu:" || (zone && engine_ == Engine::postgresql);
    if (!known || node.test == ConditionTest::not_equal) return {};
    const auto day = [&](double seconds, int days) {
      const double begin = (std::floor(seconds / seconds_a_day) + days) * static_cast<double>(seconds_a_day);
      const std::string text = date_text(begin, static_cast<double>(seconds_a_day));
      if (format == "tdD") return fmt::format("date '{}'", text);
      return zone ? fmt::format("timestamp with time zone '{} 00:00:00+00'", text)
                  : fmt::format("timestamp '{} 00:00:00'", text);
    };
    constexpr double first = -62'000'000'000, last = 253'000'000'000;  // years 5 to 9987
    std::vector<std::string> parts;
    for (const ConditionLiteral& value : node.values) {
      if (value.number < first || value.number > last) return {};
      const bool low = node.test == ConditionTest::equal || node.test == ConditionTest::in ||
                       node.test == ConditionTest::at_least || node.test == ConditionTest::greater;
      const bool high = node.test == ConditionTest::equal || node.test == ConditionTest::in ||
                        node.test == ConditionTest::at_most || node.test == ConditionTest::less;
      if (low && high) {
        parts.push_back(fmt::format("{} between {} and {}", column.name, day(value.number, -1), day(value.number, 2)));
      } else if (low) {
        parts.push_back(fmt::format("{} >= {}", column.name, day(value.number, -1)));
      } else if (high) {
        parts.push_back(fmt::format("{} <= {}", column.name, day(value.number, 2)));
      }
    }
    if (node.test == ConditionTest::between) {
      return fmt::format("{} between {} and {}", column.name, day(node.values[0].number, -1),
                         day(node.values[1].number, 2));
    }
    return fmt::format("({})", fmt::join(parts, " or "));
  }

  // Texts are compared without the spaces and tabs around them. Equality holds in every collation for equal bytes.
  [[nodiscard]] std::string texts(const ConditionNode& node, const FilterColumn& column) const {
    std::vector<std::string> values;
    for (const ConditionLiteral& value : node.values) values.push_back(quoted_text(value.text));
    const bool duckdb = engine_ == Engine::duckdb;
    const std::string text = duckdb ? column.expression : fmt::format("({})::text", column.expression);
    return fmt::format("{}({}, ' ' || chr(9)) in ({})", duckdb ? "trim" : "btrim", text, fmt::join(values, ", "));
  }

  std::span<const FilterColumn> columns_;
  Engine engine_;
};

}  // namespace

std::string condition_filter(const BoundCondition& condition, std::span<const FilterColumn> columns, Engine engine) {
  return Writer(columns, engine).write(condition.root(), false);
}

}  // namespace shoal
