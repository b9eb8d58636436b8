// What private_release() returns and what a file holds: named releases of one dataset that are made and charged
// together, and the labels that they give to points. A plain release is a set of one part.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shoal/grid.hpp"
#include "shoal/privacy.hpp"
#include "shoal/release.hpp"

namespace shoal {

// The groups, and how a record is assigned to them. A record lies in at most one group; a record in no group is
// dropped.
struct Grouping {
  Axis axis;                       // Has the name of the column and one cell per group.
  std::vector<std::string> names;  // Names of the groups, in the order of the cells.
  // Maximum number of groups per unit. If a unit has records in more groups, a random subset of its groups is kept.
  std::uint64_t max_groups = 1;
  // The range of periods as declared_groups() accepts it after the column. Empty if the groups are a list.
  std::string range = {};

  // Returns the maximum number of groups in which two neighbouring datasets differ. It is max_groups under add_remove.
  // Under replace, a unit may leave as many groups as it enters, so it is twice max_groups, but at most the number of
  // groups. A release of all groups costs epsilon this many times (docs/proofs.md). Throws if check() throws.
  [[nodiscard]] std::uint64_t groups_changed(const PrivacyUnit& unit) const;
  // Returns the cost of a release of all groups in which each group uses epsilon `each`. Throws if the cost exceeds the
  // largest valid Epsilon.
  [[nodiscard]] Epsilon cost(Epsilon each, const PrivacyUnit& unit) const;
  // Returns the word for a group: "week", "month", "day", or the name of the column.
  [[nodiscard]] std::string word() const;
  // Returns the value of PrivacyUnit::groups. It is set if a unit may have records in more groups than it counts in.
  [[nodiscard]] std::optional<CountedGroups> counted_of(const PrivacyUnit& unit) const;
  // Throws if max_groups is 0, exceeds the number of groups, or exceeds 1 while the unit is a record.
  void check(const PrivacyUnit& unit) const;
};

// Parses a declaration of groups. Throws if the text has none of these forms, lists a group twice, or has more than
// most_groups groups.
//   COLUMN=A|B|C                                      the texts in the column
//   COLUMN=2026-W01..2026-W12[:zone=+02:00]           weeks from Monday; the column holds dates, times or such texts
//   COLUMN=2026-01..2026-12, 2026-01-01..2026-01-31   months, or days, in the same way
Grouping declared_groups(std::string_view text, std::uint64_t max_groups = 1);
// Returns the grouping for a list of names. The column may have no name.
Grouping listed_groups(std::string column, std::vector<std::string> names, std::uint64_t max_groups = 1);

// Maximum number of groups of one release.
inline constexpr std::uint64_t most_groups = 1000;

// One release of all records. Its part has no name.
struct Whole {};
// A release of all records, which is the overview, and finer releases of dense places in it, like the insets of an
// atlas.
struct Insets {
  // Maximum number of insets of a request, from 1 to most_insets. In a set, the number of its insets.
  std::uint64_t most;
};
// Maximum number of insets of one set.
inline constexpr std::uint64_t most_insets = 64;
// How the records are divided among the parts of a set: not at all, by group, or by place.
using Layout = std::variant<Whole, Grouping, Insets>;

// A release of a set, with its name.
struct NamedRelease {
  std::string name;
  Release release;
};

class ReleaseSet {
 public:
  // Version of the files of groups and of insets.
  static constexpr int format_version = 1;
  static constexpr const char* overview_name = "overview";

  // Takes the releases in the order of the layout: the only one; one per group; or the overview and then its insets,
  // which are named "1", "2" and so on. Throws if their number does not fit the layout, or if they differ in unit or in
  // whether they are private. Groups, and likewise insets, must have the same epsilon. Insets must lie within the
  // overview, have its axes and not overlap. Throws if Grouping::check() throws.
  ReleaseSet(Layout layout, std::vector<Release> releases);
  explicit ReleaseSet(const Release& release) : ReleaseSet(Whole{}, {release}) {}
  // Read a file or a text of any layout. Throw if it violates docs/release.schema.json, docs/groups.schema.json or
  // docs/insets.schema.json, or is inconsistent; the message names the place in the file. `where` names the source in
  // messages.
  static ReleaseSet load(const std::string& path);
  static ReleaseSet parse(std::string json_text, const std::string& where);

  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] bool is_whole() const noexcept { return std::holds_alternative<Whole>(layout_); }
  // Returns the groups, or nothing if the layout is another one.
  [[nodiscard]] const Grouping* grouping() const noexcept { return std::get_if<Grouping>(&layout_); }
  // Returns the insets. Empty if the layout is another one.
  [[nodiscard]] std::span<const NamedRelease> insets() const noexcept;

