#include "shoal/synthesis.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/dates.hpp"
#include "grid/contributions.hpp"
#include "privacy/account.hpp"
#include "publishing/publishing.hpp"
#include "shoal/error.hpp"

namespace shoal {

std::vector<Spent> planned_spending(const SynthesisRequest& request) {
  check_unit(request.unit);
  return planned_publication(request.publisher, request.grid, request.epsilon, request.unit);
}

void check(const SynthesisRequest& request) { static_cast<void>(planned_spending(request)); }

struct Synthesis::Published {
  std::unique_ptr<Noise> noise;  // also used to draw points
  Noised<Synopsis> synopsis;
  Grid grid;
};

namespace {

// Returns the value of an axis at a position. Steps, days and names are whole.
double value_at(const Axis& axis, double position) {
  const double x = axis.coordinate(position);
  const auto* numbers = std::get_if<Numbers>(&axis.kind().scale);
  const auto* instants = std::get_if<Instants>(&axis.kind().scale);
  if (instants != nullptr) {
    const double each = instants->least == Instants::Least::second ? 1 : static_cast<double>(seconds_a_day);
    return std::floor((x + instants->offset) / each) * each - instants->offset;
  }
  if (numbers != nullptr && numbers->step == 0) return x;
  const double step = numbers != nullptr ? numbers->step : std::holds_alternative<Names>(axis.kind().scale) ? 1 : 0;
  if (step == 0) return x;
  const double first = axis.lo() + step / 2, last = axis.hi() - step / 2;
  return std::clamp(first + std::round((x - first) / step) * step, first, last);
}

}  // namespace

Synthesis::Synthesis(std::shared_ptr<Published> published) : published_(std::move(published)) {}

std::vector<Spent> Synthesis::spent() const { return spent_of(published_->synopsis.paid()); }
bool Synthesis::is_private() const { return published_->noise->is_private(); }
std::size_t Synthesis::dimensions() const { return published_->synopsis.value().dimensions(); }
std::size_t Synthesis::boxes() const { return published_->synopsis.value().boxes(); }

double Synthesis::draw(const std::function<void(const PointBlock&)>& visit, std::uint64_t most) const {
  std::vector<std::vector<double>> columns(dimensions());
  const auto values = [&](const PointBlock& block) {
    PointBlock written;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Axis& axis = published_->grid.axis(i);
      columns[i].assign(block.columns[i].begin(), block.columns[i].end());
      if (axis.kind().scale != AxisKind{}.scale) {
        for (double& x : columns[i]) x = value_at(axis, x);
      }
      written.columns.emplace_back(columns[i]);
    }
    visit(written);
  };
  return draw_points(*published_->noise, published_->synopsis, values, most);
}

struct PreparedSynthesis::Read {
  SynthesisRequest request;
  Account account;
  std::unique_ptr<Noise> noise;
  PointTable points{};
  bool charged = false;

  explicit Read(const SynthesisRequest& asked)
      : request(asked),
        account(asked.ledger, asked.dataset, asked.epsilon, asked.seed.has_value()),
        noise(asked.seed ? seeded_noise_not_private(*asked.seed) : secure_noise()) {}
};

PreparedSynthesis::PreparedSynthesis(Points& points, const SynthesisRequest& request) {
  check(request);
  read_ = std::make_unique<Read>(request);
  const PrivacyUnit& unit = request.unit;
  read_->points = unit.column.empty() ? collect(points, request.grid, request.outside)
                                      : bounded_points(points, request.grid, request.outside,
                                                       {unit.max_contributions, unit.parts_per_weight()},
                                                       ContributionKey::draw(*read_->noise));
}

PreparedSynthesis::~PreparedSynthesis() = default;
PreparedSynthesis::PreparedSynthesis(PreparedSynthesis&&) noexcept = default;
PreparedSynthesis& PreparedSynthesis::operator=(PreparedSynthesis&&) noexcept = default;

std::optional<std::uint64_t> PreparedSynthesis::charge() {
  const std::optional<LedgerEntry> entry = read_->account.debit("synthesize " + read_->request.publisher);
  read_->charged = true;
  return entry ? std::optional(entry->id) : std::nullopt;
}

Synthesis PreparedSynthesis::publish() {
  if (!std::exchange(read_->charged, false)) {
    throw Error(ErrorKind::internal, "synthetic points are published once, after they were charged");
  }
  const SynthesisRequest& request = read_->request;
  Mechanisms mechanisms(*read_->noise, request.unit, request.epsilon);
  Noised<Synopsis> synopsis =
      shoal::publish(request.publisher, read_->points, request.grid, request.epsilon, mechanisms);
  read_->points = {};
  return Synthesis(std::make_shared<Synthesis::Published>(
      Synthesis::Published{std::move(read_->noise), std::move(synopsis), request.grid}));
}

Synthesis synthesize(Points& points, const SynthesisRequest& request) {
  PreparedSynthesis prepared(points, request);
  prepared.charge();
  return prepared.publish();
}

}  // namespace shoal
