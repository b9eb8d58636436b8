// Conditions on one record, on tables that speak Arrow's C stream interface.
#include "points/condition.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>

#include "arrays.hpp"
#include "points/arrow_condition.hpp"
#include "shoal/error.hpp"

namespace {

using shoal::BoundCondition;
using shoal::Condition;
using shoal::ConditionKind;
using shoal::ConditionNode;

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
void check(int failed) {
  if (failed == 0) return;
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  throw nb::value_error(fmt::format("the Arrow stream cannot be read: {}", std::strerror(failed)).c_str());
}

// Whether the condition holds, for each row of a stream whose columns are those of the condition, in their order.
nb::object condition_mask(const std::string& text, const nb::object& capsule) {
  auto* given = static_cast<shoal::ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (given == nullptr) throw nb::python_error();
  if (given->release == nullptr) throw nb::value_error("this Arrow stream was already read");
  Released<shoal::ArrowArrayStream> stream;
  stream.value = std::exchange(*given, {});
  Released<shoal::ArrowSchema> schema;
  check(stream.value.get_schema(&stream.value, &schema.value));
  const Condition condition(text);
  const std::vector<std::string>& names = condition.columns();
  if (std::string_view(schema.value.format) != "+s" ||
      schema.value.n_children != static_cast<std::int64_t>(names.size())) {
    throw nb::type_error("an Arrow stream of the condition's columns is needed");
  }
  std::vector<ConditionKind> kinds;
  for (std::size_t i = 0; i < names.size(); ++i) {
    kinds.push_back(shoal::arrow_condition_kind(*schema.value.children[i], names[i], "the table"));
  }
  const BoundCondition bound(condition, std::move(kinds));
  shoal::ArrowSelection selection(bound);
  std::vector<std::uint8_t> mask;
  for (;;) {
    Released<shoal::ArrowArray> batch;
    check(stream.value.get_next(&stream.value, &batch.value));
    if (batch.value.release == nullptr) break;
    std::vector<shoal::ArrowColumn> columns;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const shoal::ArrowArray& array = *batch.value.children[i];
      columns.push_back({*schema.value.children[i], array, array.offset + batch.value.offset, batch.value.length});
    }
    const std::size_t first = mask.size();
    mask.resize(first + static_cast<std::size_t>(batch.value.length));
    for (const std::size_t row : selection.select(columns)) mask[first + row] = 1;
  }
  return nb::cast(shoal_python::to_numpy(std::move(mask))).attr("view")("?");
}

// ("and" | "or" | "not", parts), or (test, column, type in which it is compared, values).
nb::tuple tree_of(const ConditionNode& node) {
  if (node.kind == ConditionNode::Kind::test) {
    nb::list values;
    for (const auto& value : node.values) {
      values.append(value.kind == ConditionKind::text ? nb::cast(value.text) : nb::cast(value.number));
    }
    return nb::make_tuple(test_names[static_cast<std::size_t>(node.test)], node.column,
                          kind_names[static_cast<std::size_t>(node.compared)], values);
  }
  nb::list parts;
  for (const ConditionNode& part : node.parts) parts.append(tree_of(part));
  const char* const word = node.kind == ConditionNode::Kind::all   ? "and"
                           : node.kind == ConditionNode::Kind::any ? "or"
                                                                   : "not";
  return nb::make_tuple(word, parts);
}

nb::tuple condition_tree(const std::string& text, const std::vector<std::string>& names) {
  std::vector<ConditionKind> kinds;
  for (const std::string& name : names) {
    kinds.push_back(name == "number" ? ConditionKind::number
                    : name == "date" ? ConditionKind::date
                                     : ConditionKind::text);
  }
  return tree_of(BoundCondition(Condition(text), std::move(kinds)).root());
}

}  // namespace

void bind_condition(nb::module_& m) {
  m.def(
      "condition_columns", [](const std::string& text) { return Condition(text).columns(); }, nb::arg("condition"),
      "The names of the columns of a condition, each once.");
  m.def("condition_mask", &condition_mask, nb::arg("condition"), nb::arg("stream"),
        nb::sig("def condition_mask(condition: str, stream: object) -> numpy.typing.NDArray[numpy.bool_]"),
        "Whether the condition holds for each row of a stream of its columns.");
  m.def("condition_tree", &condition_tree, nb::arg("condition"), nb::arg("kinds"),
        nb::sig("def condition_tree(condition: str, kinds: Sequence[str]) -> tuple"),
        "The condition on columns of these types, as nested tuples.");
}
