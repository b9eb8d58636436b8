#include "shoal/inset_release.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/counted_axis.hpp"
#include "release/parts.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

std::string range_of(const Axis& axis) { return fmt::format("{}:{}", axis.text(axis.lo()), axis.text(axis.hi())); }

void check_inside(const Grid& overview, const Grid& inset, const std::string& name) {
  if (inset.dimensions() != overview.dimensions()) {
    throw InputError(
        fmt::format("inset {} has {} axes, and the overview {}", name, inset.dimensions(), overview.dimensions()));
  }
  for (std::size_t i = 0; i < inset.dimensions(); ++i) {
    const Axis &whole = overview.axis(i), &part = inset.axis(i);
    if (part.name() != whole.name() || part.kind().scale != whole.kind().scale ||
        part.kind().unit != whole.kind().unit) {
      throw InputError(fmt::format("axis {} of inset {} is another than that of the overview", i + 1, name));
    }
    // Where cells are joined, a coarser grid may end after a finer one.
    if (part.lo() < whole.lo() || (part.hi() > whole.hi() && !is_counted(part.kind()))) {
      throw InputError(
          fmt::format("inset {} reaches past the overview: {} in {}", name, range_of(part), range_of(whole)));
    }
  }
}

bool overlap(const Grid& a, const Grid& b) {
  for (std::size_t i = 0; i < a.dimensions(); ++i) {
    if (a.axis(i).hi() <= b.axis(i).lo() || b.axis(i).hi() <= a.axis(i).lo()) return false;
  }
  return true;
}

// The overview is the first part.
InsetRelease split(const std::vector<Release>& parts) { return {parts.front(), {parts.begin() + 1, parts.end()}}; }

}  // namespace

std::string InsetRelease::name_of(std::size_t part) { return part == 0 ? overview_name : fmt::format("{}", part); }

InsetRelease::InsetRelease(Release overview, std::vector<Release> insets) {
  if (insets.empty()) throw InputError("the list of insets is empty; give at least one");
  if (insets.size() > most_insets) {
    throw InputError(fmt::format("there are {} insets; give at most {}", insets.size(), most_insets));
  }
  parts_.push_back({name_of(0), std::move(overview)});
  for (Release& inset : insets) parts_.push_back({name_of(parts_.size()), std::move(inset)});
  const ReleaseParts &whole = parts_.front().release.parts(), &first = parts_[1].release.parts();
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    const ReleaseParts& inset = parts_[i].release.parts();
    check_inside(whole.grid, inset.grid, parts_[i].name);
    if (!same_promise(inset, whole)) {
      throw InputError(fmt::format("inset {} and the overview differ in unit or neighbours", parts_[i].name));
    }
    if (inset.epsilon != first.epsilon) {
      throw InputError(fmt::format("insets 1 and {} differ in epsilon; insets of one release have it in common", i));
    }
    for (std::size_t j = 1; j < i; ++j) {
      if (!overlap(inset.grid, parts_[j].release.parts().grid)) continue;
      throw InputError(fmt::format("insets {} and {} overlap; a record lies in one at most", j, i));
    }
  }
  epsilon_ = Epsilon::parse((whole.epsilon + first.epsilon).text());
}

const Release& InsetRelease::at(const std::string& name) const {
  for (const NamedRelease& part : parts_) {
    if (part.name == name) return part.release;
  }
  throw InputError(
      fmt::format("there is no part '{}'; give {}, or an inset from 1 to {}", name, overview_name, insets().size()));
}

std::vector<Spent> InsetRelease::spent() const {
  const std::uint64_t records = unit().records_changed();
  return {{overview_name, records, overview().parts().epsilon},
          {"insets", records, insets().front().release.parts().epsilon}};
}

InsetRelease InsetRelease::without_noisy_values() const { return split(stripped_parts(*this)); }

InsetRelease InsetRelease::trimmed_to(std::size_t limit) const { return split(trimmed_parts(*this, limit)); }

InsetRelease reshape(const InsetRelease& insets, const ClusterOptions& options) {
  return split(reshaped_parts(insets, options));
}

}  // namespace shoal
