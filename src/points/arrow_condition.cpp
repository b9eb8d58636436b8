#include "points/arrow_condition.hpp"

#include <fmt/format.h>

#include "points/arrow_coordinates.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

const AxisKind& axis_of(ConditionKind kind) {
  static const AxisKind numbers, dates{.scale = Instants{}};
  return kind == ConditionKind::date ? dates : numbers;
}

std::string_view text_of(const ArrowColumn& column, std::int64_t row) {
  if (column.format() == "n" || column.is_null(row)) return {};
  if (column.schema.dictionary != nullptr) return text_of(arrow_words(column), arrow_word(column, row));
  if (column.format() != "b") return arrow_text(column, row);
  const std::int64_t at = column.offset + row;
  return (column.values<std::uint8_t>()[at / 8] >> (at % 8) & 1) != 0 ? "true" : "false";
}

}  // namespace

ConditionKind arrow_condition_kind(const ArrowSchema& schema, const std::string& name, const std::string& what) {
  const std::string_view format = (schema.dictionary == nullptr ? schema : *schema.dictionary).format;
  if (format == "u" || format == "U" || format == "vu" || format == "b") return ConditionKind::text;
  if (!arrow_misfit(schema, axis_of(ConditionKind::number))) return ConditionKind::number;
  if (format.starts_with('t') && !arrow_misfit(schema, axis_of(ConditionKind::date))) return ConditionKind::date;
  throw InputError(fmt::format(
      "column '{}' of {} has a type that a condition cannot compare; use columns of numbers, text, dates, or "
      "true and false",
      name, what));
}

ArrowSelection::ArrowSelection(const BoundCondition& condition)
    : condition_(condition), copies_(condition.columns().size()), record_(condition.columns().size()) {}

const std::vector<std::size_t>& ArrowSelection::select(std::span<const ArrowColumn> columns) {
  const std::vector<ConditionKind>& kinds = condition_.kinds();
  std::vector<std::span<const double>> numbers(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (kinds[i] != ConditionKind::text) numbers[i] = arrow_coordinates(columns[i], axis_of(kinds[i]), copies_[i]);
  }
  selected_.clear();
  const std::int64_t rows = columns.front().length;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto place = static_cast<std::size_t>(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (kinds[i] == ConditionKind::text) {
        record_[i].text = text_of(columns[i], row);
      } else {
        record_[i].number = numbers[i][place];
      }
    }
    if (condition_.selects(record_)) selected_.push_back(place);
  }
  return selected_;
}

}  // namespace shoal
