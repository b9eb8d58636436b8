#include "shoal/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "shoal/error.hpp"

namespace shoal {

namespace {

// The cell of a coarser level that covers a cell.
std::uint64_t covering(std::uint64_t cell, const Shape& fine, const Shape& coarse, unsigned halvings,
                       std::vector<std::uint64_t>& place) {
  coordinates(cell, fine, place);
  std::uint64_t index = 0;
  for (std::size_t axis = 0; axis < place.size(); ++axis) {
    const unsigned shift = fine.side(axis).pooled ? std::min(halvings, 63U) : 0;
    index = index * coarse[axis] + (place[axis] >> shift);
  }
  return index;
}

[[noreturn]] void refuse_text(const std::string& text) {
  throw Error(
      ErrorKind::usage,
      fmt::format("--levels {} is not a list of levels; give a range such as 1-5 or a list such as 1,3,4", text));
}

unsigned whole(const std::string& part, const std::string& text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc{} || end != part.data() + part.size() || value == 0 || value > 60) refuse_text(text);
  return value;
}

// The highest level that leaves more than one cell; 0: none does.
unsigned highest_level(const Grid& grid) {
  std::uint64_t longest = 1;
  for (std::size_t axis = 0; axis < grid.dimensions(); ++axis) {
    if (grid.shape().side(axis).pooled) longest = std::max(longest, grid.shape()[axis]);
  }
  unsigned level = 0;
  while (level < 60 && (longest - 1) >> (level + 1) > 0) ++level;
  return level;
}

}  // namespace

std::vector<Holder> holders(const Clusters& fine, const Clusters& coarse, unsigned halvings) {
  std::vector<std::map<std::uint32_t, std::uint64_t>> cells(fine.count());
  std::vector<std::uint64_t> place(fine.shape().size());
  for (std::size_t i = 0; i < fine.cells().size(); ++i) {
    const std::uint32_t label = coarse.label(covering(fine.cells()[i], fine.shape(), coarse.shape(), halvings, place));
    if (label != 0) ++cells[fine.labels()[i] - 1][label];
  }
  std::vector<Holder> result(fine.count());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto most = std::max_element(cells[i].begin(), cells[i].end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == cells[i].end()) continue;
    result[i] = {most->first, static_cast<double>(most->second) / static_cast<double>(fine.sizes()[i])};
  }
  return result;
}

std::vector<unsigned> parse_levels(const std::string& text) {
  std::vector<unsigned> levels;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const std::size_t dash = part.find('-');
    const unsigned first = whole(part.substr(0, dash), text);
    const unsigned last = dash == std::string::npos ? first : whole(part.substr(dash + 1), text);
    if (last < first) refuse_text(text);
    for (unsigned level = first; level <= last; ++level) levels.push_back(level);
    at = end + 1;
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

void check_levels(const Grid& grid, const std::vector<unsigned>& levels) {
  if (levels.empty()) throw InputError("no level is given; give at least one");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] < 1 || (i > 0 && levels[i] <= levels[i - 1])) {
      throw InputError("levels start at 1 and ascend, the finest first; give each once");
    }
  }
  const unsigned highest = highest_level(grid);
  if (levels.back() <= highest) return;
  throw InputError(fmt::format(
      "level {} leaves no more than one cell of the grid {}; {}", levels.back(), fmt::join(grid.shape(), " x "),
      highest == 0 ? std::string("choose a finer grid") : fmt::format("choose levels up to {}", highest)));
}

ReleaseLevels::ReleaseLevels(const Release& release, ClusterOptions options, const std::vector<unsigned>& levels) {
  check_levels(release.parts().grid, levels);
  for (const unsigned level : levels) {
    options.level = level;
    releases_.push_back(reshape(release, options));
  }
  held_by_.resize(levels.size());
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const unsigned halvings = options.transform == Transform::decimated ? levels[i + 1] - levels[i] : 0;
    held_by_[i] = holders(releases_[i].cluster_cells(), releases_[i + 1].cluster_cells(), halvings);
  }
}

bool LevelView::is_doubtful(std::size_t number) const {
  return std::binary_search(doubtful.begin(), doubtful.end(), number);
}

std::vector<LevelView> level_views(const ReleaseLevels& levels) {
  std::vector<LevelView> views;
  for (std::size_t i = 0; i < levels.releases().size(); ++i) {
    const Release& release = levels.releases()[i];
    views.push_back({release.parts().options.level, release.map(), release.doubtful(), levels.held_by()[i]});
  }
  return views;
}

std::string held_in_words(const std::vector<LevelView>& levels, std::size_t index) {
  const LevelView& view = levels[index];
  std::map<std::uint32_t, std::vector<std::size_t>> held;  // by the cluster that holds them
  for (std::size_t i = 0; i < view.held_by.size(); ++i) {
    if (!view.is_doubtful(i + 1)) held[view.held_by[i].cluster].push_back(i + 1);
  }
  constexpr std::size_t most_listed = 12;
  std::string text;
  const auto add = [&](const std::vector<std::size_t>& numbers, const std::string& where) {
    const std::size_t listed = std::min(most_listed, numbers.size());
    const std::string more = listed == numbers.size() ? "" : fmt::format(" and {} more", numbers.size() - listed);
    text += fmt::format("{}{}{} in {}", text.empty() ? "" : "; ",
                        fmt::join(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(listed), ", "), more,
                        where);
  };
  bool first = true;
  for (const auto& [holder, numbers] : held) {
    if (holder == 0) continue;
    add(numbers,
        first ? fmt::format("cluster {} of level {}", holder, levels[index + 1].level) : fmt::format("{}", holder));
    first = false;
  }
  if (held.contains(0)) add(held[0], "none");
  return text;
}

}  // namespace shoal
