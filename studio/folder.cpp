#include "studio/folder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "shoal/error.hpp"
#include "shoal/files.hpp"

namespace shoal::studio {

namespace fs = std::filesystem;

namespace {

bool ends_in(const std::string& name, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& ending) { return name.size() > ending.size() && name.ends_with(ending); });
}

class NewFile : public Upload {
 public:
  NewFile(const std::string& folder, std::string name) : name_(std::move(name)), file_(folder + "/" + name_) {}
  void take(std::string_view bytes) override { file_.write(bytes); }
  Response finish() override {
    file_.commit();
    return {.body = "kept"};
  }

 private:
  std::string name_;
  PendingFile file_;
};

}  // namespace

const std::vector<std::string>& data_endings() {
  static const std::vector<std::string> endings = {".csv", ".csv.gz", ".csv.zst", ".tsv",   ".tsv.gz",
                                                   ".txt", ".txt.gz", ".parquet", ".duckdb"};
  return endings;
}

Folder::Folder(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  if (error || !fs::is_directory(whole)) {
    throw InputError(fmt::format("'{}' is not a folder; name the folder that holds your data", path));
  }
  path_ = whole.string();
}

std::string Folder::file(const std::string& relative) const {
  const fs::path inside(relative);
  const auto refuse = [&](const char* why) { throw InputError(fmt::format("'{}' {}", relative, why)); };
  if (relative.empty() || relative.size() > 1000 || relative.find('\0') != std::string::npos) {
    refuse("is not a valid file name");
  }
  if (inside.is_absolute()) refuse("does not lie in the folder of this studio; give a path inside of it");
  fs::path whole = path_;
  for (const fs::path& part : inside) {
    if (part == ".." || part == "." || part.empty()) refuse("does not lie in the folder of this studio");
    whole /= part;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(whole, error);
    if (fs::is_symlink(status)) refuse("is a symbolic link; the studio follows none");
    if (!fs::exists(status)) refuse("is not in the folder of this studio");
  }
  if (!fs::is_regular_file(fs::symlink_status(whole))) refuse("is no file");
  return whole.string();
}

std::vector<FolderFile> Folder::files(const std::string& inside, const std::vector<std::string>& endings) const {
  std::vector<FolderFile> found;
  const fs::path place = fs::path(path_) / inside;
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(place, error))) return found;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    struct stat info {};
    if (name.starts_with('.') || !ends_in(name, endings) || ::lstat(entry->path().c_str(), &info) != 0 ||
        !S_ISREG(info.st_mode)) {
      continue;
    }
    found.push_back({.name = inside.empty() ? name : fmt::format("{}/{}", inside, name),
                     .bytes = static_cast<std::uint64_t>(info.st_size),
                     .time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(info.st_mtime))});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

std::unique_ptr<Upload> Folder::upload(const std::string& name) const {
  const bool odd = name.find('/') != std::string::npos || name.starts_with('.') || name.starts_with('-') ||
                   name.size() > 200 || std::any_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20; });
  if (odd) throw InputError("this is not a valid file name; rename the file and drop it again");
  if (!ends_in(name, data_endings())) {
    throw InputError(fmt::format("a file of data ends in {}", fmt::join(data_endings(), ", ")));
  }
  return std::make_unique<NewFile>(path_, name);
}

}  // namespace shoal::studio
