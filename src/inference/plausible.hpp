// Truths that may lie behind the noisy values: whole fields of W, drawn given W'.
//
// A cell of W is taken to depend on the cells around it: given them, its value is spread in a way that only depends on
// their mean and on whether it lies between two dense ones. How, is learnt from the draws themselves: cells are put
// into classes, and each class has a spread over bins. A draw goes from the one before it (Gibbs sampling): cells are
// drawn anew, each by
//   the spread of its class  x  the chance of its noisy value,
// where a cell's own share in the spread is left out (Polya's urn): otherwise the largest of many noisy values would
// vouch for themselves. Public and fixed numbers stand for chance: the same draws for the same values, always.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "inference/prior.hpp"

namespace shoal {

// How the noise of a value depends on that of its neighbours, where neighbouring values of W' share noisy counts.
struct NoiseLinks {
  std::vector<double> weight;  // of each axis: of the two next noises in the expected one; all 0: independent
  double left = 1;             // share of the variance that they do not explain

  [[nodiscard]] bool any() const;
};
NoiseLinks noise_links(const Shape& grid, const ClusterOptions& options);

// What lies around each cell that there is evidence of; where there is none, cells are empty.
class Surroundings {
 public:
  explicit Surroundings(const Evidence& evidence);
  // The mean of the neighbours.
  [[nodiscard]] std::vector<double> means(const std::vector<double>& values) const;
  // The mean of these means, without the cell's own share in it: so the neighbours' neighbours count as well.
  [[nodiscard]] std::vector<double> wider(const std::vector<double>& values, std::vector<double> means) const;
  // Of two opposite neighbours the smaller, of all such twos the largest, 0 without any: high on ridges, and in narrow
  // gaps between dense cells. Values of at least 0. Past three axes: of those that share a face with the cell.
  [[nodiscard]] std::vector<double> between(const std::vector<double>& values) const;
  // Steps that setting it up and each use of it take, about.
  static double work(const Shape& shape, std::size_t cells);

 private:
  template <class Visit>
  void each_pair(const Visit& visit) const;
  void list_neighbours();

  const Evidence& evidence_;
  std::vector<std::uint32_t> neighbours_;                // of each listed cell: faces first, then others
  std::vector<std::uint64_t> ends_;                      // of its faces, of its others
  std::vector<std::array<std::uint32_t, 3>> opposites_;  // a listed cell and two opposite neighbours, listed too
  double of_face_ = 0, of_other_ = 0;                    // weight of one
};

class PlausibleFields {
 public:
  // level: a density near which classes should be fine, in records.
  PlausibleFields(const Evidence& evidence, const NoiseLinks& links, double level);

  // Learns from draws, before the first that counts. positives: how many cells hold anything, where that is known;
  // of evidence of all cells, whole without the noise.
  void learn(std::size_t draws, std::optional<double> positives = {});

  [[nodiscard]] const Spread& spread() const noexcept { return spread_; }
  // Goes on to the next draw; one value a cell of the evidence, in records.
  const std::vector<double>& next();
  // Of the cells without evidence, how many are expected to hold at least d.
  [[nodiscard]] double others_at_least(double d) const;

 private:
  void draw_cells();
  [[nodiscard]] std::vector<std::uint8_t> classes() const;
  void draw_cell(std::size_t i, std::size_t of_class, double shift, double chance);
  struct Posterior {
    std::vector<double> upto;  // chance of the bins up to each, from the first that is in reach
    double drawn = 0;          // how often, since the last learning
    int learnt = -1;           // after which learning it was computed
  };
  const Posterior& posterior(std::uint32_t value, std::size_t of_class);
  // Of a noisy value; like ones share one.
  std::uint32_t index_of(double value);
  [[nodiscard]] double inside(std::size_t bin, double centre, std::size_t i) const;
  [[nodiscard]] std::vector<double> shifts() const;
  [[nodiscard]] std::vector<double> shares_of_others() const;
  void follow_draw(double keep);
  void aim_at(double positives);
  void set_table();

  const Evidence& evidence_;
  NoiseLinks links_;
  NoiseCurve all_noise_, noise_;  // noise_: what its neighbours do not tell
  double level_, step_;
  Bins bins_;
  Spread spread_;
  Surroundings around_;
  std::vector<double> quantiles_;  // of noise_
  std::unordered_map<std::int64_t, std::uint32_t> index_;
  std::vector<Likelihood> likely_;       // of each index
  std::vector<Posterior> posteriors_;    // of each index and class
  std::vector<std::uint32_t> value_of_;  // index of each cell, when the noises are independent
  std::vector<double> values_;
  std::vector<std::vector<double>> counts_, table_;  // of each class and bin; table_: with what is borrowed and unseen
  double weight_of_empty_ = 1;  // over what the draws have learnt, so that the expected number of cells is positive
  int learnt_ = 0;
  std::uint64_t draw_ = 0;
};

}  // namespace shoal
