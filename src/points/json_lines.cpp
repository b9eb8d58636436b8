#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "points/file_pattern.hpp"
#include "points/json_rows.hpp"
#include "points/numbers.hpp"
#include "points/text_points.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal {

namespace {
// The role of a member. Adds the member if it has none yet.
FieldRole& member_role(JsonLayout& layout, const std::string& name, const std::string& input) {
  double value = 0;
  if (unit_key(name).empty() || parse_number(unit_key(name), value)) {
    throw InputError(
        fmt::format("{} cannot name a column of '{}': JSON lines have names and no positions; choose a name that is "
                    "neither empty nor a number",
                    quoted_excerpt(name), input));
  }
  const auto found = std::find(layout.members.begin(), layout.members.end(), name);
  const auto place = static_cast<std::size_t>(found - layout.members.begin());
  if (found == layout.members.end()) {
    layout.members.push_back(name);
    layout.roles.emplace_back();
  }
  return layout.roles[place];
}

JsonLayout json_layout(const std::string& input, const JsonLinesOptions& options) {
  if (options.columns.empty()) {
    throw InputError(fmt::format("'{}' holds JSON lines, which declare no columns; name them with --columns", input));
  }
  JsonLayout layout;
  layout.has_marks = false;
  layout.kinds = options.kinds;
  layout.missing = options.missing;
  layout.refused = options.no_column;
  for (const std::string& column : options.columns) {
    int& place = member_role(layout, column, input).column;
    if (place >= 0) {
      throw InputError(fmt::format("column {} is given twice; give each column once", quoted_excerpt(column)));
    }
    place = static_cast<int>(layout.columns++);
  }
  if (options.unit_column) {
    member_role(layout, *options.unit_column, input).unit = true;
    layout.has_unit = true;
  }
  if (options.where.empty()) return layout;
  const Condition condition(options.where);
  for (std::size_t i = 0; i < condition.columns().size(); ++i) {
    member_role(layout, condition.columns()[i], input).condition = static_cast<int>(i);
  }
  layout.condition.emplace(condition, std::vector<ConditionKind>(condition.columns().size(), ConditionKind::text),
                           InputMarks{.date_layout = options.date_layout, .missing = options.missing});
  return layout;
}

class JsonPoints final : public TextPoints {
 public:
  JsonPoints(const std::string& input, const JsonLinesOptions& options)
      : TextPoints({.paths = json_lines_files(input),
                    .too_long = "check that the file holds one JSON object per line",
                    .on_bad_row = options.on_bad_row,
                    .on_bad_line = options.on_bad_line,
                    .block_bytes = options.block_bytes}),
        layout_(json_layout(input, options)) {}

  [[nodiscard]] std::size_t dimensions() const override { return layout_.columns; }
  [[nodiscard]] std::vector<std::string> names() const override {
    return {layout_.members.begin(), layout_.members.begin() + static_cast<std::ptrdiff_t>(layout_.columns)};
  }

 private:
  TextStart start(BlockCutter& cutter) override {
    const auto holds_mark = [](std::string_view head) { return head.size() >= byte_order_mark.size(); };
    const bool marked = cutter.head(holds_mark).starts_with(byte_order_mark);
    return {.first_byte = marked ? byte_order_mark.size() : 0};
  }

  [[nodiscard]] std::unique_ptr<TextRows> parser(OnBadRow on_bad_row, unsigned worker,
                                                 const Visit& visit) const override {
    return std::make_unique<JsonRows>(layout_, on_bad_row, worker, visit);
  }

  JsonLayout layout_;
};
}  // namespace

bool is_json_lines(const std::string& input) {
  std::string name = input;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  return name.ends_with(".jsonl") || name.ends_with(".ndjson");
}

std::vector<std::string> json_lines_files(const std::string& input) { return matching_files(input); }

std::unique_ptr<Points> open_json_lines(const std::string& input, const JsonLinesOptions& options) {
  return std::make_unique<JsonPoints>(input, options);
}

}  // namespace shoal
