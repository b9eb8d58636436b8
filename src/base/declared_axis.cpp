#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "base/corrected_bounds.hpp"
#include "base/dates.hpp"
#include "base/geographic_axes.hpp"
#include "shoal/error.hpp"
#include "shoal/grid.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

const std::vector<std::string> words = {"int",   "log",   "circle", "category", "month",
                                        "step=", "zone=", "epoch=", "unit="};

// Words that people write for a kind of axis. A word that looks like a kind is never taken for a unit.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> like_kinds{{
    {"int", "int"},
    {"integer", "int"},
    {"integers", "int"},
    {"whole", "int"},
    {"log", "log"},
    {"log10", "log"},
    {"ln", "log"},
    {"logarithm", "log"},
    {"logarithmic", "log"},
    {"circle", "circle"},
    {"circular", "circle"},
    {"periodic", "circle"},
    {"cyclic", "circle"},
    {"ring", "circle"},
    {"category", "category"},
    {"categorical", "category"},
    {"cat", "category"},
    {"enum", "category"},
    {"month", "month"},
    {"step", "step="},
    {"zone", "zone="},
    {"epoch", "epoch="},
    {"unit", "unit="},
    {"latitude", "--geo"},
    {"geo", "--geo"},
}};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

struct Bound {
  double value = 0;
  std::optional<DateText> date;
};

class Parser {
 public:
  // bounds: all ranges, of which `text` is one; a refusal corrects them all.
  Parser(std::string_view text, std::string_view bounds) : text_(text), bounds_(bounds), rest_(text) {}

  DeclaredAxis parse() {
    take_name();
    const bool one = rest_.ends_with(":category") && rest_.find(':') == rest_.rfind(':');
    if (rest_.find('|') != std::string_view::npos || one) return parse_list();
    const Bound lower = take_bound();
    if (!take(':')) refuse_form();
    const Bound upper = take_bound();
    if (lower.date.has_value() != upper.date.has_value()) refuse("one bound is a date and the other a number");
    axis_.lo = lower.value;
    axis_.hi = upper.value;
    if (lower.date) begin_dates(*lower.date, *upper.date);
    while (!rest_.empty()) {
      if (!take(':')) refuse_form();
      take_word();
    }
    finish_dates(lower, upper);
    return std::move(axis_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::usage, fmt::format("--bounds: '{}': {}", text_, what));
  }
  [[noreturn]] void refuse_form() const {
    const std::string meant = corrected_bounds(bounds_);
    throw Error(ErrorKind::usage, fmt::format("--bounds: '{}' is not LOWER:UPPER; {}", text_,
                                              meant.empty() ? "give one range per axis, such as 0:1,0:1 or x=0:1,y=0:1"
                                                            : "write --bounds " + meant));
  }

