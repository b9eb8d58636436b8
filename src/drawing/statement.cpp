#include <fmt/format.h>

#include <algorithm>

#include "base/outward.hpp"
#include "drawing/html.hpp"
#include "release/enum_words.hpp"
#include "shoal/error.hpp"
#include "shoal/explain.hpp"
#include "shoal/notices.hpp"
#include "shoal/text.hpp"
#include "shoal/version.hpp"

namespace shoal {

namespace {

constexpr std::uint64_t family = 4;  // people in the example of a group

// Values below 10 keep two digits, so that a small guess does not look certain.
std::string percent_after(double percent) {
  return (percent < 10 ? fmt::format("{:.3g}", at_least(percent, 2)) : percent_at_most(percent)) + " %";
}

Epsilon epsilon_times(Epsilon epsilon, std::uint64_t count) {
  Epsilon result = Epsilon::zero();
  for (std::uint64_t i = 0; i < count; ++i) result = result + epsilon;
  return result;
}

StatementSection who_is_protected(const ReleaseSet& release) {
  const PrivacyUnit& unit = release.unit();
  const Noun noun = noun_of(unit);
  const std::string said =
      unit.column.empty()
          ? ((release.unit().neighbors == Neighbors::replace) ? "a record" : "it")
          : fmt::format("any record of {}{}", (release.unit().neighbors == Neighbors::replace) ? "" : "that ",
                        (release.unit().neighbors == Neighbors::replace) ? with_article(noun.one) : noun.one);
  StatementSection result{"Who is protected", {}};
  if (unit.column.empty()) {
    result.paragraphs.emplace_back(
        "This release protects single records, which are single rows of the data. A person who has several records is "
        "protected for each of them, but not for all of them together.");
  } else {
    const std::string kept =
        unit.share
            ? fmt::format("Each {0} counts once, spread over all records of that {0}.", noun.one)
            : fmt::format("At most {} of each {} {} used. If there were more, the others were left out at random.",
                          counted(unit.max_contributions, "record", "records"), noun.one,
                          unit.max_contributions == 1 ? "was" : "were");
    result.paragraphs.push_back(
        fmt::format("This release protects {}: all records of {} together. The column '{}' says which "
                    "records belong together. {}",
                    noun.many, with_article(noun.one), unit.column, kept));
  }
  result.paragraphs.push_back(
      (release.unit().neighbors == Neighbors::replace)
          ? fmt::format("What {} says is protected. The number of {} is taken as public (neighbouring datasets: one is "
                        "replaced).",
                        said, noun.many)
          : fmt::format(
                "Both are protected: whether {} is in the data at all, and what {} says (neighbouring datasets: "
                "one is added or removed).",
                with_article(noun.one), said));
  if (const Grouping* groups = release.grouping(); groups != nullptr && !unit.column.empty()) {
    result.paragraphs.push_back(fmt::format("Each {} counts in at most {} of {}.", noun.one,
                                            groups->max_groups == 1 ? "one" : fmt::to_string(groups->max_groups),
                                            counted(groups->names.size(), "group", "groups")));
  }
  return result;
}

StatementSection what_can_be_learnt(const ReleaseSet& release) {
  StatementSection result{"What an attacker can learn at most", {promise(release.unit(), release.epsilon())}};
  result.paragraphs.push_back(for_a_person(release.unit(), release.epsilon()));
  for (const std::string& notice : notices(release.unit(), release.epsilon())) result.paragraphs.push_back(notice);
  result.paragraphs.emplace_back(
      "These bounds hold for anyone, whatever else they know and however much they compute, now and later. They rest "
      "on "
      "random numbers that are unpredictable (AES-256, keyed by the operating system).");
  const std::string one =
      release.unit().column.empty() ? "a person's record" : with_article(noun_of(release.unit()).one);
  result.table.head = {(release.unit().neighbors == Neighbors::replace)
                           ? fmt::format("Guess before that {} has the first of two values", one)
                           : fmt::format("Guess before that {} is in the data", one)};
  result.table.rows = {{"Guess after seeing the release, at most"}};
  for (const double before : {1.0, 10.0, 50.0, 90.0}) {
    result.table.head.push_back(fmt::format("{:.0f} %", before));
    result.table.rows.front().push_back(percent_after(most_sure(release.epsilon(), before)));
  }
  return result;
}

std::string threshold_words(const Threshold& threshold) {
  struct Words {
    std::string operator()(const Percentile& rule) const {
      return fmt::format("percentile {}", number(rule.percent()));
    }
    std::string operator()(const Coverage& rule) const { return fmt::format("coverage {} %", number(rule.percent())); }
    std::string operator()(const Top& rule) const { return fmt::format("top {} cells", rule.cells()); }
    std::string operator()(const Density& rule) const { return fmt::format("density {}", number(rule.least())); }
    std::string operator()(const DensityModes& /*rule*/) const { return "none (peaks of the density)"; }
  };
  return std::visit(Words{}, threshold);
}

std::string axis_words(const Axis& axis, std::size_t index) {
  const auto [first, last] = range_texts(axis, axis.lo(), axis.hi());
  return fmt::format("{}: {} to {}", axis.name().empty() ? fmt::format("axis {}", index + 1) : axis.label(), first,
                     last);
}

StatementSection what_was_public(const ReleaseSet& release) {
  const ReleaseParts& parts = release.first().parts();
  StatementSection result{
      "What was public",
      {"The settings below are known to everyone and get no noise. The owner must have chosen them without looking at "
       "the data. The program cannot check that."}};
  auto& rows = result.table.rows;
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < parts.grid.dimensions(); ++i) axes.push_back(axis_words(parts.grid.axis(i), i));
  rows.push_back({"Columns and bounds", fmt::format("{}", fmt::join(axes, "; "))});
  const bool chosen = parts.automatic.has_value();
  rows.push_back({"Grid", fmt::format("{} cells{}", grid_size(parts.grid),
                                      chosen ? ", chosen from noisy values (paid for below)" : "")});
  if (!release.insets().empty()) rows.push_back({"Insets", "finer maps, placed by noisy values (paid for below)"});
  if (const Grouping* groups = release.grouping()) {
    std::vector<std::string> names = groups->names;
    constexpr std::size_t most_names = 8;
    const std::size_t more = names.size() > most_names ? names.size() - most_names : 0;
    if (more > 0) names.resize(most_names);
    rows.push_back({fmt::format("Groups of {}", groups->axis.name().empty() ? "records" : groups->axis.name()),
                    fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "")});
  }
  rows.push_back({"Method", fmt::format("{}; wavelet {}, level {}, {} adjacency; threshold: {}", parts.technique,
                                        parts.options.wavelet.name(), parts.options.level,
                                        word(adjacency_words, parts.options.adjacency),
                                        threshold_words(parts.options.threshold))});
  rows.push_back({"Privacy", fmt::format("epsilon {}, unit {}, neighbours {}", release.epsilon().text(),
                                         release.unit().column.empty() ? "record" : release.unit().column,
                                         word(neighbors_words, release.unit().neighbors))});
  return result;
}

