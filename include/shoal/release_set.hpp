// Several releases of one dataset that are made and charged together and stored in one file: groups, or an overview
// with its insets.
#pragma once

#include <string>
#include <vector>

#include "shoal/release.hpp"

namespace shoal {

// A release of a set, with its name.
struct NamedRelease {
  std::string name;
  Release release;
};

class ReleaseSet {
 public:
  virtual ~ReleaseSet() = default;

  [[nodiscard]] const std::vector<NamedRelease>& parts() const noexcept { return parts_; }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<Release> releases() const;
  // Returns the release of a part. Throws if no part has this name.
  [[nodiscard]] virtual const Release& at(const std::string& name) const = 0;
  // Return whether the parts are private, and their privacy unit. Both are the same for all parts.
  [[nodiscard]] bool is_private() const noexcept { return parts_.front().release.parts().is_private; }
  [[nodiscard]] const PrivacyUnit& unit() const noexcept { return parts_.front().release.parts().unit; }
  // Returns the epsilon that was charged for all parts together.
  [[nodiscard]] Epsilon epsilon() const noexcept { return epsilon_; }
  [[nodiscard]] virtual std::vector<Spent> spent() const = 0;
  // Returns the notices about the set, usually none (notices.hpp). They state a weak guarantee of all parts together,
  // in which groups a unit counts, which parts show nothing or nearly nothing inside the bounds, that no part shows a
  // cluster that is surely real because the grid is too fine, and that values on a given grid seem to be rounded.
  [[nodiscard]] std::vector<std::string> notices() const;
  // Returns the rounding that --auto found, each sentence once, with the names of its parts unless it holds for all.
  [[nodiscard]] std::vector<std::string> rounding_in_words() const;

  // Gives all parts this text for their readers, under the rules of Release::published.
  void publish(const Publication& publication);
  [[nodiscard]] const Publication& publication() const noexcept { return parts_.front().release.parts().publication; }

  // Returns true if no part shows anything (notice_of_nothing).
  [[nodiscard]] bool shows_nothing() const;

  [[nodiscard]] virtual std::string json() const = 0;
  // Return the formats of a release for all parts. A property (GeoJSON) or the first column (CSV) holds the name of the
  // part.
  [[nodiscard]] std::string geojson(Doubtful doubtful = Doubtful::leave_out) const;
  [[nodiscard]] std::string csv() const;
  // Returns one picture of all parts.
  [[nodiscard]] std::string svg() const;
  [[nodiscard]] std::string png() const;
  // Returns a report without scripts.
  [[nodiscard]] std::string report() const;
  // Returns the report with scripts to explore the parts.
  [[nodiscard]] std::string html() const;
  // Returns the contents of a file. The suffix of `path` selects the format: .json, .geojson, .csv, .html, .svg or
  // .png. Throws if the suffix is any other.
  [[nodiscard]] std::string contents(const std::string& path, Doubtful doubtful = Doubtful::leave_out) const;
  // Writes the contents to a temporary file and then moves it into place.
  void save(const std::string& path, Existing existing = Existing::refuse,
            Doubtful doubtful = Doubtful::leave_out) const;

 protected:
  ReleaseSet() = default;
  ReleaseSet(const ReleaseSet&) = default;
  ReleaseSet(ReleaseSet&&) = default;
  ReleaseSet& operator=(const ReleaseSet&) = default;
  ReleaseSet& operator=(ReleaseSet&&) = default;

  std::vector<NamedRelease> parts_;
  Epsilon epsilon_ = Epsilon::zero();
};

}  // namespace shoal
