// Writes and reads releases of groups as one JSON document. The format: docs/formats.md.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "formats/json_field.hpp"
#include "formats/parts_json.hpp"
#include "formats/release_json.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/grouped_release.hpp"

namespace shoal {

namespace {

// Returns everything except the groups.
nlohmann::ordered_json head_of(const GroupedRelease& groups) {
  PrivacyUnit unit = groups.unit();
  unit.groups.reset();  // the head states the groups itself
  nlohmann::ordered_json head = {{"format", fmt::format("{}{}", groups_format, GroupedRelease::format_version)},
                                 {"private", groups.is_private()},
                                 {"by", groups.by()}};
  if (!groups.grouping().range.empty()) head["range"] = groups.grouping().range;
  head.update({{"max_groups", groups.max_groups()},
               {"epsilon", groups.epsilon().value()},
               {"epsilon_exact", groups.epsilon().text()},
               {"spent", spent_json(groups.spent())},
               {"neighbors", word(neighbors_words, groups.unit().neighbors)},
               {"unit", unit_json(unit)}});
  return head;
}

Grouping grouping_in(const JsonField& top, std::vector<std::string> names) {
  const std::uint64_t max_groups = top["max_groups"].whole(1, most_groups);
  const std::string& by = top["by"].text();
  if (!top.has("range")) return listed_groups(by, std::move(names), max_groups);
  const std::string& range = top["range"].text();
  try {
    Grouping grouping = declared_groups(fmt::format("{}={}", by, range), max_groups);
    if (grouping.names == names && grouping.axis.name() == by && grouping.range == range) return grouping;
  } catch (const Error&) {  // the message is about a command line; here the file is at fault
  }
  top["range"].refuse("is no range of the groups that follow");
}

GroupedRelease groups_in(const json& document, const std::string& where) {
  const JsonField top(document, "");
  top.expect_keys({"format", "private", "by", "max_groups", "epsilon", "epsilon_exact", "spent", "neighbors", "unit",
                   "groups", "checksum"},
                  {"range"});
  const std::string expected = fmt::format("{}{}", groups_format, GroupedRelease::format_version);
  if (top["format"].text() != expected) {
    top["format"].refuse(fmt::format("is '{}', but this version reads {}", top["format"].text(), expected));
  }
  ReadParts read = read_parts(top["groups"], most_groups, "group", where);
  std::vector<std::string> names;
  std::vector<Release> releases;
  for (NamedRelease& part : read.parts) {
    names.push_back(part.name);
    releases.push_back(std::move(part.release));
  }
  GroupedRelease result =
      top.made_by([&] { return GroupedRelease(grouping_in(top, std::move(names)), std::move(releases)); });
  if (epsilon_of(top) != result.epsilon()) {
    top["epsilon"].refuse(fmt::format("must be {}: epsilon {} of a group, {} times", result.epsilon().text(),
                                      result.epsilon_each().text(), result.spent().front().sensitivity));
  }
  check_head(document, "groups", head_of(result), read);
  return result;
}

}  // namespace

std::string GroupedRelease::json() const { return parts_json(head_of(*this), "groups", parts_); }

GroupedRelease GroupedRelease::parse(const std::string& json_text, const std::string& where) {
  const nlohmann::json document = parts_document(json_text, where);
  try {
    return groups_in(document, where);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.starts_with("group '")) throw;  // the message already names the place
    throw InputError(fmt::format("{} cannot be read as a release of groups: {}", where, what));
  }
}

bool GroupedRelease::is_meant(const std::string& json_text) { return has_format(json_text, groups_format); }

GroupedRelease GroupedRelease::load(const std::string& path) {
  return parse(read_file(path, Release::largest_file), fmt::format("'{}'", path));
}

}  // namespace shoal