std::string left_in_words(const RecordedCharge& charge) {
  const Epsilon left = charge.cap - charge.spent;
  return fmt::format(
      "The account '{}' may spend epsilon {} in total. It has spent {}, this release included, and has {} left. From "
      "all "
      "releases that it may ever pay for, someone who guesses at 50 % becomes at most {} % sure.",
      charge.dataset, charge.cap.text(), charge.spent.text(), left.units() == 0 ? "nothing" : left.text(),
      percent_at_most(most_sure(charge.cap)));
}

StatementSection what_was_spent(const ReleaseSet& release, const std::optional<RecordedCharge>& charge) {
  const std::string counted = counted_noun(release.unit()).many;
  StatementSection result{"What was spent", {}};
  if (release.grouping() != nullptr) {
    const std::uint64_t changed = release.spent().front().sensitivity;
    result.paragraphs.push_back(
        fmt::format("Each group is a release of epsilon {}. One {} can change at most {}, so all of them together cost "
                    "epsilon {}.",
                    release.first().parts().epsilon.text(), noun_of(release.unit()).one,
                    shoal::counted(changed, "group", "groups"), release.epsilon().text()));
  }
  result.table.head = {"Noisy answer", "Epsilon"};
  for (const Spent& spent : release.spent()) {
    const std::string meaning = spent.mechanism == "groups"     ? "all groups together"
                                : spent.mechanism == "overview" ? "map of the whole plane"
                                : spent.mechanism == "insets"   ? "all finer maps together"
                                                                : meaning_of_mechanism(spent.mechanism, counted);
    result.table.rows.push_back(
        {meaning.empty() ? spent.mechanism : fmt::format("{} ({})", meaning, spent.mechanism), spent.epsilon.text()});
  }
  result.table.rows.push_back({"Total", release.epsilon().text()});
  const std::string& head = release.first().parts().ledger_head;
  if (charge) {
    result.points.push_back(fmt::format(
        "Entry {} of the ledger '{}' recorded this charge on {}, before any noise was drawn. The ledger's {} are "
        "unchanged since they were written, as their chain of hashes shows. Its head is {}.",
        charge->entry, charge->ledger, charge->time, shoal::counted(charge->entries, "entry", "entries"),
        charge->head));
    result.points.push_back(left_in_words(*charge));
  } else if (!head.empty()) {
    result.points.push_back(fmt::format(
        "The file says that this was charged to a ledger, as the entry with the head {}. The owner proves it "
        "with 'shoal ledger verify LEDGER --release FILE'.",
        head));
  } else {
    result.points.emplace_back(
        "The file names no entry of a ledger. Nothing shows how often the same data were released before.");
  }
  return result;
}

