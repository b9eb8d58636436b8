// The random attacker: draws settings from the whole option space, makes two neighbouring datasets for each, and
// replays releases of one on the other (replay.hpp). It also combines options that no list of cases names.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "evaluation/audit.hpp"
#include "evaluation/planted_faults.hpp"
#include "shoal/privacy.hpp"

namespace shoal::evaluation {

struct RandomAttack {
  double seconds = 0;                          // no setting starts after this time; at least one is attacked
  std::uint64_t seed = 1;                      // seed of the first setting; it increases by 1 per setting
  unsigned threads = 0;                        // number of settings attacked in parallel; 0: all cores
  std::uint64_t replays = 0;                   // if above 0, no setting starts after this number, regardless of time
  PlantedFault fault = PlantedFault::none;     // the attack ends when it finds this fault
  std::atomic<std::uint64_t>* done = nullptr;  // counts the replays, for a progress bar
};

// The largest loss in a setting.
struct WorstCase {
  double loss = 0;   // infinite if the neighbour cannot give the same output, or if a run fails after its charge
  double share = 0;  // of the claim
  std::string claimed, setting, why;
  std::uint64_t seed = 0;
  bool exceeds = false;
};

struct RandomFound {
  std::uint64_t settings = 0;  // attacked
  std::uint64_t refused = 0;   // by their plans, before a charge
  std::uint64_t replays = 0;
  double seconds = 0;
  WorstCase worst;
};

RandomFound attack_at_random(const RandomAttack& attack);

// Returns the release of the rows that private_release would make, but with a given noise.
Observation release_not_private(const Setting& setting, const Rows& rows, Noise& noise);

}  // namespace shoal::evaluation
