#include <algorithm>
#include <limits>

#include "shoal/text.hpp"

namespace shoal {

namespace {

// Returns the optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;  // no known name is longer
  if (name.size() > longest) return {};
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::string best;
  for (const std::string& candidate : known) {
    const std::size_t changes = distance(name, candidate);
    if (changes >= least || changes > std::max<std::size_t>(1, candidate.size() / 3)) continue;
    least = changes;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string found = nearest(name, known);
  return found.empty() ? "" : " (did you mean " + found + "?)";
}

}  // namespace shoal
