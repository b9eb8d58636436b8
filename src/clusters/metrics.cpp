#include "clusters/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/wide.hpp"
#include "clusters/matching.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

Uint128 pairs(std::uint64_t items) { return items < 2 ? 0 : static_cast<Uint128>(items) * (items - 1) / 2; }

Uint128 pairs_within(const std::vector<std::uint64_t>& sizes) {
  Uint128 sum = 0;
  for (const std::uint64_t size : sizes) sum += pairs(size);
  return sum;
}

// How pairs of items are treated by the rows and by the columns.
struct PairCounts {
  Uint128 all, together_in_rows, together_in_columns, together_in_both;
};

std::uint64_t check_complete(const Contingency& table) {
  const std::uint64_t items = table.in_rows();
  if (items != table.in_columns() || items != table.in_both()) {
    throw Error(ErrorKind::internal, "this measure needs every item in a true and in a found group");
  }
  return items;
}

PairCounts count_pairs(const Contingency& table) {
  PairCounts counts{pairs(check_complete(table)), pairs_within(table.row_sizes), pairs_within(table.column_sizes), 0};
  for (const Shared& entry : table.shared) counts.together_in_both += pairs(entry.items);
  return counts;
}

double entropy(const std::vector<std::uint64_t>& sizes, double n) {
  double sum = 0;
  for (const std::uint64_t size : sizes) {
    const double share = static_cast<double>(size) / n;
    if (size > 0) sum -= share * std::log(share);
  }
  return sum;
}

double mutual_information(const Contingency& table, double n) {
  double sum = 0;
  for (const Shared& entry : table.shared) {
    const auto items = static_cast<double>(entry.items);
    const auto a = static_cast<double>(table.row_sizes[entry.row]);
    const auto b = static_cast<double>(table.column_sizes[entry.column]);
    sum += items / n * (std::log(items / a) - std::log(b / n));
  }
  return sum;
}

// One row of size a, one column of size b, n items dealt at random: the sum over what they may share, hypergeometric
// (Vinh, Epps, Bailey 2010).
double expected_part(std::uint64_t a, std::uint64_t b, std::uint64_t n) {
  const auto log_factorial = [](std::uint64_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  const double constant =
      log_factorial(a) + log_factorial(b) + log_factorial(n - a) + log_factorial(n - b) - log_factorial(n);
  const auto items = static_cast<double>(n);
  double sum = 0;
  for (std::uint64_t s = std::max<std::uint64_t>(1, a + b > n ? a + b - n : 0); s <= std::min(a, b); ++s) {
    const auto shared = static_cast<double>(s);
    const double gain =
        std::log(items) + std::log(shared) - std::log(static_cast<double>(a)) - std::log(static_cast<double>(b));
    const double log_chance =
        constant - log_factorial(s) - log_factorial(a - s) - log_factorial(b - s) - log_factorial(n + s - a - b);
    sum += shared / items * gain * std::exp(log_chance);
  }
  return sum;
}

// Equal sizes give equal parts: thousands of groups have few different sizes.
double expected_mutual_information(const Contingency& table, std::uint64_t n) {
  std::map<std::uint64_t, double> rows;
  std::map<std::uint64_t, double> columns;
  for (const std::uint64_t size : table.row_sizes) ++rows[size];
  for (const std::uint64_t size : table.column_sizes) ++columns[size];
  double sum = 0;
  for (const auto& [a, times_a] : rows) {
    for (const auto& [b, times_b] : columns) sum += times_a * times_b * expected_part(a, b, n);
  }
  return sum;
}

// Away from zero by at least the spacing of doubles, the sign kept: a perfect match must not become 0 / 0.
double away_from_zero(double x) {
  constexpr double least = std::numeric_limits<double>::epsilon();
  return x < 0 ? std::min(x, -least) : std::max(x, least);
}

}  // namespace

double dsg_c(const Contingency& cells) {
  const auto cost = static_cast<double>(match_clusters(cells).value);
  if (cost == 0) return 0;
  const std::uint64_t significant = cells.in_rows();
  return significant == 0 ? std::numeric_limits<double>::infinity() : cost / static_cast<double>(significant);
}

double f_measure(const Contingency& points) {
  const std::uint64_t n = points.in_rows();
  if (n == 0) return 1;
  std::vector<std::uint64_t> found(points.column_sizes.size(), 0);  // points of true clusters only
  for (const Shared& entry : points.shared) found[entry.column] += entry.items;
  std::vector<double> best(points.row_sizes.size(), 0);
  for (const Shared& entry : points.shared) {
    // F = 2 P R / (P + R) with P = shared / found, R = shared / true.
    const double f = 2 * static_cast<double>(entry.items) /
                     (static_cast<double>(found[entry.column]) + static_cast<double>(points.row_sizes[entry.row]));
    best[entry.row] = std::max(best[entry.row], f);
  }
  double sum = 0;
  for (std::size_t i = 0; i < best.size(); ++i) sum += static_cast<double>(points.row_sizes[i]) * best[i];
  return sum / static_cast<double>(n);
}

double ocm(const Contingency& predictions) {
  const std::uint64_t samples = check_complete(predictions);
  if (samples == 0) return 0;
  return static_cast<double>(samples - match_classes(predictions).value) / static_cast<double>(samples);
}

double two_ce(const Contingency& predictions) {
  const PairCounts counts = count_pairs(predictions);
  if (counts.all == 0) return 0;
  const Uint128 differ = counts.together_in_rows + counts.together_in_columns - 2 * counts.together_in_both;
  return static_cast<double>(differ) / static_cast<double>(counts.all);
}

double adjusted_rand(const Contingency& items) {
  const PairCounts counts = count_pairs(items);
  const auto all = static_cast<long double>(counts.all);
  const auto both = static_cast<long double>(counts.together_in_both);
  const auto rows = static_cast<long double>(counts.together_in_rows);
  const auto columns = static_cast<long double>(counts.together_in_columns);
  if (counts.together_in_rows == counts.together_in_both && counts.together_in_columns == counts.together_in_both) {
    return 1;  // the same grouping; also when there is nothing to group
  }
  const long double expected = rows * columns / all;
  return static_cast<double>((both - expected) / ((rows + columns) / 2 - expected));
}

double adjusted_mutual_information(const Contingency& items) {
  const std::uint64_t n = check_complete(items);
  if (items.row_sizes.size() <= 1 && items.column_sizes.size() <= 1) return 1;
  if (items.row_sizes.size() == 1 || items.column_sizes.size() == 1) return 0;
  const auto total = static_cast<double>(n);
  const double expected = expected_mutual_information(items, n);
  const double most = (entropy(items.row_sizes, total) + entropy(items.column_sizes, total)) / 2;
  return away_from_zero(mutual_information(items, total) - expected) / away_from_zero(most - expected);
}

}  // namespace shoal
