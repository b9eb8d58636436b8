// Writes and reads a release with insets as one JSON document. The format: docs/formats.md.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "formats/json_field.hpp"
#include "formats/parts_json.hpp"
#include "formats/release_json.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/inset_release.hpp"

namespace shoal {

namespace {

// Returns everything except the parts.
nlohmann::ordered_json head_of(const InsetRelease& insets) {
  return {{"format", fmt::format("{}{}", insets_format, InsetRelease::format_version)},
          {"private", insets.is_private()},
          {"epsilon", insets.epsilon().value()},
          {"epsilon_exact", insets.epsilon().text()},
          {"spent", spent_json(insets.spent())},
          {"neighbors", word(neighbors_words, insets.unit().neighbors)},
          {"unit", unit_json(insets.unit())}};
}

InsetRelease insets_in(const json& document, const std::string& where) {
  const JsonField top(document, "");
  top.expect_keys({"format", "private", "epsilon", "epsilon_exact", "spent", "neighbors", "unit", "parts", "checksum"});
  const std::string expected = fmt::format("{}{}", insets_format, InsetRelease::format_version);
  if (top["format"].text() != expected) {
    top["format"].refuse(fmt::format("is '{}', but this version reads {}", top["format"].text(), expected));
  }
  ReadParts read = read_parts(top["parts"], 1 + most_insets, "part", where);
  if (read.parts.size() < 2) top["parts"].refuse("must hold the overview and at least one inset");
  std::vector<Release> insets;
  for (std::size_t i = 0; i < read.parts.size(); ++i) {
    const std::string name = InsetRelease::name_of(i);
    if (read.parts[i].name != name) {
      top["parts"].refuse(fmt::format("must name part {} '{}', not '{}'", i, name, read.parts[i].name));
    }
    if (i > 0) insets.push_back(std::move(read.parts[i].release));
  }
  InsetRelease result =
      top.made_by([&] { return InsetRelease(std::move(read.parts.front().release), std::move(insets)); });
  if (epsilon_of(top) != result.epsilon()) {
    top["epsilon"].refuse(fmt::format("must be {}: that of the overview and of the insets", result.epsilon().text()));
  }
  check_head(document, "parts", head_of(result), read);
  return result;
}

}  // namespace

std::string InsetRelease::json() const { return parts_json(head_of(*this), "parts", parts_); }

InsetRelease InsetRelease::parse(const std::string& json_text, const std::string& where) {
  const nlohmann::json document = parts_document(json_text, where);
  try {
    return insets_in(document, where);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.starts_with("part '")) throw;  // the message already names the place
    throw InputError(fmt::format("{} cannot be read as a release with insets: {}", where, what));
  }
}

bool InsetRelease::is_meant(const std::string& json_text) { return has_format(json_text, insets_format); }

InsetRelease InsetRelease::load(const std::string& path) {
  return parse(read_file(path, Release::largest_file), fmt::format("'{}'", path));
}

}  // namespace shoal
