#include "shoal/grouped_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "release/parts.hpp"
#include "shoal/error.hpp"

namespace shoal {

bool same_promise(const ReleaseParts& a, const ReleaseParts& b) {
  return a.is_private == b.is_private && a.unit.neighbors == b.unit.neighbors && a.unit.column == b.unit.column &&
         a.unit.max_contributions == b.unit.max_contributions && a.unit.share == b.unit.share;
}

void trim_parts(std::vector<ReleaseGroup>& parts, std::size_t limit) {
  constexpr std::size_t beside = std::size_t{1} << 16;  // the top of the file, and names
  const std::size_t each = (limit - std::min(limit, beside)) / parts.size();
  bool whole = true;
  for (ReleaseGroup& part : parts) {
    const bool had = part.release.parts().values() != nullptr;
    part.release = part.release.trimmed_to(each);
    whole = whole && (part.release.parts().values() != nullptr) == had;
  }
  if (whole) return;
  for (ReleaseGroup& part : parts) part.release = part.release.without_noisy_values();
}

GroupedRelease::GroupedRelease(Grouping grouping, std::vector<Release> releases)
    : grouping_(std::move(grouping)), epsilon_(Epsilon::zero()) {
  if (releases.empty() || releases.size() != names().size()) {
    throw InputError(fmt::format("{} groups have {} releases; give one for each", names().size(), releases.size()));
  }
  for (std::size_t i = 0; i < releases.size(); ++i) groups_.push_back({names()[i], std::move(releases[i])});
  for (const ReleaseGroup& group : groups_) {
    const ReleaseParts &of = group.release.parts(), &first = groups_.front().release.parts();
    if (of.epsilon == first.epsilon && same_promise(of, first)) continue;
    throw InputError(
        fmt::format("the releases of '{}' and '{}' differ in epsilon, unit or neighbours; groups of one "
                    "release have these in common",
                    groups_.front().name, group.name));
  }
  epsilon_ = grouping_.cost(epsilon_each(), unit());
}

std::vector<Release> GroupedRelease::releases() const {
  std::vector<Release> result;
  for (const ReleaseGroup& group : groups_) result.push_back(group.release);
  return result;
}

const Release& GroupedRelease::at(const std::string& name) const {
  const auto found =
      std::find_if(groups_.begin(), groups_.end(), [&name](const ReleaseGroup& group) { return group.name == name; });
  if (found != groups_.end()) return found->release;
  constexpr std::size_t most_listed = 20;
  std::vector<std::string> listed = names();
  const bool all = listed.size() <= most_listed;
  if (!all) listed.resize(most_listed);
  throw InputError(
      fmt::format("there is no group '{}'; the groups are {}{}", name, fmt::join(listed, ", "), all ? "" : ", ..."));
}

std::vector<Spent> GroupedRelease::spent() const { return {{"groups", grouping_.groups_changed(unit()), epsilon_}}; }

GroupedRelease GroupedRelease::without_noisy_values() const {
  GroupedRelease result = *this;
  for (ReleaseGroup& group : result.groups_) group.release = group.release.without_noisy_values();
  return result;
}

GroupedRelease GroupedRelease::trimmed_to(std::size_t limit) const {
  GroupedRelease result = *this;
  trim_parts(result.groups_, limit);
  return result;
}

GroupedRelease reshape(const GroupedRelease& groups, const ClusterOptions& options) {
  std::vector<Release> reshaped;
  for (const ReleaseGroup& group : groups.groups()) reshaped.push_back(reshape(group.release, options));
  return {groups.grouping(), std::move(reshaped)};
}

}  // namespace shoal