  bool take(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void take_name() {
    const std::string_view head = rest_.substr(0, rest_.find(':'));
    const std::size_t equals = head.rfind('=');
    if (equals == std::string_view::npos) return;
    axis_.name = trimmed(head.substr(0, equals));
    rest_.remove_prefix(equals + 1);
    if (axis_.name.empty()) throw Error(ErrorKind::usage, fmt::format("--bounds: '{}' has no name before =", text_));
    if (number_of(axis_.name)) {
      throw Error(ErrorKind::usage,
                  fmt::format("--bounds: '{}' names an axis by a number; give the column's name, or no name", text_));
    }
  }

  Bound take_bound() {
    if (auto date = leading_date(rest_)) {
      rest_.remove_prefix(date->length);
      return {date->seconds, date};
    }
    const std::string_view part = rest_.substr(0, rest_.find(':'));
    rest_.remove_prefix(part.size());
    if (const auto value = number_of(part)) return {*value, std::nullopt};
    const bool like_a_date = part.size() >= 8 && (part.find('-', 1) == 4 || part.find_first_of("./-") < 3);
    if (part.empty() || part.size() == text_.size() || !corrected_bounds(bounds_).empty()) refuse_form();
    throw Error(ErrorKind::usage,
                like_a_date ? fmt::format("--bounds: '{}' is not a calendar date; give one such as 2026-12-31", part)
                            : fmt::format("--bounds: '{}' is not a number", part));
  }

  // Parses names separated by bars, such as A|B|C, and the kind that follows them.
  DeclaredAxis parse_list() {
    const std::size_t colon = rest_.rfind(':');
    const std::string_view word = colon == std::string_view::npos ? "" : rest_.substr(colon + 1);
    if (word != "category" && word != "circle") {
      refuse("a list ends in :category, whose cells touch no others, or in :circle");
    }
    Names names;
    for (std::string_view list = rest_.substr(0, colon);;) {
      const std::size_t bar = list.find('|');
      names.names.emplace_back(trimmed(list.substr(0, bar)));
      if (bar == std::string_view::npos) break;
      list.remove_prefix(bar + 1);
    }
    axis_.kind.border = word == "circle" ? Border::circle : Border::apart;
    axis_.kind.scale = std::move(names);
    axis_.check();  // throws if a name occurs twice
    return std::move(axis_);
  }

  void begin_dates(const DateText& lower, const DateText& upper) {
    if (lower.has_time != upper.has_time) refuse("one bound has a time of day and the other none");
    axis_.kind.scale = Instants{.least = lower.has_time ? Instants::Least::second : Instants::Least::day};
  }

  // Dates without a zone are in the zone of the axis. That is the zone of the lower bound, unless one is declared.
  void finish_dates(const Bound& lower, const Bound& upper) {
    auto* instants = std::get_if<Instants>(&axis_.kind.scale);
    if (instants == nullptr || !lower.date) return;
    if (!zone_given_) instants->offset = lower.date->offset.value_or(0);
    axis_.lo = lower.value - lower.date->offset.value_or(instants->offset);
    axis_.hi = upper.value - upper.date->offset.value_or(instants->offset);
  }

  Instants& dates(std::string_view word) {
    auto* instants = std::get_if<Instants>(&axis_.kind.scale);
    if (instants == nullptr) refuse(fmt::format("{} goes with dates, such as 2026-01-01:2026-12-31", word));
    return *instants;
  }

  Numbers& numbers(std::string_view word) {
    auto* numbers = std::get_if<Numbers>(&axis_.kind.scale);
    if (numbers == nullptr || numbers->step != 0) {
      refuse(std::holds_alternative<Instants>(axis_.kind.scale)
                 ? fmt::format("{} goes with numbers, not with dates", word)
                 : fmt::format("{} does not go with what stands before it", word));
    }
    return *numbers;
  }

  // Returns the next word, which ends at the next colon. The colon inside a zone belongs to the word.
  std::string_view next_word() {
    std::size_t end = std::min(rest_.size(), rest_.find(':'));
    if (rest_.starts_with("zone=") && end + 3 <= rest_.size() && end + 1 < rest_.size() &&
        std::isdigit(static_cast<unsigned char>(rest_[end + 1])) != 0) {
      end += 3;
    }
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

  void take_word() {
    const std::string_view word = next_word();
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    if (word == "int") {
      numbers(word).step = 1;
    } else if (word == "log") {
      static_cast<void>(numbers(word));
      axis_.kind.scale = Logarithmic{};
    } else if (word == "circle") {
      if (!std::holds_alternative<Numbers>(axis_.kind.scale)) refuse("circle goes with numbers or a list of names");
      axis_.kind.border = Border::circle;
    } else if (word == "category") {
      refuse("category goes with a list, such as A|B|C:category");
    } else if (word == "month") {
      dates(word).least = Instants::Least::month;
    } else if (key == "step") {
      const auto step = number_of(value);
      if (!step || !(*step > 0)) refuse("step= takes a number above 0");
      numbers(key).step = *step;
    } else if (key == "zone") {
      const auto offset = zone_offset(value);
      if (!offset) refuse(fmt::format("'{}' is not an offset from UTC; give one such as zone=+02:00", value));
      dates(key).offset = *offset;
      zone_given_ = true;
    } else if (key == "epoch") {
      const std::string_view units = "s ms us ns";
      if (value != "s" && value != "ms" && value != "us" && value != "ns")
        refuse(fmt::format("epoch= takes one of {}", units));
      dates(key).a_second = value == "s" ? 1 : value == "ms" ? 1'000 : value == "us" ? 1'000'000 : 1'000'000'000;
    } else {
      take_unit(word, key == "unit" && equals != std::string_view::npos ? value : word);
    }
  }

  // Returns the kind that a word looks like, or an empty text if it looks like none.
  static std::string meant_by(std::string_view word) {
    std::string small(word);
    std::transform(small.begin(), small.end(), small.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const auto found =
        std::find_if(like_kinds.begin(), like_kinds.end(), [&](const auto& entry) { return entry.first == small; });
    if (found != like_kinds.end()) return std::string(found->second);
    return word.size() > 3 ? nearest(word, words) : "";
  }

  void take_unit(std::string_view word, std::string_view unit) {
    if (trimmed(unit).empty()) refuse_form();
    const std::string meant = unit.size() == word.size() ? meant_by(word) : "";
    if (!meant.empty()) refuse(fmt::format("did you mean {}? Else write unit={}", meant, word));
    if (number_of(unit)) refuse_form();
    if (!axis_.kind.unit.empty()) refuse(fmt::format("'{}' and '{}' are two units; give one", axis_.kind.unit, unit));
    axis_.kind.unit = trimmed(unit);
  }

  std::string_view text_, bounds_, rest_;
  DeclaredAxis axis_;
  bool zone_given_ = false;
};

}  // namespace

void DeclaredAxis::check() const { static_cast<void>(fitted(1)); }

DeclaredAxis declared_axis(std::string_view text) { return Parser(text, text).parse(); }

std::vector<DeclaredAxis> declared_axes(std::string_view text) {
  std::vector<DeclaredAxis> axes;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    DeclaredAxis axis = Parser(rest.substr(0, comma), text).parse();
    if (!axes.empty() && axes.front().name.empty() != axis.name.empty()) {
      throw Error(ErrorKind::usage, fmt::format("--bounds is '{}'; name all axes or none", text));
    }
    for (const DeclaredAxis& other : axes) {
      if (!axis.name.empty() && other.name == axis.name) {
        throw Error(ErrorKind::usage, fmt::format("--bounds has two bounds for '{}'; give one", axis.name));
      }
    }
    axes.push_back(std::move(axis));
    if (comma == std::string_view::npos) return axes;
    rest.remove_prefix(comma + 1);
  }
}

void make_geographic(std::vector<DeclaredAxis>& axes) {
  const auto plain = [](const DeclaredAxis& axis) { return axis.kind.scale == AxisKind{}.scale; };
  bool found = false;
  for (DeclaredAxis& axis : axes) {
    if (!plain(axis)) continue;
    if (is_latitude(axis.name, axis.lo, axis.hi)) {
      axis.kind.scale = Latitude{};
      found = true;
    } else if (is_longitude(axis.name, axis.lo, axis.hi) && axis.hi - axis.lo == 360) {
      axis.kind.border = Border::circle;
    }
  }
  if (!found) {
    throw Error(ErrorKind::usage, "--geo needs bounds by name for lon and lat, such as lon=-180:180,lat=-90:90");
  }
}

}  // namespace shoal
