#include "evaluation/inset_audit.hpp"

#include "techniques/automatic.hpp"
#include "techniques/insets.hpp"

namespace shoal::evaluation {

namespace {

Grid line(std::uint64_t cells) { return Grid({Axis(0, static_cast<double>(cells), cells, "x")}); }

// On the grid that insets are counted on.
Counts on_inset_grid(const Counts& counts) { return refined(counts, inset_grid(counts.grid())); }

PrivateOptions options_of(const PrivacyUnit& unit) {
  PrivateOptions options{.cluster = {.threshold = DensityModes{}, .threads = 1}};
  options.unit = unit;
  return options;
}

Subject subject_of(std::string name, Epsilon epsilon, const PrivacyUnit& unit) {
  const auto run = [epsilon, unit](const TinyData& data, Noise& noise) {
    return observe(
        inset_release(on_inset_grid(data.counts), data.grid, 3, epsilon, options_of(unit), noise).releases());
  };
  return {std::move(name), epsilon, unit, run};
}

// Broken on purpose: two halves overlap in the middle, and each spends all that the insets may cost.
Observation overlapping(const TinyData& data, Epsilon epsilon, Noise& noise) {
  const Counts fine = on_inset_grid(data.counts);
  std::vector<Release> all;
  for (const InsetPlace& place : {InsetPlace{{0, 256}}, InsetPlace{{128, 384}}}) {
    all.push_back(
        std::move(released_places(fine, finest_grid(data.grid), {place}, epsilon, options_of({}), noise).front()));
  }
  return observe(std::move(all));
}

// In the half that holds more records.
Observation chosen_by_counts(const TinyData& data, Epsilon epsilon, Noise& noise) {
  const auto raw = data.counts.raw().values();
  std::int64_t first = 0, second = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) (2 * i < raw.size() ? first : second) += raw[i];
  const InsetPlace place = first > second ? InsetPlace{{0, 256}} : InsetPlace{{256, 512}};
  return observe(
      released_places(on_inset_grid(data.counts), finest_grid(data.grid), {place}, epsilon, options_of({}), noise));
}

}  // namespace

// The starts hold crowds, so that insets are chosen there, and a record may lie in one, in another or in none.
AuditCase insets_case(Epsilon epsilon, Neighbors neighbors) {
  const PrivacyUnit record{.neighbors = neighbors, .column = {}, .max_contributions = 1};
  const PrivacyUnit person{.neighbors = neighbors, .column = "person", .max_contributions = 2};
  const TinyData crowds = TinyData::in_cells(line(8), {0, 400, 1, 0, 0, 2, 300, 0});
  const TinyData one_crowd = TinyData::in_cells(line(4), {1, 300, 0, 0});
  return {.subject = subject_of("insets", epsilon, record),
          .starts = {TinyData::in_cells(line(2), {1, 0})},
          .share = 0.005,
          .replays = {{subject_of("a record, two crowds", epsilon, record), {crowds}, 4},
                      {subject_of("a record, one crowd", epsilon, record), {one_crowd}, 6},
                      {subject_of("2 records a person", epsilon, person), {one_crowd}, 1}},
          .broken = false};
}

std::vector<AuditCase::Replay> broken_insets_not_private(Epsilon epsilon) {
  struct Variant {
    const char* name;
    Observation (*run)(const TinyData&, Epsilon, Noise&);
    TinyData start;
  };
  const std::vector<Variant> variants = {
      {"insets that overlap, charged once", &overlapping, TinyData::in_cells(line(4), {0, 0, 1, 0})},
      {"the place of an inset by raw counts", &chosen_by_counts, TinyData::in_cells(line(2), {0, 0})}};
  std::vector<AuditCase::Replay> replays;
  for (const Variant& variant : variants) {
    const Subject subject{variant.name, epsilon, {}, [run = variant.run, epsilon](const TinyData& data, Noise& noise) {
                            return run(data, epsilon, noise);
                          }};
    replays.push_back({subject, {variant.start}, 10});
  }
  return replays;
}

}  // namespace shoal::evaluation
