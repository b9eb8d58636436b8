#include "shoal/evidence.hpp"

namespace shoal {

namespace {

const NoiseLaw* law_of(const NoisyCounts* values) {
  return values == nullptr || !values->law() ? nullptr : &*values->law();
}

}  // namespace

const NoisyCounts* ReleaseParts::values() const noexcept {
  if (const auto* counts = std::get_if<GridCounts>(&noisy)) return &counts->counts;
  if (const auto* blocks = std::get_if<BlockSums>(&noisy)) return &blocks->sums;
  if (const auto* blocks = std::get_if<BlocksAboveFloor>(&noisy)) return &blocks->sums;
  return nullptr;
}

unsigned ReleaseParts::blocks_level() const noexcept {
  if (const auto* blocks = std::get_if<BlockSums>(&noisy)) return blocks->level;
  if (const auto* blocks = std::get_if<BlocksAboveFloor>(&noisy)) return blocks->level;
  return 0;
}

std::int64_t ReleaseParts::floor() const noexcept {
  const NoiseLaw* law = law_of(values());
  return law == nullptr ? 0 : law->floor;
}

std::int64_t ReleaseParts::censored_below() const noexcept {
  const NoiseLaw* law = law_of(values());
  return law == nullptr ? 0 : law->censored_below;
}

Receipts ReleaseParts::paid() const {
  Receipts all;
  if (automatic) all = joined(automatic->records.paid(), automatic->rounded.paid());
  if (automatic && automatic->structure) all = joined(all, automatic->structure->paid());
  if (const NoisyAnswer* asked = answer()) all = joined(all, asked->answer.paid());
  if (const NoisyProfile* asked = profile()) all = joined(all, asked->sums.paid());
  if (const auto* withheld = std::get_if<Withheld>(&noisy)) return joined(all, withheld->paid);
  if (const BoxSums* known = boxes()) return joined(all, joined(known->boxes.paid(), known->records.paid()));
  return joined(all, values()->paid());
}

}  // namespace shoal
