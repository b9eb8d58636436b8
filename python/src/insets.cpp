// Releases with insets.
#include "arrays.hpp"
#include "points.hpp"
#include "release/inset_labels.hpp"
#include "releases.hpp"
#include "shoal/inset_release.hpp"

namespace {

using namespace shoal;
using namespace shoal_python;

// Returns the part that every row lies in, and its label. Labels start at 0 and go on through all parts; -1 is noise.
nb::tuple labelled(const InsetRelease& insets, nb::handle batches, const std::optional<std::string>& assign,
                   bool doubtful) {
  const InsetLabels by(insets, doubtful ? Doubtful::keep : Doubtful::leave_out,
                       assign ? std::optional(assign_named(*assign)) : std::nullopt, false);
  std::vector<std::int64_t> before{0};  // clusters of the parts before each
  for (const NamedRelease& part : insets.parts()) {
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
  nb::class_<InsetRelease, ReleaseSet>(m, "InsetRelease")
      .def_static("load", &InsetRelease::load, nb::arg("path"))
      .def_static("parse", &InsetRelease::parse, nb::arg("text"), nb::arg("where") = "the text")
      .def("labelled", &labelled, nb::arg("batches"), nb::arg("assign") = nb::none(), nb::arg("doubtful") = false,
           "The part that every row lies in, and its label.");
  m.def(
      "with_insets",
      [](const Release& overview, const std::vector<const Release*>& insets) {
        return InsetRelease(overview, copied(insets));
      },
      nb::arg("overview"), nb::arg("insets"), "An overview and its insets, put together.");
  m.def(
      "release_insets",
      [](nb::handle batches, const Grid& grid, nb::handle technique, const std::string& epsilon,
         const PrivateOptions& options, nb::handle insets, nb::handle outside, nb::handle seed,
         std::optional<std::string> ledger, std::string dataset, bool automatic) {
        ReleaseRequest request = request_of(grid, technique, epsilon, options, outside, seed, std::move(ledger),
                                            std::move(dataset), automatic);
        request.insets = whole_of(insets, "insets");
        if (request.insets == 0) throw nb::value_error("insets must be 1 or more; to release one map, fit the model");
        const auto points = python_points(grid.dimensions(), batches);
        const nb::gil_scoped_release unlocked;
        return private_inset_release(*points, request);
      },
      nb::arg("batches"), nb::arg("grid"), nb::arg("technique").none(), nb::arg("epsilon"), nb::arg("options"),
      nb::kw_only(), nb::arg("insets").none(), nb::arg("outside").none() = "drop", nb::arg("seed") = nb::none(),
      nb::arg("ledger") = nb::none(), nb::arg("dataset") = "", nb::arg("automatic") = true,
      "A release with insets of the points of batches (columns, units or None).");
}