  [[nodiscard]] const std::vector<NamedRelease>& parts() const noexcept { return parts_; }
  // Returns the only part, the first group or the overview.
  [[nodiscard]] const Release& first() const noexcept { return parts_.front().release; }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<Release> releases() const;
  // Returns the release of a part. Throws if no part has this name.
  [[nodiscard]] const Release& at(const std::string& name) const;
  // Return whether the parts are private, and their privacy unit. Both are the same for all parts.
  [[nodiscard]] bool is_private() const noexcept { return first().parts().is_private; }
  [[nodiscard]] const PrivacyUnit& unit() const noexcept { return first().parts().unit; }
  // Returns the epsilon that was charged for all parts together. For groups it is the epsilon of each of them times the
  // number of groups in which neighbours differ. Insets are charged once, because no two of them share a record
  // (docs/proofs.md).
  [[nodiscard]] Epsilon epsilon() const noexcept { return epsilon_; }
  // Returns what was spent: by mechanism, for all groups in one entry, or for the overview and for the insets.
  [[nodiscard]] std::vector<Spent> spent() const;
  // Returns the notices about the set, usually none (notices.hpp). For several parts, they state a weak guarantee of
  // all parts together, in which groups a unit counts, which parts show nothing or nearly nothing inside the bounds,
  // that no part shows a cluster that is surely real because the grid is too fine, and that values on a given grid seem
  // to be rounded.
  [[nodiscard]] std::vector<std::string> notices() const;
  // Returns the rounding that --auto found, each sentence once, with the names of its parts unless it holds for all.
  [[nodiscard]] std::vector<std::string> rounding_in_words() const;

  // Gives all parts this text for their readers, under the rules of Release::published.
  void publish(const Publication& publication);
  [[nodiscard]] const Publication& publication() const noexcept { return first().parts().publication; }

  // Returns true if no part shows anything (notice_of_nothing).
  [[nodiscard]] bool shows_nothing() const;

  [[nodiscard]] ReleaseSet without_noisy_values() const;
  // Returns the set with its parts trimmed (Release::trimmed_to), so that the file is not larger than `limit` bytes.
  // Either all parts keep their noisy values or none does.
  [[nodiscard]] ReleaseSet trimmed_to(std::size_t limit = Release::largest_file) const;

  // Return the formats of a release for all parts. If there are several, a property (GeoJSON) or the first column (CSV)
  // holds the name of the part.
  [[nodiscard]] std::string json() const;
  [[nodiscard]] std::string geojson(Doubtful doubtful = Doubtful::leave_out) const;
  [[nodiscard]] std::string csv() const;
  // Returns one picture of all parts, by the suffixes of Release::picture.
  [[nodiscard]] std::string picture(const std::string& path) const;
  // Returns a report without scripts.
  [[nodiscard]] std::string report() const;
  // Returns the report with scripts to explore the parts.
  [[nodiscard]] std::string html() const;
  // Returns the contents of a file. The suffix of `path` selects the format: .json, .geojson, .gpkg, .tif, .csv, .html,
  // .svg or .png. Throws if the suffix is any other.
  [[nodiscard]] std::string contents(const std::string& path, Doubtful doubtful = Doubtful::leave_out) const;
  // Writes the contents to a temporary file and then moves it into place.
  // An existing file is refused, unless Existing::replace (files.hpp) is given.
  void save(const std::string& path) const;
  void save(const std::string& path, Existing existing, Doubtful doubtful = Doubtful::leave_out) const;

 private:
  Layout layout_;
  std::vector<NamedRelease> parts_;
  Epsilon epsilon_ = Epsilon::zero();
};

// Returns the Content-Security-Policy of the pages that html() returns: no request, and no script but their own.
std::string page_policy();

// Reshapes every part, as reshape() of a release does.
ReleaseSet reshape(const ReleaseSet& set, const ClusterOptions& options);

struct LabelOptions {
  // Unless it is keep, points of doubtful clusters get no label.
  Doubtful doubtful = Doubtful::leave_out;
  // If not set, the default of each release (Release::usual_assign).
  std::optional<Assign> assign{};
  // Also compute how strongly each point belongs to its cluster. Requires the noisy values of the release.
  bool strength = false;
};

// The labels of some points.
struct PointLabels {
  // Numbers of the clusters, starting at 1. 0 means unclustered, outside the bounds, or in no group.
  std::vector<std::uint32_t> labels{};
  // The part whose cluster it is: the index of the group plus 1, 0 for no group; or the number of the inset, 0 for the
  // overview. If a point has no label, the part in which it lies. Empty for a plain release.
  std::vector<std::uint32_t> parts{};
  // The inset in which the point lies, or 0. Empty without insets.
  std::vector<std::uint32_t> places{};
  // From 0 to 1: the noisy density of the cell of the point, divided by the largest density in its cluster. Empty
  // unless requested.
  std::vector<double> strengths{};
};

// Labels a point by the release of its group, or by the inset in which it lies and otherwise by the overview. If an
// inset has exactly one cluster within a cluster of the overview, the two are the same cluster, so that a frame does
// not cut a cluster in two. If it has none within a cluster of the overview, the overview labels the points there. A
// labeller may be used by several threads at a time. Copies are cheap.
class Labeller {
 public:
  // Throws if the groups differ in the kinds of their axes, or if strength is requested of a release without noisy
  // values.
  explicit Labeller(const ReleaseSet& set, const LabelOptions& options = {});
  // Labels by a map. If `strength` is set, it is the release of the map, and strengths are computed too.
  explicit Labeller(ClusterMap map, const Release* strength = nullptr);

  // Returns the grid of the first part.
  [[nodiscard]] const Grid& grid() const noexcept;
  [[nodiscard]] const Layout& layout() const noexcept;
  [[nodiscard]] bool has_strength() const noexcept;
  // Returns the number of clusters that points may get, over all parts.
  [[nodiscard]] std::size_t clusters() const noexcept;

  // columns: one array per axis. If there are groups, the array of their coordinates on the axis of the groups comes
  // first.
  [[nodiscard]] PointLabels label(const std::vector<std::span<const double>>& columns) const;

 private:
  struct Maps;
  std::shared_ptr<const Maps> maps_;
};

}  // namespace shoal
