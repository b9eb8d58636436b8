// Releases by group.
#include "shoal/groups.hpp"

#include "arrays.hpp"
#include "points.hpp"
#include "release/group_labels.hpp"
#include "releases.hpp"
#include "shoal/data_check.hpp"
#include "shoal/grouped_release.hpp"

namespace {

using namespace shoal;
using namespace shoal_python;

// Returns labels of each group's own clusters, starting at 0; -1 for noise and for rows that are in no group.
nb::ndarray<nb::numpy, std::int64_t> labelled(const GroupedRelease& groups, nb::handle batches,
                                              const std::optional<std::string>& assign, bool doubtful) {
  const GroupLabels by(groups, doubtful ? Doubtful::keep : Doubtful::leave_out,
                       assign ? std::optional(assign_named(*assign)) : std::nullopt, false);
  std::vector<std::int64_t> labels;
  const auto points = python_points(1 + groups.parts().front().release.parts().grid.dimensions(), batches);
  {
    const nb::gil_scoped_release unlocked;
    points->scan(1, [&](unsigned, const PointBlock& block) {
      const GroupLabels::Of of = by.of(block.columns);
      for (const std::uint32_t label : of.labels) labels.push_back(std::int64_t{label} - 1);
    });
  }
  return to_numpy(std::move(labels));
}

void bind_grouping(nb::module_& m) {
  nb::class_<Grouping>(m, "Grouping")
      .def_static(
          "declared",
          [](const std::string& text, nb::handle max_groups) {
            return declared_groups(text, whole_of(max_groups, "max_groups"));
          },
          nb::arg("text"), nb::arg("max_groups"))
      .def_static(
          "listed",
          [](std::string column, std::vector<std::string> names, nb::handle max_groups) {
            return listed_groups(std::move(column), std::move(names), whole_of(max_groups, "max_groups"));
          },
          nb::arg("column"), nb::arg("names"), nb::arg("max_groups"))
      .def_ro("names", &Grouping::names)
      .def_ro("axis", &Grouping::axis)
      .def(
          "cost",
          [](const Grouping& grouping, const std::string& epsilon, const PrivateOptions& options) {
            return grouping.cost(Epsilon::parse(epsilon), options.unit).text();
          },
          nb::arg("epsilon"), nb::arg("options"), "The epsilon that all groups together spend.");
}

nb::dict found_in(const DataCheck& check) {
  const auto number = [](const std::optional<double>& value) { return value ? nb::cast(*value) : nb::none(); };
  nb::dict result;
  result["rows"] = check.rows;
  result["inside"] = check.inside;
  nb::list columns;
  for (const ColumnCheck& column : check.columns) {
    nb::dict item;
    item["name"] = column.name;
    item["missing"] = column.missing;
    item["below"] = column.below;
    item["above"] = column.above;
    item["least"] = number(column.least);
    item["most"] = number(column.most);
    item["step"] = number(column.step);
    item["step_share"] = number(column.step_share);
    columns.append(item);
  }
  result["columns"] = columns;
  result["units"] = nb::none();
  if (check.units) {
    nb::dict units;
    units["units"] = check.units->units;
    units["median"] = check.units->median;
    units["nineteen_of_twenty"] = check.units->nineteen_of_twenty;
    units["most"] = check.units->most;
    result["units"] = units;
  }
  nb::dict groups;
  for (const GroupCheck& group : check.groups) groups[group.name.c_str()] = group.records;
  result["groups"] = groups;
  result["in_no_group"] = check.in_no_group;
  result["advice"] = advice(check);
  return result;
}

void bind_check(nb::module_& m) {
  m.def(
      "check_data",
      [](nb::handle batches, const Grid& grid, const std::optional<Grouping>& grouping) {
        const auto points = python_points(grid.dimensions() + (grouping ? 1 : 0), batches);
        DataCheck check;
        {
          const nb::gil_scoped_release unlocked;
          check = check_data(*points, grid.axes(), grouping);
        }
        return found_in(check);
      },
      nb::arg("batches"), nb::arg("grid"), nb::arg("grouping") = nb::none(),
      "What is wrong with the data, for their owner; not private.");
}

void bind_release_set(nb::module_& m) {
  nb::class_<ReleaseSet>(m, "ReleaseSet")
      .def_prop_ro("names", &ReleaseSet::names)
      .def("at", &ReleaseSet::at, nb::arg("name"), nb::rv_policy::copy)
      .def_prop_ro("is_private", &ReleaseSet::is_private)
      .def_prop_ro("epsilon", [](const ReleaseSet& set) { return set.epsilon().text(); })
      .def("notices", &ReleaseSet::notices)
      .def("rounding", &ReleaseSet::rounding_in_words)
      .def("json", &ReleaseSet::json)
      .def(
          "contents",
          [](const ReleaseSet& set, const std::string& path) {
            const std::string bytes = set.contents(path);
            return nb::bytes(bytes.data(), bytes.size());
          },
          nb::arg("path"))
      .def(
          "save",
          [](const ReleaseSet& set, const std::string& path, bool overwrite, bool doubtful) {
            set.save(path, overwrite ? Existing::replace : Existing::refuse,
                     doubtful ? Doubtful::keep : Doubtful::leave_out);
          },
          nb::arg("path"), nb::arg("overwrite") = false, nb::arg("doubtful") = false);
}

void bind_grouped_release(nb::module_& m) {
  nb::class_<GroupedRelease, ReleaseSet>(m, "GroupedRelease")
      .def_static("load", &GroupedRelease::load, nb::arg("path"))
      .def_static("parse", &GroupedRelease::parse, nb::arg("text"), nb::arg("where") = "the text")
      .def_prop_ro("grouping", &GroupedRelease::grouping, nb::rv_policy::reference_internal)
      .def_prop_ro("by", &GroupedRelease::by)
      .def_prop_ro("max_groups", &GroupedRelease::max_groups)
      .def_prop_ro("epsilon_each", [](const GroupedRelease& groups) { return groups.epsilon_each().text(); })
      .def("labelled", &labelled, nb::arg("batches"), nb::arg("assign") = nb::none(), nb::arg("doubtful") = false,
           "The label of every row, of batches whose first column says the group.");
  m.def(
      "grouped",
      [](const Grouping& grouping, const std::vector<const Release*>& releases) {
        return GroupedRelease(grouping, copied(releases));
      },
      nb::arg("grouping"), nb::arg("releases"), "Releases of groups, put together.");
}

}  // namespace

void bind_groups(nb::module_& m) {
  bind_grouping(m);
  bind_check(m);
  bind_release_set(m);
  bind_grouped_release(m);
  m.def(
      "release_groups",
      [](nb::handle batches, const Grid& grid, nb::handle technique, const std::string& epsilon,
         const PrivateOptions& options, const Grouping& grouping, nb::handle outside, nb::handle seed,
         std::optional<std::string> ledger, std::string dataset, bool automatic) {
        const ReleaseRequest request = request_of(grid, technique, epsilon, options, outside, seed, std::move(ledger),
                                                  std::move(dataset), automatic);
        const auto points = python_points(grid.dimensions() + 1, batches);
        const nb::gil_scoped_release unlocked;
        return private_release(*points, request, grouping);
      },
      nb::arg("batches"), nb::arg("grid"), nb::arg("technique").none(), nb::arg("epsilon"), nb::arg("options"),
      nb::kw_only(), nb::arg("grouping"), nb::arg("outside").none() = "drop", nb::arg("seed") = nb::none(),
      nb::arg("ledger") = nb::none(), nb::arg("dataset") = "", nb::arg("automatic") = false,
      "A release of each group, of batches (columns, units or None) whose first column says the group.");
}
