#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "points/generators.hpp"
#include "shoal/error.hpp"
#include "shoal/points.hpp"
#include "shoal/text.hpp"

namespace shoal {

namespace {
constexpr std::size_t block_rows = 8192;
constexpr std::size_t most_dimensions = 16;
constexpr std::string_view mixture = "mixture";

double six_decimals(double x) { return std::floor(x * 1e6 + 0.5) / 1e6; }

std::unique_ptr<Generator> generator_named(const std::string& name, std::uint64_t seed) {
  if (name == "ds1") return overlapping_gaussians();
  if (name == "ds2") return interleaved_spirals();
  if (name == "ds3") return bridged_shapes();
  if (name == "world") return world_of_check_ins();
  if (name == "visits") return visits();
  if (name.starts_with(mixture)) {
    std::size_t dimensions = 0;
    const char* end = name.data() + name.size();
    const auto [stopped, error] = std::from_chars(name.data() + mixture.size(), end, dimensions);
    if (error == std::errc{} && stopped == end && dimensions >= 1 && dimensions <= most_dimensions) {
      return gaussian_mixture(dimensions, seed);
    }
  }
  throw InputError(fmt::format("there is no dataset '{}'{}; choose one of {} (or mixtureN, N from 1 to {})", name,
                               did_you_mean(name, dataset_names()), fmt::join(dataset_names(), ", "), most_dimensions));
}

class DatasetPoints final : public Points {
 public:
  DatasetPoints(const std::string& name, std::uint64_t seed, std::uint64_t points, bool with_labels)
      : generator_(generator_named(name, seed)),
        settings_(generator_->settings()),
        seed_(seed),
        with_labels_(with_labels) {
    points_ = points == 0 ? settings_.points : points;
    if (points_ > std::numeric_limits<std::uint64_t>::max() / 2) {
      throw InputError(fmt::format("{} points are too many", points_));
    }
  }

  [[nodiscard]] std::size_t dimensions() const override { return settings_.names.size() + (with_labels_ ? 1 : 0); }
  [[nodiscard]] std::vector<std::string> names() const override {
    std::vector<std::string> names = settings_.names;
    if (with_labels_) names.emplace_back("label");
    return names;
  }
  [[nodiscard]] double progress() const override {
    return static_cast<double>(std::min(next_.load(), points_)) / static_cast<double>(points_);
  }

  void scan(unsigned threads, const Visit& visit) override {
    next_ = 0;
    const unsigned workers = std::max(1U, threads);
    parallel_for(workers, workers, [&](std::uint64_t worker) { serve(static_cast<unsigned>(worker), visit); });
  }

 private:
  void serve(unsigned worker, const Visit& visit) {
    std::vector<std::vector<double>> columns(dimensions(), std::vector<double>(block_rows));
    try {
      for (;;) {
        const std::uint64_t first = next_.fetch_add(block_rows);
        if (first >= points_) return;
        check_stop();
        const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(block_rows, points_ - first));
        fill(columns, first, rows);
        PointBlock block;
        for (const auto& column : columns) block.columns.emplace_back(column.data(), rows);
        visit(worker, block);
      }
    } catch (...) {
      next_ = points_;
      throw;
    }
  }

  void fill(std::vector<std::vector<double>>& columns, std::uint64_t first, std::size_t rows) const {
    const std::size_t axes = settings_.names.size();
    std::vector<double> point(axes);
    for (std::size_t row = 0; row < rows; ++row) {
      Random random(seed_, first + row);
      const int label = generator_->point(random, point.data());
      for (std::size_t i = 0; i < axes; ++i) {
        const auto [lo, hi] = settings_.bounds[i];
        columns[i][row] = std::clamp(six_decimals(point[i]), lo, hi);
      }
      if (with_labels_) columns[axes][row] = label;
    }
  }

  std::unique_ptr<Generator> generator_;
  DatasetSettings settings_;
  std::uint64_t seed_;
  std::uint64_t points_ = 0;
  bool with_labels_;
  std::atomic<std::uint64_t> next_ = 0;
};
}  // namespace

std::vector<std::string> dataset_names() { return {"ds1", "ds2", "ds3", "world", "visits", "mixture2", "mixture3"}; }

DatasetSettings dataset_settings(const std::string& name) { return generator_named(name, 0)->settings(); }

Dataset make_dataset(const std::string& name, std::uint64_t seed, std::uint64_t points) {
  Dataset dataset;
  dataset.settings = dataset_settings(name);
  dataset.columns.resize(dataset.settings.names.size());
  dataset_points(name, seed, points, true)->scan(1, [&](unsigned, const PointBlock& block) {
    for (std::size_t i = 0; i < dataset.columns.size(); ++i) {
      dataset.columns[i].insert(dataset.columns[i].end(), block.columns[i].begin(), block.columns[i].end());
    }
    for (const double label : block.columns.back()) dataset.labels.push_back(static_cast<int>(label));
  });
  return dataset;
}

std::unique_ptr<Points> dataset_points(const std::string& name, std::uint64_t seed, std::uint64_t points,
                                       bool with_labels) {
  return std::make_unique<DatasetPoints>(name, seed, points, with_labels);
}

}  // namespace shoal
