// The bound of the memory of a release. Its constants are measured: docs/performance.md.

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "inference/privwave_noise.hpp"
#include "shoal/private_release.hpp"
#include "techniques/automatic.hpp"

namespace shoal {

namespace {

// Bytes. docs/performance.md compares the bound with what was measured.
constexpr double program_bytes = 24e6;
constexpr double thread_bytes = 3e6;
constexpr double narrow_counter = 1, wide_counter = 8;
constexpr double value_bytes = 90;             // of W: score, density, labels
constexpr double more_on_one_axis = 450;       // per value: hardly any neighbours, so very many clusters
constexpr double clustered_value_bytes = 200;  // its outline and its text in three files
constexpr std::uint64_t most_of_each_thread = std::uint64_t{1} << 21;  // with more cells, threads share their counters

// Returns the largest share of the values of W that the threshold can take.
double share_of_values(const Threshold& threshold, double values) {
  if (const auto* percentile = std::get_if<Percentile>(&threshold)) return 1 - percentile->percent() / 100;
  if (const auto* top = std::get_if<Top>(&threshold)) return std::min(1.0, static_cast<double>(top->cells()) / values);
  return 1;
}

std::size_t parts_of(const ReleaseRequest& request) {
  return request.grouping() != nullptr ? request.grouping()->names.size() : 1 + request.insets();
}

}  // namespace

std::optional<PeakMemory> peak_memory(const ReleaseRequest& request) {
  const ClusterOptions& cluster = request.options.cluster;
  const Grid counted = counted_grid(request);
  const auto cells = static_cast<double>(counted.cell_count());
  if (counted.cell_count() > request.options.dense_limit) return std::nullopt;
  const Grid grid = request.is_automatic() ? finest_grid(request.bounds()) : request.bounds();
  const double values = static_cast<double>(cell_count(transformed_shape(
                            grid.shape(), request.is_automatic() ? 1 : cluster.level, cluster.transform))) *
                        static_cast<double>(parts_of(request));
  const bool on_sums = !request.is_automatic() && request.technique == "privwave" &&
                       privwave_place(cluster) == NoisePlace::sums && request.grouping() == nullptr;
  const double a_counter = narrow_counter + (on_sums ? 0 : wide_counter);
  const double share = share_of_values(cluster.threshold, values);
  const double a_value =
      value_bytes + clustered_value_bytes * share + (grid.shape().pooled_axes() == 1 ? more_on_one_axis : 0);
  const unsigned threads = thread_count(cluster.threads);
  const double a_thread = thread_bytes + (counted.cell_count() < most_of_each_thread ? cells * narrow_counter : 0);
  PeakMemory result;
  result.bytes = static_cast<std::uint64_t>(program_bytes + threads * a_thread + cells * a_counter + values * a_value);
  result.words = fmt::format(
      "{:.0f} MB, {:.3g} MB for each of {} threads, {:.0f} bytes for each of {:.0f} cells, {:.0f} bytes for each of "
      "{:.0f} values of W",
      program_bytes / 1e6, a_thread / 1e6, threads, a_counter, cells, a_value, values);
  if (request.technique == "baseline" && !request.is_automatic()) {
    result.words += "; and 8 bytes for each coordinate of each point";
  } else if (!request.options.unit.column.empty()) {
    result.words += "; and 8 bytes for each row, 33 for each unit";
  }
  return result;
}

}  // namespace shoal
