#include <algorithm>
#include <limits>
#include <utility>

#include "points/ordered_scan.hpp"
#include "shoal/points.hpp"

namespace shoal {

namespace {

class WithoutMissing final : public Points, public OrderedScan {
 public:
  WithoutMissing(std::unique_ptr<Points> points, std::vector<double> missing, std::vector<AxisKind> kinds)
      : points_(std::move(points)), missing_(std::move(missing)), kinds_(std::move(kinds)) {}

  [[nodiscard]] std::size_t dimensions() const override { return points_->dimensions(); }
  [[nodiscard]] std::vector<std::string> names() const override { return points_->names(); }
  [[nodiscard]] double progress() const override { return points_->progress(); }
  [[nodiscard]] Taken taken() const override { return points_->taken(); }
  [[nodiscard]] std::uint64_t skipped() const override { return points_->skipped(); }
  void stop_when(const std::atomic<bool>* stop) noexcept override { points_->stop_when(stop); }

  void scan(unsigned threads, const Visit& visit) override { points_->scan(threads, without_missing(visit)); }

  void scan_in_order(unsigned threads, const Visit& visit, const HandOver& hand_over) override {
    shoal::scan_in_order(*points_, threads, without_missing(visit), hand_over);
  }

 private:
  [[nodiscard]] Visit without_missing(const Visit& visit) const {
    return [this, &visit](unsigned worker, const PointBlock& block) {
      std::vector<std::vector<double>> copies(block.columns.size());
      PointBlock known = block;
      for (std::size_t i = 0; i < copies.size(); ++i) {
        if (i < kinds_.size() && kinds_[i].reads_text()) continue;
        copies[i].assign(block.columns[i].begin(), block.columns[i].end());
        for (double& x : copies[i]) {
          if (std::find(missing_.begin(), missing_.end(), x) != missing_.end())
            x = std::numeric_limits<double>::quiet_NaN();
        }
        known.columns[i] = copies[i];
      }
      visit(worker, known);
    };
  }

  std::unique_ptr<Points> points_;
  std::vector<double> missing_;
  std::vector<AxisKind> kinds_;
};

}  // namespace

std::unique_ptr<Points> without_missing(std::unique_ptr<Points> points, std::vector<double> missing,
                                        std::vector<AxisKind> kinds) {
  if (missing.empty()) return points;
  return std::make_unique<WithoutMissing>(std::move(points), std::move(missing), std::move(kinds));
}

}  // namespace shoal
