// Releases of several groups of one dataset. They are made together, stored in one file and charged once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shoal/groups.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

// The parts of the set are the groups, in the order of the public list.
class GroupedRelease final : public ReleaseSet {
 public:
  static constexpr int format_version = 1;

  // Takes one release per group, in the order of the groups. Throws if the number of releases differs from the number
  // of groups, if the releases differ in epsilon, in unit or in whether they are private, or if Grouping::check()
  // throws.
  GroupedRelease(Grouping grouping, std::vector<Release> releases);
  // Read a file or a text. Throw if it violates docs/groups.schema.json or is inconsistent. Each release is checked as
  // by Release::load(). `where` names the source in messages.
  static GroupedRelease load(const std::string& path);
  static GroupedRelease parse(const std::string& json_text, const std::string& where);
  // Returns true if the key `format` of the text says that it is such a file.
  static bool is_meant(const std::string& json_text);

  // Returns how a field of a record determines its group.
  [[nodiscard]] const Grouping& grouping() const noexcept { return grouping_; }
  [[nodiscard]] const std::string& by() const noexcept { return grouping_.axis.name(); }
  [[nodiscard]] std::uint64_t max_groups() const noexcept { return grouping_.max_groups; }
  [[nodiscard]] const Release& at(const std::string& name) const override;

  // Returns the epsilon of one group. epsilon() is this value times the number of groups in which neighbours differ.
  [[nodiscard]] Epsilon epsilon_each() const noexcept { return parts_.front().release.parts().epsilon; }
  // Returns one entry for all groups. Its sensitivity is the number of groups in which neighbours differ.
  [[nodiscard]] std::vector<Spent> spent() const override;

  // Returns the set with every release trimmed (Release::trimmed_to), so that the file is not larger than `limit`
  // bytes.
  [[nodiscard]] GroupedRelease trimmed_to(std::size_t limit = Release::largest_file) const;
  [[nodiscard]] GroupedRelease without_noisy_values() const;

  [[nodiscard]] std::string json() const override;

 private:
  Grouping grouping_;
};

// Reshapes every group, as reshape() of a release does.
GroupedRelease reshape(const GroupedRelease& groups, const ClusterOptions& options);

}  // namespace shoal
