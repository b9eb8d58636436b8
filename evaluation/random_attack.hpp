// The random attacker: draws settings from the whole option space, makes two neighbouring datasets for each, and
// replays releases of one on the other (replay.hpp). It also combines options that no list of cases names.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "evaluation/audit.hpp"
#include "evaluation/planted_faults.hpp"
#include "shoal/epsilon.hpp"

namespace shoal::evaluation {

struct RandomAttack {
  double seconds = 0;                       // no further setting is begun after them; at least one is attacked
  std::uint64_t seed = 1;                   // of the first setting; each further one has the next number
  unsigned threads = 0;                     // settings that are attacked at once; 0 uses all cores
  std::uint64_t replays = 0;                // above 0: no further setting is begun after this many, whatever the time
  PlantedFault fault = PlantedFault::none;  // the attack ends when it finds it
  std::atomic<std::uint64_t>* done = nullptr;  // counts the replays, for a progress bar
};

// The worst that was seen in a setting.
struct WorstCase {
  double loss = 0;   // infinite: the neighbour cannot show the same, or a run fails after its charge
  double share = 0;  // of the claim
  std::string claimed, setting, why;
  std::uint64_t seed = 0;
  bool exceeds = false;
};

struct RandomFound {
  std::uint64_t settings = 0;  // attacked
  std::uint64_t refused = 0;   // by their plans, before anything would be charged
  std::uint64_t replays = 0;
  double seconds = 0;
  WorstCase worst;
};

RandomFound attack_at_random(const RandomAttack& attack);

// A release of the rows as private_release makes it, but with a given noise: what is attacked.
Observation release_not_private(const Setting& setting, const Rows& rows, Noise& noise);

}  // namespace shoal::evaluation