StatementSection what_is_not_promised(const ReleaseSet& release, bool has_ledger) {
  const PrivacyUnit& unit = release.unit();
  const Noun noun = noun_of(unit);
  const std::string names = unit.column.empty() ? "people" : noun.many;
  const Epsilon together = epsilon_times(release.epsilon(), family);
  StatementSection result{"What is not promised", {}};
  auto& points = result.points;
  points.push_back(fmt::format(
      "Secrecy of what holds for many. The release shows where {} are many. Someone who knows that a person belongs to "
      "such a crowd may draw conclusions about that person, even if the person is not in the data.",
      names));
  points.push_back(
      unit.column.empty()
          ? fmt::format(
                "All records of a person. {} records of one person together have epsilon {}, which means at most "
                "{} % instead of {} %.",
                family, together.text(), percent_at_most(most_sure(together)),
                percent_at_most(most_sure(release.epsilon())))
          : fmt::format(
                "Several {} at once. {} of them together, such as a family, have epsilon {}, which means at most "
                "{} % instead of {} %. The same holds for a person with {} values of '{}'.",
                noun.many, family, together.text(), percent_at_most(most_sure(together)),
                percent_at_most(most_sure(release.epsilon())), family, unit.column));
  points.push_back(
      fmt::format("Other releases. What is released elsewhere from the same data adds its epsilon to this "
                  "one{}.",
                  has_ledger ? "; the ledger counts only what was charged to it" : ""));
  points.emplace_back(
      "Careful handling by the owner. The statement covers what is in the file. It does not cover who can see the "
      "data, "
      "error messages, running times or settings that were chosen by looking at the data.");
  points.push_back(
      fmt::format("Rows that were prepared elsewhere. If the data were selected by SQL or counted by another program, "
                  "that program must have treated each {} by itself.",
                  noun.one));
  points.emplace_back("Exact numbers. All numbers of the release are noisy on purpose.");
  points.emplace_back(
      "A legal judgement. This page states what the mathematics guarantees. Whether that makes the release anonymous "
      "under a law is for its reader to decide.");
  return result;
}

StatementSection how_to_check(const std::string& file, const std::string& digest) {
  return {"How to check this statement",
          {fmt::format("It was written by Shoal {} from the file '{}' and says what that file says. It has the SHA-256 "
                       "hash {}. Another "
                       "hash means another file. docs/privacy.md and docs/proofs.md of Shoal hold the proofs.",
                       version, file, digest)}};
}

}  // namespace

PrivacyStatement statement_of(const ReleaseSet& release, const std::string& file, const std::string& digest,
                              const std::optional<RecordedCharge>& charge) {
  if (!release.first().parts().is_private) {
    throw InputError(
        fmt::format("'{}' was made with a seed, for a study: it is not private, and nothing can be stated", file));
  }
  const Noun noun = noun_of(release.unit());
  const std::string most = percent_at_most(most_sure(release.epsilon()));
  PrivacyStatement result{.file = file,
                          .digest = digest,
                          .epsilon = release.epsilon(),
                          .most_sure = most,
                          .is_weak = is_weak(release.epsilon()),
                          .facts = {},
                          .sections = {}};
  result.facts = {{"Release", file},
                  {"Protects", release.unit().column.empty() ? "each single record" : "each " + noun.one},
                  {"Privacy loss", "epsilon " + release.epsilon().text()},
                  {"A guess of 50 %", fmt::format("at most {} % after", most)}};
  result.sections = {who_is_protected(release),
                     what_can_be_learnt(release),
                     what_was_public(release),
                     what_was_spent(release, charge),
                     what_is_not_promised(release, charge.has_value()),
                     how_to_check(file, digest)};
  return result;
}

}  // namespace shoal
