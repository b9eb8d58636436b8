// What population the noisy values may come from: draws of the expected number of records in each cell, given the noisy
// ones. Records are a Poisson sample of the population, and privacy adds noise of a known law. docs/confidence.md.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "inference/noisy_records.hpp"

namespace shoal {

struct Evidence {
  Shape shape;
  std::vector<double> values;        // noisy records, of each cell or of the listed ones
  std::vector<std::uint64_t> cells;  // listed, ascending; empty: all cells of the box
  double elsewhere = 0;              // records a cell that is not listed
  double variance = 0;               // of the noise of a value
  double scale = 0;                  // of its exponential tail
  double together = 1;               // records that come and go as one: a unit's

  [[nodiscard]] std::uint64_t cell(std::size_t i) const { return cells.empty() ? i : cells[i]; }
};

// Independent draws. The prior: the box is halved again and again, at random places that differ from draw to draw; both
// halves have one density, or the share of the first is spread more or less widely around its share of the volume. How
// often each is so, at each size and density of a box, is learnt from draw to draw. Sums of boxes have the Poisson
// variance of the sample and that of their noise. The same draws for the same values, always.
class PopulationField {
 public:
  // level: records a cell that tell dense cells from others. threads: affects only the running time.
  PopulationField(const Evidence& evidence, double level, unsigned threads = 1);

  // The next field: expected records of each value of the evidence.
  const std::vector<double>& next();

 private:
  static constexpr std::size_t spreads = 6;    // ways in which halves differ
  static constexpr std::size_t sizes = 64;     // of boxes, in powers of two
  static constexpr std::size_t densities = 4;  // of boxes, over the level

  // Boxes in the order in which they are entered: the first half of box i is i + 1.
  struct Box {
    std::uint32_t second = 0;               // its second half; 0: a single cell
    std::uint32_t first_leaf = 0, end = 0;  // its values, in the order of leaves; boxes up to end lie in it
    std::uint32_t leaves = 0;
    float share = 0;        // of its volume: the first half's
    std::uint8_t size = 0;  // power of two that its volume is nearest to
    double cells = 0;
  };
  struct Halving {
    std::vector<Box> boxes;
    std::vector<std::uint32_t> leaves;  // values
  };
  struct Builder;

  // Random numbers that protect nothing: SplitMix64 (Steele, Lea, Flood 2014), in which any place can be reached at
  // once.
  struct Stream {
    static constexpr std::uint64_t step = 0x9e3779b97f4a7c15U;
    std::uint64_t state = step;
    double uniform();
  };

  struct Sum {
    double value = 0, noise = 0;  // of the noisy values, and its variance
  };

  void build(unsigned threads);
  [[nodiscard]] std::vector<Sum> sums_of(const Halving& halving) const;
  void draw_rates(const Halving& halving);
  double share_of_first(const Box& box, double rate, const Sum& one, const Sum& other);
  void weigh();
  double normal();

  const Evidence& evidence_;
  double level_;
  std::vector<Halving> halvings_;
  std::vector<std::vector<Sum>> sums_;  // of the boxes of each
  std::vector<double> box_rates_, rates_, mean_;
  std::vector<double> weights_, seen_;  // of spreads, by size and density of box
  Stream stream_;
  std::size_t draw_ = 0;
};

}  // namespace shoal
