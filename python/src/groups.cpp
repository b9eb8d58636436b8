// Sets of releases: by group, or an overview with insets.
#include "arrays.hpp"
#include "points.hpp"
#include "releases.hpp"
#include "shoal/files.hpp"
#include "shoal/owner.hpp"
#include "shoal/release_set.hpp"

namespace {

using namespace shoal;
using namespace shoal_python;

// Returns the part and the label of every row. Parts start at 0, which for insets is the overview; -1 means that the
// row lies in no group. The label -1 means unclustered. Labels start at 0 in each group; those of insets go on.
nb::tuple labelled(const ReleaseSet& set, nb::handle batches, const std::optional<std::string>& assign, bool doubtful) {
  const bool groups = set.grouping() != nullptr;
  const Labeller labeller(set, {.doubtful = doubtful ? Doubtful::keep : Doubtful::leave_out,
                                .assign = assign ? std::optional(assign_named(*assign)) : std::nullopt});
  std::vector<std::int64_t> before{0};  // clusters of the parts before each
  for (const NamedRelease& part : set.parts()) {
    before.push_back(groups ? 0 : before.back() + static_cast<std::int64_t>(part.release.cluster_cells().count()));
  }
  std::vector<std::int64_t> parts, labels;
  const auto points = python_points(labeller.grid().dimensions() + (groups ? 1 : 0), batches);
  {
    const nb::gil_scoped_release unlocked;
    points->scan(1, [&](unsigned, const PointBlock& block) {
      const PointLabels found = labeller.label(block.columns);
      for (std::size_t row = 0; row < found.labels.size(); ++row) {
        const std::uint32_t part = found.parts.empty() ? 0 : found.parts[row];
        parts.push_back(groups ? std::int64_t{part} - 1 : found.places.empty() ? 0 : found.places[row]);
        labels.push_back(found.labels[row] == 0 ? -1 : before[part] + found.labels[row] - 1);
      }
    });
  }
  return nb::make_tuple(to_numpy(std::move(parts)), to_numpy(std::move(labels)));
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
      .def_ro("max_groups", &Grouping::max_groups)
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
      .def_static("load", &ReleaseSet::load, nb::arg("path"))
      .def_static("parse", &ReleaseSet::parse, nb::arg("text"), nb::arg("where") = "the text")
      .def_prop_ro("grouping",
                   [](const ReleaseSet& set) { return set.grouping() ? std::optional(*set.grouping()) : std::nullopt; })
      .def_prop_ro("is_whole", &ReleaseSet::is_whole)
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
          nb::arg("path"), nb::arg("overwrite") = false, nb::arg("doubtful") = false)
      .def("labelled", &labelled, nb::arg("batches"), nb::arg("assign") = nb::none(), nb::arg("doubtful") = false,
           "The part that every row lies in, and its label. If there are groups, the first column says the group.")
      .def(
          "with_releases",
          [](const ReleaseSet& set, const std::vector<const Release*>& releases) {
            std::vector<Release> all;
            for (const Release* release : releases) all.push_back(*release);
            return ReleaseSet(set.layout(), std::move(all));
          },
          nb::arg("releases"), "The same layout with other releases.");
}

}  // namespace

void bind_groups(nb::module_& m) {
  bind_grouping(m);
  bind_check(m);
  bind_release_set(m);
}
