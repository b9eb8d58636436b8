// A release of the whole plane and finer ones of places in it where records crowd, as an atlas has insets: one file,
// one charge.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shoal/grouped_release.hpp"
#include "shoal/release.hpp"

namespace shoal {

inline constexpr std::uint64_t most_insets = 64;  // of one release

class InsetRelease {
 public:
  static constexpr int format_version = 1;
  static constexpr const char* overview_name = "overview";

  // Refuses no inset, more than most_insets, insets that overlap, that reach past the overview or have other axes,
  // releases that differ in unit or whether they are private, and insets that differ in epsilon.
  InsetRelease(Release overview, std::vector<Release> insets);
  // Checked against docs/insets.schema.json and itself; each release as Release::load checks it.
  static InsetRelease load(const std::string& path);
  static InsetRelease parse(const std::string& json_text, const std::string& where);
  // Whether a text is meant as such a file, by its key `format`.
  static bool is_meant(const std::string& json_text);

  // The overview first, under overview_name, then the insets: "1", "2", ...
  [[nodiscard]] const std::vector<ReleaseGroup>& parts() const noexcept { return parts_; }
  [[nodiscard]] const Release& overview() const noexcept { return parts_.front().release; }
  [[nodiscard]] std::span<const ReleaseGroup> insets() const noexcept { return std::span(parts_).subspan(1); }
  // Refuses a name that is none of them.
  [[nodiscard]] const Release& at(const std::string& name) const;

  [[nodiscard]] bool is_private() const noexcept { return overview().parts().is_private; }
  [[nodiscard]] const PrivacyUnit& unit() const noexcept { return overview().parts().unit; }
  // Charged for all: the overview's and, once, that of the insets, which have no record in common (docs/proofs.md).
  [[nodiscard]] Epsilon epsilon() const noexcept { return epsilon_; }
  [[nodiscard]] std::vector<Spent> spent() const;

  // Every release trimmed so that the file is not too large.
  [[nodiscard]] InsetRelease trimmed_to(std::size_t limit = Release::largest_file) const;
  [[nodiscard]] InsetRelease without_noisy_values() const;

  [[nodiscard]] std::string json() const;
  // As those of a release, with the property or column `inset`: the name of the part.
  [[nodiscard]] std::string geojson(Doubtful doubtful = Doubtful::leave_out) const;
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] std::string html() const;
  // What a file of that name holds, by suffix: .json .geojson .csv .html .svg .png. Any other is refused.
  [[nodiscard]] std::string contents(const std::string& path, Doubtful doubtful = Doubtful::leave_out) const;
  // Written aside, then put in place.
  void save(const std::string& path, Existing existing = Existing::refuse,
            Doubtful doubtful = Doubtful::leave_out) const;

 private:
  std::vector<ReleaseGroup> parts_;
  Epsilon epsilon_;
};

// As reshape of a release, of every part.
InsetRelease reshape(const InsetRelease& insets, const ClusterOptions& options);

}  // namespace shoal
