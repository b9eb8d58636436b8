// Any bytes as a release file, also of groups or with insets: read or refused. What is read is written as a file that
// reads as the same.
#include <cstdlib>

#include "base/packed.hpp"
#include "formats/release_json.hpp"
#include "shoal/error.hpp"
#include "shoal/release_set.hpp"

namespace {

using nlohmann::json;

// Noisy values may stand as a list of numbers, which bytes reach more easily than compressed text.
void pack_list(json& document, const char* key) {
  if (!document.contains(key) || !document[key].is_object() || !document[key].contains("data")) return;
  json& data = document[key]["data"];
  if (!data.is_array() || data.empty()) return;
  std::vector<std::int64_t> values;
  for (const json& item : data) values.push_back(item.is_number_integer() ? item.get<std::int64_t>() : 0);
  data = shoal::pack(shoal::Cells<std::int64_t>::dense({values.size()}, values));
}

void set_checksums(json& document) {
  for (const char* parts : {"groups", "parts"}) {
    if (!document.contains(parts) || !document[parts].is_array()) continue;
    for (json& part : document[parts]) {
      if (part.is_object() && part.contains("release") && part["release"].is_object()) set_checksums(part["release"]);
    }
  }
  pack_list(document, "noisy_counts");
  pack_list(document, "noisy_sums");
  try {
    document["checksum"] = shoal::checksum_of_text(document.dump(-1, ' ', false, json::error_handler_t::replace));
  } catch (const shoal::InputError&) {
    document["checksum"] = "nested too deeply";
  }
}

// Returns the file with correct checksums, or the text itself if it is not a JSON object.
std::string with_checksum(const std::string& text) {
  json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return {};
  set_checksums(document);
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Empty: refused.
std::string read_and_written(const std::string& text) {
  try {
    const shoal::ReleaseSet release = shoal::ReleaseSet::parse(text, "FILE");
    if (release.is_whole()) static_cast<void>(release.first().confidence());
    return release.json();
  } catch (const shoal::InputError&) {
    return {};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string fitting = with_checksum(text);
  const std::string once = read_and_written(fitting.empty() ? text : fitting);
  if (once.empty() || read_and_written(once) == once) return 0;
  std::fputs("a release that was read is written otherwise the second time\n", stderr);
  std::abort();
}
