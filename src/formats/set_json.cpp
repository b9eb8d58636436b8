// Writes and reads a set of releases as one JSON document. The format: docs/formats.md.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "formats/json_field.hpp"
#include "formats/release_document.hpp"
#include "formats/release_json.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/files.hpp"
#include "shoal/release_set.hpp"

namespace shoal {

namespace {

using Document = nlohmann::ordered_json;
using Checksums = std::vector<std::pair<std::string, std::string>>;  // name and checksum of each release

// The words of a file of several parts.
struct PartsFormat {
  const char* format;
  const char* key;   // of the list of parts
  const char* word;  // for a part, in messages
  const char* kind;
  std::size_t most;
};
constexpr PartsFormat file_of_groups{groups_format, "groups", "group", "a release of groups", most_groups};
constexpr PartsFormat file_of_insets{insets_format, "parts", "part", "a release with insets", 1 + most_insets};

std::string dumped(const auto& value) { return value.dump(-1, ' ', false, Document::error_handler_t::replace); }

// Returns the checksum of everything except the releases; their own checksums take their place.
std::string checksum_of(const Document& head, const std::string& key, const Checksums& parts) {
  Document document = head;
  for (const auto& [name, of_part] : parts) document[key].push_back({{"name", name}, {"release", of_part}});
  return checksum_of_text(dumped(document));
}

// Returns everything except the parts.
Document head_of(const ReleaseSet& set) {
  const Grouping* groups = set.grouping();
  PrivacyUnit unit = set.unit();
  Document head{
      {"format", fmt::format("{}{}", groups != nullptr ? groups_format : insets_format, ReleaseSet::format_version)},
      {"private", set.is_private()}};
  if (groups != nullptr) {
    unit.groups.reset();  // the head states the groups itself
    head["by"] = groups->axis.name();
    if (!groups->range.empty()) head["range"] = groups->range;
    head["max_groups"] = groups->max_groups;
  }
  head.update({{"epsilon", set.epsilon().value()},
               {"epsilon_exact", set.epsilon().text()},
               {"spent", spent_json(set.spent())},
               {"neighbors", word(neighbors_words, unit.neighbors)},
               {"unit", unit_json(unit)}});
  return head;
}

Grouping grouping_in(const JsonField& top, std::vector<std::string> names) {
  const std::uint64_t max_groups = top["max_groups"].whole(1, most_groups);
  const std::string by = top["by"].text();
  if (!top.has("range")) return listed_groups(by, std::move(names), max_groups);
  const std::string range = top["range"].text();
  try {
    Grouping grouping = declared_groups(fmt::format("{}={}", by, range), max_groups);
    if (grouping.names == names && grouping.axis.name() == by && grouping.range == range) return grouping;
  } catch (const Error&) {  // the message is about a command line; here the file is at fault
  }
  top["range"].refuse("does not match the groups that follow");
}

// Throws if the head of the document differs from that of the set, or if its checksum does not match.
void check_head(const JsonField& top, const std::string& key, const ReleaseSet& set, const Checksums& checksums) {
  if (epsilon_of(top) != set.epsilon()) {
    const std::string text = set.epsilon().text();
    top["epsilon"].refuse(set.grouping() == nullptr
                              ? fmt::format("must be {}: that of the overview and of the insets", text)
                              : fmt::format("must be {}: epsilon {} of a group, {} times", text,
                                            set.first().parts().epsilon.text(), set.spent().front().sensitivity));
  }
  const JsonTree tree(dumped(head_of(set)), deepest_release);
  const JsonField expected(tree);
  for (const std::string& name : expected.keys()) {
    if (canonical_text(expected[name]) != canonical_text(top[name])) {
      top[name].refuse(fmt::format("does not fit the releases of the {}", key));
    }
  }
  Document head = Document::object();
  for (const std::string& name : top.keys()) {
    if (name != key && name != "checksum") head[name] = Document::parse(written_text(top[name]));
  }
  if (top["checksum"].text() != checksum_of(head, key, checksums)) {
    top["checksum"].refuse("does not fit the content: the file was altered or damaged");
  }
}

// read: reads one release.
ReleaseSet set_in(const JsonField& top, const PartsFormat& file, const auto& read, const std::string& where) {
  const bool groups = &file == &file_of_groups;
  if (groups) {
    top.expect_keys({"format", "private", "epsilon", "epsilon_exact", "spent", "neighbors", "unit", file.key,
                     "checksum", "by", "max_groups"},
                    {"range"});
  } else {
    top.expect_keys(
        {"format", "private", "epsilon", "epsilon_exact", "spent", "neighbors", "unit", file.key, "checksum"});
  }
  const std::string expected = fmt::format("{}{}", file.format, ReleaseSet::format_version);
  if (top["format"].text() != expected) {
    top["format"].refuse(fmt::format("is '{}', but this version reads {}", top["format"].text(), expected));
  }
  const JsonField list = top[file.key];
  if (list.items().size() > file.most) list.refuse(fmt::format("must hold at most {} {}s", file.most, file.word));
  std::vector<std::string> names;
  std::vector<Release> releases;
  Checksums checksums;
  for (const JsonField item : list.items()) {
    item.expect_keys({"name", "release"});
    names.push_back(item["name"].text());
    const JsonField release = item["release"];
    releases.push_back(read(release.as_document(), fmt::format("{} '{}' of {}", file.word, names.back(), where)));
    checksums.emplace_back(names.back(), release["checksum"].text());
  }
  if (!groups && names.size() < 2) list.refuse("must hold the overview and at least one inset");
  const ReleaseSet result = top.made_by([&] {
    return ReleaseSet(groups ? Layout(grouping_in(top, names)) : Layout(Insets{names.size() - 1}), std::move(releases));
  });
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = result.parts()[i].name;
    if (names[i] != name) list.refuse(fmt::format("must name part {} '{}', not '{}'", i, name, names[i]));
  }
  check_head(top, file.key, result, checksums);
  return result;
}

}  // namespace

