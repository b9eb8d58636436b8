#include "shoal/release_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "release/parts.hpp"
#include "shoal/notices.hpp"

namespace shoal {

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

std::vector<std::string> ReleaseSet::notices() const {
  std::vector<std::string> result;
  if (is_private()) result = shoal::notices(unit(), epsilon_);
  if (const std::optional<std::string> groups = counted_in_groups(unit())) result.push_back(*groups);
  if (counts_almost_nothing()) {
    result.push_back(fmt::format("No part shows more {}s inside the bounds than noise alone would; check the bounds.",
                                 counted_word(unit())));
  }
  return result;
}

bool ReleaseSet::counts_almost_nothing() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const NamedRelease& part) { return shoal::counts_almost_nothing(part.release); });
}

bool same_promise(const ReleaseParts& a, const ReleaseParts& b) {
  return a.is_private == b.is_private && a.unit.neighbors == b.unit.neighbors && a.unit.column == b.unit.column &&
         a.unit.max_contributions == b.unit.max_contributions && a.unit.share == b.unit.share;
}

std::vector<Release> stripped_parts(const ReleaseSet& set) {
  std::vector<Release> result;
  for (const NamedRelease& part : set.parts()) result.push_back(part.release.without_noisy_values());
  return result;
}

std::vector<Release> reshaped_parts(const ReleaseSet& set, const ClusterOptions& options) {
  std::vector<Release> result;
  for (const NamedRelease& part : set.parts()) result.push_back(reshape(part.release, options));
  return result;
}

std::vector<Release> trimmed_parts(const ReleaseSet& set, std::size_t limit) {
  constexpr std::size_t beside = std::size_t{1} << 16;  // the top of the file, and names
  const std::size_t each = (limit - std::min(limit, beside)) / set.parts().size();
  std::vector<Release> result;
  bool whole = true;
  for (const NamedRelease& part : set.parts()) {
    result.push_back(part.release.trimmed_to(each));
    whole = whole && (result.back().parts().values() == nullptr) == (part.release.parts().values() == nullptr);
  }
  if (whole) return result;
  for (Release& release : result) release = release.without_noisy_values();
  return result;
}

}  // namespace shoal
