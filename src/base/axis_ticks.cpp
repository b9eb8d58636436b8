#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/dates.hpp"
#include "base/scale.hpp"

namespace shoal {

namespace {

constexpr double day = seconds_a_day;
constexpr std::size_t most_ticks = 100;

// The range of an axis that is shown, in coordinates.
struct ShownRange {
  double lo, hi;
};

std::vector<Tick> name_ticks(const Names& names, double wanted, double from, double to) {
  const auto count = static_cast<double>(names.names.size());
  const double shown = std::max(1.0, count * (to - from));
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(shown / std::max(wanted, 1.0))));
  std::vector<Tick> result;
  for (std::size_t i = 0; i < names.names.size(); i += every) {
    const double at = (static_cast<double>(i) + 0.5) / count;
    if (at >= from && at <= to && result.size() < most_ticks) result.push_back({at, names.names[i]});
  }
  return result;
}

std::vector<Tick> power_ticks(const Axis& axis, ShownRange range, double wanted, const std::string& suffix) {
  std::vector<Tick> result;
  const double decades = (axis.position(range.hi) - axis.position(range.lo)) / std::log(10.0);
  if (decades < 0.5) return ticks(range.lo, range.hi, wanted, suffix);
  const double every = std::max(1.0, std::ceil(decades / std::max(wanted, 1.0)));
  const bool between = 3 * decades <= wanted;
  const auto power = [](double exponent) { return std::pow(10.0, exponent); };
  for (double decade = std::floor(std::log10(range.lo)); power(decade) <= range.hi; decade += every) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && !between) continue;
      const double value = factor * power(decade);
      if (value < range.lo * (1 - 1e-9) || value > range.hi * (1 + 1e-9) || result.size() == most_ticks) continue;
      result.push_back({value, value >= 1e6 || value < 1e-3 ? fmt::format("{:.0e}", value)
                               : value >= 1e4               ? fmt::format("{:g}k", value / 1e3)
                                                            : fmt::format("{:g}", value)});
    }
  }
  return result;
}

// Steps of at least a month are counted in months, shorter ones in seconds.
std::vector<Tick> time_ticks(ShownRange range, const Instants& instants, double wanted) {
  constexpr std::array<double, 16> seconds = {1,     5,     15,  60,      300,     900,      3600,  10800,
                                              21600, 43200, day, 2 * day, 7 * day, 14 * day, 1e300, 1e300};
  constexpr std::array<double, 9> months = {1, 2, 3, 6, 12, 24, 60, 120, 1200};
  const double lo = range.lo + instants.offset, hi = range.hi + instants.offset, span = hi - lo;
  std::vector<Tick> result;
  const double step =
      *std::find_if(seconds.begin(), seconds.end(), [&](double candidate) { return candidate * wanted >= span; });
  if (step <= 14 * day) {
    const double origin = step >= 7 * day ? 4 * day : 0;  // weeks begin on Mondays, and 1970-01-05 was one
    for (double x = std::ceil((lo - origin) / step) * step + origin; x <= hi && result.size() < most_ticks; x += step) {
      std::string text = date_text(x, step);
      if (step < day) text = span <= day ? text.substr(std::min<std::size_t>(text.size(), 11)) : text.substr(5);
      if (text.empty()) text = "00:00";
      result.push_back({x - instants.offset, text});
    }
    return result;
  }
  const double first = months_of(lo), last = months_of(hi);
  const auto found =
      std::find_if(months.begin(), months.end(), [&](double candidate) { return candidate * wanted >= last - first; });
  const double each = found == months.end() ? months.back() : *found;
  for (double x = std::ceil(first / each) * each; x <= last && result.size() < most_ticks; x += each) {
    const double at = seconds_of_months(x);
    result.push_back({at - instants.offset, date_text(at, day).substr(0, each >= 12 ? 4 : 7)});
  }
  return result;
}

// Divides a circle into familiar steps where possible: hours, degrees, weekdays.
std::vector<Tick> circle_ticks(const Axis& axis, ShownRange range, double wanted, const std::string& suffix) {
  for (const double step : {1.0, 2.0, 3.0, 6.0, 12.0, 15.0, 24.0, 30.0, 45.0, 60.0, 84.0, 90.0, 180.0}) {
    const double steps = (axis.hi() - axis.lo()) / step;
    const double shown = (range.hi - range.lo) / step;
    if (steps != std::floor(steps) || shown > std::max(wanted, 2.0)) continue;
    if (shown < 2) break;
    std::vector<Tick> result;
    for (double i = std::ceil((range.lo - axis.lo()) / step); axis.lo() + i * step <= range.hi; i += 1) {
      result.push_back({axis.lo() + i * step, fmt::format("{:.6g}{}", axis.lo() + i * step, suffix)});
    }
    return result;
  }
  return ticks(range.lo, range.hi, wanted, suffix);
}

std::vector<Tick> coordinate_ticks(const Axis& axis, ShownRange range, double wanted, const std::string& suffix) {
  if (const auto* instants = std::get_if<Instants>(&axis.kind().scale)) {
    std::vector<Tick> result = time_ticks(range, *instants, wanted);
    // The last cell may reach past the last day or month that was declared.
    if (instants->least != Instants::Least::second) {
      std::erase_if(result, [last = axis.edge(axis.cells() - 1)](const Tick& tick) { return tick.value > last; });
    }
    return result;
  }
  if (std::holds_alternative<Logarithmic>(axis.kind().scale)) return power_ticks(axis, range, wanted, suffix);
  const auto* numbers = std::get_if<Numbers>(&axis.kind().scale);
  if (numbers != nullptr && numbers->step > 0) {
    const double first = std::max(range.lo, axis.lo() + numbers->step / 2);
    const double last = std::min(range.hi, axis.hi() - numbers->step / 2);
    if (last <= first) return {{first, fmt::format("{:.6g}{}", first, suffix)}};
    return ticks(first, last, std::min(wanted, std::max(1.0, (last - first) / numbers->step)), suffix);
  }
  if (axis.kind().border == Border::circle) return circle_ticks(axis, range, wanted, suffix);
  return ticks(range.lo, range.hi, wanted, suffix);
}

}  // namespace

std::vector<Tick> axis_ticks(const Axis& axis, double wanted, const std::string& suffix, double from, double to) {
  if (const auto* names = std::get_if<Names>(&axis.kind().scale)) return name_ticks(*names, wanted, from, to);
  const double first = axis.position(axis.lo()), width = axis.position(axis.hi()) - first;
  const ShownRange range{from > 0 ? axis.coordinate(first + from * width) : axis.lo(),
                         to < 1 ? axis.coordinate(first + to * width) : axis.hi()};
  std::vector<Tick> result = coordinate_ticks(axis, range, wanted, suffix);
  for (Tick& tick : result) tick.value = (axis.position(tick.value) - first) / width;
  return result;
}

}  // namespace shoal
