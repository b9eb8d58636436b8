// Releases for tests. Their "noisy" values are given, not drawn: the wall's key is borrowed through post-processing of
// nothing, which is why these are marked as not private.
#pragma once

#include <random>
#include <string>
#include <utility>

#include "shoal/noised.hpp"
#include "shoal/release.hpp"

namespace shoal::examples {

inline Cells<std::int64_t> given;
inline std::int64_t given_number = 0;

inline NoisyCounts as_noisy(Cells<std::int64_t> cells) {
  given = std::move(cells);
  return PostProcessing::of<Cells<std::int64_t>>(+[]() { return given; });
}

inline Noised<std::int64_t> as_noisy(std::int64_t number) {
  given_number = number;
  return PostProcessing::of<std::int64_t>(+[]() { return given_number; });
}

// Blobs of many records on a floor of noise around zero.
inline Cells<std::int64_t> blobs(const Shape& shape, unsigned seed, int count = 3) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> values(cell_count(shape));
  for (auto& value : values) value = static_cast<std::int64_t>(random() % 7) - 3;
  for (int blob = 0; blob < count; ++blob) {
    std::vector<std::uint64_t> centre;
    for (const std::uint64_t extent : shape) centre.push_back(random() % extent);
    for (std::uint64_t i = 0; i < values.size(); ++i) {
      const auto at = coordinates(i, shape);
      std::int64_t distance = 0;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const auto along = static_cast<std::int64_t>(at[axis]) - static_cast<std::int64_t>(centre[axis]);
        distance += along * along;
      }
      if (distance <= 16) values[i] += 60 - 3 * distance;
    }
  }
  return Cells<std::int64_t>::dense(shape, values);
}

inline Grid grid_of(const Shape& shape) {
  std::vector<Axis> axes;
  const char* names[] = {"x", "y", "z", "w"};
  for (std::size_t i = 0; i < shape.size(); ++i) axes.emplace_back(-1.5, 8.25, shape[i], names[i % 4]);
  return Grid(std::move(axes));
}

inline ReleaseParts parts(Cells<std::int64_t> counts, double percentile = 60) {
  Grid grid = grid_of(counts.shape());
  ClusterOptions options;
  options.threshold.percentile = percentile;
  return {.technique = "privqt",
          .grid = std::move(grid),
          .options = options,
          .unit = {},
          .epsilon = Epsilon::parse("0.3"),
          .spent = {{"counts", 1, Epsilon::parse("0.3")}},
          .is_private = false,
          .noisy_counts = as_noisy(std::move(counts)),
          .noisy_sums = std::nullopt,
          .sums_level = 1,
          .answer = std::nullopt,
          .profile = std::nullopt};
}

inline ReleaseParts parts_with_answer(Cells<std::int64_t> counts, Question question, std::int64_t answer,
                                      double percentile = 60) {
  ReleaseParts result = parts(std::move(counts), percentile);
  result.technique = "privthr";
  result.spent = {{"counts", 1, Epsilon::parse("0.2")}, {"answer", 1, Epsilon::parse("0.1")}};
  NoisyAnswer noisy{.question = question, .answer = as_noisy(answer)};
  noisy.percentile = percentile;
  result.answer = noisy;
  return result;
}

}  // namespace shoal::examples
