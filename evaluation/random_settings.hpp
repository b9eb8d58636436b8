// Random settings of a release: one draw from the whole option space, with a small dataset and a neighbour of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/points.hpp"
#include "shoal/private_release.hpp"

namespace shoal::evaluation {

// Records as a reader returns them. If there are groups, the first column is the group.
struct Rows {
  std::vector<std::vector<double>> columns;
  std::vector<std::string> units;
  void add(const std::vector<double>& row, const std::string& unit);
  [[nodiscard]] std::size_t size() const noexcept { return units.size(); }
  // Valid as long as these rows exist.
  [[nodiscard]] std::unique_ptr<Points> points(bool with_units) const;

 private:
  mutable std::vector<std::string_view> names_;
};

struct Setting {
  std::uint64_t seed;
  ReleaseRequest request;
  Rows data, neighbor;
  bool counts_given = false;   // whether the release is made from a table of cells and counts
  bool medians_alone = false;  // one stage of a kd-tree, for all of epsilon: a whole tree hides it among its counts

  // Returns whether the grid counts as past the dense limit. Its counts are stored with their empty cells, so that
  // neighbours need noise on the same cells and can be replayed. Storage changes no distribution.
  [[nodiscard]] bool is_past_dense_limit() const { return request.options.dense_limit == 0; }
  // Returns whether an earlier release chose the grid.
  [[nodiscard]] bool is_like_an_earlier() const {
    const auto* automatic = std::get_if<AutomaticGrid>(&request.grid);
    return automatic != nullptr && automatic->earlier.has_value();
  }
  // Returns the epsilon that a release of these options claims. Throws if its plan throws.
  [[nodiscard]] Epsilon claimed() const;
  // Returns the options as on a command line, and the number of records.
  [[nodiscard]] std::string text() const;
};

// Returns the setting of a seed. It is the same on every machine.
Setting random_setting(std::uint64_t seed);

}  // namespace shoal::evaluation
