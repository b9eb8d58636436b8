// Releases with insets.
#include "arrays.hpp"
#include "options.hpp"
#include "parameters.hpp"
#include "points.hpp"
#include "release/inset_labels.hpp"
#include "shoal/inset_release.hpp"
#include "shoal/private_release.hpp"

namespace {

using namespace shoal;
using namespace shoal_python;

nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

// The part that every row lies in, and its label: clusters are counted through all parts, from 0 on; -1 for noise.
nb::tuple labelled(const InsetRelease& insets, nb::handle batches, const std::optional<std::string>& assign,
                   bool doubtful) {
  const InsetLabels by(insets, doubtful ? Doubtful::keep : Doubtful::leave_out,
                       assign ? std::optional(assign_named(*assign)) : std::nullopt, false);
  std::vector<std::int64_t> before{0};  // clusters of the parts before each
  for (const ReleaseGroup& part : insets.parts()) {
    before.push_back(before.back() + static_cast<std::int64_t>(part.release.cluster_cells().count()));
  }
  std::vector<std::int64_t> parts, labels;
  const auto points = python_points(insets.overview().parts().grid.dimensions(), batches);
  {
    const nb::gil_scoped_release unlocked;
    points->scan(1, [&](unsigned, const PointBlock& block) {
      const InsetLabels::Of of = by.of(block.columns);
      for (std::size_t row = 0; row < of.labels.size(); ++row) {
        parts.push_back(of.places[row]);
        labels.push_back(of.labels[row] == 0 ? -1 : before[of.parts[row]] + of.labels[row] - 1);
      }
    });
  }
  return nb::make_tuple(to_numpy(std::move(parts)), to_numpy(std::move(labels)));
}

}  // namespace

void bind_insets(nb::module_& m) {
  nb::class_<InsetRelease>(m, "InsetRelease")
      .def_static("load", &InsetRelease::load, nb::arg("path"))
      .def_static("parse", &InsetRelease::parse, nb::arg("text"), nb::arg("where") = "the text")
      .def_prop_ro("names",
                   [](const InsetRelease& insets) {
                     std::vector<std::string> names;
                     for (const ReleaseGroup& part : insets.parts()) names.push_back(part.name);
                     return names;
                   })
      .def_prop_ro("is_private", &InsetRelease::is_private)
      .def_prop_ro("epsilon", [](const InsetRelease& insets) { return insets.epsilon().text(); })
      .def("at", &InsetRelease::at, nb::arg("name"), nb::rv_policy::copy)
      .def("json", &InsetRelease::json)
      .def("labelled", &labelled, nb::arg("batches"), nb::arg("assign") = nb::none(), nb::arg("doubtful") = false,
           "The part that every row lies in, and its label.")
      .def(
          "contents",
          [](const InsetRelease& insets, const std::string& path, bool doubtful) {
            return as_bytes(insets.contents(path, doubtful ? Doubtful::keep : Doubtful::leave_out));
          },
          nb::arg("path"), nb::arg("doubtful") = false)
      .def(
          "save",
          [](const InsetRelease& insets, const std::string& path, bool overwrite, bool doubtful) {
            insets.save(path, overwrite ? Existing::replace : Existing::refuse,
                        doubtful ? Doubtful::keep : Doubtful::leave_out);
          },
          nb::arg("path"), nb::arg("overwrite") = false, nb::arg("doubtful") = false);
  m.def(
      "with_insets",
      [](const Release& overview, const std::vector<const Release*>& insets) {
        std::vector<Release> all;
        for (const Release* inset : insets) all.push_back(*inset);
        return InsetRelease(overview, std::move(all));
      },
      nb::arg("overview"), nb::arg("insets"), "An overview and its insets, put together.");
  m.def(
      "release_insets",
      [](nb::handle batches, const Grid& grid, nb::handle insets, nb::handle technique, const std::string& epsilon,
         const PrivateOptions& options, nb::handle outside, nb::handle seed, std::optional<std::string> ledger,
         std::string dataset) {
        const ReleaseRequest request{.grid = grid,
                                     .epsilon = Epsilon::parse(epsilon),
                                     .options = options,
                                     .technique = text_of(technique, "technique"),
                                     .outside = outside_named(text_of(outside, "outside")),
                                     .automatic = true,
                                     .insets = whole_of(insets, "insets"),
                                     .ledger = std::move(ledger),
                                     .dataset = std::move(dataset),
                                     .seed = whole_or_none(seed, "random_state")};
        const auto points = python_points(grid.dimensions(), batches);
        const nb::gil_scoped_release unlocked;
        return private_inset_release(*points, request);
      },
      nb::arg("batches"), nb::arg("grid"), nb::arg("insets").none(), nb::arg("technique").none(), nb::arg("epsilon"),
      nb::arg("options"), nb::kw_only(), nb::arg("outside").none() = "drop", nb::arg("seed") = nb::none(),
      nb::arg("ledger") = nb::none(), nb::arg("dataset") = "",
      "A release with insets of the points of batches (columns, units or None).");
}
