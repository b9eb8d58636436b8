#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/dates.hpp"
#include "base/utf8.hpp"
#include "shoal/error.hpp"
#include "shoal/grid.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {

constexpr std::uint64_t most_cells_an_axis = std::uint64_t{1} << 31;
constexpr double degree = 3.14159265358979323846 / 180;
constexpr double day = seconds_a_day;
constexpr double whole_tolerance = 1e-9;  // as a fraction of a step; decimal steps are not exact in binary

// Familiar widths of cells on a time axis, in seconds. Wider cells are multiples of the last width.
constexpr std::array<double, 28> usual_seconds = {
    1,       2,       5,        10,       15,       30,       60,        120,      300,   600,
    900,     1800,    3600,     7200,     10800,    14400,    21600,     28800,    43200, day,
    2 * day, 7 * day, 14 * day, 28 * day, 56 * day, 84 * day, 182 * day, 364 * day};
constexpr std::array<double, 6> usual_months = {1, 2, 3, 4, 6, 12};

std::string named(const std::string& name) { return name.empty() ? "an axis" : fmt::format("axis '{}'", name); }

[[noreturn]] void refuse(const std::string& name, double lo, double hi, const AxisKind& kind, const std::string& what) {
  const bool dates = std::holds_alternative<Instants>(kind.scale);
  const auto shown = [&](double x) {
    return dates && std::isfinite(x) ? date_text(x + std::get<Instants>(kind.scale).offset) : fmt::format("{}", x);
  };
  throw InputError(fmt::format("bounds of {} are {}:{}; {}", named(name), shown(lo), shown(hi), what));
}

void check_names(const std::string& name, const std::vector<std::string>& names) {
  if (names.empty()) throw InputError(fmt::format("{} has no categories; list them, such as A|B|C", named(name)));
  std::set<std::string> seen;
  for (const std::string& one : names) {
    if (one.empty()) throw InputError(fmt::format("{} has a category without a name; remove it", named(name)));
    // Files hold UTF-8. Other bytes would be replaced when a file is written, and two names could become the same.
    if (!is_utf8(one)) {
      throw InputError(
          fmt::format("{} lists a category that is not UTF-8; convert the list, and the data to match", named(name)));
    }
    if (!seen.insert(one).second) {
      throw InputError(fmt::format("{} lists category '{}' twice; list each once", named(name), one));
    }
  }
}

bool is_whole(double x) { return x == std::floor(x); }
bool is_nearly_whole(double x) { return std::fabs(x - std::round(x)) <= whole_tolerance * std::max(1.0, std::fabs(x)); }

// Returns the finest usual width of which at most `cells` cells cover `span`. The width is a whole multiple of `unit`.
template <std::size_t count>
double usual_width(const std::array<double, count>& usual, double span, double unit, std::uint64_t cells) {
  const auto most = static_cast<double>(cells);
  for (const double width : usual) {
    if (is_whole(width / unit) && std::ceil(span / width) <= most) return width;
  }
  const double base = is_whole(usual.back() / unit) ? std::max(usual.back(), unit) : unit;
  return std::max(1.0, std::ceil(span / (base * most))) * base;
}

// Returns the number of values per cell, given `values` in all. On a circle, every cell holds the same number.
std::uint64_t values_a_cell(std::uint64_t values, std::uint64_t cells, Border border) {
  if (border != Border::circle) return (values + cells - 1) / cells;
  std::uint64_t count = std::min(values, cells);  // search downwards: there may be far more values than cells
  while (values % count != 0) --count;
  return values / count;
}

struct CheckKind {
  const std::string& name;
  double lo, hi;
  std::uint64_t cells;
  const AxisKind& kind;

  [[nodiscard]] double each() const { return (hi - lo) / static_cast<double>(cells); }

