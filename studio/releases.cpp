#include "studio/releases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/counted.hpp"
#include "shoal/error.hpp"
#include "shoal/notices.hpp"
#include "studio/settings.hpp"

namespace shoal::studio {

namespace {

Summary summary_of(const FolderFile& file, const AnyRelease& release) {
  About of = about(release);
  return {.name = std::filesystem::path(file.name).stem().string(),
          .file = file.name,
          .time = file.time,
          .headline = std::move(of.headline),
          .epsilon = std::move(of.epsilon),
          .unit = std::move(of.unit),
          .axes = std::move(of.axes)};
}

About about_one(const Release& release, std::string headline, Epsilon epsilon) {
  std::vector<std::string> axes;
  for (const Axis& axis : release.parts().grid.axes()) axes.push_back(axis.name());
  return {.headline = std::move(headline),
          .axes = fmt::format("{}", fmt::join(axes, ", ")),
          .epsilon = epsilon.text(),
          .unit = in_words(release.parts().unit)};
}

}  // namespace

About about(const AnyRelease& release) {
  if (const auto* groups = std::get_if<GroupedRelease>(&release)) {
    return about_one(groups->parts().front().release, counted(groups->parts().size(), "group"), groups->epsilon());
  }
  if (const auto* insets = std::get_if<InsetRelease>(&release)) {
    return about_one(insets->overview(),
                     fmt::format("{} in the overview, {}", counted_clusters(insets->overview()),
                                 counted(insets->insets().size(), "inset")),
                     insets->epsilon());
  }
  const auto& one = std::get<Release>(release);
  return about_one(one, counted_clusters(one), one.parts().epsilon);
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
        Summary summary = summary_of(file, load_any(folder_.file(file.name)));
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

AnyRelease Releases::load(const std::string& name) {
  const std::vector<Summary> known = all();
  const auto found = std::find_if(known.begin(), known.end(), [&](const Summary& of) { return of.name == name; });
  if (found == known.end()) throw InputError("there is no such release in the folder");
  return load_any(folder_.file(found->file));
}

}  // namespace shoal::studio
