#include "shoal/release_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/counted_axis.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

// Returns whether unit, neighbours and being private are equal.
bool same_promise(const ReleaseParts& a, const ReleaseParts& b) {
  return a.is_private == b.is_private && a.unit.neighbors == b.unit.neighbors && a.unit.column == b.unit.column &&
         a.unit.max_contributions == b.unit.max_contributions && a.unit.share == b.unit.share &&
         a.unit.name == b.unit.name;
}

std::string range_of(const Axis& axis) { return fmt::format("{}:{}", axis.text(axis.lo()), axis.text(axis.hi())); }

void check_inside(const Grid& overview, const Grid& inset, const std::string& name) {
  if (inset.dimensions() != overview.dimensions()) {
    throw InputError(
        fmt::format("inset {} has {} axes, and the overview {}", name, inset.dimensions(), overview.dimensions()));
  }
  for (std::size_t i = 0; i < inset.dimensions(); ++i) {
    const Axis &whole = overview.axis(i), &part = inset.axis(i);
    if (part.name() != whole.name() || part.kind().scale != whole.kind().scale ||
        part.kind().unit != whole.kind().unit) {
      throw InputError(fmt::format("axis {} of inset {} differs from that of the overview", i + 1, name));
    }
    // Where cells are joined, a coarser grid may end after a finer one.
    if (part.lo() < whole.lo() || (part.hi() > whole.hi() && !is_counted(part.kind()))) {
      throw InputError(
          fmt::format("inset {} reaches past the overview: {} in {}", name, range_of(part), range_of(whole)));
    }
  }
}

bool overlap(const Grid& a, const Grid& b) {
  for (std::size_t i = 0; i < a.dimensions(); ++i) {
    if (a.axis(i).hi() <= b.axis(i).lo() || b.axis(i).hi() <= a.axis(i).lo()) return false;
  }
  return true;
}

// Returns the names of the parts of a layout. Throws if it has another number of releases.
std::vector<std::string> names_of(const Layout& layout, std::size_t releases) {
  if (const auto* groups = std::get_if<Grouping>(&layout)) {
    if (releases != 0 && releases == groups->names.size()) return groups->names;
    throw InputError(fmt::format("{} groups have {} releases; give one for each", groups->names.size(), releases));
  }
  if (std::holds_alternative<Whole>(layout)) {
    if (releases == 1) return {""};
    throw InputError(fmt::format("a plain release has one part, not {}", releases));
  }
  if (releases < 2) throw InputError("the list of insets is empty; give at least one");
  if (releases - 1 > most_insets) {
    throw InputError(fmt::format("there are {} insets; give at most {}", releases - 1, most_insets));
  }
  std::vector<std::string> names{ReleaseSet::overview_name};
  while (names.size() < releases) names.push_back(fmt::format("{}", names.size()));
  return names;
}

void check_groups(const std::vector<NamedRelease>& groups) {
  for (const NamedRelease& group : groups) {
    const ReleaseParts &one = group.release.parts(), &first = groups.front().release.parts();
    if (one.epsilon == first.epsilon && same_promise(one, first)) continue;
    throw InputError(
        fmt::format("the releases of '{}' and '{}' differ in epsilon, unit or neighbours; groups of one "
                    "release have these in common",
                    groups.front().name, group.name));
  }
}

// parts: the overview, then the insets.
void check_insets(const std::vector<NamedRelease>& parts) {
  const ReleaseParts &whole = parts.front().release.parts(), &first = parts[1].release.parts();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const ReleaseParts& inset = parts[i].release.parts();
    check_inside(whole.grid, inset.grid, parts[i].name);
    if (!same_promise(inset, whole)) {
      throw InputError(fmt::format("inset {} and the overview differ in unit or neighbours", parts[i].name));
    }
    if (inset.epsilon != first.epsilon) {
      throw InputError(fmt::format("insets 1 and {} differ in epsilon; insets of one release have it in common", i));
    }
    for (std::size_t j = 1; j < i; ++j) {
      if (!overlap(inset.grid, parts[j].release.parts().grid)) continue;
      throw InputError(fmt::format("insets {} and {} overlap; a record lies in one at most", j, i));
    }
  }
}

