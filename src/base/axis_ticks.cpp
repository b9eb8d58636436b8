#include "base/axis_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/dates.hpp"

namespace shoal {

namespace {

constexpr double day = seconds_a_day;
constexpr std::size_t most_ticks = 100;

std::vector<Tick> name_ticks(const Axis& axis, const Names& names, double wanted) {
  const auto count = static_cast<double>(names.names.size());
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(count / std::max(wanted, 1.0))));
  std::vector<Tick> result;
  for (std::size_t i = 0; i < names.names.size(); i += every) {
    result.push_back({(static_cast<double>(i) + 0.5) / static_cast<double>(axis.cells()), names.names[i]});
  }
  return result;
}

std::vector<Tick> power_ticks(const Axis& axis, double wanted) {
  std::vector<Tick> result;
  const double decades = (axis.position(axis.hi()) - axis.position(axis.lo())) / std::log(10.0);
  const double every = std::max(1.0, std::ceil(decades / std::max(wanted, 1.0)));
  const bool between = 3 * decades <= wanted;
  const auto power = [](double of) { return std::pow(10.0, of); };
  for (double decade = std::floor(std::log10(axis.lo())); power(decade) <= axis.hi(); decade += every) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && !between) continue;
      const double value = factor * power(decade);
      if (value < axis.lo() * (1 - 1e-9) || value > axis.hi() * (1 + 1e-9) || result.size() == most_ticks) continue;
      result.push_back({value, value >= 1e6 || value < 1e-3 ? fmt::format("{:.0e}", value)
                               : value >= 1e4               ? fmt::format("{:g}k", value / 1e3)
                                                            : fmt::format("{:g}", value)});
    }
  }
  return result;
}

// In months from a month on, else in seconds.
std::vector<Tick> time_ticks(const Axis& axis, const Instants& instants, double wanted) {
  constexpr std::array<double, 16> seconds = {1,     5,     15,  60,      300,     900,      3600,  10800,
                                              21600, 43200, day, 2 * day, 7 * day, 14 * day, 1e300, 1e300};
  constexpr std::array<double, 9> months = {1, 2, 3, 6, 12, 24, 60, 120, 1200};
  const double lo = axis.lo() + instants.offset, hi = axis.hi() + instants.offset, span = hi - lo;
  std::vector<Tick> result;
  const double step = *std::find_if(seconds.begin(), seconds.end(), [&](double of) { return of * wanted >= span; });
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
  const auto found = std::find_if(months.begin(), months.end(), [&](double of) { return of * wanted >= last - first; });
  const double each = found == months.end() ? months.back() : *found;
  for (double x = std::ceil(first / each) * each; x <= last && result.size() < most_ticks; x += each) {
    const double at = seconds_of_months(x);
    result.push_back({at - instants.offset, date_text(at, day).substr(0, each >= 12 ? 4 : 7)});
  }
  return result;
}

// A circle is cut into parts that people know where it can be: hours, degrees, weekdays.
std::vector<Tick> circle_ticks(const Axis& axis, double wanted, const std::string& suffix) {
  const double width = axis.hi() - axis.lo();
  for (const double step : {1.0, 2.0, 3.0, 6.0, 12.0, 15.0, 24.0, 30.0, 45.0, 60.0, 90.0, 180.0}) {
    const double parts = width / step;
    if (parts != std::floor(parts) || parts > std::max(wanted, 2.0)) continue;
    std::vector<Tick> result;
    for (double i = 0; i <= parts; i += 1) {
      result.push_back({axis.lo() + i * step, fmt::format("{:.6g}{}", axis.lo() + i * step, suffix)});
    }
    return result;
  }
  return ticks(axis.lo(), axis.hi(), wanted, suffix);
}

std::vector<Tick> coordinate_ticks(const Axis& axis, double wanted, const std::string& suffix) {
  if (const auto* instants = std::get_if<Instants>(&axis.kind().scale)) return time_ticks(axis, *instants, wanted);
  if (std::holds_alternative<Logarithmic>(axis.kind().scale)) return power_ticks(axis, wanted);
  const auto* numbers = std::get_if<Numbers>(&axis.kind().scale);
  if (numbers != nullptr && numbers->step > 0) {
    const double first = axis.lo() + numbers->step / 2, last = axis.hi() - numbers->step / 2;
    if (last <= first) return {{first, fmt::format("{:.6g}{}", first, suffix)}};
    return ticks(first, last, std::min(wanted, (last - first) / numbers->step), suffix);
  }
  if (axis.kind().border == Border::circle) return circle_ticks(axis, wanted, suffix);
  return ticks(axis.lo(), axis.hi(), wanted, suffix);
}

}  // namespace

std::vector<Tick> axis_ticks(const Axis& axis, double wanted, const std::string& suffix) {
  if (const auto* names = std::get_if<Names>(&axis.kind().scale)) return name_ticks(axis, *names, wanted);
  std::vector<Tick> result = coordinate_ticks(axis, wanted, suffix);
  const double first = axis.position(axis.lo()), width = axis.position(axis.hi()) - first;
  for (Tick& tick : result) tick.value = (axis.position(tick.value) - first) / width;
  return result;
}

}  // namespace shoal
