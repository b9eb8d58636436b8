// Runs one hot kernel on fixed data, on one thread, inside measured(): callgrind counts the instructions of that
// function alone. Usage: kernels NAME; without a name: lists them; --all: runs each. scripts/instructions counts them
// all.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string_view>

#include "base/packed.hpp"
#include "inference/density.hpp"
#include "inference/privwave_noise.hpp"
#include "inference/privwave_select.hpp"
#include "shoal/readers.hpp"
#include "shoal/release_set.hpp"
#include "techniques/techniques.hpp"

// No inlining and a name that stays as it is: callgrind looks for it.
extern "C" [[gnu::noinline, gnu::noclone, gnu::used]] void measured(const std::function<void()>& kernel) { kernel(); }

namespace {

using namespace shoal;

constexpr std::uint64_t side = 512;
constexpr std::size_t rows = 200'000;
const Shape square{side, side};

Grid unit_grid(std::uint64_t cells) { return Grid({Axis(0, 1, cells, "x"), Axis(0, 1, cells, "y")}); }

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

std::vector<std::vector<double>> points() {
  std::mt19937_64 random(7);
  std::vector<std::vector<double>> columns(2, std::vector<double>(rows));
  for (auto& column : columns) {
    for (std::size_t i = 0; i < rows; ++i) column[i] = i % 2 == 0 ? uniform(random) : 0.4 + 0.2 * uniform(random);
  }
  return columns;
}

Counts counts_of(const std::vector<std::vector<double>>& columns, std::uint64_t cells) {
  const auto source = array_points({{columns[0].data()}, {columns[1].data()}}, rows);
  return quantize(*source, unit_grid(cells), {.threads = 1});
}

Cells<std::int64_t> noisy_square() {
  Values<std::int64_t> values(side * side);
  seeded_noise_not_private(7)->add_laplace(values, {1, 1}, 1);
  return Cells<std::int64_t>::dense(square, std::move(values));
}

void run_quantize() {
  const auto columns = points();
  measured([&] { static_cast<void>(counts_of(columns, 1024)); });
}

void run_quantize_fine() {
  const auto columns = points();
  measured([&] { static_cast<void>(counts_of(columns, 2048)); });
}

void run_noise() {
  const auto noise = seeded_noise_not_private(7);
  std::vector<std::int64_t> values(side * side);
  noise->add_laplace({values.data(), 1}, {1, 1}, 1);  // the table is there
  measured([&] { noise->add_laplace(values, {1, 1}, 1); });
}

void run_haar() {
  const auto values = noisy_square();
  measured([&] { static_cast<void>(haar_sums(values, 1, Transform::decimated, 1)); });
}

void run_threshold() {
  const auto values = noisy_square();
  measured([&] { static_cast<void>(significant_cells(values, Percentile(60))); });
}

void run_components() {
  std::mt19937_64 random(7);
  std::vector<std::uint8_t> mask(side * side);
  for (auto& cell : mask) cell = random() % 100 < 35 ? 1 : 0;
  std::vector<std::uint32_t> labels(mask.size());
  measured([&] { static_cast<void>(connect_mask(square, mask, labels)); });
}

void run_csv() {
  const auto columns = points();
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("shoal_kernels_{}.csv", std::random_device{}());
  {
    std::ofstream file(path);
    file << "x,y\n";
    for (std::size_t i = 0; i < rows / 10; ++i) file << fmt::format("{:.17f},{:.17f}\n", columns[0][i], columns[1][i]);
  }
  double sum = 0;
  const auto source = open_csv(path.string());
  measured([&] {
    source->scan(1, [&](unsigned, const PointBlock& block) {
      for (const double x : block.columns[0]) sum += x;
    });
  });
  std::filesystem::remove(path);
}

std::vector<double> noisy_records() {
  const Cells<std::int64_t> noise = noisy_square();
  std::vector<double> values(noise.stored());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t x = i / side, y = i % side;
    values[i] = static_cast<double>(noise.values()[i]) + (x / 64 % 2 == 0 && y / 64 % 2 == 0 ? 20 : 1);
  }
  return values;
}

// What the confidence of a release rests on.
void run_density() {
  NoisyField field;
  field.shape = square;
  const std::vector<double> values = noisy_records();
  field.values.assign(values.begin(), values.end());
  field.variance = 2;
  field.scale = 1;
  measured([&] { static_cast<void>(estimate_density(field, 10, 1)); });
}

// The cells of privwave.
void run_select() {
  const std::vector<double> values = noisy_records();
  const ValueNoise noise = laplace_noise(1);
  measured([&] {
    static_cast<void>(select_cells(square, values, noise, {65'000, 65'000, false}, Adjacency::full, 1));
  });
}

Release described_release() {
  const auto noise = seeded_noise_not_private(7);
  const PrivateOptions options{.cluster = {.threshold = Percentile(60), .threads = 1}};
  Release release = run_technique("privwave", {counts_of(points(), 256)}, Epsilon::parse("1"), options, *noise);
  static_cast<void>(release.clusters());
  static_cast<void>(release.confidence());
  return release;
}

void run_file(const std::string& suffix) {
  const Release release = described_release();
  measured([&] { static_cast<void>(release.contents(suffix, Doubtful::keep)); });
}

// What predict and the page wait for before anything else.
void run_read_release() {
  const std::string text = described_release().json();
  measured([&] { static_cast<void>(ReleaseSet::parse(text, "a kernel")); });
}

void run_label() {
  const auto columns = points();
  const Labeller labeller(ReleaseSet(described_release()), {.doubtful = Doubtful::keep});
  measured([&] { static_cast<void>(labeller.label({columns[0], columns[1]})); });
}

void run_pack() {
  const auto values = noisy_square();
  measured([&] { static_cast<void>(pack(values)); });
}

// The whole way from counts to a release with its outlines.
void run_release(const std::string& technique) {
  const Counts counts = counts_of(points(), 256);
  const auto noise = seeded_noise_not_private(7);
  const PrivateOptions options{.cluster = {.threshold = Percentile(60), .threads = 1}};
  measured(
      [&] { static_cast<void>(run_technique(technique, {counts}, Epsilon::parse("1"), options, *noise).clusters()); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> kernels = {
      {"quantize", run_quantize},
      {"quantize_fine", run_quantize_fine},
      {"noise", run_noise},
      {"haar", run_haar},
      {"threshold", run_threshold},
      {"components", run_components},
      {"csv", run_csv},
      {"density", run_density},
      {"select", run_select},
      {"pack", run_pack},
      {"read release", run_read_release},
      {"label", run_label},
      {"file json", [] { run_file(".json"); }},
      {"file geojson", [] { run_file(".geojson"); }},
      {"file csv", [] { run_file(".csv"); }},
      {"release privqt", [] { run_release("privqt"); }},
      {"release privwave", [] { run_release("privwave"); }},
  };
  if (argc < 2) {
    for (const auto& [name, run] : kernels) fmt::print("{}\n", name);
    return 0;
  }
  if (std::string_view(argv[1]) == "--all") {
    for (const auto& [name, run] : kernels) run();
    return 0;
  }
  const auto found = kernels.find(argv[1]);
  if (found == kernels.end()) return 2;
  found->second();
  return 0;
}
