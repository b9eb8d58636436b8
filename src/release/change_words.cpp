#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/outward.hpp"
#include "base/scale.hpp"
#include "shoal/compare.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"

namespace shoal {

std::string change_word(Change change) {
  switch (change) {
    case Change::stayed:
      return "stayed";
    case Change::moved:
      return "moved";
    case Change::grew:
      return "grew";
    case Change::shrank:
      return "shrank";
    case Change::more:
      return "more counted";
    case Change::fewer:
      return "fewer counted";
    case Change::split:
      return "split";
    case Change::joined:
      return "joined";
    case Change::appeared:
      return "new";
    case Change::gone:
      return "gone";
    case Change::unclear:
      break;
  }
  return "unclear";
}

std::string from_to(double before, double after) {
  return fmt::format("{} to {}", grouped(std::max(0.0, std::round(before))), grouped(std::max(0.0, std::round(after))));
}

std::string with_growth(double before, double after, double reach, const std::string& counted) {
  const OutwardEnds ends = outward(after - before, reach);
  const double growth = std::clamp(std::max(0.0, after) - std::max(0.0, before), ends.least, ends.most);
  return fmt::format("{} {} ({}, 95 % between {} and {})", from_to(before, after), counted, signed_grouped(growth),
                     signed_grouped(ends.least), signed_grouped(ends.most));
}

std::string in_words(const ClusterChange& change, const Grid& grid, const PrivacyUnit& unit) {
  std::vector<std::string> words;
  for (const FoundChange& found : change.found) words.push_back(change_word(found.change));
  std::string text =
      fmt::format("{}: from {}", fmt::join(words, ", "),
                  with_growth(change.records_before, change.records_after, change.reach, counted_noun(unit).many));
  const bool moved = std::any_of(change.found.begin(), change.found.end(),
                                 [](const FoundChange& found) { return found.change == Change::moved; });
  if (!moved) return text;
  std::vector<std::string> ways;
  for (std::size_t axis = 0; axis < change.move.size(); ++axis)
    ways.push_back(distance_text(grid, axis, change.move[axis]));
  return text + fmt::format("; by ({})", fmt::join(ways, ", "));
}

}  // namespace shoal