template <class Change>
ReleaseSet changed(const ReleaseSet& set, const Change& change) {
  std::vector<Release> releases;
  for (const NamedRelease& part : set.parts()) releases.push_back(change(part.release));
  return {set.layout(), std::move(releases)};
}

}  // namespace

ReleaseSet::ReleaseSet(Layout layout, std::vector<Release> releases) : layout_(std::move(layout)) {
  std::vector<std::string> names = names_of(layout_, releases.size());
  for (std::size_t i = 0; i < names.size(); ++i) parts_.push_back({std::move(names[i]), std::move(releases[i])});
  epsilon_ = first().parts().epsilon;
  if (const Grouping* groups = grouping()) {
    check_groups(parts_);
    epsilon_ = groups->cost(epsilon_, unit());
    for (NamedRelease& group : parts_) group.release.parts_.unit.groups = groups->counted_of(unit());
  } else if (auto* insets = std::get_if<Insets>(&layout_)) {
    check_insets(parts_);
    insets->most = parts_.size() - 1;
    epsilon_ = Epsilon::parse((epsilon_ + parts_[1].release.parts().epsilon).text());
  }
}

std::span<const NamedRelease> ReleaseSet::insets() const noexcept {
  return std::span(parts_).subspan(std::holds_alternative<Insets>(layout_) ? 1 : parts_.size());
}

const Release& ReleaseSet::at(const std::string& name) const {
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&name](const NamedRelease& part) { return part.name == name; });
  if (found != parts_.end()) return found->release;
  if (is_whole()) throw InputError(fmt::format("there is no part '{}'; the release is one without parts", name));
  if (!insets().empty()) {
    throw InputError(
        fmt::format("there is no part '{}'; give {}, or an inset from 1 to {}", name, overview_name, insets().size()));
  }
  constexpr std::size_t most_listed = 20;
  std::vector<std::string> listed = names();
  const bool all = listed.size() <= most_listed;
  if (!all) listed.resize(most_listed);
  throw InputError(
      fmt::format("there is no group '{}'; the groups are {}{}", name, fmt::join(listed, ", "), all ? "" : ", ..."));
}

std::vector<Spent> ReleaseSet::spent() const {
  if (is_whole()) return first().parts().spent();
  if (const Grouping* groups = grouping()) return {{"groups", groups->groups_changed(unit()), epsilon_}};
  const std::uint64_t records = unit().records_changed();
  return {{overview_name, records, first().parts().epsilon},
          {"insets", records, insets().front().release.parts().epsilon}};
}

std::vector<std::string> ReleaseSet::names() const {
  std::vector<std::string> result;
  for (const NamedRelease& part : parts_) result.push_back(part.name);
  return result;
}

std::vector<Release> ReleaseSet::releases() const {
  std::vector<Release> result;
  for (const NamedRelease& part : parts_) result.push_back(part.release);
  return result;
}

void ReleaseSet::publish(const Publication& publication) {
  Publication text = publication;
  text.base_map.clear();  // the first part holds it for all
  for (NamedRelease& part : parts_) {
    part.release = part.release.published(&part == &parts_.front() ? publication : text);
  }
}

ReleaseSet ReleaseSet::without_noisy_values() const {
  return changed(*this, [](const Release& release) { return release.without_noisy_values(); });
}

ReleaseSet ReleaseSet::trimmed_to(std::size_t limit) const {
  constexpr std::size_t bytes_of_head = std::size_t{1} << 16;  // bytes for the top of the file, and for names
  const std::size_t each = is_whole() ? limit : (limit - std::min(limit, bytes_of_head)) / parts_.size();
  bool kept = true;
  ReleaseSet result = changed(*this, [&](const Release& release) {
    Release trimmed = release.trimmed_to(each);
    kept = kept && (trimmed.parts().values() == nullptr) == (release.parts().values() == nullptr);
    return trimmed;
  });
  if (kept) return result;
  return result.without_noisy_values();
}

ReleaseSet reshape(const ReleaseSet& set, const ClusterOptions& options) {
  return changed(set, [&options](const Release& release) { return reshape(release, options); });
}

}  // namespace shoal
