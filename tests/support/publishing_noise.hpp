// Test doubles for the publishers. Not private, never installed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "privacy/noise.hpp"

namespace shoal::testing {

// No noise at all: counts stay as they are, medians are the best cuts (of the first best interval the middle, or the
// last one, which is a value of the data itself). What is drawn afterwards is uniform, from a fixed seed.
class NoNoise : public Noise {
 public:
  enum class Cut { middle, last };
  explicit NoNoise(Cut cut = Cut::middle) : cut_(cut) {}
  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t>, Rate, unsigned) override {}
  std::uint64_t below(std::uint64_t bound) override {
    if (chose_) {
      chose_ = false;
      return cut_ == Cut::middle ? bound / 2 : bound - 1;
    }
    return std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(engine_);
  }
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate) override {
    chose_ = true;
    const auto best = std::min_element(intervals.begin(), intervals.end(),
                                       [](const auto& a, const auto& b) { return a.cost < b.cost; });
    return static_cast<std::size_t>(best - intervals.begin());
  }

 private:
  std::mt19937_64 engine_{1};
  Cut cut_;
  bool chose_ = false;
};

// One draw of a run: what went in, what came out, and how likely that output was.
struct Draw {
  Rate rate;
  std::vector<std::int64_t> values;         // Laplace: before the noise
  std::vector<std::int64_t> noisy;          // Laplace: after it
  std::vector<WeightedInterval> intervals;  // choice
  std::uint64_t position = 0;               // choice: place of the outcome, counted in measure over all intervals
};

// Draws through another source and keeps every draw.
class RecordingNoise : public Noise {
 public:
  explicit RecordingNoise(Noise& source) : source_(source) {}
  [[nodiscard]] const std::vector<Draw>& draws() const noexcept { return draws_; }

  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned threads) override {
    Draw draw{rate, {values.begin(), values.end()}, {}, {}};
    source_.add_laplace(values, rate, threads);
    draw.noisy.assign(values.begin(), values.end());
    draws_.push_back(std::move(draw));
  }
  std::uint64_t below(std::uint64_t bound) override {
    const std::uint64_t result = source_.below(bound);
    if (chose_) draws_.back().position += result;
    chose_ = false;
    return result;
  }
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override {
    const std::size_t index = source_.choose(intervals, rate);
    Draw draw{rate, {}, {}, {intervals.begin(), intervals.end()}};
    for (std::size_t i = 0; i < index; ++i) draw.position += intervals[i].measure;
    draws_.push_back(std::move(draw));
    chose_ = true;
    return index;
  }

 private:
  Noise& source_;
  std::vector<Draw> draws_;
  bool chose_ = false;
};

// Gives the outputs of a recorded run again, whatever goes in, and keeps what went in: what a neighbour would have to
// draw to end in the same release.
class ReplayNoise : public Noise {
 public:
  explicit ReplayNoise(const std::vector<Draw>& script) : script_(script) {}
  [[nodiscard]] const std::vector<Draw>& draws() const noexcept { return draws_; }

  [[nodiscard]] bool is_private() const noexcept override { return false; }
  void add_laplace(std::span<std::int64_t> values, Rate rate, unsigned) override {
    const Draw& scripted = script_[draws_.size()];
    draws_.push_back({rate, {values.begin(), values.end()}, scripted.noisy, {}});
    if (values.size() == scripted.noisy.size()) std::copy(scripted.noisy.begin(), scripted.noisy.end(), values.begin());
  }
  std::uint64_t below(std::uint64_t) override { return offset_; }
  std::size_t choose(std::span<const WeightedInterval> intervals, Rate rate) override {
    const Draw& scripted = script_[draws_.size()];
    draws_.push_back({rate, {}, {}, {intervals.begin(), intervals.end()}, scripted.position});
    offset_ = scripted.position;
    std::size_t index = 0;
    for (; offset_ >= intervals[index].measure; ++index) offset_ -= intervals[index].measure;
    return index;
  }

 private:
  const std::vector<Draw>& script_;
  std::vector<Draw> draws_;
  std::uint64_t offset_ = 0;
};

inline double log_probability(const Draw& choice) {
  double total = 0;
  double cost = 0;
  std::uint64_t before = 0;
  for (const WeightedInterval& interval : choice.intervals) {
    if (choice.position >= before && choice.position < before + interval.measure) {
      cost = static_cast<double>(interval.cost);
    }
    before += interval.measure;
    total +=
        static_cast<double>(interval.measure) * std::exp(-choice.rate.value() * static_cast<double>(interval.cost));
  }
  return -choice.rate.value() * cost - std::log(total);
}

// How much less likely the same output is for the other run: the sum over all draws. Laplace draws are bounded by their
// rate times the L1 distance of what went in.
inline double privacy_loss(const std::vector<Draw>& run, const std::vector<Draw>& other) {
  if (run.size() != other.size()) return HUGE_VAL;
  double loss = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (run[i].rate != other[i].rate || run[i].values.size() != other[i].values.size()) return HUGE_VAL;
    double distance = 0;
    for (std::size_t j = 0; j < run[i].values.size(); ++j) {
      distance += std::fabs(static_cast<double>(run[i].values[j] - other[i].values[j]));
    }
    loss += run[i].rate.value() * distance;
    if (!run[i].intervals.empty()) loss += std::fabs(log_probability(run[i]) - log_probability(other[i]));
  }
  return loss;
}

}  // namespace shoal::testing
