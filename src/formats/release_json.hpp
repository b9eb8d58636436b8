// What the writer and the reader of a release file share. The format: docs/formats.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/json_field.hpp"
#include "shoal/clusters.hpp"
#include "shoal/confidence.hpp"
#include "shoal/grid.hpp"
#include "shoal/levels.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// The file of a release, and the checksum in it.
struct WrittenRelease {
  std::string text, checksum;
};
// Throws if the text exceeds Release::largest_file bytes.
WrittenRelease written_release(const Release& release);

inline constexpr const char* release_format = "shoal-release/";
inline constexpr const char* groups_format = "shoal-groups/";
inline constexpr const char* insets_format = "shoal-insets/";
inline constexpr const char* packing = "zigzag-varint/zlib/base64";

// In version 1, W lies where PyWavelets puts it. In version 2, W lies under the centre of its filter
// (src/wavelet/axis_step.hpp). Decimated Haar is the same in both and is written as version 1, Release::format_version.
inline constexpr int placed_format_version = 2;
int format_version_of(const ClusterOptions& options);

nlohmann::ordered_json confidence_json(const ClusterConfidence& confidence);
// Adds the estimate of the records in a cluster and its interval, if they are known.
void add_size(nlohmann::ordered_json& cluster, const ClusterConfidence& confidence);

// Returns the value as JSON without spaces, keys sorted.
std::string written_text(const JsonField& value);
// Returns the same with numbers in one form: whole numbers are integers.
std::string canonical_text(const JsonField& value);

// Returns the CRC-32, as eight hexadecimal digits, of the canonical form of the document without "checksum": keys
// sorted, no spaces. It does not depend on the layout of the file.
std::string checksum(const JsonField& document);
// Returns the same of the text of a document.
std::string checksum_of_text(std::string json_text);

// Upper bounds of what the JSON of a release holds.
struct JsonExtent {
  std::uint64_t values, cells, clusters;  // noisy values stored; cells in clusters; clusters
  std::size_t dimensions;
  std::uint64_t names;  // in bytes
};
std::uint64_t most_json_bytes(const JsonExtent& extent);
std::uint64_t bytes_of_names(const Grid& grid);

nlohmann::ordered_json json_of_axes(const Grid& grid);
nlohmann::ordered_json unit_json(const PrivacyUnit& unit);
nlohmann::ordered_json spent_json(const std::vector<Spent>& spent);
// Adds what holds the cluster, as the JSON of several levels has it: held_by and held_share.
void add_holder(nlohmann::ordered_json& cluster, const Holder& holder);

}  // namespace shoal
