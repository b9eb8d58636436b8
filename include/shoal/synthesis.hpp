// Private synthetic points, from points to points: all steps, in the order that privacy needs, for every caller. The
// methods and their budgets: docs/publishing.md.
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

// adaptive-grid, uniform-grid, quadtree, kd-tree, privelet.
std::vector<std::string> publisher_names();

// Most points that a set may have unless told otherwise.
inline constexpr std::uint64_t most_synthetic_points = 100'000'000;

// Bounds and epsilon have no default.
struct SynthesisRequest {
  Grid grid;  // its bounds; the cells matter to privelet alone
  Epsilon epsilon;
  std::string publisher = "adaptive-grid";
  PrivacyUnit unit{};
  Outside outside = Outside::drop;
  std::optional<std::string> ledger{};  // the file that is charged; none: nothing is. Given and empty: refused
  std::string dataset{};                // the account in it: given just when a ledger is
  // Studies only: the points are not private, and nothing can be charged.
  std::optional<std::uint64_t> seed{};
};

// The planned spending, from public parameters alone; adds up to epsilon. Refuses requests that cannot be met.
std::vector<Spent> planned_spending(const SynthesisRequest& request);

// The result of a publisher: boxes that tile the bounds, each with a noisy number of records. Public and charged:
// points can be drawn from it any number of times. A value; one thread at a time.
class Synthesis {
 public:
  [[nodiscard]] std::vector<Spent> spent() const;
  [[nodiscard]] bool is_private() const;
  [[nodiscard]] std::size_t dimensions() const;
  [[nodiscard]] std::size_t boxes() const;
  // Hands points over in blocks; memory does not grow with them. Where there would be more than `most`, counts are
  // first multiplied by a share below 1, the same for all boxes: at most `most` are drawn. Returns the share.
  double draw(const std::function<void(const PointBlock&)>& visit, std::uint64_t most = most_synthetic_points) const;

 private:
  friend class PreparedSynthesis;
  struct Published;
  explicit Synthesis(std::shared_ptr<Published> published);
  std::shared_ptr<Published> published_;
};

// Points that are read and not yet charged, like PreparedRelease (private_release.hpp).
class PreparedSynthesis {
 public:
  // Refuses what the plan or the ledger refuses, before anything is read; then bounds what each unit contributes.
  PreparedSynthesis(Points& points, const SynthesisRequest& request);
  ~PreparedSynthesis();
  PreparedSynthesis(PreparedSynthesis&&) noexcept;
  PreparedSynthesis& operator=(PreparedSynthesis&&) noexcept;

  // Debits the ledger, where there is one: once it returns, epsilon is spent. Returns the entry's id; none: no ledger.
  std::optional<std::uint64_t> charge();
  // Draws noise. After charge(), once.
  Synthesis publish();

 private:
  struct Read;
  std::unique_ptr<Read> read_;
};

// All steps. The same points and seed give the same synthesis.
Synthesis synthesize(Points& points, const SynthesisRequest& request);

}  // namespace shoal
