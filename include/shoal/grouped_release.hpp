// Releases of several groups of one dataset, made together: one file, one charge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shoal/groups.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

// The parts are the groups, in the order of the public list.
class GroupedRelease final : public ReleaseSet {
 public:
  static constexpr int format_version = 1;

  // releases: one for each group, in their order. Refuses another number of them, releases that differ in epsilon, unit
  // or whether they are private, and what Grouping::check refuses.
  GroupedRelease(Grouping grouping, std::vector<Release> releases);
  // Checked against docs/groups.schema.json and itself; each release as Release::load checks it.
  static GroupedRelease load(const std::string& path);
  static GroupedRelease parse(const std::string& json_text, const std::string& where);
  // Whether a text is meant as such a file, by its key `format`.
  static bool is_meant(const std::string& json_text);

  // How a record's field says its group.
  [[nodiscard]] const Grouping& grouping() const noexcept { return grouping_; }
  [[nodiscard]] const std::string& by() const noexcept { return grouping_.axis.name(); }
  [[nodiscard]] std::uint64_t max_groups() const noexcept { return grouping_.max_groups; }
  [[nodiscard]] const Release& at(const std::string& name) const override;

  // Of one group; epsilon() is that, so many times as groups differ between neighbours.
  [[nodiscard]] Epsilon epsilon_each() const noexcept { return parts_.front().release.parts().epsilon; }
  // One entry, of all groups; its sensitivity is the number of groups in which neighbours differ.
  [[nodiscard]] std::vector<Spent> spent() const override;

  // Every release trimmed so that the file is not too large.
  [[nodiscard]] GroupedRelease trimmed_to(std::size_t limit = Release::largest_file) const;
  [[nodiscard]] GroupedRelease without_noisy_values() const;

  [[nodiscard]] std::string json() const override;

 private:
  Grouping grouping_;
};

// As reshape of a release, of every group.
GroupedRelease reshape(const GroupedRelease& groups, const ClusterOptions& options);

}  // namespace shoal
