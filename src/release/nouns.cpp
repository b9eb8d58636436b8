#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "shoal/error.hpp"
#include "shoal/notices.hpp"

namespace shoal {

namespace {

constexpr std::size_t longest_unit_name = 60;

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [text](std::string_view end) { return text.ends_with(end); });
}

// Returns the English plural of a noun by rule.
std::string plural_of(const std::string& one) {
  if (one == "person") return "people";
  if (ends_with_any(one, {"s", "x", "z", "ch", "sh"})) return one + "es";
  if (one.size() > 1 && one.ends_with('y') && !ends_with_any(one, {"ay", "ey", "oy", "uy"})) {
    return one.substr(0, one.size() - 1) + "ies";
  }
  return one + "s";
}

// Returns the singular of a noun that may be a plural by the rule above.
std::string singular_of(const std::string& noun) {
  if (noun == "people") return "person";
  for (const std::size_t cut : {std::size_t{3}, std::size_t{2}, std::size_t{1}}) {
    if (noun.size() <= cut) continue;
    const std::string stem = noun.substr(0, noun.size() - cut);
    if (plural_of(stem) == noun) return stem;
    if (plural_of(stem + "y") == noun) return stem + "y";
  }
  return noun;
}

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

// Splits the name of a column into words, in lower case: "patient_id" and "PatientID" are two.
std::vector<std::string> words_of(const std::string& column) {
  std::vector<std::string> words(1);
  char before = ' ';
  for (const char letter : column) {
    const bool separates = letter == '_' || letter == '-' || letter == ' ' || letter == '.';
    const bool capital = letter >= 'A' && letter <= 'Z' && before >= 'a' && before <= 'z';
    if ((separates || capital) && !words.back().empty()) words.emplace_back();
    if (!separates) words.back() += lower(letter);
    before = letter;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

void check_unit_name(const std::string& name) {
  bool fine = !name.empty() && name.size() <= longest_unit_name && name.front() != '/' && name.back() != '/' &&
              std::count(name.begin(), name.end(), '/') <= 1;
  for (const char c : name) fine = fine && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  if (!fine) {
    throw InputError(fmt::format(
        "the name of the unit must be a word of 1 to {} bytes such as patients, or two such as person/people",
        longest_unit_name));
  }
}

Noun noun_of(const PrivacyUnit& unit) {
  if (!unit.name.empty()) {
    const std::size_t slash = unit.name.find('/');
    if (slash != std::string::npos) return {unit.name.substr(0, slash), unit.name.substr(slash + 1)};
    const std::string one = singular_of(unit.name);
    return {one, one == unit.name ? plural_of(one) : unit.name};
  }
  if (unit.column.empty()) return {"record", "records"};
  std::vector<std::string> words = words_of(unit.column);
  constexpr std::array<std::string_view, 8> identifiers{"id", "uuid", "number", "no", "nr", "key", "hash", "code"};
  if (!words.empty() && std::find(identifiers.begin(), identifiers.end(), words.back()) != identifiers.end()) {
    words.pop_back();
  }
  if (words.empty()) return {"unit", "units"};
  if (words.size() == 1 && words.front() == "who") return {"person", "people"};
  const std::string one = singular_of(fmt::format("{}", fmt::join(words, " ")));
  return {one, plural_of(one)};
}

std::string with_article(const std::string& noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiouAEIOU").find(noun.front()) != std::string_view::npos;
  const bool consonant_sound = noun.starts_with("user") || noun.starts_with("unit") || noun.starts_with("uni");
  return (vowel && !consonant_sound ? "an " : "a ") + noun;
}

}  // namespace shoal
