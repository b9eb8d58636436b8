// Releases of several groups of one dataset, made together: one file, one charge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shoal/groups.hpp"
#include "shoal/release.hpp"

namespace shoal {

// A group of the public list, and its release.
struct ReleaseGroup {
  std::string name;
  Release release;
};

class GroupedRelease {
 public:
  static constexpr int format_version = 1;

  // releases: one for each group, in their order. Refuses another number of them, releases that differ in epsilon, unit
  // or whether they are private, and what Grouping::check refuses.
  GroupedRelease(Grouping grouping, std::vector<Release> releases);
  // Checked against docs/groups.schema.json and itself; each release as Release::load checks it.
  static GroupedRelease load(const std::string& path);
  static GroupedRelease parse(const std::string& json_text, const std::string& where);
  // Whether a text is meant as a file of groups and not as that of one release: by its first key.
  static bool is_meant(const std::string& json_text);

  // How a record's field says its group.
  [[nodiscard]] const Grouping& grouping() const noexcept { return grouping_; }
  [[nodiscard]] const std::string& by() const noexcept { return grouping_.axis.name(); }
  [[nodiscard]] std::uint64_t max_groups() const noexcept { return grouping_.max_groups; }
  [[nodiscard]] const std::vector<ReleaseGroup>& groups() const noexcept { return groups_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return grouping_.names; }
  [[nodiscard]] std::vector<Release> releases() const;
  // Refuses a name that is none of them.
  [[nodiscard]] const Release& at(const std::string& name) const;

  [[nodiscard]] bool is_private() const noexcept { return groups_.front().release.parts().is_private; }
  [[nodiscard]] const PrivacyUnit& unit() const noexcept { return groups_.front().release.parts().unit; }
  // Of one group, and charged for all: that of a group, so many times as groups differ between neighbours.
  [[nodiscard]] Epsilon epsilon_each() const noexcept { return groups_.front().release.parts().epsilon; }
  [[nodiscard]] Epsilon epsilon() const noexcept { return epsilon_; }
  // One entry, of all groups; its sensitivity is the number of groups in which neighbours differ.
  [[nodiscard]] std::vector<Spent> spent() const;

  // Every release trimmed so that the file is not too large.
  [[nodiscard]] GroupedRelease trimmed_to(std::size_t limit = Release::largest_file) const;
  [[nodiscard]] GroupedRelease without_noisy_values() const;

  [[nodiscard]] std::string json() const;
  // As those of a release, with the property or column `group`.
  [[nodiscard]] std::string geojson(Doubtful doubtful = Doubtful::leave_out) const;
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] std::string html() const;  // all groups side by side
  // What a file of that name holds, by suffix: .json .geojson .csv .html .svg .png. Any other is refused.
  [[nodiscard]] std::string contents(const std::string& path, Doubtful doubtful = Doubtful::leave_out) const;
  // Written aside, then put in place.
  void save(const std::string& path, Existing existing = Existing::refuse,
            Doubtful doubtful = Doubtful::leave_out) const;

 private:
  Grouping grouping_;
  std::vector<ReleaseGroup> groups_;
  Epsilon epsilon_;
};

// As reshape of a release, of every group.
GroupedRelease reshape(const GroupedRelease& groups, const ClusterOptions& options);

}  // namespace shoal
