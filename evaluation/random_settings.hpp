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

// Records as a reader would give them. The first column is the group where there are groups.
struct Rows {
  std::vector<std::vector<double>> columns;
  std::vector<std::string> units;
  void add(const std::vector<double>& row, const std::string& unit);
  [[nodiscard]] std::size_t size() const noexcept { return units.size(); }
  // Valid while these rows are.
  [[nodiscard]] std::unique_ptr<Points> points(bool with_units) const;

 private:
  mutable std::vector<std::string_view> names_;
};

struct Setting {
  std::uint64_t seed;
  ReleaseRequest request;
  std::optional<Grouping> grouping;
  Rows data, neighbor;
  bool counts_given = false;   // the release is made of a table of cells and counts
  bool medians_alone = false;  // one stage of a kd-tree, for all of epsilon: a whole tree hides it among its counts

  // Where the counts are stored with their empty cells although the grid is past the dense limit: neighbours then ask
  // for noise on the same cells, and can be replayed. Storage changes no distribution.
  [[nodiscard]] bool is_past_dense_limit() const { return request.options.dense_limit == 0; }
  // What a release of these options claims. Throws what the plan refuses.
  [[nodiscard]] Epsilon claimed() const;
  // The options as the program takes them, and how many records there are.
  [[nodiscard]] std::string text() const;
};

// The same seed gives the same setting, on every machine.
Setting random_setting(std::uint64_t seed);

}  // namespace shoal::evaluation
