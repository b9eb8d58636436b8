// Example datasets generated from a seed. They hold no personal data.
//
//   ds1        15 overlapping Gaussians, 30,000 points
//   ds2        3 interleaved spirals, 31,200 points
//   ds3        5 shapes, two of them pairs joined by a thin bridge, 31,520 points
//   world      check-ins by longitude and latitude: dense cities, thin country, empty oceans
//   visits     days and places in six weeks, in which some change; the day in seconds since 1970
//   mixtureN   5 Gaussians in N dimensions, N from 1 to 16
//
// ds1 to ds3 are shaped like the sets of the paper (Chen, Yu, Chirkova 2015) and lie in the unit square. With the
// settings that come with them, WaveCluster (haar, level 1, full adjacency) finds 15, 3 and 5 clusters.
// Row i depends on the seed and on i alone, and is the same on every machine: any prefix is a smaller set of the
// same kind. Coordinates have six decimals.
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
  std::vector<std::string> names;                 // of the columns
  std::vector<std::pair<double, double>> bounds;  // one an axis
  std::vector<std::uint64_t> cells;               // of the grid, one an axis
  double percentile = 0;
  std::uint64_t points = 0;  // how many it has unless another number is asked for
};

// A whole set in memory.
struct Dataset {
  DatasetSettings settings;
  std::vector<std::vector<double>> columns;  // one an axis
  std::vector<int> labels;                   // the cluster that a row was made for, from 1 on; 0: none
};

// ds1, ds2, ds3, world, visits, mixture2, mixture3.
std::vector<std::string> dataset_names();
// Refuses unknown names, with the list of known ones. So do the others.
DatasetSettings dataset_settings(const std::string& name);
// points 0: the usual number of the dataset.
Dataset make_dataset(const std::string& name, std::uint64_t seed, std::uint64_t points = 0);
// The same rows as a stream of any length, in a fixed amount of memory. with_labels: a last column "label".
std::unique_ptr<Points> dataset_points(const std::string& name, std::uint64_t seed, std::uint64_t points = 0,
                                       bool with_labels = false);

}  // namespace shoal
