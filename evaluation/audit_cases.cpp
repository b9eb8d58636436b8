// What `shoal audit` attacks: the library's techniques as a release would run them, on tiny grids.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/audit.hpp"
#include "evaluation/group_audit.hpp"
#include "evaluation/inset_audit.hpp"
#include "grid/contributions.hpp"
#include "publishing/publishing.hpp"
#include "shoal/error.hpp"
#include "shoal/private_release.hpp"
#include "shoal/text.hpp"
#include "techniques/techniques.hpp"

namespace shoal::evaluation {

namespace {

constexpr double percentile = 30;
constexpr double max_records = 4.5;  // public Max of privthr-em, in records of a cell of W
const std::string of_baseline = "baseline/";
const std::string from_floor = "/floor";    // privwave as it releases grids past the dense limit: sparse counts
const std::string with_shares = "/shares";  // of units that share their weight

Grid line(std::uint64_t cells) { return Grid({Axis(0, static_cast<double>(cells), cells, "x")}); }
Grid plane(std::uint64_t cells) {
  return Grid({Axis(0, static_cast<double>(cells), cells, "x"), Axis(0, static_cast<double>(cells), cells, "y")});
}

// What differs between the runs of one technique.
struct Setting {
  Wavelet wavelet = Wavelet::haar();
  unsigned level = 1;
  Transform transform = Transform::decimated;
  BaseMeasure base = BaseMeasure::logarithmic;
  bool halves = false;  // units share their weight: every record of the data is half of one
  bool dense = false;   // with a floor: counts are stored with their empty cells, which changes no distribution
};

bool is_from_floor(const std::string& name) { return name.find(from_floor) != std::string::npos; }
bool has_shares(const std::string& name) { return name.ends_with(with_shares); }

const PrivacyUnit two_halves{.column = "person", .max_contributions = 2};

std::vector<std::string> able_to_share() {
  return technique_names(Percentile(percentile), {.column = "person", .share = true});
}

// The occupied cells alone, as a huge grid is counted.
Counts as_sparse(const Counts& counts) {
  std::vector<std::uint64_t> index;
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < counts.raw().stored(); ++i) {
    if (counts.raw().values()[i] == 0) continue;
    index.push_back(counts.raw().index_of(i));
    values.push_back(counts.raw().values()[i]);
  }
  return {counts.grid(), Cells<std::int64_t>::sparse(counts.grid().shape(), std::move(index), values), counts.points(),
          counts.outside()};
}

Subject subject_of(const std::string& name, Epsilon epsilon, const PrivacyUnit& unit, const Setting& setting) {
  PrivateOptions options{.cluster = {.threshold = Percentile(percentile),
                                     .wavelet = setting.wavelet,
                                     .level = setting.level,
                                     .transform = setting.transform,
                                     .threads = 1}};
  options.unit = unit;
  if (setting.halves) {
    options.unit.max_contributions = 1;
    options.unit.share = true;
  }
  options.base = setting.base;
  std::string technique = name;
  if (name.starts_with(of_baseline)) {
    technique = "baseline";
    options.publisher = name.substr(of_baseline.size());
  }
  if (is_from_floor(name)) {
    technique = name.substr(0, name.find(from_floor));
    options.dense_limit = 0;
  }
  const bool sparse = is_from_floor(name) && !setting.dense;
  return {name, epsilon, unit, [technique, epsilon, options, sparse](const TinyData& data, Noise& noise) {
            PrivateOptions mine = options;
            const auto halvings = static_cast<double>(data.grid.dimensions()) * mine.cluster.level / 2;
            mine.max_density = max_records * std::exp2(-halvings);
            if (sparse) {
              Counts counts = as_sparse(data.counts);
              if (mine.unit.share) counts = in_parts(counts, mine.unit.parts_per_weight() / 2);
              return observe(run_technique(technique, {counts}, epsilon, mine, noise));
            }
            if (mine.unit.share) {
              const Counts counts = in_parts(data.counts, mine.unit.parts_per_weight() / 2);
              PointTable points = data.points;
              points.parts.assign(points.rows(), static_cast<std::uint32_t>(mine.unit.parts_per_weight() / 2));
              return observe(run_technique(technique, {counts, &points}, epsilon, mine, noise));
            }
            return observe(run_technique(technique, {data.counts, &data.points}, epsilon, mine, noise));
          }};
}

std::string text_of(const Setting& setting, const PrivacyUnit& unit, std::size_t dimensions) {
  return fmt::format("{}-D {} level {}{}{}, {} {} a unit", dimensions, setting.wavelet.name(), setting.level,
                     setting.transform == Transform::stationary ? " stationary" : "",
                     setting.base == BaseMeasure::uniform ? " uniform base" : "", unit.max_contributions,
                     setting.halves ? "halves" : "records");
}

// Trees of a plane have up to 2^20 nodes and take milliseconds; they are attacked on lines only.
bool is_tree(const std::string& name) { return name == "baseline/quadtree" || name == "baseline/kd-tree"; }

// Baseline's publishers share its runs, the slow ones with less.
double share_of(const std::string& name) {
  if (name == "baseline/kd-tree") return 0.005;
  if (name == "baseline/adaptive-grid" || name == "baseline/quadtree") return 0.05;
  if (is_from_floor(name)) return has_shares(name) ? 0.25 : 0.5;
  return name.starts_with(of_baseline) ? 0.4 : 1;
}

// So many dense blocks that privwave may raise the values of the others: records come and go below the censoring point
// and above it.
TinyData with_dense_cells() {
  std::vector<std::uint64_t> records(32);
  for (std::size_t cell = 0; cell < 24; cell += 2) records[cell] = 300 + cell;
  records[24] = 1;
  records[26] = 2;
  return TinyData::in_cells(line(32), records);
}

// Many neighbours: few runs of each.
void add_with_dense_cells(std::vector<AuditCase::Replay>& replays, Epsilon epsilon) {
  Subject subject = subject_of("privwave", epsilon, {}, {});
  subject.name = "1-D with raised values";
  replays.push_back({std::move(subject), {with_dense_cells()}, 3});
}

// Units that share their weight, all ways to spread one over the cells in halves.
void add_with_halves(std::vector<AuditCase::Replay>& replays, const std::string& name, Epsilon epsilon,
                     Neighbors neighbors) {
  PrivacyUnit halves = two_halves;
  halves.neighbors = neighbors;
  const std::vector<std::string> able = able_to_share();
  const bool publisher = name.starts_with(of_baseline);
  if (std::find(able.begin(), able.end(), publisher ? "baseline" : name) == able.end()) return;
  std::vector<Setting> settings = {{}};
  if (!publisher) {
    settings.push_back({.level = 2});
    settings.push_back({.transform = Transform::stationary});
    settings.push_back({.wavelet = Wavelet::named("db2")});
    settings.push_back({.wavelet = Wavelet::named("bior2.2")});
  }
  for (Setting& setting : settings) {
    setting.halves = true;
    Subject subject = subject_of(name, epsilon, halves, setting);
    subject.name = text_of(setting, halves, 1);
    replays.push_back({std::move(subject), {TinyData::in_cells(line(5), {1, 0, 0, 3, 0})}, 4});
  }
  if (name != "privwave" || neighbors == Neighbors::replace) return;
  Subject raised = subject_of(name, epsilon, halves, {.halves = true});
  raised.name = "1-D with raised values, 2 halves a unit";
  replays.push_back({std::move(raised), {with_dense_cells()}, 1});
}

// Replay forces the outputs of the noise. With sparse counts neighbours ask for noise on other cells: sampling attacks
// them, and replay the same technique on dense counts.
std::vector<AuditCase::Replay> replays_from_floor(const std::string& name, Epsilon epsilon, const PrivacyUnit& unit) {
  std::vector<AuditCase::Replay> replays;
  for (const unsigned level : {1U, 2U}) {
    const Setting setting{.level = level, .halves = has_shares(name), .dense = true};
    Subject subject = subject_of(name, epsilon, unit, setting);
    subject.name = text_of(setting, unit, 1);
    // Shares have many neighbours.
    replays.push_back({std::move(subject),
                       {setting.halves ? TinyData::in_cells(line(4), {9, 3, 0, 0})
                                       : TinyData::in_cells(line(8), {1, 0, 9, 3, 0, 0, 14, 0})},
                       8});
  }
  return replays;
}

std::vector<AuditCase::Replay> replays_of(const std::string& name, Epsilon epsilon, Neighbors neighbors) {
  const bool publisher = name.starts_with(of_baseline);
  std::vector<Setting> settings = {
      {}, {.base = BaseMeasure::uniform}, {.level = 2}, {.wavelet = Wavelet::named("db2")}};
  settings.push_back({.wavelet = Wavelet::named("bior2.2")});
  settings.push_back({.transform = Transform::stationary});
  if (publisher) settings.resize(1);  // what they ask does not depend on the transform
  std::vector<AuditCase::Replay> replays;
  for (const Setting& setting : settings) {
    for (const std::uint64_t records : {1U, 2U}) {
      PrivacyUnit unit{.neighbors = neighbors, .column = records > 1 ? "person" : "", .max_contributions = records};
      const std::uint64_t runs = is_tree(name) ? 3 : records > 1 ? 4 : 20;
      const auto add = [&](const TinyData& start) {
        Subject subject = subject_of(name, epsilon, unit, setting);
        subject.name = text_of(setting, unit, start.grid.dimensions());
        replays.push_back({std::move(subject), {start}, runs});
      };
      add(TinyData::in_cells(line(5), {1, 0, 0, 2, 0}));
      if (records == 1 && !is_tree(name)) add(TinyData::in_cells(plane(3), {1, 0, 0, 0, 2, 0, 0, 0, 0}));
    }
  }
  add_with_halves(replays, name, epsilon, neighbors);
  if (name == "privwave" && neighbors == Neighbors::add_remove) add_with_dense_cells(replays, epsilon);
  return replays;
}

}  // namespace

