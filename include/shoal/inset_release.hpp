// A release of the whole plane with finer releases of dense places in it, like the insets of an atlas. They are stored
// in one file and charged once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shoal/release_set.hpp"

namespace shoal {

// Maximum number of insets of one release.
inline constexpr std::uint64_t most_insets = 64;

// The first part of the set is the overview, named overview_name. The insets follow, named "1", "2" and so on.
class InsetRelease final : public ReleaseSet {
 public:
  static constexpr int format_version = 1;
  static constexpr const char* overview_name = "overview";
  // Returns the name of a part by its index. Index 0 is the overview.
  static std::string name_of(std::size_t part);

  // Throws if there is no inset or if there are more than most_insets. Throws if insets overlap, extend beyond the
  // overview or have other axes. Throws if the releases differ in unit or in whether they are private, or if the insets
  // differ in epsilon.
  InsetRelease(Release overview, std::vector<Release> insets);
  // Read a file or a text. Throw if it violates docs/insets.schema.json or is inconsistent. Each release is checked as
  // by Release::load(). `where` names the source in messages.
  static InsetRelease load(const std::string& path);
  static InsetRelease parse(const std::string& json_text, const std::string& where);
  // Returns true if the key `format` of the text says that it is such a file.
  static bool is_meant(const std::string& json_text);

  [[nodiscard]] const Release& overview() const noexcept { return parts_.front().release; }
  [[nodiscard]] std::span<const NamedRelease> insets() const noexcept { return std::span(parts_).subspan(1); }
  [[nodiscard]] const Release& at(const std::string& name) const override;

  // Returns the spending of the overview and of the insets. The insets are charged once, because no two of them share a
  // record (docs/proofs.md).
  [[nodiscard]] std::vector<Spent> spent() const override;

  // Returns the set with every release trimmed (Release::trimmed_to), so that the file is not larger than `limit`
  // bytes.
  [[nodiscard]] InsetRelease trimmed_to(std::size_t limit = Release::largest_file) const;
  [[nodiscard]] InsetRelease without_noisy_values() const;

  [[nodiscard]] std::string json() const override;
};

// Reshapes every part, as reshape() of a release does.
InsetRelease reshape(const InsetRelease& insets, const ClusterOptions& options);

}  // namespace shoal
