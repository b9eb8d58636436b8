// How one row of each example set is made.
#pragma once

#include <memory>
#include <string>

#include "points/random.hpp"
#include "shoal/points.hpp"

namespace shoal {

class Generator {
 public:
  virtual ~Generator() = default;
  [[nodiscard]] virtual DatasetSettings settings() const = 0;
  // Writes one point (a value per axis) and returns the cluster it was made for, 0 for none.
  virtual int point(Random& random, double* coordinates) const = 0;
};

std::unique_ptr<Generator> overlapping_gaussians();                                       // ds1
std::unique_ptr<Generator> interleaved_spirals();                                         // ds2
std::unique_ptr<Generator> bridged_shapes();                                              // ds3
std::unique_ptr<Generator> world_of_check_ins();                                          // world
std::unique_ptr<Generator> visits();                                                      // visits
std::unique_ptr<Generator> gaussian_mixture(std::size_t dimensions, std::uint64_t seed);  // mixtureN

}  // namespace shoal
