// Releases for tests. Their "noisy" values are given, not drawn: they go through post-processing that reads them from a
// global, which types cannot forbid, and borrow law and receipt of a number noised with nothing. So these are marked as
// not private.
#pragma once

#include <random>
#include <string>
#include <utility>

#include "privacy/mechanisms.hpp"
#include "shoal/noised.hpp"
#include "shoal/release.hpp"
#include "zero_noise_not_private.hpp"

namespace shoal::examples {

inline Cells<std::int64_t> given;
inline std::int64_t given_number = 0;

// One noised number for each charge, in this order.
inline std::vector<Noised<std::int64_t>> charged(const std::vector<Spent>& charges) {
  Epsilon budget = Epsilon::zero();
  for (const Spent& charge : charges) budget = budget + charge.epsilon;
  testing::ZeroNoiseNotPrivate zero;
  Mechanisms mechanisms(zero, {}, budget);
  std::vector<Noised<std::int64_t>> numbers;
  for (const Spent& charge : charges) {
    numbers.push_back(mechanisms.number(0, charge.sensitivity, charge.epsilon, charge.mechanism));
  }
  return numbers;
}
inline Noised<std::int64_t> charged(const std::string& epsilon, const std::string& name = "counts") {
  return charged({{name, 1, Epsilon::parse(epsilon)}}).front();
}

inline NoisyCounts as_noisy(Cells<std::int64_t> cells, const Noised<std::int64_t>& like) {
  given = std::move(cells);
  return PostProcessing::with_law_of_first(
      +[](const Noised<std::int64_t>&) { return given; }, like);
}
// The same with noise of which no law is known.
inline NoisyCounts as_noisy_by_no_law(Cells<std::int64_t> cells, const std::vector<Noised<std::int64_t>>& like) {
  given = std::move(cells);
  return PostProcessing::of(
      +[](const std::vector<Noised<std::int64_t>>&) { return given; }, like);
}

inline Noised<std::int64_t> as_noisy(std::int64_t number, const Noised<std::int64_t>& like) {
  given_number = number;
  return PostProcessing::with_law_of_first(
      +[](const Noised<std::int64_t>&) { return given_number; }, like);
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

inline ReleaseParts parts(Cells<std::int64_t> counts, double percentile = 60, const std::string& epsilon = "0.3") {
  Grid grid = grid_of(counts.shape());
  ClusterOptions options{.threshold = Percentile(percentile)};
  return {.technique = "privqt",
          .grid = std::move(grid),
          .options = options,
          .unit = {},
          .epsilon = Epsilon::parse(epsilon),
          .is_private = false,
          .noisy = GridCounts{as_noisy(std::move(counts), charged(epsilon))}};
}

// As baseline's: the noise of the counts is not known.
inline ReleaseParts parts_by_no_law(const Cells<std::int64_t>& counts) {
  ReleaseParts result = parts(counts);
  result.noisy = GridCounts{as_noisy_by_no_law(counts, {charged("0.3", "level-1")})};
  return result;
}

inline ReleaseParts parts_with_answer(const Cells<std::int64_t>& counts, Question question, std::int64_t answer,
                                      double percentile = 60, const std::string& wavelet = "haar") {
  ReleaseParts result = parts(counts, percentile);
  result.technique = "privthr";
  const char* names[] = {"nonpositive", "threshold"};
  const auto paid =
      charged({{"counts", 1, Epsilon::parse("0.2")}, {names[static_cast<int>(question)], 1, Epsilon::parse("0.1")}});
  result.noisy = GridCounts{as_noisy(counts, paid[0])};
  result.hint = NoisyAnswer{.question = question,
                            .answer = as_noisy(answer, paid[1]),
                            .wavelet = Wavelet::named(wavelet),
                            .percentile = percentile};
  return result;
}

}  // namespace shoal::examples
