#include <fmt/format.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "points/arrow_condition.hpp"
#include "points/condition.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal {

namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 3> kind_names{"number", "text", "date"};
constexpr std::array<const char*, 10> test_names{"<", "<=", "=", "<>", ">=", ">", "in", "between", "like", "is null"};

template <class T>
struct Released {
  T value{};
  Released() = default;
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() {
    if (value.release != nullptr) value.release(&value);
  }
};

// A producer's own message may hold values.
void check_stream(int failed) {
  if (failed != 0) throw InputError(fmt::format("the Arrow stream cannot be read: {}", std::strerror(failed)));
}

Json tree_of(const ConditionNode& node) {
  if (node.kind == ConditionNode::Kind::test) {
    Json values = Json::array();
    for (const ConditionLiteral& value : node.values) {
      values.push_back(value.kind == ConditionKind::text ? Json(value.text) : Json(value.number));
    }
    return Json::array({test_names[static_cast<std::size_t>(node.test)], node.column,
                        kind_names[static_cast<std::size_t>(node.compared)], values});
  }
  Json inner = Json::array();
  for (const ConditionNode& each : node.parts) inner.push_back(tree_of(each));
  const char* const word = node.kind == ConditionNode::Kind::all   ? "and"
                           : node.kind == ConditionNode::Kind::any ? "or"
                                                                   : "not";
  return Json::array({word, inner});
}

}  // namespace

std::vector<std::string> condition_columns(const std::string& condition) { return Condition(condition).columns(); }

std::vector<std::uint8_t> condition_mask(const std::string& condition, void* stream) {
  auto* given = static_cast<ArrowArrayStream*>(stream);
  if (given->release == nullptr) throw InputError("this Arrow stream was already read");
  Released<ArrowArrayStream> taken;
  taken.value = std::exchange(*given, {});
  Released<ArrowSchema> schema;
  check_stream(taken.value.get_schema(&taken.value, &schema.value));
  const Condition parsed(condition);
  const std::vector<std::string>& names = parsed.columns();
  if (std::string_view(schema.value.format) != "+s" ||
      schema.value.n_children != static_cast<std::int64_t>(names.size())) {
    throw InputError("an Arrow stream of the condition's columns is needed");
  }
  std::vector<ConditionKind> kinds;
  for (std::size_t i = 0; i < names.size(); ++i) {
    kinds.push_back(arrow_condition_kind(*schema.value.children[i], names[i], "the table"));
  }
  const BoundCondition bound(parsed, std::move(kinds));
  ArrowSelection selection(bound);
  std::vector<std::uint8_t> mask;
  for (;;) {
    Released<ArrowArray> batch;
    check_stream(taken.value.get_next(&taken.value, &batch.value));
    if (batch.value.release == nullptr) break;
    std::vector<ArrowColumn> columns;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ArrowArray& array = *batch.value.children[i];
      columns.push_back({*schema.value.children[i], array, array.offset + batch.value.offset, batch.value.length});
    }
    const std::size_t first = mask.size();
    mask.resize(first + static_cast<std::size_t>(batch.value.length));
    for (const std::size_t row : selection.select(columns)) mask[first + row] = 1;
  }
  return mask;
}

std::string condition_json(const std::string& condition, const std::vector<std::string>& kinds) {
  std::vector<ConditionKind> bound;
  for (const std::string& kind : kinds) {
    bound.push_back(kind == "number" ? ConditionKind::number
                    : kind == "date" ? ConditionKind::date
                                     : ConditionKind::text);
  }
  return tree_of(BoundCondition(Condition(condition), std::move(bound)).root()).dump();
}

}  // namespace shoal