std::vector<std::string> audit_names() {
  std::vector<std::string> names;
  for (const std::string& technique : technique_names()) {
    if (technique != "baseline") {
      names.push_back(technique);
      if (technique != "privwave") continue;
      names.push_back(technique + from_floor);
      names.push_back(names.back() + with_shares);
      continue;
    }
    for (const std::string& publisher : publisher_names()) names.push_back(of_baseline + publisher);
  }
  names.emplace_back("groups");
  names.emplace_back("insets");
  return names;
}

AuditCase audit_case(const std::string& technique, Epsilon epsilon, Neighbors neighbors) {
  const auto names = audit_names();
  if (std::find(names.begin(), names.end(), technique) == names.end()) {
    throw InputError(fmt::format("there is no technique '{}'{}; choose one of {}", technique,
                                 did_you_mean(technique, names), fmt::join(names, ", ")));
  }
  if (technique == "groups") return groups_case(epsilon, neighbors);
  if (technique == "insets") return insets_case(epsilon, neighbors);
  PrivacyUnit unit = has_shares(technique) ? two_halves : PrivacyUnit{};
  unit.neighbors = neighbors;
  const bool floored = is_from_floor(technique);
  // Nothing is seen below a floor: there the data must reach it.
  std::vector<TinyData> starts = {TinyData::in_cells(line(4), {floored ? 9U : 1U, 0, 0, 0})};
  if (!is_tree(technique) && !floored) starts.push_back(TinyData::in_cells(plane(2), {1, 0, 0, 2}));
  return {.subject = subject_of(technique, epsilon, unit, {.halves = has_shares(technique)}),
          .starts = std::move(starts),
          .share = share_of(technique),
          .replays = floored ? replays_from_floor(technique, epsilon, unit) : replays_of(technique, epsilon, neighbors),
          .broken = false};
}

}  // namespace shoal::evaluation
