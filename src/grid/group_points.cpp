#include <algorithm>
#include <limits>
#include <string>

#include "shoal/counts.hpp"

namespace shoal {

namespace {

// A source whose first column is replaced by the index of the group.
class PointsInGroups final : public Points {
 public:
  PointsInGroups(Points& source, const Axis& groups) : source_(source), groups_(groups) {}

  [[nodiscard]] std::size_t dimensions() const override { return source_.dimensions(); }
  [[nodiscard]] std::vector<std::string> names() const override { return source_.names(); }
  [[nodiscard]] double progress() const override { return source_.progress(); }
  [[nodiscard]] Taken taken() const override { return source_.taken(); }
  [[nodiscard]] std::uint64_t skipped() const override { return source_.skipped(); }
  void stop_when(const std::atomic<bool>* stop) noexcept override { source_.stop_when(stop); }

  void scan(unsigned threads, const Visit& visit) override {
    std::vector<std::vector<double>> places(std::max(1U, threads));
    source_.scan(threads, [&](unsigned worker, const PointBlock& block) {
      std::vector<double>& mine = places[worker];
      mine.clear();
      for (const double x : block.columns.front()) {
        const std::int64_t cell = groups_.cell(x);
        mine.push_back(cell == outside_axis ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(cell));
      }
      PointBlock in = block;
      in.columns.front() = mine;
      visit(worker, in);
    });
  }

 private:
  Points& source_;
  Axis groups_;
};

}  // namespace

std::unique_ptr<Points> in_groups(Points& source, const Axis& groups) {
  return std::make_unique<PointsInGroups>(source, groups);
}

}  // namespace shoal
