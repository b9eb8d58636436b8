// Makes private synthetic points from points. All callers run the same steps, in the order that privacy requires.
// docs/publishing.md describes the methods and their budgets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shoal/counts.hpp"
#include "shoal/points.hpp"
#include "shoal/privacy.hpp"

namespace shoal {

// Returns the names of the methods: adaptive-grid, uniform-grid, quadtree, kd-tree and privelet.
std::vector<std::string> publisher_names();

// Default maximum number of synthetic points.
inline constexpr std::uint64_t most_synthetic_points = 100'000'000;

// A request for synthetic points. Bounds and epsilon have no default.
struct SynthesisRequest {
  // The bounds of the points. Only privelet uses the cells.
  Grid grid;
  Epsilon epsilon;
  std::string publisher = "adaptive-grid";
  PrivacyUnit unit{};
  Outside outside = Outside::drop;
  // Path of the ledger to charge. If not set, nothing is charged. An empty path is refused.
  std::optional<std::string> ledger{};
  // The account to charge in the ledger. Required if and only if `ledger` is set.
  std::string dataset{};
  // For studies only: a seed for the noise. The points are not private, and nothing can be charged.
  std::optional<std::uint64_t> seed{};
};

// Throws if the request cannot be met. Decided from public parameters only.
void check(const SynthesisRequest& request);
// Returns the planned spending, which adds up to epsilon. Throws if check() throws.
std::vector<Spent> planned_spending(const SynthesisRequest& request);

// The result of a publisher: boxes that tile the bounds, each with a noisy number of records. It is public and already
// charged, so points can be drawn from it any number of times. Copies share their state; use it from one thread at a
// time.
class Synthesis {
 public:
  [[nodiscard]] std::vector<Spent> spent() const;
  [[nodiscard]] bool is_private() const;
  [[nodiscard]] std::size_t dimensions() const;
  [[nodiscard]] std::size_t boxes() const;
  // Draws points and passes them to `visit` in blocks. At most `most` points are drawn: if there would be more, the
  // counts of all boxes are first multiplied by the same share below 1. Returns that share, or 1. Memory does not grow
  // with the number of points.
  double draw(const std::function<void(const PointBlock&)>& visit, std::uint64_t most = most_synthetic_points) const;

 private:
  friend class PreparedSynthesis;
  struct Published;
  explicit Synthesis(std::shared_ptr<Published> published);
  std::shared_ptr<Published> published_;
};

// Points that are read but not yet charged, like PreparedRelease (private_release.hpp).
class PreparedSynthesis {
 public:
  // Reads the points and limits what each unit contributes. Throws before anything is read if the plan or the ledger
  // refuses the request.
  PreparedSynthesis(Points& points, const SynthesisRequest& request);
  ~PreparedSynthesis();
  PreparedSynthesis(PreparedSynthesis&&) noexcept;
  PreparedSynthesis& operator=(PreparedSynthesis&&) noexcept;

  // Debits the ledger, if there is one. Epsilon is spent when the call returns. Returns the id of the ledger entry, or
  // nothing if there is no ledger.
  std::optional<std::uint64_t> charge();
  // Draws the noise and returns the result. Call it once, after charge().
  Synthesis publish();

 private:
  struct Read;
  std::unique_ptr<Read> read_;
};

// Runs all steps: read, charge and publish. The same points with the same seed give the same synthesis.
Synthesis synthesize(Points& points, const SynthesisRequest& request);

}  // namespace shoal
