#include "formats/read_axes.hpp"

#include "base/dates.hpp"

namespace shoal {

namespace {

AxisKind kind_of(const JsonField& axis) {
  AxisKind kind;
  const std::string scale = axis.has("scale") ? axis["scale"].text() : "";
  if (scale == "log") {
    kind.scale = Logarithmic{};
  } else if (scale == "latitude") {
    kind.scale = Latitude{};
  } else if (scale == "time") {
    const auto offset = zone_offset(axis["zone"].text());
    if (!offset) axis["zone"].refuse("must be Z, or an offset such as +02:00");
    kind.scale = Instants{.least = axis["least"].one_of(least_words),
                          .offset = *offset,
                          .a_second = static_cast<std::int64_t>(axis["a_second"].whole(1, 1'000'000'000))};
  } else if (!scale.empty()) {
    axis["scale"].refuse(fmt::format("is '{}', but must be one of log, latitude, time", scale));
  }
  if (axis.has("step")) {
    if (!scale.empty()) axis["step"].refuse("goes with numbers alone");
    kind.scale = Numbers{.step = axis["step"].number()};
  }
  if (axis.has("names")) {
    if (!scale.empty() || axis.has("step")) axis["names"].refuse("goes with neither scale nor step");
    Names names;
    for (const JsonField item : axis["names"].items()) names.names.push_back(item.text());
    kind.scale = std::move(names);
  }
  if (axis.has("border")) kind.border = axis["border"].one_of(border_words);
  if (axis.has("unit")) kind.unit = axis["unit"].text();
  return kind;
}

}  // namespace

Grid grid_of(const JsonField& list) {
  std::vector<Axis> axes;
  for (const JsonField item : list.items()) {
    const bool time = item.has("scale") && item["scale"].is_string() && item["scale"].text() == "time";
    if (time) {
      item.expect_keys({"name", "lo", "hi", "cells", "scale", "least", "zone", "a_second"}, {"unit", "cuts"});
    } else {
      item.expect_keys({"name", "lo", "hi", "cells"}, {"scale", "step", "names", "border", "unit", "cuts"});
    }
    const double lo = item["lo"].number();
    const double hi = item["hi"].number();
    const std::uint64_t cells = item["cells"].whole(1, std::uint64_t{1} << 31);
    const std::string& name = item["name"].text();
    if (!item.has("cuts")) {
      axes.push_back(item.made_by([&] { return Axis(lo, hi, cells, name, kind_of(item)); }));
      continue;
    }
    std::vector<double> cuts;
    for (const JsonField cut : item["cuts"].items()) cuts.push_back(cut.number());
    if (cuts.empty() || cells != cuts.size() + 1) item["cells"].refuse("must be one more than there are cuts");
    axes.push_back(item.made_by([&] { return Axis(lo, hi, 1, name, kind_of(item)).cut_at(std::move(cuts)); }));
  }
  return list.made_by([&] { return Grid(std::move(axes)); });
}

}  // namespace shoal
