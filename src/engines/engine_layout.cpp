#include "engines/engine_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "engines/condition_filter.hpp"
#include "points/arrow_condition.hpp"
#include "points/arrow_coordinates.hpp"
#include "points/csv_layout.hpp"
#include "points/numbers.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// The value of a key in the metadata of a field: pairs of texts, each behind its length.
std::string_view metadata_value(const char* metadata, std::string_view wanted) {
  if (metadata == nullptr) return {};
  const auto take_length = [&metadata] {
    std::int32_t length = 0;
    std::memcpy(&length, metadata, sizeof length);
    metadata += sizeof length;
    return length;
  };
  const auto take_text = [&] {
    const auto length = static_cast<std::size_t>(take_length());
    const std::string_view text(metadata, length);
    metadata += length;
    return text;
  };
  for (std::int32_t pairs = take_length(); pairs > 0; --pairs) {
    const std::string_view key = take_text(), value = take_text();
    if (key == wanted) return value;
  }
  return {};
}

// One column of the table, as declared.
struct Declared {
  std::string name;
  const ArrowSchema* schema;
};

class Table {
 public:
  Table(const ArrowSchema& schema, const EngineInput& input, const EngineOptions& options)
      : input_(input), options_(options), what_(engine_input_name(input)) {
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
      const char* const name = schema.children[i]->name;
      all_.push_back({name == nullptr ? "" : name, schema.children[i]});
    }
    if (options.no_column && has(*options.no_column)) {
      throw InputError(fmt::format("{} has a column '{}', and --unit {} means each row; rename the column", what_,
                                   *options.no_column, *options.no_column));
    }
    const std::optional<std::size_t> unit =
        options.unit_column ? std::optional(place(*options.unit_column)) : std::nullopt;
    place_columns(unit);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      check_name(all_[columns_[i]].name);
      selected_.push_back(coordinate(all_[columns_[i]], i < options.kinds.size() ? options.kinds[i] : AxisKind{}));
    }
    if (unit) selected_.push_back(unit_text(all_[*unit]));
    if (!options.where.empty()) place_condition(Condition(options.where));
  }

  [[nodiscard]] const std::optional<BoundCondition>& condition() const { return condition_; }
  [[nodiscard]] const std::string& filter() const { return filter_; }

  // Expressions of SQL: the coordinates, then the unit.
  [[nodiscard]] const std::vector<std::string>& selected() const { return selected_; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const std::size_t place : columns_) result.push_back(all_[place].name);
    return result;
  }

 private:
  [[nodiscard]] bool has(const std::string& name) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Declared& column) { return column.name == name; });
  }

  [[nodiscard]] std::string list() const {
    std::vector<std::string> names;
    for (const Declared& column : all_) names.push_back(quoted_excerpt(column.name));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  [[nodiscard]] std::size_t place(const std::string& column) const {
    const auto named = [&](const Declared& other) { return other.name == column; };
    const auto found = std::find_if(all_.begin(), all_.end(), named);
    if (found != all_.end()) {
      if (std::find_if(found + 1, all_.end(), named) == all_.end())
        return static_cast<std::size_t>(found - all_.begin());
      throw InputError(fmt::format("{} has more than one column '{}'; rename one in --sql", what_, column));
    }
    std::size_t position = 0;
    const char* const end = column.data() + column.size();
    const auto [stopped, error] = std::from_chars(column.data(), end, position);
    if (error == std::errc{} && stopped == end && position >= 1 && position <= all_.size()) return position - 1;
    throw InputError(fmt::format("{} has no column {}; its columns are {}", what_, quoted_excerpt(column), list()));
  }

  void place_columns(std::optional<std::size_t> unit) {
    for (const std::string& column : options_.columns) {
      const std::size_t at = place(column);
      if (std::find(columns_.begin(), columns_.end(), at) != columns_.end()) {
        throw InputError(fmt::format("column '{}' is given twice; give each column once", all_[at].name));
      }
      columns_.push_back(at);
    }
    if (!options_.columns.empty()) return;
    for (std::size_t at = 0; at < all_.size(); ++at) {
      if (at != unit) columns_.push_back(at);
    }
    if (columns_.size() == options_.dimensions) return;
    throw InputError(fmt::format("{} has {} columns{}, but {} are needed; choose with --columns from {}", what_,
                                 columns_.size(), unit ? " besides the unit" : "", options_.dimensions, list()));
  }

  void check_name(const std::string& name) const {
    double value = 0;
    if (!unit_key(name).empty() && !parse_number(unit_key(name), value)) return;
    throw InputError(fmt::format(
        "the column name '{}' of {} is a number or empty, and names are released; rename the column", name, what_));
  }

  [[nodiscard]] std::string coordinate(const Declared& column, const AxisKind& kind) const {
    std::string name = quoted_name(column.name);
    const std::string_view type = metadata_value(column.schema->metadata, "ADBC:postgresql:typname");
    if (type == "numeric" && !std::holds_alternative<Names>(kind.scale)) return numeric(name);
    if (const auto misfit = arrow_misfit(*column.schema, kind)) {
      throw InputError(fmt::format("column '{}' of {} {}", column.name, what_, *misfit));
    }
    return as_read(column);
  }

  // The column as the driver hands it on without an error and without a value that no double holds.
  [[nodiscard]] std::string as_read(const Declared& column) const {
    std::string name = quoted_name(column.name);
    if (input_.engine() != Engine::postgresql) return name;
    const std::string_view format = column.schema->format;
    if (format == "l") return fmt::format("{}::bigint", name);  // the driver hands on money as whole numbers too
    if (format.starts_with('t')) {
      return fmt::format("case when {0} between '0001-01-01' and '9999-12-31' then {0} end", name);
    }
    return name;
  }

  // PostgreSQL raises an error where a decimal is too large or too small for a double.
  static std::string numeric(const std::string& name) {
    return fmt::format(
        "case when abs({0}) < 1e-300 then sign({0})::double precision * 1e-300::double precision "
        "when abs({0}) <= 1.7976931348623157e308 then {0}::double precision end",
        name);
  }

  [[nodiscard]] std::string unit_text(const Declared& column) const {
    const ArrowSchema& values = column.schema->dictionary == nullptr ? *column.schema : *column.schema->dictionary;
    const std::string_view format = values.format;
    std::string name = quoted_name(column.name);
    const bool uuid = metadata_value(column.schema->metadata, "ADBC:postgresql:typname") == "uuid" ||
                      metadata_value(column.schema->metadata, "ARROW:extension:name") == "arrow.uuid";
    if (uuid) return fmt::format("cast({} as varchar)", name);
    const bool whole_decimal = format.starts_with("d:") && format.ends_with(",0");
    if (whole_decimal) return fmt::format("cast({} as varchar)", name);
    if (is_arrow_text(format) || is_arrow_whole(format)) return name;
    throw InputError(fmt::format("column '{}' of {} cannot tell units apart: give a column of text or whole numbers",
                                 column.name, what_));
  }

  void place_condition(const Condition& condition) {
    std::vector<ConditionKind> kinds;
    std::vector<FilterColumn> columns;
    for (const std::string& name : condition.columns()) {
      const Declared& column = all_[place(name)];
      FilterColumn filtered{quoted_name(column.name), {}, {}};
      kinds.push_back(tested(column, filtered));
      selected_.push_back(filtered.expression);
      columns.push_back(std::move(filtered));
    }
    condition_.emplace(condition, std::move(kinds),
                       InputMarks{.date_layout = options_.date_layout, .missing = options_.missing});
    filter_ = condition_filter(*condition_, columns, input_.engine());
  }

  // The type of a column in a condition, and how it is read.
  [[nodiscard]] ConditionKind tested(const Declared& column, FilterColumn& filtered) const {
    const std::string_view format = column.schema->format;
    const std::string_view type = metadata_value(column.schema->metadata, "ADBC:postgresql:typname");
    if (type == "numeric") {
      filtered.expression = numeric(filtered.name);
      return ConditionKind::number;
    }
    const bool uuid = metadata_value(column.schema->metadata, "ARROW:extension:name") == "arrow.uuid";
    const bool opaque = input_.engine() == Engine::postgresql && is_arrow_text(format) && format != "u";
    if ((uuid || opaque) && type != "bytea") {  // types that the driver does not know are compared by their text
      filtered.expression = fmt::format("cast({} as varchar)", filtered.name);
      return ConditionKind::text;
    }
    const ConditionKind kind = arrow_condition_kind(*column.schema, column.name, what_);
    filtered.expression = kind == ConditionKind::text ? filtered.name : as_read(column);
    if (column.schema->dictionary == nullptr) filtered.format = format;
    return kind;
  }

  const EngineInput& input_;
  const EngineOptions& options_;
  std::string what_;
  std::vector<Declared> all_;
  std::vector<std::size_t> columns_;
  std::vector<std::string> selected_;
  std::optional<BoundCondition> condition_;
  std::string filter_;
};

}  // namespace

EngineLayout::EngineLayout(const ArrowSchema& schema, const EngineInput& input, const EngineOptions& options) {
  const Table table(schema, input, options);
  selected_ = table.selected();
  names_ = table.names();
  condition_ = table.condition();
  filter_ = table.filter();
}

std::vector<EngineColumn> declared_columns(const ArrowSchema& schema) {
  const auto type_of = [](const ArrowSchema& column) {
    const ArrowSchema& values = column.dictionary == nullptr ? column : *column.dictionary;
    const std::string_view format = values.format;
    if (metadata_value(column.metadata, "ADBC:postgresql:typname") == "numeric") return "number";
    if (is_arrow_whole(format)) return "whole number";
    if (format == "e" || format == "f" || format == "g" || format.starts_with("d:")) return "number";
    if (format.starts_with("td") || format.starts_with("ts")) return "date";
    return is_arrow_text(format) ? "text" : "other";
  };
  std::vector<EngineColumn> columns;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& column = *schema.children[i];
    columns.push_back({column.name == nullptr ? "" : column.name, type_of(column)});
  }
  return columns;
}

}  // namespace shoal