  void operator()(const Numbers& numbers) const {
    if (numbers.step == 0) return;
    if (!(numbers.step > 0) || !std::isfinite(numbers.step)) {
      throw InputError(fmt::format("the step of {} is {}; give a number above 0", named(name), numbers.step));
    }
    const double steps = each() / numbers.step;
    if (steps < 1 - whole_tolerance || !is_nearly_whole(steps)) {
      refuse(name, lo, hi, kind,
             fmt::format("{} of its cells are not a whole number of steps of {}", cells, numbers.step));
    }
  }
  void operator()(const Logarithmic& /*kind*/) const {
    if (!(lo > 0)) refuse(name, lo, hi, kind, "a logarithmic axis begins above 0");
  }
  void operator()(const Latitude& /*kind*/) const {
    if (!(lo >= -90 && hi <= 90)) refuse(name, lo, hi, kind, "a latitude is from -90 to 90");
  }
  void operator()(const Instants& instants) const {
    if (instants.a_second < 1) throw InputError(fmt::format("{} counts less than 1 a second", named(name)));
    if (std::abs(instants.offset) >= seconds_a_day)
      throw InputError(fmt::format("the zone of {} is out of range", named(name)));
    constexpr double farthest = 1e6 * day;  // some thousand years
    if (!(std::fabs(lo) < farthest && std::fabs(hi) < farthest))
      refuse(name, lo, hi, kind, "they are too far from 1970");
    const double unit = instants.least == Instants::Least::day ? day : 1;
    const double whole =
        instants.least == Instants::Least::month
            ? (months_of(hi + instants.offset) - months_of(lo + instants.offset)) / static_cast<double>(cells)
            : each() / unit;
    if (whole < 1 || !is_whole(whole)) {
      refuse(name, lo, hi, kind,
             fmt::format("{} cells of them are not whole {}", cells,
                         instants.least == Instants::Least::month ? "months"
                         : unit == day                            ? "days"
                                                                  : "seconds"));
    }
  }
  void operator()(const Names& names) const {
    check_names(name, names.names);
    const auto count = static_cast<double>(names.names.size());
    if (lo != -0.5 || hi != count - 0.5 || cells != names.names.size()) {
      throw InputError(fmt::format("{} has {} categories, which take a cell each from -0.5 to {}", named(name),
                                   names.names.size(), count - 0.5));
    }
  }
};

void check_border(const std::string& name, const AxisKind& kind) {
  const bool is_names = std::holds_alternative<Names>(kind.scale);
  if (kind.border == Border::apart && !is_names) {
    throw InputError(fmt::format("{} has cells apart, which only categories have", named(name)));
  }
  if (kind.border == Border::circle && !is_names && !std::holds_alternative<Numbers>(kind.scale)) {
    throw InputError(fmt::format("{} cannot be a circle: only numbers and lists of names can", named(name)));
  }
}

}  // namespace

// ---- kinds
// -----------------------------------------------------------------------------------------------------------

bool AxisKind::is_plain() const noexcept {
  const auto* numbers = std::get_if<Numbers>(&scale);
  return numbers != nullptr && border == Border::open;
}

bool AxisKind::reads_text() const noexcept {
  return std::holds_alternative<Instants>(scale) || std::holds_alternative<Names>(scale);
}

std::optional<double> AxisKind::parse(std::string_view text) const {
  if (const auto* names = std::get_if<Names>(&scale)) {
    const auto found = std::find(names->names.begin(), names->names.end(), text);
    if (found == names->names.end()) return std::nullopt;
    return static_cast<double>(found - names->names.begin());
  }
  const auto* instants = std::get_if<Instants>(&scale);
  if (instants == nullptr) return number_of(text);
  std::string rewritten;
  if (!instants->layout.empty()) {
    const std::optional<std::string> date = rewritten_date(text, instants->layout);
    if (!date) return std::nullopt;
    rewritten = *date;
    text = rewritten;
  }
  if (const auto date = leading_date(text)) {
    if (date->length != text.size()) return std::nullopt;
    return date->seconds - date->offset.value_or(instants->offset);
  }
  // The text of a week or a month stands for its first day.
  if (instants->least != Instants::Least::second) {
    const bool months = instants->least == Instants::Least::month;
    if (const auto begin = months ? month_begin(text) : week_begin(text)) return *begin - instants->offset;
  }
  const auto value = number_of(text);
  if (!value) return std::nullopt;
  return *value / static_cast<double>(instants->a_second);
}

// ---- an axis
// ---------------------------------------------------------------------------------------------------------

