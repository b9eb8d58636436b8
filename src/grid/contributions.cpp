#include "grid/contributions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>

#include "shoal/error.hpp"

namespace shoal {

namespace {
// Looks a std::string up by a string_view, without making a string of it.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

// The records kept of one unit, coordinates of a record side by side.
struct Reservoir {
  std::uint64_t seen = 0;
  std::vector<double> kept;
};

class Bounder {
 public:
  Bounder(std::size_t dimensions, std::uint64_t most, UniformSource& random)
      : dimensions_(dimensions), most_(most), random_(random), record_(dimensions) {}

  void add(const PointBlock& block) {
    if (block.units.empty()) {
      throw InputError("the input has no unit column; name it (--unit)");
    }
    for (std::size_t row = 0; row < block.rows(); ++row) {
      bool lies_somewhere = true;
      for (std::size_t i = 0; i < dimensions_; ++i) {
        record_[i] = block.columns[i][row];
        lies_somewhere = lies_somewhere && !std::isnan(record_[i]);
      }
      if (lies_somewhere) offer(reservoir(block.units[row]));
    }
  }

  // All kept records, one array per axis.
  [[nodiscard]] std::vector<std::vector<double>> take() {
    std::vector<std::vector<double>> columns(dimensions_);
    for (Reservoir& reservoir : reservoirs_) {
      for (std::size_t at = 0; at < reservoir.kept.size(); at += dimensions_) {
        for (std::size_t i = 0; i < dimensions_; ++i) columns[i].push_back(reservoir.kept[at + i]);
      }
      reservoir.kept = {};
    }
    return columns;
  }

 private:
  Reservoir& reservoir(std::string_view unit) {
    if (unit.empty()) throw InputError("a row has an empty unit; give every row its unit");
    const auto found = places_.find(unit);
    if (found != places_.end()) return reservoirs_[found->second];
    places_.emplace(unit, reservoirs_.size());
    return reservoirs_.emplace_back();
  }

  // Reservoir sampling (Vitter 1985, algorithm R): the j-th record of a unit is kept with probability most / j,
  // in the place of one of those kept so far.
  void offer(Reservoir& reservoir) {
    ++reservoir.seen;
    if (reservoir.seen <= most_) {
      reservoir.kept.insert(reservoir.kept.end(), record_.begin(), record_.end());
      return;
    }
    const std::uint64_t place = random_.below(reservoir.seen);
    if (place < most_) std::copy(record_.begin(), record_.end(), reservoir.kept.data() + place * dimensions_);
  }

  std::size_t dimensions_;
  std::uint64_t most_;
  UniformSource& random_;
  std::vector<double> record_;
  std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> places_;
  std::vector<Reservoir> reservoirs_;  // in the order of each unit's first record
};

// Array points that own their columns.
class BoundedPoints final : public Points {
 public:
  BoundedPoints(std::vector<std::string> names, std::vector<std::vector<double>> columns)
      : names_(std::move(names)), columns_(std::move(columns)) {
    std::vector<Column> views;
    for (const auto& column : columns_) views.push_back({column.data()});
    arrays_ = array_points(std::move(views), columns_.front().size());
  }

  [[nodiscard]] std::size_t dimensions() const override { return columns_.size(); }
  [[nodiscard]] std::vector<std::string> names() const override { return names_; }
  [[nodiscard]] double progress() const override { return arrays_->progress(); }
  void scan(unsigned threads, const Visit& visit) override { arrays_->scan(threads, visit); }
  void stop_when(const std::atomic<bool>* stop) noexcept override { arrays_->stop_when(stop); }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
  std::unique_ptr<Points> arrays_;
};
}  // namespace

// One thread: the records then come in the order of the input, and a seeded study gives the same on every machine.
std::unique_ptr<Points> bound_contributions(Points& source, std::uint64_t max_contributions, UniformSource& random) {
  if (max_contributions == 0) throw InputError("max-contributions is 0; choose at least 1 record per unit");
  Bounder bounder(source.dimensions(), max_contributions, random);
  source.scan(1, [&](unsigned, const PointBlock& block) { bounder.add(block); });
  return std::make_unique<BoundedPoints>(source.names(), bounder.take());
}

}  // namespace shoal
