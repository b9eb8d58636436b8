// A release of the whole plane and finer ones of places in it where records crowd, as an atlas has insets: one file,
// one charge.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shoal/release_set.hpp"

namespace shoal {

inline constexpr std::uint64_t most_insets = 64;  // of one release

// The first part is the overview, under overview_name. The insets follow: "1", "2", ...
class InsetRelease final : public ReleaseSet {
 public:
  static constexpr int format_version = 1;
  static constexpr const char* overview_name = "overview";
  static std::string name_of(std::size_t part);  // 0: the overview

  // Refuses no inset, more than most_insets, insets that overlap, that reach past the overview or have other axes,
  // releases that differ in unit or whether they are private, and insets that differ in epsilon.
  InsetRelease(Release overview, std::vector<Release> insets);
  // Checked against docs/insets.schema.json and itself; each release as Release::load checks it.
  static InsetRelease load(const std::string& path);
  static InsetRelease parse(const std::string& json_text, const std::string& where);
  // Whether a text is meant as such a file, by its key `format`.
  static bool is_meant(const std::string& json_text);

  [[nodiscard]] const Release& overview() const noexcept { return parts_.front().release; }
  [[nodiscard]] std::span<const NamedRelease> insets() const noexcept { return std::span(parts_).subspan(1); }
  [[nodiscard]] const Release& at(const std::string& name) const override;

  // The overview's and, once, that of the insets, which have no record in common (docs/proofs.md).
  [[nodiscard]] std::vector<Spent> spent() const override;

  // Every release trimmed so that the file is not too large.
  [[nodiscard]] InsetRelease trimmed_to(std::size_t limit = Release::largest_file) const;
  [[nodiscard]] InsetRelease without_noisy_values() const;

  [[nodiscard]] std::string json() const override;
};

// As reshape of a release, of every part.
InsetRelease reshape(const InsetRelease& insets, const ClusterOptions& options);

}  // namespace shoal