Axis::Axis(double lo, double hi, std::uint64_t cells, std::string name, AxisKind kind)
    : lo_(lo),
      hi_(hi),
      last_(std::holds_alternative<Instants>(kind.scale) ? std::nextafter(hi, lo) : hi),
      first_(lo),
      width_(hi - lo),
      cells_as_double_(static_cast<double>(cells)),
      cells_(cells),
      name_(std::move(name)),
      kind_(std::move(kind)),
      plain_(kind_.is_plain()) {
  if (!std::isfinite(lo) || !std::isfinite(hi)) refuse(name_, lo, hi, kind_, "both must be finite numbers");
  if (!(lo < hi)) refuse(name_, lo, hi, kind_, "the lower must be below the upper");
  if (cells < 1 || cells > most_cells_an_axis) {
    throw InputError(fmt::format("{} has {} cells; choose 1 to {}", named(name_), cells, most_cells_an_axis));
  }
  if (!std::isfinite(width_ * cells_as_double_)) {
    throw InputError(fmt::format("bounds of {} are {}:{}, too wide to be cut into {} cells; scale the data",
                                 named(name_), lo, hi, cells));
  }
  check_border(name_, kind_);
  std::visit(CheckKind{name_, lo, hi, cells, kind_}, kind_.scale);
  first_ = position(lo);
  width_ = position(hi) - first_;
  // Every cell needs a positive width: edges closer than the spacing of doubles cannot be told apart. On a curved scale
  // they must also differ as coordinates, relative to their size, after some roundings.
  double largest = std::max(std::fabs(first_), std::fabs(first_ + width_));
  if (std::holds_alternative<Logarithmic>(kind_.scale) || std::holds_alternative<Latitude>(kind_.scale)) {
    largest = 8 * std::max(largest, 1.0);
  }
  if (width_ / cells_as_double_ <= largest * 0x1p-52) {
    throw InputError(
        fmt::format("bounds of {} are {}:{}, too narrow to be cut into {} cells; use fewer cells or shift the data",
                    named(name_), lo, hi, cells));
  }
}

Axis Axis::fitted(double lo, double hi, std::uint64_t cells, std::string name, AxisKind kind) {
  const bool usable = std::isfinite(lo) && std::isfinite(hi) && lo <= hi && cells > 0;
  if (const auto* names = std::get_if<Names>(&kind.scale)) {
    check_names(name, names->names);
    const std::size_t count = names->names.size();
    return {-0.5, static_cast<double>(count) - 0.5, count, std::move(name), std::move(kind)};
  }
  if (const auto* numbers = std::get_if<Numbers>(&kind.scale); numbers != nullptr && numbers->step > 0 && usable) {
    const double step = numbers->step, steps = (hi - lo) / step;
    if (step == 1 && (!is_whole(lo) || !is_whole(hi))) refuse(name, lo, hi, kind, "give whole numbers");
    if (!is_nearly_whole(steps)) {
      refuse(name, lo, hi, kind,
             fmt::format("the distance is not a whole number of steps of {}; the next is {}:{}", step, lo,
                         lo + std::ceil(steps) * step));
    }
    if (steps >= 0x1p53) refuse(name, lo, hi, kind, fmt::format("steps of {} are too many", step));
    const std::uint64_t values = static_cast<std::uint64_t>(std::llround(steps)) + 1;
    const std::uint64_t each = values_a_cell(values, cells, kind.border), count = (values + each - 1) / each;
    const double first = lo - step / 2;
    return {first, first + static_cast<double>(count * each) * step, count, std::move(name), std::move(kind)};
  }
  if (const auto* instants = std::get_if<Instants>(&kind.scale); instants != nullptr && usable) {
    const double offset = instants->offset;
    if (instants->least == Instants::Least::month) {
      const double first = std::floor(months_of(lo + offset)), end = std::floor(months_of(hi + offset)) + 1;
      const double width = usual_width(usual_months, end - first, 1, cells), count = std::ceil((end - first) / width);
      return {seconds_of_months(first) - offset, seconds_of_months(first + count * width) - offset,
              static_cast<std::uint64_t>(count), std::move(name), std::move(kind)};
    }
    const bool days = instants->least == Instants::Least::day;
    if (!is_whole(lo) || !is_whole(hi)) refuse(name, lo, hi, kind, "give whole seconds");
    const double span = hi - lo + (days ? day : 0);
    if (span > 0) {
      const double width = usual_width(usual_seconds, span, days ? day : 1, cells), count = std::ceil(span / width);
      return {lo, lo + count * width, static_cast<std::uint64_t>(count), std::move(name), std::move(kind)};
    }
  }
  return {lo, hi, cells, std::move(name), std::move(kind)};
}

Axis Axis::cut_at(std::vector<double> edges) const {
  if (std::holds_alternative<Names>(kind_.scale) || kind_.border == Border::circle) {
    throw InputError(fmt::format("{} is a circle or has names, and is not cut", named(name_)));
  }
  double before = lo_;
  for (const double edge : edges) {
    if (!(edge > before && edge < hi_)) {
      throw InputError(fmt::format("the cuts of {} must be ascending and inside its bounds", named(name_)));
    }
    before = edge;
  }
  Axis result = *this;
  if (edges.empty()) return result;
  result.cells_ = edges.size() + 1;
  result.cells_as_double_ = static_cast<double>(result.cells_);
  result.plain_ = false;
  result.cuts_ = std::move(edges);
  return result;
}

