// Every refusal that public parameters decide comes before the debit. What can still throw after it, and why it does
// not:
//   mechanisms, samplers   rates below 2^-40 or that do not fit: require_rates in every plan
//   plans                  asked again by the techniques, of the same parameters
//   exponential, measure   the last interval has a positive measure; largest_threshold bounds Max
//   Haar sums, sizes       clamped to 2^62 (base/wide.hpp)
//   synthetic points       thinned or weighted (src/publishing/synthesize.cpp)
//   formats                Release::most_bytes refuses what they cannot hold; a JSON that is too large is made to fit
//   random bits, memory    the machine fails: the debit stands (docs/privacy.md)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "chi_square.hpp"
#include "ledger_file.hpp"
#include "publishing/publishing.hpp"
#include "shoal/error.hpp"
#include "shoal/ledger.hpp"
#include "shoal/private_release.hpp"
#include "techniques/techniques.hpp"

namespace shoal {
namespace {

using testing::eps;
using testing::message_of;

struct Range {
  double lo, hi;
  AxisKind kind{};
};

Grid grid_of(std::size_t dimensions, std::uint64_t cells, const std::vector<Range>& ranges = {{0, 1}}) {
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const Range& range = ranges[i % ranges.size()];
    axes.emplace_back(range.lo, range.hi, cells + (i == 1 ? 1 : 0), fmt::format("x{}", i + 1), range.kind);
  }
  return Grid(std::move(axes));
}

// Records of seven people, half of them close together.
class SomePoints final : public Points {
 public:
  explicit SomePoints(const Grid& grid, std::size_t records = 60) : columns_(grid.dimensions()) {
    std::mt19937_64 engine(5);
    for (std::size_t row = 0; row < records; ++row) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const double part = static_cast<double>(engine() % 1000) / 999, at = row % 2 == 0 ? part : 0.3 + part / 50;
        columns_[i].push_back(grid.axis(i).lo() * (1 - at) + grid.axis(i).hi() * at);
      }
      units_.push_back(std::string_view("abcdefg").substr(row % 7, 1));
    }
  }
  [[nodiscard]] std::size_t dimensions() const override { return columns_.size(); }
  [[nodiscard]] std::vector<std::string> names() const override { return std::vector<std::string>(columns_.size()); }
  void scan(unsigned, const Visit& visit) override {
    PointBlock block;
    for (const auto& column : columns_) block.columns.emplace_back(column);
    block.units = units_;
    visit(0, block);
  }

 private:
  std::vector<std::vector<double>> columns_;
  std::vector<std::string_view> units_;
};

// Public parameters at random, corners first.
class Chooser {
 public:
  explicit Chooser(std::uint64_t seed) : engine_(seed) {}
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[engine_() % values.size()];
  }

  ReleaseRequest request() {
    const auto dimensions = one_of<std::size_t>({1, 1, 2, 2, 2, 3, 4, 5, 7, 8, 9});
    const std::uint64_t cells = dimensions > 4   ? 2
                                : dimensions > 2 ? one_of<std::uint64_t>({2, 3, 4})
                                                 : one_of<std::uint64_t>({1, 2, 5, 8, 16});
    ReleaseRequest request{.grid = grid_of(dimensions, cells),
                           .epsilon = Epsilon::zero(),
                           .options = {.cluster = {.threshold = Percentile(0)}},
                           .technique = one_of(technique_names())};
    request.epsilon = eps(one_of<const char*>(
        {"1e-12", "3e-12", "1e-11", "9e-12", "1.5e-11", "1e-10", "1e-6", "0.001", "0.123456789012", "1", "1000000"}));
    PrivateOptions& options = request.options;
    options.unit.neighbors = one_of<Neighbors>({Neighbors::add_remove, Neighbors::replace});
    options.unit.max_contributions = one_of<std::uint64_t>({1, 1, 3, 10'000'000, UINT32_MAX});
    if (options.unit.max_contributions > 1) options.unit.column = "who";
    options.publisher = one_of(publisher_names());
    options.dense_limit = one_of<std::uint64_t>({dense_limit, dense_limit, 16});
    ClusterOptions& cluster = options.cluster;
    cluster.wavelet =
        Wavelet::named(one_of<std::string>({"haar", "haar", "haar", "db2", "bior3.3", "sym8", "rbio1.5"}));
    cluster.level = one_of<unsigned>({1, 1, 2, 3, 10, 31, 60});
    cluster.transform = one_of<Transform>({Transform::decimated, Transform::decimated, Transform::stationary});
    cluster.threads = 1;
    cluster.threshold =
        one_of<Threshold>({Percentile(50), Percentile(0), Percentile(99.9), Coverage(80), Top(3), Density(2)});
    if (one_of<int>({0, 0, 0, 1}) == 1) options.alpha = one_of<double>({0.5, 1e-9, 0.999999});
    if (one_of<int>({0, 0, 0, 1}) == 1) options.max_density = one_of<double>({1, 1e-9, 1e15});
    if (one_of<int>({0, 0, 0, 0, 1}) == 1) {
      request.grid = AutomaticGrid{request.bounds()};
      cluster.threshold = DensityModes{};
    }
    return request;
  }

 private:
  std::mt19937_64 engine_;
};

