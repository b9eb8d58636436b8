// What a set of releases says about its parts.
#include <fmt/format.h>

#include <algorithm>

#include "shoal/notices.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

namespace {

// A sentence, and the parts for which it is true.
struct Said {
  std::string sentence;
  std::vector<std::string> parts;
};

template <class Sentences>
std::vector<Said> said_by(const std::vector<NamedRelease>& parts, Sentences sentences_of) {
  std::vector<Said> all;
  for (const NamedRelease& part : parts) {
    for (std::string& sentence : sentences_of(part.release)) {
      const auto same = [&](const Said& said) { return said.sentence == sentence; };
      auto found = std::find_if(all.begin(), all.end(), same);
      if (found == all.end()) found = all.insert(all.end(), Said{std::move(sentence), {}});
      found->parts.push_back(part.name);
    }
  }
  return all;
}

// The first of them, and how many there are.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most, ", "), names.size() - most);
}

std::vector<std::string> with_parts(const std::vector<Said>& all, std::size_t parts) {
  std::vector<std::string> result;
  for (const Said& said : all) {
    result.push_back(said.parts.size() == parts ? said.sentence
                                                : fmt::format("{}: {}", listed(said.parts), said.sentence));
  }
  return result;
}

}  // namespace

std::vector<std::string> ReleaseSet::notices() const {
  if (is_whole()) return shoal::notices(first());
  std::vector<std::string> result;
  if (is_private()) result = shoal::notices(unit(), epsilon_);
  if (const std::optional<std::string> groups = counted_in_groups(unit())) result.push_back(*groups);
  std::vector<std::string> empty;
  for (const NamedRelease& part : parts_) {
    if (counts_almost_nothing(part.release)) empty.push_back(part.name);
  }
  if (empty.size() == parts_.size()) {
    // The owner names groups, and Shoal places insets.
    result.push_back(fmt::format("No part shows more {} inside the bounds than noise alone would; check {}the bounds.",
                                 counted_noun(unit()).many, grouping() != nullptr ? "the names and " : ""));
  } else if (shows_nothing()) {
    result.emplace_back(
        "No part shows a cluster that is surely real: its cells hold less than their noise. Choose a coarser grid, a "
        "higher level, or --auto.");
  } else if (!empty.empty()) {
    result.push_back(fmt::format("No more {} lie in {} than noise alone would show; check the names and the bounds.",
                                 counted_noun(unit()).many, listed(empty)));
  }
  const std::vector<Said> rounding =
      said_by(parts_, [](const Release& release) { return notices_of_rounding(release.parts()); });
  for (std::string& notice : with_parts(rounding, parts_.size())) result.push_back(std::move(notice));
  return result;
}

std::vector<std::string> ReleaseSet::rounding_in_words() const {
  return with_parts(said_by(parts_, [](const Release& release) { return shoal::rounding_in_words(release.parts()); }),
                    parts_.size());
}

bool ReleaseSet::shows_nothing() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const NamedRelease& part) { return notice_of_nothing(part.release).has_value(); });
}

}  // namespace shoal