Axis Axis::coarser(std::uint64_t cells) const {
  if (cells >= cells_ || !cuts_.empty() || std::holds_alternative<Names>(kind_.scale)) return *this;
  double each = static_cast<double>(values_a_cell(cells_, std::max<std::uint64_t>(cells, 1), kind_.border));
  if (const auto* instants = std::get_if<Instants>(&kind_.scale)) {
    const double cell = width_ / cells_as_double_;
    each = (instants->least == Instants::Least::month ? usual_width(usual_months, width_, cell, cells)
                                                      : usual_width(usual_seconds, width_, cell, cells)) /
           cell;
  }
  const double count = std::ceil(cells_as_double_ / each);
  const double hi =
      count * each == cells_as_double_ ? hi_ : coordinate(first_ + width_ / cells_as_double_ * count * each);
  return {lo_, hi, static_cast<std::uint64_t>(count), name_, kind_};
}

double Axis::position(double x) const noexcept {
  if (std::holds_alternative<Logarithmic>(kind_.scale)) return std::log(x);
  if (std::holds_alternative<Latitude>(kind_.scale)) return std::sin(x * degree) / degree;
  const auto* instants = std::get_if<Instants>(&kind_.scale);
  if (instants == nullptr || instants->least != Instants::Least::month) return x;
  return months_of(x + instants->offset);
}

double Axis::coordinate(double position) const noexcept {
  if (std::holds_alternative<Logarithmic>(kind_.scale)) return std::exp(position);
  if (std::holds_alternative<Latitude>(kind_.scale))
    return std::asin(std::clamp(position * degree, -1.0, 1.0)) / degree;
  const auto* instants = std::get_if<Instants>(&kind_.scale);
  if (instants == nullptr || instants->least != Instants::Least::month) return position;
  return seconds_of_months(std::fabs(position - std::round(position)) < whole_tolerance ? std::round(position)
                                                                                        : position) -
         instants->offset;
}

double Axis::middle(double lower, double upper) const noexcept {
  if (plain_) return lower / 2 + upper / 2;
  return coordinate(position(lower) / 2 + position(upper) / 2);
}

// Where the axis was cut, a cell opens at each cut. On a curved scale, the cell that the position suggests is corrected
// to agree with the edges as they are shown.
std::int64_t Axis::cell_of_kind(double x) const noexcept {
  const auto last = static_cast<std::int64_t>(cells_) - 1;
  if (kind_.border == Border::circle) {
    if (!std::isfinite(x)) return outside_axis;
    if (!(x >= lo_ && x < hi_)) {
      x = lo_ + std::fmod(x - lo_, hi_ - lo_);
      if (x < lo_) x += hi_ - lo_;
      if (!(x < hi_)) x = lo_;
    }
  }
  if (!(x >= lo_ && x <= last_)) return outside_axis;
  if (!cuts_.empty()) return std::upper_bound(cuts_.begin(), cuts_.end(), x) - cuts_.begin();
  const double scaled = (position(x) - first_) * cells_as_double_ / width_;
  auto index = std::clamp<std::int64_t>(static_cast<std::int64_t>(scaled), 0, last);
  while (index > 0 && x < edge(static_cast<std::uint64_t>(index))) --index;
  while (index < last && x >= edge(static_cast<std::uint64_t>(index) + 1)) ++index;
  return index;
}

std::uint64_t Axis::coarse_cells(unsigned level) const noexcept {
  std::uint64_t cells = cells_;
  for (unsigned i = 0; i < level && cells > 1 && kind_.is_pooled(); ++i) cells = (cells + 1) / 2;
  return cells;
}

std::string Axis::text(double x, double apart) const {
  if (const auto* names = std::get_if<Names>(&kind_.scale)) {
    const double place = std::clamp(std::round(x), 0.0, static_cast<double>(names->names.size() - 1));
    return std::isfinite(x) ? names->names[static_cast<std::size_t>(place)] : "nan";
  }
  const auto* instants = std::get_if<Instants>(&kind_.scale);
  if (instants == nullptr) return fmt::format("{:.6g}", x);
  const double least = instants->least == Instants::Least::second ? 0 : day;
  return date_text(x + instants->offset, std::max(apart, least));
}

std::string Axis::label() const {
  std::string unit = kind_.unit;
  if (const auto* instants = std::get_if<Instants>(&kind_.scale)) {
    if (instants->offset != 0) unit = zone_text(instants->offset);
  }
  return unit.empty() ? name_ : fmt::format("{} ({})", name_, unit);
}

}  // namespace shoal