std::string described(const ReleaseRequest& request) {
  const ClusterOptions& cluster = request.options.cluster;
  return fmt::format(
      "{}{} publisher {} epsilon {} grid {} units {} x {} wavelet {} level {} stationary {} rule {} alpha {} max {} "
      "dense "
      "{}",
      request.technique, request.is_automatic() ? " --auto" : "", request.options.publisher, request.epsilon.text(),
      fmt::join(request.bounds().shape(), "x"), request.options.unit.max_contributions,
      request.options.unit.neighbors == Neighbors::replace, cluster.wavelet.name(), cluster.level,
      cluster.transform == Transform::stationary, cluster.threshold.index(), request.options.alpha.value_or(0),
      request.options.max_density.value_or(0), request.options.dense_limit);
}

TEST(Refusals, NothingIsRefusedOnceItIsPaidFor) {
  Chooser chooser(20150004);
  const int cases = testing::quick() ? 120 : 600;
  int refused = 0, released = 0;
  for (int i = 0; i < cases; ++i) {
    const ReleaseRequest request = chooser.request();
    SCOPED_TRACE(described(request));
    SomePoints points(request.bounds());
    std::optional<PreparedRelease> prepared;
    std::vector<std::string> formats;
    try {
      prepared.emplace(points, request);
    } catch (const InputError&) {
      ++refused;
      continue;
    }
    for (const char* format : {".json", ".geojson", ".csv", ".svg", ".png", ".html"}) {
      try {
        static_cast<void>(bytes_to_reserve(request, format));
        formats.emplace_back(format);
      } catch (const InputError&) {
        EXPECT_STREQ(format, ".geojson");
      }
    }
    prepared->charge();
    try {
      const ReleaseSet release = prepared->draw().trimmed_to();
      for (const std::string& format : formats) {
        if (format != ".json" && i % 10 != 0) continue;  // pictures take their time
        const std::string contents = release.contents(format);
        EXPECT_LE(contents.size(), Release::most_bytes(format, release.first().parts().grid, request.options.cluster));
      }
      ++released;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GT(refused, cases / 6);
  EXPECT_GT(released, cases / 6);
}

// Of a grid that is chosen, and of insets, the axes are made after the debit.
TEST(Refusals, NothingIsRefusedOnceItIsPaidForWhereTheGridIsChosen) {
  Chooser chooser(20150005);
  const AxisKind log{.scale = Logarithmic{}}, latitude{.scale = Latitude{}}, circle{.border = Border::circle};
  const int cases = testing::quick() ? 60 : 200;
  int refused = 0, released = 0;
  std::size_t insets = 0;
  for (int i = 0; i < cases; ++i) {
    std::vector<Range> ranges;
    for (int axis = 0; axis < 3; ++axis) {
      const double narrow = std::exp2(-chooser.one_of<int>({52, 50, 48, 44, 40, 38, 37, 36, 35, 34, 33, 32, 30, 20}));
      ranges.push_back(chooser.one_of<Range>({{0, 1},
                                              {-1e300, 1e300},
                                              {0, 1e-300},
                                              {1, 1 + narrow},
                                              {-180, 180, circle},
                                              {1, 1 + narrow, log},
                                              {1, 1 + narrow, log},
                                              {1e300, 1e300 * (1 + narrow), log},
                                              {1e-300, 1e300, log},
                                              {-90, 90, latitude},
                                              {90 - narrow * 90, 90, latitude}}));
    }
    const auto dimensions = chooser.one_of<std::size_t>({1, 1, 1, 2, 2, 3});
    std::optional<ReleaseRequest> request;
    std::optional<PreparedRelease> prepared;
    try {
      request = ReleaseRequest{
          .grid = AutomaticGrid{grid_of(dimensions, 2, ranges)},
          .epsilon = eps(chooser.one_of<const char*>({"1e-11", "1e-9", "0.001", "1", "1000", "1000000"})),
          .options = {.cluster = {.threshold = DensityModes{}, .threads = 1}}};
      if (const auto most = chooser.one_of<std::uint64_t>({0, 1, 8}); most > 0) request->layout = Insets{most};
      SomePoints points(request->bounds(), chooser.one_of<std::size_t>({0, 1, 60, 3000}));
      prepared.emplace(points, *request);
    } catch (const InputError&) {
      ++refused;
      continue;
    }
    prepared->charge();
    try {
      const ReleaseSet release = prepared->draw();
      insets += release.insets().size();
      static_cast<void>(release.contents(".json"));
      ++released;
    } catch (const std::exception& error) {
      ADD_FAILURE() << i << ": " << error.what();
    }
  }
  EXPECT_GT(refused, cases / 6);
  EXPECT_GT(released, cases / 6);
  EXPECT_GT(insets, static_cast<std::size_t>(cases / 10));
}

class RefusedRelease : public testing::LedgerFile {};

TEST_F(RefusedRelease, LeavesTheLedgerAsItIs) {
  Ledger::create(path, "trips", eps("10"));
  for (const char* technique : {"privwave", "privqt", "privthr", "privthr-em", "baseline", "auto"}) {
    ReleaseRequest request{.grid = grid_of(2, 8),
                           .epsilon = eps("1e-12"),
                           .options = {.cluster = {.threshold = Percentile(0)}},
                           .technique = technique};
    if (technique == std::string("auto")) {
      request.grid = AutomaticGrid{request.bounds()};
      request.technique = "privwave";
      request.options.cluster.threshold = DensityModes{};
    }
    request.options.unit = {.neighbors = Neighbors::replace, .column = "who", .max_contributions = 4'000'000};
    request.ledger = path;
    request.dataset = "trips";
    for (const char* epsilon : {"1e-12", "5e-11", "0.000001"}) {
      request.epsilon = eps(epsilon);
      SomePoints points(request.bounds());
      message_of([&] { static_cast<void>(private_release(points, request)); }, ErrorKind::input);
    }
  }
  EXPECT_TRUE(Ledger(path).history().empty());
}

TEST(Refusals, APlanBelowTheLeastRateIsRefusedAndOneAtItIsNot) {
  const Grid grid = grid_of(1, 8);
  PrivateOptions options{.cluster = {.threshold = Percentile(0)}};
  options.unit = {.neighbors = Neighbors::add_remove, .column = "who", .max_contributions = 1};
  EXPECT_NO_THROW(static_cast<void>(planned_spending("privqt", grid, eps("1e-12"), options)));  // above 2^-40
  options.unit.max_contributions = 2;
  const std::string message =
      message_of([&] { static_cast<void>(planned_spending("privqt", grid, eps("1e-12"), options)); }, ErrorKind::input);
  EXPECT_NE(message.find("below 2^-40"), std::string::npos) << message;
}

TEST(Refusals, SynthesisIsPlannedLikewise) {
  PrivacyUnit unit{.neighbors = Neighbors::add_remove, .column = "who", .max_contributions = 1'000'000};
  for (const std::string& publisher : publisher_names()) {
    EXPECT_THROW(static_cast<void>(planned_publication(publisher, grid_of(2, 8), eps("0.0000001"), unit)), InputError);
  }
}

}  // namespace
}  // namespace shoal
