#include "studio/releases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"
#include "studio/settings.hpp"

namespace shoal::studio {

namespace {

Summary summary_of(const FolderFile& file, const ReleaseSet& release) {
  About summary = about(release);
  return {.name = std::filesystem::path(file.name).stem().string(),
          .file = file.name,
          .time = file.time,
          .headline = std::move(summary.headline),
          .epsilon = std::move(summary.epsilon),
          .unit = std::move(summary.unit),
          .axes = std::move(summary.axes)};
}

std::string headline_of(const ReleaseSet& release) {
  if (release.grouping() != nullptr) return counted(release.parts().size(), "group");
  const std::string clusters = counted_clusters(release.first());
  return release.is_whole()
             ? clusters
             : fmt::format("{} in the overview, {}", clusters, counted(release.insets().size(), "inset"));
}

}  // namespace

About about(const ReleaseSet& release) {
  std::vector<std::string> axes;
  for (const Axis& axis : release.first().parts().grid.axes()) axes.push_back(axis.name());
  return {.headline = headline_of(release),
          .axes = fmt::format("{}", fmt::join(axes, ", ")),
          .epsilon = release.epsilon().text(),
          .unit = in_words(release.unit())};
}

std::vector<Summary> Releases::all() {
  std::vector<FolderFile> files = folder_.files(releases_name, {".json"});
  for (FolderFile& file : folder_.files("", {".json"})) {
    if (file.name.starts_with(std::string(ledger_name) + ".entry-")) files.push_back(std::move(file));
  }
  const std::lock_guard lock(mutex_);
  std::vector<Summary> result;
  for (const FolderFile& file : files) {
    const auto found = known_.find(file.name);
    if (found == known_.end() || found->second.time != file.time || found->second.bytes != file.bytes) {
      try {
        Summary summary = summary_of(file, ReleaseSet::load(folder_.file(file.name)));
        known_.insert_or_assign(file.name, Known{file.time, file.bytes, std::move(summary)});
      } catch (const Error&) {
        known_.erase(file.name);
        continue;
      }
    }
    result.push_back(known_.at(file.name).summary);
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  return result;
}

ReleaseSet Releases::load(const std::string& name) {
  const std::vector<Summary> known = all();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Summary& candidate) { return candidate.name == name; });
  if (found == known.end()) throw InputError("there is no such release in the folder");
  return ReleaseSet::load(folder_.file(found->file));
}

}  // namespace shoal::studio
