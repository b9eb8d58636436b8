// Example datasets that are generated from a seed. They contain no personal data.
//
//   ds1        15 overlapping Gaussians, 30,000 points
//   ds2        3 interleaved spirals, 31,200 points
//   ds3        5 shapes, two of them pairs joined by a thin bridge, 31,520 points
//   world      check-ins by longitude and latitude: dense cities, thin country, empty oceans
//   visits     days and places in six weeks, in which some change; the day in seconds since 1970
//   mixtureN   5 Gaussians in N dimensions, N from 1 to 16
//
// ds1, ds2 and ds3 resemble the datasets of the paper (Chen, Yu, Chirkova 2015) and lie in the unit square. With the
// settings of each dataset, WaveCluster (haar, level 1, full adjacency) finds 15, 3 and 5 clusters. Row i depends only
// on the seed and on i, and is the same on every machine. A prefix is therefore a smaller dataset of the same kind.
// Coordinates have six decimals.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shoal/points.hpp"

namespace shoal {

// Suitable settings for a dataset.
struct DatasetSettings {
  std::vector<std::string> names;                 // Names of the columns.
  std::vector<std::pair<double, double>> bounds;  // One pair of bounds per axis.
  std::vector<std::uint64_t> cells;               // Number of cells of the grid, one per axis.
  double percentile = 0;
  std::uint64_t points = 0;  // Number of points, unless the caller requests another.
};

// A whole dataset in memory.
struct Dataset {
  DatasetSettings settings;
  std::vector<std::vector<double>> columns;  // One column per axis.
  // The cluster for which each row was generated, starting at 1. 0 means that the row belongs to none.
  std::vector<int> labels;
};

// Returns the names of the datasets: ds1, ds2, ds3, world, visits, mixture2 and mixture3.
std::vector<std::string> dataset_names();
// Returns the settings of a dataset. This and the functions below throw if the name is unknown; the message lists the
// known names.
DatasetSettings dataset_settings(const std::string& name);
// Generates a dataset. If `points` is 0, the dataset has its usual number of points.
Dataset make_dataset(const std::string& name, std::uint64_t seed, std::uint64_t points = 0);
// Returns the same rows as a stream of any length, in constant memory. If `with_labels` is set, the last column is
// "label".
std::unique_ptr<Points> dataset_points(const std::string& name, std::uint64_t seed, std::uint64_t points = 0,
                                       bool with_labels = false);

}  // namespace shoal
