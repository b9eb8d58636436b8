#include "shoal/grouped_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "release/parts.hpp"
#include "shoal/error.hpp"

namespace shoal {

GroupedRelease::GroupedRelease(Grouping grouping, std::vector<Release> releases) : grouping_(std::move(grouping)) {
  const std::vector<std::string>& names = grouping_.names;
  if (releases.empty() || releases.size() != names.size()) {
    throw InputError(fmt::format("{} groups have {} releases; give one for each", names.size(), releases.size()));
  }
  for (std::size_t i = 0; i < releases.size(); ++i) parts_.push_back({names[i], std::move(releases[i])});
  for (const NamedRelease& group : parts_) {
    const ReleaseParts &of = group.release.parts(), &first = parts_.front().release.parts();
    if (of.epsilon == first.epsilon && same_promise(of, first)) continue;
    throw InputError(
        fmt::format("the releases of '{}' and '{}' differ in epsilon, unit or neighbours; groups of one "
                    "release have these in common",
                    parts_.front().name, group.name));
  }
  epsilon_ = grouping_.cost(epsilon_each(), unit());
  for (NamedRelease& group : parts_) group.release.parts_.unit.groups = grouping_.counted_of(unit());
}

const Release& GroupedRelease::at(const std::string& name) const {
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&name](const NamedRelease& group) { return group.name == name; });
  if (found != parts_.end()) return found->release;
  constexpr std::size_t most_listed = 20;
  std::vector<std::string> listed = names();
  const bool all = listed.size() <= most_listed;
  if (!all) listed.resize(most_listed);
  throw InputError(
      fmt::format("there is no group '{}'; the groups are {}{}", name, fmt::join(listed, ", "), all ? "" : ", ..."));
}

std::vector<Spent> GroupedRelease::spent() const { return {{"groups", grouping_.groups_changed(unit()), epsilon_}}; }

GroupedRelease GroupedRelease::without_noisy_values() const { return {grouping_, stripped_parts(*this)}; }

GroupedRelease GroupedRelease::trimmed_to(std::size_t limit) const { return {grouping_, trimmed_parts(*this, limit)}; }

GroupedRelease reshape(const GroupedRelease& groups, const ClusterOptions& options) {
  return {groups.grouping(), reshaped_parts(groups, options)};
}

}  // namespace shoal
