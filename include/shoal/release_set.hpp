// Several releases of one dataset, made and charged together, in one file: groups, or an overview with its insets.
#pragma once

#include <string>
#include <vector>

#include "shoal/release.hpp"

namespace shoal {

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
  // Refuses a name that is none of them.
  [[nodiscard]] virtual const Release& at(const std::string& name) const = 0;
  // Of all parts alike.
  [[nodiscard]] bool is_private() const noexcept { return parts_.front().release.parts().is_private; }
  [[nodiscard]] const PrivacyUnit& unit() const noexcept { return parts_.front().release.parts().unit; }
  // Charged for all parts together.
  [[nodiscard]] Epsilon epsilon() const noexcept { return epsilon_; }
  [[nodiscard]] virtual std::vector<Spent> spent() const = 0;
  // Usually empty, as those of a release (notices.hpp): a weak guarantee of all parts together; in which groups a unit
  // counts; the parts that show nothing, or nearly nothing, inside the bounds; that no part shows a cluster that is
  // surely real, on a grid that is too fine; and values on a given grid that seem to be rounded.
  [[nodiscard]] std::vector<std::string> notices() const;
  // The rounding that --auto found, each sentence once, with the names of its parts unless it holds for all of them.
  [[nodiscard]] std::vector<std::string> rounding_in_words() const;

  // Whether no part shows anything (notice_of_nothing).
  [[nodiscard]] bool shows_nothing() const;

  [[nodiscard]] virtual std::string json() const = 0;
  // As those of a release, with a property or a first column that holds the name of the part.
  [[nodiscard]] std::string geojson(Doubtful doubtful = Doubtful::leave_out) const;
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] std::string svg() const;  // all parts on one picture
  [[nodiscard]] std::string png() const;
  [[nodiscard]] std::string report() const;  // a document without scripts
  [[nodiscard]] std::string html() const;    // the same, with what explores the parts
  // What a file of that name holds, by suffix: .json .geojson .csv .html .svg .png. Any other is refused.
  [[nodiscard]] std::string contents(const std::string& path, Doubtful doubtful = Doubtful::leave_out) const;
  // Written aside, then put in place.
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
