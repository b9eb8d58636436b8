#include "evaluation/inset_audit.hpp"

#include <algorithm>

#include "techniques/automatic.hpp"
#include "techniques/insets.hpp"

namespace shoal::evaluation {

namespace {

Grid line(std::uint64_t cells) { return Grid({Axis(0, static_cast<double>(cells), cells, "x")}); }

// On the fine grid, every cell where it begins there.
Counts on_inset_grid(const Counts& counts) {
  const Grid grid = inset_grid(counts.grid());
  const std::uint64_t times = grid.cell_count() / counts.grid().cell_count();
  std::vector<std::int64_t> values(grid.cell_count());
  for (std::size_t i = 0; i < counts.raw().stored(); ++i) values[i * times] = counts.raw().values()[i];
  return {grid, Cells<std::int64_t>::dense(grid.shape(), values), 0, 0};
}

// All parts; and their bounds, which are shown too.
Observation observed(std::vector<Release> releases) {
  Observation all;
  for (Release& release : releases) {
    const Axis axis = release.parts().grid.axis(0);
    Observation one = observe(std::move(release));
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    all.shown.push_back(one.answer);
    all.shown.insert(all.shown.end(), one.shown.begin(), one.shown.end());
    for (const double bound : {axis.lo(), axis.hi()}) all.shown.push_back(static_cast<std::int64_t>(1024 * bound));
    all.release = std::move(one.release);  // whole: of one of them
  }
  return all;
}

PrivateOptions options_of(const PrivacyUnit& unit) {
  PrivateOptions options{.cluster = {.threshold = DensityModes{}, .threads = 1}};
  options.unit = unit;
  return options;
}

Subject subject_of(std::string name, Epsilon epsilon, const PrivacyUnit& unit) {
  const auto run = [epsilon, unit](const TinyData& data, Noise& noise) {
    const InsetRelease made = inset_release(on_inset_grid(data.counts), data.grid, 3, epsilon, options_of(unit), noise);
    std::vector<Release> releases;
    for (const ReleaseGroup& part : made.parts()) releases.push_back(part.release);
    return observed(std::move(releases));
  };
  return {std::move(name), epsilon, unit, run};
}

// Of two halves that both hold the middle, each with all that the insets may cost.
Observation overlapping(const TinyData& data, Epsilon epsilon, Noise& noise) {
  const Counts fine = on_inset_grid(data.counts);
  std::vector<Release> all;
  for (const InsetPlace& place : {InsetPlace{{0, 256}}, InsetPlace{{128, 384}}}) {
    all.push_back(
        std::move(released_places(fine, finest_grid(data.grid), {place}, epsilon, options_of({}), noise).front()));
  }
  return observed(std::move(all));
}

// In the half that holds more records.
Observation chosen_by_counts(const TinyData& data, Epsilon epsilon, Noise& noise) {
  const auto raw = data.counts.raw().values();
  std::int64_t first = 0, second = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) (2 * i < raw.size() ? first : second) += raw[i];
  const InsetPlace place = first > second ? InsetPlace{{0, 256}} : InsetPlace{{256, 512}};
  return observed(
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