std::string ReleaseSet::json() const {
  if (is_whole()) return first().json();
  const std::string key = (grouping() != nullptr ? file_of_groups : file_of_insets).key;
  const Document head = head_of(*this);
  std::string text = "{";
  for (const auto& [name, value] : head.items()) {
    text += fmt::format("\n  {}: {},", dumped(Document(name)), dumped(value));
  }
  text += fmt::format("\n  \"{}\": [", key);
  Checksums checksums;
  for (const NamedRelease& part : parts_) {
    const WrittenRelease written = written_release(part.release);
    // Bytes in a name that are not UTF-8 are replaced in the checksum too.
    const std::string name = dumped(Document(part.name));
    text += fmt::format("{}\n    {{\"name\": {}, \"release\": {}}}", checksums.empty() ? "" : ",", name,
                        std::string_view(written.text).substr(0, written.text.size() - 1));
    checksums.emplace_back(Document::parse(name).get<std::string>(), written.checksum);
    if (text.size() > Release::largest_file) {
      throw InputError(fmt::format("the releases take more than the {} bytes of a file; use a coarser grid or fewer {}",
                                   Release::largest_file, key));
    }
  }
  return text + fmt::format("\n  ],\n  \"checksum\": \"{}\"\n}}\n", checksum_of(head, key, checksums));
}

ReleaseSet ReleaseSet::parse(std::string json_text, const std::string& where) {
  const JsonTree tree = release_document(std::move(json_text), where);
  const JsonField document(tree);
  const auto read = [](const JsonField& release, const std::string& of_part) {
    return ReleaseReader::read({release, of_part});
  };
  const PartsFormat* file = has_format(document, groups_format)   ? &file_of_groups
                            : has_format(document, insets_format) ? &file_of_insets
                                                                  : nullptr;
  if (file == nullptr) {
    std::vector<Release> one;
    one.push_back(read(document, where));
    return {Whole{}, std::move(one)};
  }
  try {
    return set_in(document, *file, read, where);
  } catch (const InputError& error) {
    const std::string what = error.what();
    if (what.starts_with(fmt::format("{} '", file->word))) throw;  // the message already names the place
    throw InputError(fmt::format("{} cannot be read as {}: {}", where, file->kind, what));
  }
}

ReleaseSet ReleaseSet::load(const std::string& path) {
  return parse(read_file(path, Release::largest_file), fmt::format("'{}'", path));
}

}  // namespace shoal
